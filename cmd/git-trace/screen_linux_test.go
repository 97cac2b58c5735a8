package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal of the given width and collects what is written to it.
func openTerminal(t *testing.T, columns uint16) (terminal *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	fd := int(master.Fd())
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
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(&text, master) // ends with an error when the last writer is gone
		close(done)
	}()
	return terminal, func() string {
		_ = terminal.Close()
		<-done
		_ = master.Close()
		return strings.ReplaceAll(text.String(), "\r\n", "\n")
	}
}

// onTerminal runs git-trace with a terminal as its standard output.
func onTerminal(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	terminal, shown := openTerminal(t, 60)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, terminal, os.Stderr
	cmd.Env = append(
		[]string{
			"GIT_TRACE_TEST_MAIN=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "TZ=UTC",
			"GIT_CONFIG_GLOBAL=" + os.DevNull,
		}, env...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("git-trace %v: %v", args, err)
	}
	return shown()
}
