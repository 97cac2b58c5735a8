package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/fault"
)

// progressDelay is the time after which a command shows its progress on a terminal. pipedDelay is the time for a file
// or a pipe.
const (
	progressDelay = time.Second
	pipedDelay    = 10 * time.Second
)

// StatusLine is the last line of a terminal while a command runs: its progress, or at least the time at work. The
// command's output replaces it. A pipe or a file gets a whole line at times.
type StatusLine struct {
	to    io.Writer
	what  string // the command
	Piped bool   // standard error is not a terminal
	text  string // the last progress, for a pipe
	mu    sync.Mutex
	begun time.Time
	spoke time.Time // the time of the last output
	shown bool      // the line is on the terminal
	told  bool      // a progress writes the line, which says more than the time
	ended bool
}

// NewStatusLine makes the status line of a command.
func NewStatusLine(to io.Writer, what string, piped bool) *StatusLine {
	l := &StatusLine{to: to, what: what, Piped: piped, begun: time.Now(), spoke: time.Now()}
	l.wait()
	return l
}

func (l *StatusLine) wait() {
	delay := progressDelay
	if l.Piped {
		delay = pipedDelay
	}
	time.AfterFunc(delay, fault.In(l.tick))
}

// tick shows the time at work on a terminal, if no progress writes the line. A pipe or a file gets a whole line: the
// last progress, or else the time.
func (l *StatusLine) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	now := fmt.Sprintf("%s: %d s", l.what, int(time.Since(l.begun).Seconds()))
	switch {
	case l.Piped:
		fmt.Fprintf(l.to, "git-trace: %s\n", cmp.Or(l.text, now))
	case !l.told && time.Since(l.spoke) >= progressDelay:
		l.shown = true
		fmt.Fprint(l.to, "\r\x1b[K"+now)
	}
	l.wait()
}

// tell keeps the progress for a pipe, and writes it as the status line of a terminal.
func (l *StatusLine) tell(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text = text; !l.ended && !l.Piped {
		l.shown, l.told = true, true
		fmt.Fprintf(l.to, "\r\x1b[K%s", text)
	}
}

// clear removes the text of the status line.
func (l *StatusLine) clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wipe()
	l.told, l.text = false, ""
}

func (l *StatusLine) wipe() {
	if l.shown {
		fmt.Fprint(l.to, "\r\x1b[K")
	}
	l.shown, l.spoke = false, time.Now()
}

// End removes the line for good: the terminal belongs to the output, or to another program.
func (l *StatusLine) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wipe()
	l.ended = true
}

// `Below` is the command's output to the terminal, which is written above the status line. An incomplete line remains
// the last one.
type Below struct {
	File  *os.File
	Line  *StatusLine
	Speak bool // messages go through it, and are broken at the terminal's width
}

func (b Below) Write(p []byte) (int, error) {
	b.Line.mu.Lock()
	defer b.Line.mu.Unlock()
	b.Line.wipe()
	if !bytes.HasSuffix(p, []byte("\n")) {
		b.Line.ended = true
	}
	if !b.Speak {
		return b.File.Write(p)
	}
	columns, _ := terminalWidth(b.File)
	if _, err := b.File.Write(Wrap(p, columns)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Wrap breaks messages at blanks at the terminal's width, and cuts a word only if it is longer than a line.
// Continuation lines are indented to the text.
func Wrap(text []byte, columns int) []byte {
	if columns < leastWidth || !bytes.HasSuffix(text, []byte("\n")) {
		return text
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		head, message := cutMessage(line)
		if head == "" || cells.Width(strings.TrimSuffix(line, "\n")) <= columns {
			out.WriteString(cells.Fold(strings.TrimSuffix(line, "\n"), columns) + "\n")
			continue
		}
		for i, row := range cells.Wrap(message, columns-len(head), 1<<30) {
			if i > 0 {
				head = strings.Repeat(" ", len(head))
			}
			out.WriteString(head + row + "\n")
		}
	}
	return out.Bytes()
}

// leastWidth is the smallest width at which lines are broken at blanks.
const leastWidth = 40

// cutMessage cuts "git-trace: hint: text" after the second colon. The result `head` is empty for any other text.
func cutMessage(line string) (head, message string) {
	for _, head := range [...]string{"git-trace: error: ", "git-trace: hint: ", "git-trace: warning: "} {
		if rest, found := strings.CutPrefix(line, head); found && strings.HasSuffix(rest, "\n") {
			return head, rest
		}
	}
	return "", line
}

// File returns the file to which a writer writes; false if it does not write to a file.
func File(w io.Writer) (*os.File, bool) {
	switch w := w.(type) {
	case *foldWriter:
		return File(w.to)
	case Below:
		return w.File, true
	case *os.File:
		return w, true
	}
	return nil, false
}

// Progress shows the progress of a task.
type Progress struct {
	line  *StatusLine
	what  string
	begun time.Time
	next  time.Time
}

// Progress starts to show the progress of a task. It may be called on a nil line.
func (l *StatusLine) Progress(what string) *Progress {
	return &Progress{line: l, what: what, begun: time.Now(), next: time.Now().Add(progressDelay)}
}

// At shows the number of finished items.
func (p *Progress) At(done, total int) {
	p.tell(int64(done), int64(total), fmt.Sprintf(" (%d/%d)", done, total))
}

// Bytes shows the number of finished bytes.
func (p *Progress) Bytes(done, total int64) { p.tell(done, total, "") }

func (p *Progress) tell(done, total int64, more string) {
	if p.line == nil || total <= 0 || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressDelay / 10)
	more += left(time.Since(p.begun), done, total)
	p.line.tell(fmt.Sprintf("%s: %3d%%%s", p.what, min(done*100/total, 100), more))
}

// `left` returns the estimated time for the rest: ", 12 s left". It is "" before a fiftieth is done.
func left(passed time.Duration, done, total int64) string {
	if done <= 0 || done*50 < total || done >= total {
		return ""
	}
	rest := time.Duration(float64(passed) / float64(done) * float64(total-done))
	if rest < 100*time.Second {
		return fmt.Sprintf(", %d s left", int(rest.Round(time.Second).Seconds()))
	}
	return fmt.Sprintf(", %d min left", int(rest.Round(time.Minute).Minutes()))
}

// Clear removes the progress from the status line.
func (p *Progress) Clear() { p.line.clear() }
