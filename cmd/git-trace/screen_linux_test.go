package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// openPair makes a pseudo-terminal of the given width: the terminal, and the end at which a person would sit.
func openPair(t *testing.T, columns uint16) (terminal, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return terminal, person
}

// openTerminal makes a pseudo-terminal and collects what is written to it.
func openTerminal(t *testing.T, columns uint16) (terminal *os.File, shown func() string) {
	t.Helper()
	terminal, person := openPair(t, columns)
	return terminal, watchTerminal(terminal, person)
}

// watchTerminal takes what is shown on a terminal until the function that it returns is called, which closes it.
func watchTerminal(terminal, person *os.File) (shown func() string) {
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(&text, person) // ends with an error when the last writer is gone
		close(done)
	}()
	return func() string {
		_ = terminal.Close()
		<-done
		_ = person.Close()
		return strings.ReplaceAll(text.String(), "\r\n", "\n")
	}
}

// onTerminal runs git-trace with a terminal as its standard output.
func onTerminal(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	terminal, shown := openTerminal(t, 60)
	cmd := exec.Command("git-trace", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, terminal, os.Stderr
	cmd.Env = append(
		[]string{
			"HOME=" + testenv.TempDir(t), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "TZ=UTC",
			"GIT_CONFIG_GLOBAL=" + os.DevNull,
		}, env...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("git-trace %v: %v", args, err)
	}
	return shown()
}

// newScreenRepo makes a repository with one commit.
func newScreenRepo(t *testing.T) string {
	t.Helper()
	dir := testenv.TempDir(t)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=A U Thor", "-c", "user.email=author@example.com", "commit", "-q", "--allow-empty", "-m", "one \x1b[31mred"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir
}

func TestTerminalGetsPagerColourAndWidthAsGitGivesThem(t *testing.T) {
	t.Parallel()
	dir := newScreenRepo(t)
	const colour = "\x1b[33m"
	for name, test := range map[string]struct {
		env      []string
		config   []string // key, value
		paged    bool
		coloured bool
	}{
		"a terminal has colour and the pager of PAGER": {[]string{"PAGER=sed s/^/P:/"}, nil, true, true},
		"GIT_PAGER outranks PAGER":                     {[]string{"PAGER=false", "GIT_PAGER=sed s/^/P:/"}, nil, true, true},
		"core.pager outranks PAGER":                    {[]string{"PAGER=false"}, []string{"core.pager", "sed s/^/P:/"}, true, true},
		"pager.trace names one":                        {[]string{"PAGER=false"}, []string{"pager.trace", "sed s/^/P:/"}, true, true},
		"pager.trace switches it off":                  {[]string{"PAGER=sed s/^/P:/"}, []string{"pager.trace", "false"}, false, true},
		"cat is no pager":                              {[]string{"GIT_PAGER=cat"}, nil, false, true},
		"a pager that is not there is left out":        {[]string{"PAGER=/nonexistent"}, nil, false, true},
		"NO_COLOR is heard":                            {[]string{"PAGER=cat", "NO_COLOR=1"}, nil, false, false},
		"color.ui is heard":                            {[]string{"PAGER=cat"}, []string{"color.ui", "false"}, false, false},
		"a dumb terminal has no colour":                {[]string{"PAGER=cat", "TERM=dumb"}, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := test.env
			if len(test.config) > 0 {
				env = append(env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0="+test.config[0], "GIT_CONFIG_VALUE_0="+test.config[1])
			}
			shown := onTerminal(t, dir, env, "graph")
			if paged := strings.HasPrefix(shown, "P:"); paged != test.paged {
				t.Errorf("paged: %v\n%q", paged, shown)
			}
			if coloured := strings.Contains(shown, colour); coloured != test.coloured {
				t.Errorf("coloured: %v\n%q", coloured, shown)
			}
			if !strings.Contains(shown, "one ^[[31mred") {
				t.Errorf("foreign text is not safe: %q", shown)
			}
		})
	}
}

func TestTerminalSetsTheWidth(t *testing.T) {
	t.Parallel()
	dir := newScreenRepo(t)
	line := strings.TrimSuffix(onTerminal(t, dir, []string{"PAGER=cat", "NO_COLOR=1"}, "graph"), "\n")
	if got := len(line); got != 60 {
		t.Errorf("on 60 columns the line takes %d: %q", got, line)
	}
}

// A reader who leaves the pager at once ends the command, without an error.
func TestLeavingThePagerIsNoError(t *testing.T) {
	t.Parallel()
	dir := newScreenRepo(t)
	if shown := onTerminal(t, dir, []string{"PAGER=true"}, "graph"); shown != "" {
		t.Errorf("shown: %q", shown)
	}
}

// Whoever sees the signs is told what they mean; a program that reads standard error is not.
func TestBlameExplainsItsSigns(t *testing.T) {
	t.Parallel()
	w := newTwin(t, false)
	w.trace()
	w.must("git", "checkout", "-q", "-f", "main")
	shown := w.shownOnTerminal("blame", "a")
	if strings.Contains(shown, "?") || !strings.Contains(shown, "hint: lines older than the recording bear no sign") {
		t.Errorf("an old line: %s", shown)
	}
	w.must("git", "config", "advice.traceSigns", "false")
	if shown := w.shownOnTerminal("blame", "a"); strings.Contains(shown, "hint") {
		t.Errorf("hidden hints: %s", shown)
	}
	w.must("git", "config", "--unset", "advice.traceSigns")
	w.must("git", "commit", "-q", "--allow-empty", "-m", "later")
	w.must("git", "clone", "-q", "--depth", "1", "file://"+w.dir, "../shallow")
	if shown := w.shownOnTerminal("-C", "../shallow", "blame", "a"); !strings.Contains(shown, "lacks older commits, which may tell more: git fetch --unshallow") {
		t.Errorf("a shallow clone: %s", shown)
	}
	w.must("git", "clone", "-q", ".", "../other")
	if shown := w.shownOnTerminal("-C", "../other", "blame", "a"); !strings.Contains(shown, "hint: nothing is recorded") {
		t.Errorf("an unrecorded repository: %s", shown)
	}
}

func TestATerminalGetsSomeRowsOfABackfill(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	s := w.at(w.dir)
	for i := range 20 + 3 {
		s.write(fmt.Sprintf("new%d.go", i), w.block("agent", 4), nil, true)
		w.commit("more")
	}
	s.end()
	shown := onTerminal(t, w.dir, nil, "backfill", "--dry-run", "--transcripts", w.folder)
	rows := strings.Count(shown, "claude-code ")
	if !strings.Contains(shown, "\nand 3 rows more; git trace log lists the") || rows != 20 {
		t.Errorf("%d rows:\n%s", rows, shown)
	}
}
