package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// browserOf is a browser that notes what it was given to open. The address is that of the noted page.
func browserOf(t *testing.T) (seen string, address func() string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the browser is a script")
	}
	dir := testenv.TempDir(t)
	program := filepath.Join(dir, "browser")
	seen = filepath.Join(dir, "seen")
	script := fmt.Sprintf("#!/bin/sh\ncp \"$1\" %s.new && mv %[1]s.new %[1]s\n", seen)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", program)
	return seen, func() string {
		t.Helper()
		for range 1200 {
			if page, err := os.ReadFile(seen); err == nil {
				_ = os.Remove(seen)
				return string(regexp.MustCompile(`url=(.*)">`).FindSubmatch(page)[1])
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatal("no browser was opened")
		return ""
	}
}

// visited is what a browser gets at an address, with the cookie that it is given on the way.
func visited(t *testing.T, address string) (at, page string) {
	t.Helper()
	answer, err := http.Get(address) // its page leads to the same address without the token
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	client := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		for _, c := range answer.Cookies() {
			r.AddCookie(c)
		}
		return nil
	}}
	to := address[:strings.LastIndex(address, "k=")-1]
	r, _ := http.NewRequest(http.MethodGet, to, nil)
	for _, c := range answer.Cookies() {
		r.AddCookie(c)
	}
	if answer, err = client.Do(r); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %d %v", to, answer.StatusCode, err)
	}
	return answer.Request.URL.Path, string(body)
}

// An editor opens in the browser what wrote a line, or the line. Its server ends with it; one that runs is taken.
func TestEditorsOpenTheBrowser(t *testing.T) {
	_, address := browserOf(t)
	program, dir := readDemo(t)
	path := filepath.Join(dir, "server.go")
	temporary := testenv.TempDir(t)
	t.Setenv("TMPDIR", temporary)
	e := startEditor(t, program, testenv.TempDir(t), `{"copy":true}`)
	uri := e.open(path, read(t, path))
	open := func(line int) string {
		t.Helper()
		params := fmt.Sprintf(`{"command":"gitTrace.open","arguments":[%q,"%d"]}`, uri, line)
		if got := e.ask("workspace/executeCommand", params); got != "null" {
			t.Fatalf("the answer is %s", got)
		}
		return address()
	}
	first := open(11)
	if at, page := visited(t, first); !strings.HasPrefix(at, "/t/") || !strings.Contains(page, "close must be safe") {
		t.Errorf("an agent's line leads to %s", at)
	}
	second := open(1)
	if at, page := visited(t, second); !strings.HasPrefix(at, "/blame/worktree/server.go") || !strings.Contains(page, `id="L1"`) {
		t.Errorf("a person's line leads to %s", at)
	}
	base, _, _ := strings.Cut(first, "/t/")
	if !strings.HasPrefix(second, base+"/") {
		t.Errorf("two servers: %s and %s", first, second)
	}
	if got := e.ask("textDocument/codeAction", within(uri, 10, 10)); !strings.Contains(got, `"title":"Copy the id `) {
		t.Errorf("no id can be copied: %s", got)
	}
	for word, want := range map[string]string{"c86c#1": `"c86c#1"`, "-x": "error ", "a b": "error "} {
		got := e.ask("workspace/executeCommand", fmt.Sprintf(`{"command":"gitTrace.copy","arguments":[%q,%q]}`, uri, word))
		if !strings.HasPrefix(got, want) {
			t.Errorf("to copy %q: %s", word, got)
		}
	}
	own := startServe(t, program, dir, "serve")
	third := open(11)
	if where, _, _ := strings.Cut(third, "/t/"); !strings.HasPrefix(own.url, where+"/") {
		t.Errorf("a server runs at %s, and %s is opened", own.url, third)
	}
	_ = e.in.Close()
	_ = e.cmd.Wait()
	if answer, err := http.Get(base); err == nil {
		_ = answer.Body.Close()
		t.Error("the server outlives its editor")
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "git-trace-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
