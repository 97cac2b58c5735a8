package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// What takes over a second says on a terminal that it is at work, and leaves nothing of that behind. A file gets
// no line of it so soon. Git is slow here, so that the command is.
func TestWhatTakesLongSaysSoOnATerminal(t *testing.T) {
	t.Parallel()
	dir, programs := newScreenRepo(t), testenv.TempDir(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	slow := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' log '*) sleep 2.4 ;; esac\nexec %s \"$@\"\n", git)
	if err := os.WriteFile(filepath.Join(programs, "git"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(stderr *os.File) *exec.Cmd {
		cmd := exec.Command("git-trace", "graph", "--color=never")
		cmd.Dir, cmd.Stderr = dir, stderr
		cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t), "PATH="+programs+":"+os.Getenv("PATH"), "TERM=xterm")
		return cmd
	}
	terminal, shown := openTerminal(t, 80)
	var out bytes.Buffer
	cmd := run(terminal)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	said := shown()
	if !regexp.MustCompile(`\r\x1b\[Kgraph: [1-9] s`).MatchString(said) {
		t.Errorf("a command of over two seconds said %q", said)
	}
	if !strings.HasSuffix(said, "\r\x1b[K") {
		t.Errorf("the line stays: %q", said)
	}
	if !strings.Contains(out.String(), "A U Thor") || strings.Contains(out.String(), "graph:") {
		t.Errorf("the output is %q", out.String())
	}
	file, err := os.Create(filepath.Join(testenv.TempDir(t), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := run(file).Run(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || len(text) > 0 {
		t.Errorf("who is no terminal was told %q (%v)", text, err)
	}
}

// Pages are served until a person interrupts: nothing counts the seconds below their address.
func TestPagesThatAreServedSayHowToEndThem(t *testing.T) {
	t.Parallel()
	dir, programs := newScreenRepo(t), testenv.TempDir(t)
	const serves = "#!/bin/sh\necho http://127.0.0.1:1/\nsleep 2.4\n"
	if err := os.WriteFile(filepath.Join(programs, "git-trace-serve"), []byte(serves), 0o755); err != nil {
		t.Fatal(err)
	}
	terminal, shown := openTerminal(t, 80)
	cmd := exec.Command("git-trace", "serve")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, terminal, terminal
	cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t), "PATH="+programs+":"+os.Getenv("PATH"), "TERM=xterm")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	said := shown()
	if strings.Contains(said, "serve: ") || !strings.Contains(said, "Ctrl-C ends it") || !strings.Contains(said, "http://127.0.0.1:1/") {
		t.Errorf("the terminal has %q", said)
	}
}
