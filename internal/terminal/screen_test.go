package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
)

// quiet takes away what the surroundings tell of terminals, pagers and colours.
func quiet(t *testing.T) {
	t.Helper()
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "GIT_PAGER_IN_USE", "COLUMNS", "NO_COLOR", "GIT_PAGER", "PAGER"} {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm")
}

func config(t *testing.T, pairs ...string) refs.Config {
	t.Helper()
	var c refs.Config
	for i := 0; i < len(pairs); i += 2 {
		c.Add(pairs[i], pairs[i+1])
	}
	return c
}

func TestAScreenFollowsItsSurroundings(t *testing.T) {
	quiet(t)
	var out bytes.Buffer
	o := Output{Out: &out, Err: io.Discard, Config: func() (refs.Config, error) { return config(t, "color.ui", "always"), nil },
		Leave: func() { t.Error("a pager takes a pipe") }}
	for when, want := range map[string]bool{"": true, "always": true, "never": false, "auto": false} {
		s, err := o.Open(when)
		if err != nil || s.Color != want || s.Terminal || !s.Whole || s.Width != defaultWidth {
			t.Errorf("%q: %+v, %v", when, s, err)
		}
		if text := s.Cut("a long text", 4) + s.CutLeft("another", 3); text != "a long textanother" {
			t.Errorf("a program gets %q", text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := o.Open("sometimes"); err == nil {
		t.Error("colour sometimes")
	}
	t.Setenv("COLUMNS", "30")
	t.Setenv("GIT_PAGER_IN_USE", "true")
	s, colourIn, err := o.OpenLate()
	if err != nil || colourIn != nil || s.Width != 30 || !s.Terminal || s.Whole || Columns(&out) != 30 {
		t.Errorf("%+v, %v", s, err)
	}
	if text := s.Cut("a long text", 4) + s.CutLeft("another", 3); !strings.Contains(text, "…") {
		t.Errorf("a terminal gets %q", text)
	}
	t.Setenv("GIT_PAGER_IN_USE", "")
	if _, colourIn, err = o.OpenLate(); err != nil || !colourIn(config(t, "color.ui", "always")) || colourIn(config(t)) {
		t.Error("colour is not asked for late")
	}
	o.Config = func() (refs.Config, error) { return refs.Config{}, io.ErrUnexpectedEOF }
	if _, err := o.Open(""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if Is(&out) || Columns(&out) != 0 {
		t.Error("a buffer is a terminal")
	}
}

func TestColourIsAMatterOfSettings(t *testing.T) {
	quiet(t)
	for name, tt := range map[string]struct {
		pairs                []string
		env                  [2]string
		configured, terminal bool
		want                 bool
	}{
		"a terminal":         {nil, [2]string{}, true, true, true},
		"a pipe":             {nil, [2]string{}, true, false, false},
		"always":             {[]string{"color.ui", "always"}, [2]string{}, true, false, true},
		"never":              {[]string{"color.ui", "false"}, [2]string{}, true, true, false},
		"asked for":          {[]string{"color.ui", "false"}, [2]string{}, false, true, true},
		"NO_COLOR":           {nil, [2]string{"NO_COLOR", "1"}, true, true, false},
		"dumb":               {nil, [2]string{"TERM", "dumb"}, true, true, false},
		"a pager without it": {[]string{"color.pager", "false"}, [2]string{"GIT_PAGER_IN_USE", "true"}, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.env[0] != "" {
				t.Setenv(tt.env[0], tt.env[1])
			}
			if got := wantsColour(config(t, tt.pairs...), tt.configured, tt.terminal); got != tt.want {
				t.Error(got)
			}
		})
	}
}

func TestAPagerIsChosenAsGitDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		pairs []string
		env   []string
		want  string
	}{
		"nothing set":     {nil, nil, "less"},
		"PAGER":           {nil, []string{"PAGER", "more"}, "more"},
		"core.pager":      {[]string{"core.pager", "most"}, []string{"PAGER", "more"}, "most"},
		"GIT_PAGER":       {[]string{"core.pager", "most", "pager.trace", "less -S"}, []string{"GIT_PAGER", "cat"}, ""},
		"pager.trace":     {[]string{"core.pager", "most", "pager.trace", "less -S"}, nil, "less -S"},
		"pager.trace off": {[]string{"pager.trace", "false"}, nil, ""},
		"pager.trace on":  {[]string{"core.pager", "most", "pager.trace", "Yes"}, nil, "most"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, unset := range []string{"PAGER", "GIT_PAGER"} {
				t.Setenv(unset, "")
				if err := os.Unsetenv(unset); err != nil {
					t.Fatal(err)
				}
			}
			for i := 0; i < len(tt.env); i += 2 {
				t.Setenv(tt.env[i], tt.env[i+1])
			}
			if got := pagerCommand(config(t, tt.pairs...)); got != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "shown"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := startPager("tr a-z A-Z", file, io.Discard)
	if p == nil {
		t.Fatal("no pager")
	}
	_, _ = io.WriteString(p, "shown\n")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(file.Name()); string(text) != "SHOWN\n" {
		t.Errorf("%q, %v", text, err)
	}
	if startPager("/nonexistent/pager", file, io.Discard) != nil {
		t.Error("a pager that is not there runs")
	}
}

func TestACIsCommandsAreMadeHarmless(t *testing.T) {
	quiet(t)
	const text = "::error::x\n \x1b[31m::warning::y\n##[group]z\nplain ::\n"
	if Calm(text) != text {
		t.Error("nobody reads commands here")
	}
	t.Setenv("CI", "true")
	var out bytes.Buffer
	s, err := (Output{Out: &out}).Open("never")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{text[:5], text[5:20], text[20:], "::end"} {
		if _, err := io.WriteString(s.Out, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil || strings.Contains(out.String(), "\n::") || strings.HasPrefix(out.String(), "::") ||
		strings.Contains(out.String(), "##[") || !strings.Contains(out.String(), "plain ::\n") {
		t.Errorf("%q, %v", &out, err)
	}
	if s.AsIs().Out != s.calm.to {
		t.Error("files are changed")
	}
}

func TestLongLinesAreFoldedButNotCode(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	long := strings.Repeat("word ", 20)
	f := Fold(&out, 40)
	for _, part := range []string{long + "\n", "@@ -1 +1 @@ x\n", "+" + long + "\n", "12 │ " + long + "\n", "begun ", long + "\n", long + "\n"} {
		if n, err := io.WriteString(f, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines[0]) > 40 || !strings.Contains(out.String(), "\n+"+long+"\n") || !strings.Contains(out.String(), "\n12 │ "+long+"\n") {
		t.Errorf("%s", &out)
	}
	if Fold(&out, 3) != io.Writer(&out) {
		t.Error("a screen of three columns")
	}
	text := string(Wrap([]byte("git-trace: hint: "+long+"\n"), 40))
	for line := range strings.Lines(text) {
		if len(line) > 42 {
			t.Errorf("%q", line)
		}
	}
}

// closed fails every write.
type closed struct{ err error }

func (c closed) Write([]byte) (int, error) { return 0, c.err }

func TestAReaderThatGoesAwayIsNoFault(t *testing.T) {
	t.Parallel()
	var silent exit.Silent
	if _, err := Quietly(closed{syscall.EPIPE}).Write([]byte("x")); !errors.As(err, &silent) || int(silent) != exit.Done {
		t.Error(err)
	}
	if _, err := Quietly(closed{io.ErrShortWrite}).Write([]byte("x")); err == nil {
		t.Error("a full disk is quiet")
	}
	s := &StickyWriter{Writer: closed{io.ErrShortWrite}}
	_, _ = s.Write([]byte("x"))
	if _, err := s.Write([]byte("y")); !errors.Is(err, io.ErrShortWrite) || !errors.Is(s.Err, io.ErrShortWrite) {
		t.Error(err)
	}
	line, err := JSONLine(map[string]string{"a": "<b>"})
	if err != nil || string(line) != `{"a":"<b>"}` {
		t.Errorf("%s, %v", line, err)
	}
}

func TestFaultsAreTold(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var f *exit.Failure
	if err := Faults(&out, []error{io.EOF, io.ErrNoProgress}); !errors.As(err, &f) || f.Code != exit.Unchecked ||
		out.String() != "git-trace: error: EOF\n" {
		t.Errorf("%v, %s", err, &out)
	}
	known := exit.Usage("no")
	if Faults(&out, nil) != nil || !errors.Is(Faults(&out, []error{known}), known) {
		t.Error("a fault changes")
	}
}

func TestAStatusLineIsWipedAndEnds(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	line := NewStatusLine(write, "test", false)
	shown := line.Progress("commits")
	for i := range 3 {
		shown.At(i, 3)
		shown.Bytes(int64(i), 3<<20)
	}
	below := Below{File: write, Line: line, Speak: true}
	_, _ = io.WriteString(below, "a message\n")
	shown.Clear()
	line.End()
	_ = write.Close()
	text, err := io.ReadAll(read)
	if err != nil || !strings.Contains(string(text), "a message\n") {
		t.Errorf("%q, %v", text, err)
	}
	if file, is := File(below); !is || file != write {
		t.Error("the file below is lost")
	}
}

func TestAnInterruptIsHeard(t *testing.T) {
	var i Interrupts
	ctx, stop := i.Listen(t.Context())
	defer stop()
	if i.Status() != 0 {
		t.Error(i.Status())
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skip("this system sends no interrupt to itself")
	}
	<-ctx.Done()
	if i.Status() != ExitInterrupted {
		t.Error(i.Status())
	}
	i.Leave()
}
