package unseen

import (
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/trails/linediff"
)

// An answer about a line without an owner holds until a log speaks of that line or of its path, if the line says
// something. Nothing changes the answer about a settled commit.
func TestWhatMayChangeAnAnswer(t *testing.T) {
	t.Parallel()
	line, brace := []byte("value := compute(number)"), []byte("}")
	key := func(text []byte) index.Key { return index.LineKey(events.FingerprintOf(text)) }
	for name, settled := range map[string]bool{"open": false, "settled": true} {
		f := &file{read: true, lines: [][]byte{line, brace}, added: []linediff.Range{{Start: 0, End: 2}}}
		f.change.Path = "a.go"
		var d depends
		d.onFile(f, settled)
		if d.has(key(line)) == settled || d.has(index.PathKey("a.go")) == settled || d.has(key(brace)) {
			t.Errorf("%s: the line %v, the path %v, a brace %v", name, d.has(key(line)), d.has(index.PathKey("a.go")), d.has(key(brace)))
		}
		if d.passing {
			t.Errorf("%s: nothing of it passes", name)
		}
	}
}
