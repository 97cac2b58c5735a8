//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// asking is set in the process that another user runs: the address that it asks for.
const asking = "GITTRACE_TEST_ASKS"

// W3: another user of the machine reaches the port. They read neither the secret nor a page: not from the server, not
// from what it left, and not from the arguments of its processes.
func TestAnotherUserOfTheMachineReadsNothing(t *testing.T) {
	if address := os.Getenv(asking); address != "" {
		other(t, address)
		return
	}
	if os.Getuid() != 0 {
		testenv.Forbids(t, "only root runs a process as another user")
	}
	program, dir := demo(t)
	s := startServe(t, program, dir, "serve")
	base, token, _ := strings.Cut(s.url, "/?k=")
	word := filepath.Join(dir, ".git", "traces", runningFile)
	if raw, err := os.ReadFile(word); err != nil || !strings.Contains(string(raw), token) {
		t.Fatalf("%v %s", err, raw)
	}
	opened := running{dir: filepath.Dir(word)}
	t.Setenv("BROWSER", "true")
	if err := opened.show(t.Context(), s.url); err != nil {
		t.Fatal(err)
	}
	place, err := os.MkdirTemp("/tmp", "git-trace-other-") // every user reaches it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	self := filepath.Join(place, "test")
	testenv.CopySelf(t, self)
	if err := os.Chmod(place, 0o755); err != nil {
		t.Fatal(err)
	}
	for at := filepath.Dir(word); at != "/"; at = filepath.Dir(at) { // the files, not their directories, keep others out
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	cmd := exec.Command(self, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir = place
	cmd.Env = append(os.Environ(), asking+"="+base+" "+strconv.Itoa(s.cmd.Process.Pid)+" "+word, "HOME="+place)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), token) || !strings.Contains(string(out), "asked for 5 pages, looked into") {
		t.Errorf("%v\n%s", err, out)
	}
}

// other is the other user.
func other(t *testing.T, told string) {
	base, rest, _ := strings.Cut(told, " ")
	_, word, _ := strings.Cut(rest, " ")
	if os.Getuid() == 0 {
		t.Fatal("this is root")
	}
	client := &http.Client{Timeout: time.Minute}
	pages := []string{"/", "/log", "/api/1/log", "/static/0/page.css", "/live"}
	for _, page := range pages {
		answer, err := client.Get(base + page)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", page, answer.Status)
		}
	}
	for _, name := range []string{word, filepath.Join(filepath.Dir(word), openFile)} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s cannot even be looked at, so this shows nothing of its mode: %v", name, err)
		}
		if raw, err := os.ReadFile(name); err == nil {
			t.Errorf("%s is read: %s", name, raw)
		}
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	looked := 0
	for _, name := range lines {
		if raw, err := os.ReadFile(name); err == nil { // the process may have ended
			looked++
			if strings.Contains(string(raw), "?k=") {
				t.Errorf("the arguments of %s have the secret: %q", name, raw)
			}
		}
	}
	t.Logf("asked for %d pages, looked into %d processes", len(pages), looked)
}
