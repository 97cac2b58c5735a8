package terminal

import (
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/cells"
)

// foldWriter breaks lines for people at the terminal's width. A terminal itself would break them inside words, and
// without indentation. It does not break lines of files and patches.
type foldWriter struct {
	to    io.Writer
	width int
	begun bool // the last written line has no end yet
	hunk  bool // the last line belonged to a hunk
}

// Fold returns a writer that breaks lines at a column. It breaks none if the column is less than leastWidth.
func Fold(to io.Writer, column int) io.Writer {
	if column < leastWidth {
		return to
	}
	return &foldWriter{to: to, width: column}
}

// Columns returns the width at which output for people is broken, or 0 if it goes neither to a terminal nor to a pager
// of git.
func Columns(out io.Writer) int {
	columns, is := Width(out)
	if os.Getenv("GIT_PAGER_IN_USE") == "true" {
		is = true // git has started a pager; output goes to it through a pipe
	}
	if !is {
		return 0
	}
	if n := columnsSet(); n > 0 {
		return n
	}
	return columns
}

var (
	hunkHead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\x1b\[[0-9;]*m)*@@ -`) })
	hunkLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\x1b\[[0-9;]*m)*[-+ \\]`) })
	fileLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^│]*[0-9] (\x1b\[[0-9;]*m)*│`) })
)

// Write implements io.Writer.
func (f *foldWriter) Write(p []byte) (int, error) {
	var out strings.Builder
	for line := range strings.Lines(string(p)) {
		text, whole := strings.CutSuffix(line, "\n")
		switch {
		case f.begun || !whole || len(text) <= f.width && !f.hunk && !strings.Contains(text, "@@ -"):
			out.WriteString(line)
		case hunkHead().MatchString(text) || f.hunk && hunkLine().MatchString(text):
			f.hunk = true
			out.WriteString(line)
		default:
			if f.hunk = false; !fileLine().MatchString(text) {
				line = cells.Fold(text, f.width) + "\n"
			}
			out.WriteString(line)
		}
		f.begun = !whole
	}
	if _, err := io.WriteString(f.to, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
