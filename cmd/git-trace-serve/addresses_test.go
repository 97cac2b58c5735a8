package main

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git names objects with it
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// leads asks for a page and follows no redirect.
func (s *site) leads(path string) (to string, status int) {
	s.t.Helper()
	client := *s.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.Header.Get("Location"), answer.StatusCode
}

// An address that is pasted stays true: a revision and the beginning of an id lead to the whole id, with what was asked.
func TestAddressesAreWhole(t *testing.T) {
	testenv.Wide(t)
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	id := func(rev string) string {
		cmd := exec.Command("git", "rev-parse", rev)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	head, before := id("HEAD"), id("HEAD~1")
	page, _ := s.get("/t/c86c")
	patch := regexp.MustCompile(`/track/([0-9a-f]{32})"`).FindStringSubmatch(page)
	whole := regexp.MustCompile(`/t/(c86c[0-9a-f-]{32})`).FindStringSubmatch(page)
	if patch == nil || whole == nil {
		t.Fatalf("no ids in\n%s", page)
	}
	for path, want := range map[string]string{
		"/t/c86c": "/t/" + whole[1], "/t/c86c?show=edits": "/t/" + whole[1] + "?show=edits", "/t/c86c/p/2": "/t/" + whole[1] + "/p/2",
		"/track/" + patch[1][:8]:  "/track/" + patch[1],
		"/commit/HEAD?view=split": "/commit/" + head + "?view=split", "/commit/" + head[:7]: "/commit/" + head,
		"/blame/main/server.go?age=1": "/blame/" + head + "/server.go?age=1",
		"/tree/HEAD/":                 "/tree/" + head + "/", "/tree/" + head[:7] + "/": "/tree/" + head + "/",
		"/diff/HEAD~1...HEAD?agents=1": "/diff/" + before + "..." + head + "?agents=1", "/diff/HEAD~1..": "/diff/" + before + ".." + head,
	} {
		if to, status := s.leads(path); to != want || status != http.StatusFound {
			t.Errorf("%s leads to %q (%d), not to %s", path, to, status, want)
		}
		if body, status := s.get(want); status != http.StatusOK {
			t.Errorf("%s: status %d\n%s", want, status, body)
		}
	}
}

// A file that was deleted is not in the work tree; the page says so, and leads to the last commit that has it. A
// revision that is unknown is not found, which is no choice among several.
func TestAddressesOfWhatIsGone(t *testing.T) {
	program, dir := demo(t)
	s := serveSite(t, program, dir)
	if err := os.Remove(filepath.Join(dir, "server.go")); err != nil {
		t.Fatal(err)
	}
	body, status := s.get("/blame/worktree/server.go")
	if status != http.StatusNotFound || !strings.Contains(body, `href="/blame/HEAD/server.go"`) {
		t.Errorf("status %d\n%s", status, body)
	}
	if body, status = s.get("/blame/worktree/nothing.go"); status != http.StatusNotFound || strings.Contains(body, "/blame/HEAD/") {
		t.Errorf("a file that never was: status %d\n%s", status, body)
	}
	if body, _ := s.get("/graph?rev=nothing"); !strings.Contains(body, "There is no such commit.") {
		t.Errorf("the commits of a revision that is unknown:\n%s", body)
	}
	for _, path := range []string{"/stats?range=nothing..", "/api/1/graph?range=nothing"} {
		if body, status := s.get(path); status != http.StatusNotFound {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
	}
}

// alike is a pair of numbers for which a name begins with the same four digits.
func alike(name func(n int) string) (a, b int) {
	seen := map[string]int{}
	for n := 0; ; n++ {
		begins := name(n)[:4]
		if m, there := seen[begins]; there {
			return m, n
		}
		seen[begins] = n
	}
}

// The beginning of several ids is answered with all that it may mean.
func TestAddressesOfSeveralAreListed(t *testing.T) {
	program, dir := demo(t)
	run := func(in, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		var told bytes.Buffer
		cmd.Stderr = &told
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, &told)
		}
		return strings.TrimSpace(string(out))
	}
	tree := run("", "git", "rev-parse", "HEAD^{tree}")
	commit := func(n int) string {
		return fmt.Sprintf("tree %s\nauthor A <a@example.com> %d +0000\ncommitter A <a@example.com> %d +0000\n\none\n", tree, n, n)
	}
	oid := func(n int) string {
		text := commit(n)
		return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(text), text))) //nolint:gosec // as above
	}
	one, two := alike(oid)
	for _, n := range []int{one, two} {
		run(commit(n), "git", "hash-object", "-t", "commit", "-w", "--stdin")
	}
	trace := func(n int) string { return string(events.NewTraceID("claude-code", fmt.Sprint("S", n))) }
	three, four := alike(trace)
	for _, n := range []int{three, four} {
		for event, more := range map[string]string{"SessionStart": `"source":"startup"`, "UserPromptSubmit": `"prompt":"hello"`} {
			run(fmt.Sprintf(`{"session_id":"S%d","cwd":%q,"hook_event_name":%q,%s}`, n, dir, event, more), program, "hook", "claude-code", event)
		}
	}
	s := serveSite(t, program, dir)
	for path, want := range map[string][]string{
		"/commit/" + oid(one)[:4]:            {oid(one), oid(two)},
		"/tree/" + oid(one)[:4] + "/":        {oid(one), oid(two)},
		"/diff/HEAD.." + oid(one)[:4]:        {oid(one), oid(two)},
		"/t/" + trace(three)[:4]:             {trace(three)[:8], trace(four)[:8]},
		"/api/1/show?id=" + trace(three)[:4]: {trace(three)[:8]},
	} {
		body, status := s.get(path)
		if status != http.StatusConflict {
			t.Errorf("%s: status %d", path, status)
		}
		for _, id := range want {
			if !strings.Contains(body, id) {
				t.Errorf("%s does not name %s:\n%s", path, id, body)
			}
		}
	}
}
