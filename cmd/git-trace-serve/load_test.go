package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// held counts what a server holds on Linux: files, and children.
func held(t *testing.T, pid int) (files, children int) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			children++
		}
	}
	return len(list), children
}

// server is the companion below git-trace. Any thread of that may have started it.
func server(t *testing.T, parent int) int {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil || len(threads) == 0 {
		t.Skipf("the kernel tells of no children: %v", err)
	}
	for _, name := range threads {
		raw, _ := os.ReadFile(name) // the thread may have ended
		for _, pid := range strings.Fields(string(raw)) {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("git-trace has no child in %v", threads)
	return 0
}

var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)

// goroutines ends a server with a dump of them (SIGQUIT, see package runtime), and counts.
func (s *startedServe) goroutines(t *testing.T, pid int) int {
	t.Helper()
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(syscall.SIGQUIT)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.ended(t, "a server that was told to dump")
	n := len(goroutine.FindAllString(s.says.String(), -1))
	if n == 0 {
		t.Fatalf("no goroutine in %.300s", s.says.String())
	}
	return n
}

// W6: slow clients, clients that go in the middle, and very many requests leave nothing behind: no file, no child, no
// connection, no goroutine; and the server still answers. A slow client is given up by the server, a large header refused.
func TestClientsThatMisbehaveLeaveNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process holds is read in /proc")
	}
	program, dir := readDemo(t)
	t.Setenv("GOTRACEBACK", "all")
	calm := startServe(t, program, dir, "serve", "--port", "0", "--listen", "::1") // nobody asks it anything
	before := calm.goroutines(t, server(t, calm.cmd.Process.Pid))
	s := startServe(t, program, dir, "serve")
	base, token, _ := strings.Cut(s.url, "/?k=")
	address, port, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	cookie := &http.Cookie{Name: "gt" + port, Value: token}
	pid := server(t, s.cmd.Process.Pid)
	get := func(ctx context.Context, path string) (int, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, http.NoBody)
		if err != nil {
			return 0, err
		}
		r.AddCookie(cookie)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode, answer.Body.Close()
	}
	if status, err := get(t.Context(), "/"); err != nil || status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
	http.DefaultClient.CloseIdleConnections()
	var dialer net.Dialer
	var slow []net.Conn
	for range 200 {
		c, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(address, port))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: ")
		slow = append(slow, c)
	}
	var wait sync.WaitGroup
	for client := range 8 {
		wait.Go(func() {
			for n := range testenv.Pick(100, 250, 1250) {
				path := []string{"/static/0/x", "/log", "/graph", "/api/1/log?limit=5"}[n%4]
				if status, err := get(t.Context(), path); err != nil || status >= http.StatusInternalServerError {
					t.Errorf("client %d: %s: %d %v", client, path, status, err)
				}
				if n%10 == 0 { // one that has gone when the answer comes
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Duration(n%30)*time.Millisecond, cancel)
					if _, err := get(ctx, fmt.Sprintf("/stats?since=%d.days.ago", n+client*1000)); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("client %d: %v", client, err)
					}
					cancel()
				}
			}
		})
	}
	wait.Wait()
	for i, c := range slow {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // the server has 5 seconds
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("slow client %d is still waited for", i)
		}
		_ = c.Close()
	}
	large, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	large.Header.Set("X-Large", strings.Repeat("x", 17<<10)) // net/http reads up to 8 KiB more than it is told
	if answer, err := http.DefaultClient.Do(large); err != nil || answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large header: %v %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	const few = 16 // files of the program itself
	var files, children int
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if files, children = held(t, pid); files <= few && children == 0 {
			break
		}
	}
	if files > few || children > 0 {
		t.Errorf("a minute later the server holds %d files and %d children", files, children)
	}
	if status, err := get(t.Context(), "/log"); err != nil || status != http.StatusOK {
		t.Errorf("it no longer answers: %d %v", status, err)
	}
	http.DefaultClient.CloseIdleConnections()
	const more = 8 // of the last request, and of the runtime
	if n := s.goroutines(t, pid); n > before+more {
		t.Errorf("%d goroutines, of a calm server %d\n%s", n, before, s.says.String())
	} else {
		t.Logf("%d goroutines, of a calm server %d", n, before)
	}
}

// W11: what is recorded, collected, rebuilt and purged while pages are open is never shown wrong; what was purged is gone
// from every answer at once.
func TestPagesFollowWhatHappensToTheLog(t *testing.T) {
	testenv.Wide(t)
	program, dir := demo(t)
	remembered(t, program, dir)
	s := serveSite(t, program, dir)
	paths := []string{"/", "/log", "/t/c86c", "/search?q=falconhost", "/blame/HEAD/server.go", "/api/1/log", "/api/1/show?id=c86c", "/graph"}
	look := func(when string) (all string) {
		for _, path := range paths {
			body, status := s.get(path)
			if status != http.StatusOK && status != http.StatusServiceUnavailable {
				t.Errorf("%s: %s: status %d\n%s", when, path, status, body)
			}
			all += body
		}
		return all
	}
	run := func(args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if all := look("before"); !strings.Contains(all, "falconhost") || !strings.Contains(all, "c86c#1") {
		t.Fatal("what is to be purged was never shown")
	}
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), []byte("by hand\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("git", "add", "new.txt")
	run("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "a commit while the page is open")
	if all := look("after a commit"); !strings.Contains(all, "a commit while the page is open") {
		t.Error("the new commit is not shown")
	}
	run("git", "gc", "-q")
	run(program, "gc")
	look("after gc")
	if err := os.RemoveAll(filepath.Join(dir, ".git", "traces", "cache")); err != nil {
		t.Fatal(err)
	}
	if all := look("while everything is made anew"); !strings.Contains(all, "c86c#1") {
		t.Error("a line has lost its owner")
	}
	run(program, "purge", "--yes", "--pattern", "falcon[a-z]+")
	for _, path := range paths {
		if path == "/search?q=falconhost" { // has what was asked for
			continue
		}
		if body, _ := s.get(path); strings.Contains(body, "falconhost") {
			t.Errorf("%s shows what was purged", path)
		}
	}
	if body, _ := s.get("/search?q=falconhost"); !strings.Contains(body, "No conversation holds all of these words") {
		t.Error("what was purged is found")
	}
}
