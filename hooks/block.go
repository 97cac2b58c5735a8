package hooks

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/userfile"
)

// marks holds the two lines around git-trace's part of a hook.
var marks = userfile.Marked("")

// kind is the form of git-trace's part in a hook file.
type kind string

const (
	own     kind = "own"     // the whole file is ours
	insert  kind = "insert"  // our lines follow the first line of another program's shell script
	chain   kind = "chain"   // the file is ours, and runs the earlier hook, which was renamed
	source  kind = "source"  // like chain, but the same shell reads the renamed hook, so that $0 stays the same
	forward kind = "forward" // a file in a directory of our own, which runs the hook in the former directory
)

// block is git-trace's part in a file.
type block struct {
	kind    kind
	version int
	text    []byte // including both marker lines
}

// findBlock returns the first of our blocks in a file, or nil. If a begin or an end marker is alone, the error is
// ErrDamaged.
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

// parseHead parses "# version 1, insert: …". For another line the version is 0.
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

// stripBlocks removes all our blocks, which gives the bytes from before the install.
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

// insertBlock inserts a block after the "#!" line of a script, or at its top if it has none.
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

// lineAfter returns the rest of the line of the block that begins with a prefix.
func (b *block) lineAfter(prefix string) string {
	for line := range strings.Lines(string(b.text)) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSuffix(rest, "\n")
		}
	}
	return ""
}
