package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/internal/version"
)

// startedServe is git trace with arguments that serve, after it has said its address.
type startedServe struct {
	cmd  *exec.Cmd
	says bytes.Buffer
	url  string
	done chan struct{}
}

func startServe(t *testing.T, program, dir string, args ...string) *startedServe {
	t.Helper()
	s := &startedServe{cmd: exec.Command(program, args...), done: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stderr = dir, &s.says
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s.url = strings.TrimSpace(line)
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = s.cmd.Wait() // what it left tells how it ended
		close(s.done)
	}()
	if err != nil || !strings.HasPrefix(s.url, "http://") {
		t.Fatalf("%v: %q %v\n%s", args, line, err, s.says.String())
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// ended waits for the end. The bound is only there so that a server that never ends is told.
func (s *startedServe) ended(t *testing.T, what string) {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: it goes on", what)
	}
}

// A second start in a work tree opens the server that runs there, and an old word of one misleads nobody.
func TestOneServerForAWorkTree(t *testing.T) {
	program, dir := demo(t)
	word := filepath.Join(dir, ".git", "traces", runningFile)
	left := `{"base":"http://127.0.0.1:1","token":"x","version.Number":"` + version.Number + `","process":{"PID":1,"Start":1}}`
	if err := os.WriteFile(word, []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	first := startServe(t, program, dir, "serve")
	info, err := os.Stat(word)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	second := startServe(t, program, dir, "serve", "HEAD")
	second.ended(t, "the second start")
	base, token, _ := strings.Cut(first.url, "/?k=")
	if !strings.HasPrefix(second.url, base+"/commit/") || !strings.HasSuffix(second.url, token) {
		t.Errorf("the second start says %s, the first %s", second.url, first.url)
	}
	other := startServe(t, program, dir, "serve", "--port", "0", "--listen", "::1")
	if strings.HasPrefix(other.url, base) {
		t.Errorf("another address was asked for: %s", other.url)
	}
	_ = other.cmd.Process.Signal(os.Interrupt)
	other.ended(t, "an interrupted server")
	if err := first.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	first.ended(t, "an interrupted server")
	if _, err := os.Stat(filepath.Join(filepath.Dir(word), openFile)); err == nil {
		t.Error("the file that opens the browser is left")
	}
}

// A server ends when nobody asks, and when its repository goes.
func TestAServerEndsByItself(t *testing.T) {
	program, dir := demo(t)
	word := filepath.Join(dir, ".git", "traces", runningFile)
	startServe(t, program, dir, "serve", "--idle", "100ms").ended(t, "nobody asks")
	if _, err := os.Stat(word); err == nil {
		t.Error("its word is left")
	}
	moved := startServe(t, program, dir, "serve", "--idle", "0")
	if err := os.Rename(dir, dir+"-gone"); err != nil {
		t.Skipf("a directory in use cannot be renamed here: %v", err)
	}
	moved.ended(t, "the repository is gone")
}

// Other machines are let in where the person says so twice, and need the token all the same.
func TestOtherMachinesNeedTwoWords(t *testing.T) {
	program, dir := readDemo(t)
	for _, args := range [][]string{{"--listen", "0.0.0.0"}, {"--listen", "::"}, {"--listen", "192.0.2.1"}, {"--listen", "host.example"},
		{"--listen-anyway"}, {"--idle", "-1s"}, {"--port", "-1"}} {
		cmd := exec.Command(program, append([]string{"serve"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "git-trace: error: ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	s := startServe(t, program, dir, "serve", "--listen", "0.0.0.0", "--listen-anyway")
	base, _, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
	answer, err := http.Get("http://127.0.0.1" + base[strings.LastIndex(base, ":"):] + "/")
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v %v", answer, err)
	}
	_ = answer.Body.Close()
	_ = s.cmd.Process.Signal(os.Interrupt)
	s.ended(t, "an interrupted server")
	if !strings.Contains(s.says.String(), "warning: other machines reach this address") {
		t.Errorf("no warning: %s", s.says.String())
	}
}

// blame --web and show --web open a page in the browser. The token is in a file of the person's, not in the arguments
// of the browser.
func TestPagesAreOpenedInTheBrowser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the browser of this test is a script")
	}
	program, dir := demo(t)
	told := filepath.Join(testenv.TempDir(t), "told")
	browser := filepath.Join(testenv.TempDir(t), "browser")
	script := "#!/bin/sh\n{ echo \"$@\"; cat \"$1\"; ls -l \"$1\"; } >" + told + ".new && mv " + told + ".new " + told + "\n"
	if err := os.WriteFile(browser, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", browser)
	for _, test := range []struct {
		args []string
		page string
	}{
		{[]string{"blame", "--web", "server.go:11"}, "/blame/worktree/server.go?line=11&k="},
		{[]string{"blame", "--web", "HEAD", "--", "server.go"}, "/blame/" + strings.TrimSpace(head(t, dir)) + "/server.go?k="},
		{[]string{"show", "--web", "c86c#1"}, "/p/1?k="},
	} {
		_ = os.Remove(told)
		s := startServe(t, program, dir, test.args...)
		if !strings.Contains(s.url, test.page) {
			t.Errorf("%v opens %s", test.args, s.url)
		}
		var text []byte
		for end := time.Now().Add(time.Minute); len(text) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			text, _ = os.ReadFile(told)
		}
		argv, rest, _ := strings.Cut(string(text), "\n")
		_, token, _ := strings.Cut(s.url, "k=")
		if strings.Contains(argv, token) || !strings.Contains(rest, token) || !strings.Contains(rest, "-rw-------") {
			t.Errorf("%v: the browser was given\n%s", test.args, text)
		}
		_ = s.cmd.Process.Signal(os.Interrupt)
		s.ended(t, "an interrupted server")
	}
	for _, args := range [][]string{{"blame", "--web"}, {"blame", "--web", "none.go"}, {"blame", "--web", "-w", "server.go"},
		{"blame", "--web", "a", "b", "c"}, {"show", "--web", "c86c", "c86c"}, {"show", "--web", "--json", "c86c"}, {"show", "--web", "ffff"}} {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "git-trace: error: ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// The configuration names the port.
func TestTheConfigurationNamesThePort(t *testing.T) {
	program, dir := demo(t)
	free := startServe(t, program, dir, "serve")
	base, _, _ := strings.Cut(free.url, "/?k=")
	_ = free.cmd.Process.Signal(os.Interrupt)
	free.ended(t, "an interrupted server")
	port := base[strings.LastIndex(base, ":")+1:]
	set := func(value string) {
		if out, err := exec.Command("git", "-C", dir, "config", "trace.servePort", value).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	set(port)
	if s := startServe(t, program, dir, "serve"); !strings.HasPrefix(s.url, base+"/") {
		t.Errorf("%s, not %s", s.url, base)
	} else {
		_ = s.cmd.Process.Signal(os.Interrupt)
		s.ended(t, "an interrupted server")
	}
	set("many")
	cmd := exec.Command(program, "serve")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "trace.servePort: 'many' is not a port") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A list goes on after the entry that a cursor names, until its end, and no entry is told twice.
func TestCursorsOfPrograms(t *testing.T) {
	program, dir := demo(t)
	for n := range 7 {
		cmd := exec.Command("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "empty "+string(rune('a'+n)))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	s := serveSite(t, program, dir)
	var all, parts []string
	subjects := func(body string) (out []string) {
		var answer struct{ Commits []struct{ Subject string } }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		for _, c := range answer.Commits {
			out = append(out, c.Subject)
		}
		return out
	}
	body, _ := s.get("/api/1/graph")
	all = subjects(body)
	next := "/api/1/graph?limit=2"
	for rounds := 0; next != "" && rounds < 9; rounds++ {
		answer, err := s.client.Get(s.base + next)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v\n%s", next, answer.StatusCode, err, raw)
		}
		parts = append(parts, subjects(string(raw))...)
		next, _, _ = strings.Cut(strings.TrimPrefix(answer.Header.Get("Link"), "<"), ">")
	}
	if got, want := strings.Join(parts, "\n"), strings.Join(all, "\n"); len(all) != 9 || got != want {
		t.Errorf("parts:\n%s\nnot\n%s", got, want)
	}
	for path, want := range map[string]int{"/api/1/graph?before=ffff": 404, "/api/1/log?before=x": 404, "/api/1/status?before=x": 400,
		"/api/1/search?q=safe&before=x": 404, "/api/1/stats?limit=0": 400} {
		if body, status := s.get(path); status != want {
			t.Errorf("%s: status %d, not %d\n%s", path, status, want, body)
		}
	}
}
