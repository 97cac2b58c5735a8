package hooks

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/userfile"
)

// marks are the two lines around our part of a hook.
var marks = userfile.Marked("")

// kind is the form of our part in a hook file.
type kind string

const (
	own     kind = "own"     // the file is ours alone
	insert  kind = "insert"  // our lines are after the first line of another program's shell script
	chain   kind = "chain"   // the file is ours and calls the earlier hook, which was renamed
	source  kind = "source"  // like chain, but the same shell reads the renamed hook, so that $0 stays
	forward kind = "forward" // in a directory of our own: hands over to the hook in the directory of before
)

// block is our part as found in a file.
type block struct {
	kind    kind
	version int
	text    []byte // with both marker lines
}

// findBlock returns the first of our blocks in a file, or nil. A begin without an end, or the reverse, is ErrDamaged.
func findBlock(content []byte) (*block, error) {
	start, end, err := marks.Find(content)
	if err != nil || start < 0 {
		return nil, err
	}
	b := &block{text: content[start:end]}
	lines := strings.SplitN(string(b.text), "\n", 3)
	b.version, b.kind = parseHead(lines[1])
	return b, nil
}

// parseHead reads "# version 1, insert: …"; a line of another form gives version 0.
func parseHead(line string) (int, kind) {
	rest, ok := strings.CutPrefix(line, "# version ")
	if !ok {
		return 0, own
	}
	number, rest, _ := strings.Cut(rest, ", ")
	name, _, _ := strings.Cut(rest, ":")
	version, err := strconv.Atoi(number)
	if err != nil {
		return 0, own
	}
	return version, kind(name)
}

// stripBlocks removes all our blocks: the result has the earlier bytes.
func stripBlocks(content []byte) ([]byte, error) {
	rest := bytes.Clone(content)
	for {
		start, end, err := marks.Find(rest)
		if err != nil {
			return nil, err
		}
		if start < 0 {
			return rest, nil
		}
		rest = append(rest[:start], rest[end:]...)
	}
}

// insertBlock puts a block after the "#!" line of a script, or at its top if it has none.
func insertBlock(script, text []byte) []byte {
	at := 0
	if bytes.HasPrefix(script, []byte("#!")) {
		at = bytes.IndexByte(script, '\n') + 1
	}
	out := make([]byte, 0, len(script)+len(text))
	out = append(out, script[:at]...)
	out = append(out, text...)
	return append(out, script[at:]...)
}

// lineAfter returns the rest of the block's line that begins with a prefix.
func (b *block) lineAfter(prefix string) string {
	for line := range strings.Lines(string(b.text)) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSuffix(rest, "\n")
		}
	}
	return ""
}
