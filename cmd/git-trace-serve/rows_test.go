package main

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// W12: a repository that has little, or lies in another way, has pages that say so.
func TestPagesOfOddRepositories(t *testing.T) {
	program, demoDir := demo(t)
	root := testenv.TempDir(t)
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	made := func(name string, args ...string) string {
		dir := filepath.Join(root, name)
		git(root, append(append([]string{"init", "-q", "-b", "main"}, args...), dir)...)
		return dir
	}
	unborn, sha256 := made("unborn"), made("sha256", "--object-format=sha256")
	if err := os.WriteFile(filepath.Join(sha256, "a b#?%.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(sha256, "add", ".")
	git(sha256, "commit", "-qm", "one")
	bare, linked, shallow, broken := filepath.Join(root, "bare"), filepath.Join(root, "linked"), filepath.Join(root, "shallow"), filepath.Join(root, "broken")
	git(demoDir, "clone", "-q", "--bare", ".", bare)
	git(demoDir, "worktree", "add", "-q", "--detach", linked)
	git(root, "clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(demoDir), shallow)
	if out, err := exec.Command("cp", "-R", demoDir, broken).CombinedOutput(); err != nil {
		t.Skipf("cp: %v %s", err, out)
	}
	super := made("super")
	git(super, "-c", "protocol.file.allow=always", "submodule", "add", "-q", demoDir, "inner part")
	git(super, "commit", "-qm", "with a part")
	inner := filepath.Join(super, "inner part")
	log := filepath.Join(broken, ".git", "traces", "events.log")
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, bytes.Replace(raw, []byte(`"Edit"`), []byte(`"Edjt"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(broken, ".git", "traces", "cache"))
	bytewise := made("every byte")
	var low, high []byte // '/' stands between names, and no name has 0
	for b := 1; b < 256; b++ {
		switch {
		case b >= 128:
			high = append(high, byte(b))
		case b != '/':
			low = append(low, byte(b))
		}
	}
	for _, name := range [][]byte{low, high} {
		if err := os.WriteFile(filepath.Join(bytewise, string(name)), []byte("of this name\n"), 0o644); err != nil {
			t.Skipf("the file system has no such name: %v", err)
		}
	}
	git(bytewise, "add", ".")
	git(bytewise, "commit", "-qm", "every byte")
	ofBytes := map[string]string{"/": "every byte", "/tree/HEAD/": "^[", "/commit/HEAD": "of this name"}
	for _, name := range [][]byte{low, high} {
		for _, form := range []string{"/blame/HEAD/", "/blame/worktree/", "/graph?path="} {
			ofBytes[form+strings.ReplaceAll(url.QueryEscape(string(name)), "+", "%20")] = map[bool]string{true: "every byte", false: "of this name"}[form[1] == 'g']
		}
	}
	for _, test := range []struct {
		name, dir string
		pages     map[string]string
	}{
		{"nothing", unborn, map[string]string{"/": "There is no commit yet", "/log": "No conversation is recorded yet", "/log?agent=codex-cli": "No conversation is like that", "/graph": "There is no commit yet",
			"/stats": "Figures", "/log-health": "The log is empty", "/search?q=x": "No conversation"}},
		{"sha256", sha256, map[string]string{"/": "one", "/blame/HEAD/a%20b%23%3F%25.txt": "one", "/tree/HEAD/": "a b#?%.txt", "/commit/HEAD": "one"}},
		{"bare", bare, map[string]string{"/": "A bare repository has no files to trace", "/log-health": "The log is empty", "/blame/HEAD/server.go": "CompareAndSwap", "/graph": "server: safe close"}},
		{"linked", linked, map[string]string{"/blame/HEAD/server.go": "c86c#1", "/blame/worktree/server.go": "c86c#1", "/t/c86c": "What became of it"}},
		{"shallow", shallow, map[string]string{"/": "server: safe close", "/commit/HEAD": "CompareAndSwap", "/blame/HEAD/server.go": "Server struct"}},
		{"submodule", super, map[string]string{"/": "with a part", "/tree/HEAD/": "inner part", "/commit/HEAD": "Subproject commit",
			"/blame/HEAD/.gitmodules": "submodule", "/blame/worktree/.gitmodules": "submodule"}},
		{"in a submodule", inner, map[string]string{"/": "server: safe close", "/tree/HEAD/": "server_test.go",
			"/blame/HEAD/server.go": "CompareAndSwap", "/blame/worktree/server.go": "CompareAndSwap"}},
		{"every byte", bytewise, ofBytes},
		{"broken", broken, map[string]string{"/log-health": "The log is damaged"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serveSite(t, program, test.dir)
			for path, want := range test.pages {
				body, status := s.get(path)
				if status != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: status %d, no %q in\n%s", path, status, want, body)
				}
			}
		})
	}
	s := serveSite(t, program, unborn)
	for _, path := range []string{"/tree/HEAD/", "/commit/HEAD", "/blame/HEAD/a", "/diff/HEAD~1..HEAD"} {
		if body, status := s.get(path); status != 404 || !strings.Contains(body, "Not here") || path[1] != 'd' && !strings.Contains(body, "there is no commit yet") {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
	}
}
