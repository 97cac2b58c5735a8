package main

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A clone that pulled what another signed says so wherever it tells of it, and its pages lead only to what is there. The
// clone that pushed says up to where its log is anchored.
func TestPagesOfAFetchedLog(t *testing.T) {
	testenv.Wide(t)
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen here")
	}
	program, theirs := demo(t)
	base := testenv.TempDir(t)
	key, allowed, remote, ours := filepath.Join(base, "key"), filepath.Join(base, "allowed"), filepath.Join(base, "remote.git"), filepath.Join(base, "ours")
	run := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run(base, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(allowed, append([]byte("alice@example.com "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	run(base, "git", "init", "-q", "--bare", "-b", "main", remote)
	for name, value := range map[string]string{"user.name": "Alice", "user.email": "alice@example.com", "gpg.format": "ssh", "user.signingKey": key,
		"gpg.ssh.allowedSignersFile": allowed, "trace.signPush": "true", "remote.origin.url": remote} {
		run(theirs, "git", "config", name, value)
	}
	run(theirs, "git", "push", "-q", "origin", "HEAD:main")
	run(theirs, program, "push", "origin", "--to", "commits")
	run(base, "git", "clone", "-q", remote, ours)
	run(ours, "git", "config", "gpg.ssh.allowedSignersFile", allowed)
	run(ours, program, "init", "--agent", "claude-code")
	run(ours, program, "pull", "origin")

	s := serveSite(t, program, theirs)
	s.shows("/log-health", "The log is consistent, anchored up to event")
	anchored := regexp.MustCompile(`events, consistent, anchored up to \d+ \(digest published on origin\)`)
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // the log is checked behind the page
		if page, _ := s.get("/"); anchored.MatchString(page) {
			break
		} else if time.Since(begun) > 30*time.Second {
			t.Fatalf("the overview does not say up to where the log is anchored:\n%s", page)
		}
	}

	s.leadsSomewhere()

	s = serveSite(t, program, ours)
	s.shows("/log-health", "by alice@example.com (SHA256:")
	for _, path := range []string{"/", "/log", "/t/c86c", "/blame/HEAD/server.go", "/commit/HEAD", "/diff/HEAD~1..HEAD"} {
		s.shows(path, " says</span>")
	}
	for _, path := range []string{"/", "/graph"} {
		s.shows(path, `<span class="plus">+12</span></a> <span class="quiet">as clone `)
	}
	for _, path := range []string{"/commit/HEAD", "/commit/HEAD~1", "/commit/HEAD?view=split", "/diff/HEAD~1..HEAD"} {
		s.shows(path, `<span class="own" title="as clone `)
	}
	s.shows("/blame/HEAD/server.go", "signed by alice@example.com")
	s.shows("/blame/HEAD/server.go?step=18", "Its text is not kept here")
	s.leadsSomewhere()
}

// leadsSomewhere follows every link of every page.
func (s *site) leadsSomewhere() {
	s.t.Helper()
	todo, seen := []string{"/"}, map[string]bool{}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		body, status := s.get(path)
		if status != http.StatusOK {
			s.t.Errorf("%s: status %d", path, status)
		}
		if strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/api/") || strings.HasSuffix(path, "/markdown") {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(body, -1) {
			to, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				s.t.Fatalf("%s: the link %q: %v", path, m[1], err)
			}
			if to.Path == "" { // a question of the page itself
				to.Path, _, _ = strings.Cut(path, "?")
			}
			to.Fragment = ""
			if next := to.String(); !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
}
