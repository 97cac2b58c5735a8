package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Each parameter of an address chooses what the page shows, and what nobody knows is refused.
func TestPagesShowWhatIsChosen(t *testing.T) {
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	const asked = "close must be safe to call twice"
	for _, test := range []struct{ path, shows, hides string }{
		{"/graph?agent=claude-code", "server: safe close", "server: first version"},
		{"/graph?agent=codex-cli", "There is no such commit", "server: safe close"},
		{"/graph", "server_test.go <span", "zzz"},
		{"/log?state=committed", asked, "No conversation"},
		{"/log?state=uncommitted", "No conversation is like that", asked},
		{"/log?state=recorded&model=claude-opus-4-5", asked, "No conversation"},
		{"/log?state=unrecorded", "No conversation is like that", asked},
		{"/log?model=gpt-5", "No conversation is like that", asked},
		{"/log?writer=ffff", "No conversation is like that", asked},
		{"/search?q=safe&in=prompts", "<mark>safe</mark>", "No conversation"},
		{"/search?file=nosuch.txt", "No conversation has a call like that", "<mark>"},
		{"/search?tool=%2A", `name="tool" value="*"`, "No conversation"},
		{"/search?q=safe&in=answers", "No conversation holds all of these words in answers", asked},
		{"/search?q=safe&in=files", "No conversation holds all of these words in files", asked},
		{"/stats?by=file", "server_test.go", "<h2>Language"},
		{"/stats?by=author&range=HEAD~1", "A U Thor", "<h2>Agent"},
		{"/stats?range=HEAD~1", "<dt>Commits</dt><dd>1", "zzz"},
		{"/blame/HEAD/server.go?functions=1", `">func (s *Server) Close</a></th><td>7</td><td>43 %</td>`, ">functions</a>"},
		{"/blame/worktree/server.go?functions=1", `">func (s *Server) Close</a></th><td>7</td><td>43 %</td>`, ">functions</a>"},
		{"/stats?by=function", `<th scope="row">func (s *Server) Close:server.go</th><td>8</td>`, "<h2>Language"},
		{"/blame/HEAD/server.go?age=1", `<li class="n1 a0"`, `<li class="n1 a5"`},
		{"/blame/HEAD/server.go", `class="rail"`, " a0\""},
		{"/blame/HEAD/server.go?talk=c86cc1f1-433b-5836-9c8c-5fc468adb96c", "CompareAndSwap", "package server"},
		{"/commit/HEAD~1?agents=1", "No agent", "package server"},
		{"/commit/HEAD?agents=1&view=split", "All hunks", "Side by side"},
		{"/t/c86c?show=prompts", "add a test for it", "CompareAndSwap"},
		{"/t/c86c?show=edits", "CompareAndSwap", "No step is like that"},
		{"/t/c86c?show=errors", "No step is like that", "CompareAndSwap"},
		{"/t/c86c?show=committed", "CompareAndSwap", "No step is like that"},
		{"/t/c86c", `href="/blame/HEAD/server_test.go"`, "zzz"},
	} {
		page, status := s.get(test.path)
		_, main, _ := strings.Cut(page, "<main")
		if status != 200 || !strings.Contains(main, test.shows) || strings.Contains(main, test.hides) {
			t.Errorf("%s: status %d, not with %q and without %q\n%s", test.path, status, test.shows, test.hides, main)
		}
	}
	for path, want := range map[string]int{
		"/log?state=x": 400, "/search?q=a&in=x": 400, "/stats?by=x": 400, "/stats?range=--all": 400, "/t/c86c?show=x": 400,
		"/t/c86c/markdown": 200, "/t/ffff/markdown": 404, "/api/1/search?q=a&in=x": 400, "/search?file=%5B": 400,
	} {
		if page, status := s.get(path); status != want {
			t.Errorf("%s: status %d, not %d\n%s", path, status, want, page)
		}
	}
}

// The page of a commit tells how long the lines had lived that went, and what an amended commit took the place of;
// figures are told by day, and the overview counts the lines of a time.
func TestPagesTellOfTimes(t *testing.T) {
	dir := inPath(t)
	text := strings.Replace(read(t, filepath.Join(dir, "server.go")), "closed   atomic.Bool", "closed   atomic.Value", 1)
	if err := os.WriteFile(filepath.Join(dir, "server.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"git config user.name Reader; git config user.email reader@example.org; git trace init --agent claude-code",
		"git commit -qam 'server: another type' --date=\"@$(( $(git log -1 --format=%at) + 4*86400 + 100 )) +0000\"",
		"git commit -q --amend -m 'server: a value'",
		"git commit -q --allow-empty -m 'nothing of it'; sleep 1", // so that all are older than now
	} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	s := serveSite(t, "git-trace", dir)
	s.shows("/commit/HEAD~1", "<small>lived 4 days</small>", "instead of <a", "(amend)")
	s.shows("/commit/HEAD~1?view=split", "<small>lived 4 days</small>")
	page, _ := s.get("/commit/HEAD~1")
	older := regexp.MustCompile(`instead of <a href="(/commit/[0-9a-f]+)"`).FindStringSubmatch(page)
	s.shows(older[1], "server: another type", "replaced by <a")
	s.shows("/stats?by=hour", `<h2>Hour of the week</h2>`)
	s.shows("/stats", `<th scope="col">Conversations</th>`, `<td>1</td>`)
	s.shows("/stats?by=day", "Lines that commits added, by day", `<th scope="col">Day</th>`, "the highest day has",
		"<th scope=\"row\">"+time.Now().UTC().Format(time.DateOnly))
	s.shows("/?since=30+days+ago", `<option selected>30 days ago</option>`, "of 36 lines in 4 commits")
	s.shows("/?since=0+seconds+ago", "No line was added since 0 seconds ago")
	s.shows("/", "the newest 200 commits", "no line added")
	if page, status := s.get("/?since=--all"); status >= 500 {
		t.Errorf("a word of git's as a time: %d\n%s", status, page)
	}
}

// Two conversations stand beside each other on a page, as git trace compare tells; files are not for pages.
func TestTwoConversationsStandBesideEachOther(t *testing.T) {
	program, dir := demo(t)
	const other = `{"kind":"session_start","v":1,"session_id":"s-1","ts":"2026-04-27T12:00:00Z","actor":"apr-code","model":"m","cwd_sha256":"00"}
{"kind":"user_prompt","v":1,"turn":0,"text":"do it"}
{"kind":"assistant_turn","v":1,"turn":1,"blocks":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go <i>vet</i>"}}],"stop_reason":"tool_use"}
{"kind":"tool_result","v":1,"turn":2,"tool_use_id":"t1","ok":true,"content":"ok"}
{"kind":"session_end","v":1,"turn":3,"stop_reason":"end_turn","elapsed_ms":1920,"tokens_in":500,"tokens_out":42}
`
	if err := os.WriteFile(filepath.Join(dir, "other.jsonl"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "import", "--from", "ccpa", "other.jsonl")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := serveSite(t, program, dir)
	page, status := s.get("/compare?a=c86c&b=s-1")
	for _, part := range []string{"Two conversations", "go &lt;i&gt;vet&lt;/i&gt;", "0 of ", "score 0.00", "The other way round",
		`href="/t/c86cc1f1-433b-5836-9c8c-5fc468adb96c/`, "server.go", "only the first"} {
		if status != 200 || !strings.Contains(page, part) {
			t.Errorf("status %d, not with %q\n%s", status, part, page)
		}
	}
	if page, status := s.get("/compare/c86c/c86c"); status != 200 || !strings.Contains(page, "Both did the same") {
		t.Errorf("status %d\n%s", status, page)
	}
	if told, status := s.get("/api/1/compare?id=c86c&id=s-1"); status != 200 || !strings.Contains(told, `"git-trace.compare/1"`) {
		t.Errorf("status %d\n%s", status, told)
	}
	for path, want := range map[string]int{
		"/compare": 404, "/compare?a=c86c": 404, "/compare?a=c86c&b=ffff": 404, "/compare?a=c86c&b=other.jsonl": 404,
		"/compare/c86c/--json": 404, "/api/1/compare?id=c86c": 400, "/api/1/compare?id=c86c&id=.%2Fother.jsonl": 404,
	} {
		if page, status := s.get(path); status != want {
			t.Errorf("%s: status %d, not %d\n%s", path, status, want, page)
		}
	}
}
