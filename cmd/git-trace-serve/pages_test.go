package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// site is git trace serve, as a browser that was given its address asks it.
type site struct {
	t      *testing.T
	base   string
	first  string // the page that the address opens
	client *http.Client
}

func serveSite(t *testing.T, program, dir string, args ...string) *site {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	base, _, found := strings.Cut(line, "k=")
	if err != nil || !found {
		t.Fatalf("it says %q: %v", line, err)
	}
	at := strings.Index(base[len("http://"):], "/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, base: base[:len("http://")+at], first: strings.TrimRight(base[len("http://")+at:], "?&"), client: &http.Client{Jar: jar}}
	if _, status := s.get(strings.TrimPrefix(strings.TrimSpace(line), s.base)); status != http.StatusOK {
		t.Fatalf("the address is not let in: %d", status)
	}
	return s
}

// get asks for a page, and for what it leads to.
func (s *site) get(path string) (body string, status int) {
	s.t.Helper()
	answer, err := s.client.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return coloured.ReplaceAllString(string(raw), "$1"), answer.StatusCode
}

// coloured matches a word of a line of code: tests speak of the text.
var coloured = regexp.MustCompile(`<span class="[a-z]{1,2}">([^<]*)</span>`)

func (s *site) shows(path string, wanted ...string) {
	s.t.Helper()
	body, status := s.get(path)
	if status != http.StatusOK {
		s.t.Errorf("%s: status %d\n%s", path, status, body)
	}
	for _, want := range wanted {
		if !strings.Contains(body, want) {
			s.t.Errorf("%s: no %q in\n%s", path, want, body)
		}
	}
}

// The pages show what the commands know: who wrote a line, in which conversation, and what became of it.
func TestPagesShowWhatTheCommandsKnow(t *testing.T) {
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	const asked = "close must be safe to call twice, and from any goroutine"
	s.shows("/", asked, "server: safe close", "94 % agents")
	s.shows("/log", asked, "claude-code", "2 prompts", "4 calls")
	s.shows("/log?agent=claude-code", asked)
	s.shows("/t/c86c", asked, "add a test for it", "CompareAndSwap", "3 of 3 lines alive", "17 <small>of 17")
	s.shows("/t/c86c/p/2", "add a test for it")
	s.shows("/blame/HEAD/server.go", "c86c#1", "closed   atomic.Bool", "A U Thor")
	s.shows("/blame/worktree/server.go", "c86c#1")
	s.shows("/commit/HEAD", "server: safe close", "c86c#1", "people", "CompareAndSwap", "17 by agents")
	s.shows("/commit/HEAD?view=split", "One below the other", `class="pair"`)
	s.shows("/commit/HEAD~1", "server: first version")
	s.shows("/diff/HEAD~1...HEAD", "c86c#2", "server_test.go")
	s.shows("/graph", "server: safe close", "c86c#2", "94 % agents")
	s.shows("/graph?path=server_test.go", "server: safe close")
	s.shows("/tree/HEAD/", "server_test.go", "<td>12</td><td>100 %</td>")
	s.shows("/graph", `<svg class="rest"`, `<circle class="ai"`)
	s.shows("/blame/HEAD/server.go", `<a href="?up=18">before</a>`, `href="/track/`, `title="Edit, exact blob, confidence high"`)
	s.shows("/blame/HEAD~1/server.go", "package server")
	s.shows("/blame/HEAD/server.go?w=1", "heed white space", "c86c#1")
	if page, _ := s.get("/blame/HEAD/server.go?agents=1"); strings.Contains(page, "package server") || !strings.Contains(page, "c86c#1") {
		t.Errorf("only what agents wrote was asked for:\n%s", page)
	}
	s.shows("/commit/HEAD~1", `data-key="]"`, "child <a")
	s.shows("/search?q=safe", asked[:13], "<mark>safe</mark>")
	s.shows("/search?q=safe", ">in prompts 1</a>", ">in answers 0</a>", ">in calls 0</a>", ">in files 0</a>")
	s.shows("/search?q=nothing+like+it", "No conversation holds all of these words")
	s.shows("/stats", "claude-code", "Lines that commits added, by week", "As a table")
	page, _ := s.get("/t/c86c")
	if title, _, _ := strings.Cut(page, "</title>"); !strings.Contains(title, "Conversation c86c") || strings.Contains(title, "twice") {
		t.Errorf("a browser keeps what was said in its history: %s", title)
	}
	for _, patch := range regexp.MustCompile(`"(/track/[0-9a-f]+)"`).FindAllStringSubmatch(page, -1) {
		s.shows(patch[1], "created", "anchored", "alive", "exact blob, confidence high")
	}
	s.shows("/log-health", "The log is consistent")
	checked := regexp.MustCompile(`events, consistent, +the last`)
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // the log is checked behind the page
		if page, _ := s.get("/"); checked.MatchString(page) {
			break
		} else if time.Since(begun) > 30*time.Second {
			t.Fatalf("the overview does not say what state the log is in:\n%s", page)
		}
	}
	s.shows("/diff/HEAD~1...HEAD", `c86c#2 claude-code +12</a>`, `c86c#1 claude-code +5</a>`)
	for path, want := range map[string]int{
		"/commit/ffffffff": 404, "/commit/--all": 404, "/diff/HEAD": 400, "/diff/--stat..HEAD": 404, "/graph?rev=--all": 400,
		"/tree/HEAD/none": 404, "/track/--json": 404, "/api/1/none": 404, "/api/1/show?id=--help": 400, "/api/1/log?limit=201": 400,
		"/api/1/blame?rev=-x&path=server.go": 404, "/api/1/blame?rev=worktree&path=.git%2fconfig": 404, "/api/1/diff?range=--output=x": 400,
		"/nothing": 404, "/t/ffff": 404, "/t/c86c/99": 404, "/t/c86c/p/9": 404, "/blame/HEAD/none.go": 404,
		"/blame/--help/server.go": 404, "/blame/HEAD/..%2f..%2fetc%2fpasswd": 404, "/blame/worktree/..%2f..%2fetc%2fpasswd": 404,
		"/blame/worktree/.git%2fconfig": 404, "/blame/HEAD/": 404, "/static/0/page.css": 404, "/log?agent=none": 400,
	} {
		if body, status := s.get(path); status != want {
			t.Errorf("%s: status %d, not %d\n%s", path, status, want, body)
		}
	}
}

// What lies behind a line of a file is asked for by its number: another line of a run, the file before the commit of the
// line, the step in which an agent wrote it, and the lines of one conversation.
func TestALineLeadsToWhatLiesBehindIt(t *testing.T) {
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	const page = "/blame/HEAD/server.go"
	for ask, want := range map[string]string{
		"?line=19": `<a id="L19" href="#L19">19</a>` + "\n20", "?line=18": `<a id="L18" href="#L18">18</a>` + "\n19\n20<pre>",
		"?up=18": "server: first version", "?step=18": "CompareAndSwap", "?talk=c86cc1f1": "L18",
	} {
		s.shows(page+ask, want)
	}
	for ask, want := range map[string]int{"?up=0": 404, "?up=999": 404, "?up=x": 404, "?step=17": 404, "?step=-18": 404, "?line=x": 200, "?line=999999999999999999999": 200} {
		if body, status := s.get(page + ask); status != want {
			t.Errorf("%s: status %d, not %d\n%s", ask, status, want, body)
		}
	}
	if body, _ := s.get(page + "?talk=ffff"); strings.Contains(body, "<pre>") {
		t.Errorf("a conversation without a line here has some:\n%s", body)
	}
}

// What programs are told is what the commands print, to the byte; what has not changed is not sent again.
func TestProgramsAreToldWhatTheCommandsPrint(t *testing.T) {
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	for path, args := range map[string][]string{
		"log?limit=5":                       {"log", "--json", "-n", "5"},
		"graph":                             {"graph", "--json"},
		"stats?by=agent":                    {"stats", "--json", "--by=agent"},
		"show?id=c86c":                      {"show", "--json", "c86c"},
		"track?id=c86c":                     {"track", "--json", "c86c"},
		"search?q=safe":                     {"search", "--json", "safe"},
		"blame?rev=worktree&path=server.go": {"blame", "--json", "--", "server.go"},
		"diff?range=HEAD~1..HEAD":           {"diff", "--json", "HEAD~1..HEAD"},
		"blame?rev=HEAD&path=server.go":     {"blame", "--json", strings.TrimSpace(head(t, dir)), "server.go"},
		"verify":                            {"verify", "--json"},
	} {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		want, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		if got, status := s.get("/api/1/" + path); status != http.StatusOK || got != string(want) {
			t.Errorf("%s: status %d\n%s\nnot\n%s", path, status, got, want)
		}
		answer, err := s.client.Get(s.base + "/api/1/" + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if kept := answer.Header.Get("Cache-Control"); kept != "no-store" {
			t.Errorf("%s may be kept: %q", path, kept)
		}
		again, err := http.NewRequest(http.MethodGet, s.base+"/api/1/"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		again.Header.Set("If-None-Match", answer.Header.Get("ETag"))
		status := http.StatusNotModified
		if strings.Contains(path, "worktree") { // may have changed
			status = http.StatusOK
		}
		if answer, err = s.client.Do(again); err != nil || answer.StatusCode != status {
			t.Errorf("%s: asked again: %v %v", path, answer.StatusCode, err)
		}
		_ = answer.Body.Close()
	}
}

// What is wrong with a question of a program is told as RFC 9457 has it.
func TestProgramsAreToldWhatIsWrong(t *testing.T) {
	program, dir := readDemo(t)
	s := serveSite(t, program, dir)
	for path, want := range map[string]int{"none": 404, "show?id=ffff": 404, "log?limit=201": 400, "diff?range=--stat": 400, "blame?rev=HEAD&path=none": 404} {
		answer, err := s.client.Get(s.base + "/api/1/" + path)
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Title, Detail string
			Status        int
		}
		err = json.NewDecoder(answer.Body).Decode(&told)
		_ = answer.Body.Close()
		kind := answer.Header.Get("Content-Type")
		if err != nil || answer.StatusCode != want || told.Status != want || told.Title != http.StatusText(want) || told.Detail == "" || kind != "application/problem+json" {
			t.Errorf("%s: %d, %s, %+v, %v", path, answer.StatusCode, kind, told, err)
		}
	}
}

// head is the commit that is checked out.
func head(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("git", "rev-parse", "HEAD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// What conversations and files hold is text on every page, whatever it says.
func TestPagesHoldNothingThatRuns(t *testing.T) {
	program, dir := demo(t)
	const canary = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}`
	names := []string{`a"b'c.txt`, "<b>.txt", "ctrl\x1b[31m.txt"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(canary+"\n\x1b]0;x\x07\u202e\n"), 0o644); err != nil {
			t.Skipf("the file system has no such name: %v", err)
		}
	}
	for _, args := range [][]string{{"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", canary}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	s := serveSite(t, program, dir)
	for _, path := range []string{"/", "/log?agent=" + "%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/blame/HEAD/a%22b'c.txt",
		"/blame/HEAD/%3Cb%3E.txt", "/blame/HEAD/ctrl%1b%5b31m.txt", "/%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
		"/commit/HEAD", "/commit/HEAD?view=split", "/graph", "/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
		"/graph?path=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
	} {
		body, _ := s.get(path)
		for _, bad := range []string{"<script>alert", "<img", "\x1b", "\x07", "\u202e", "<b>.txt"} {
			if at := strings.Index(body, bad); at >= 0 {
				t.Errorf("%s: %q in %q", path, bad, body[max(0, at-80):at+40])
			}
		}
		if !strings.Contains(body, "&lt;script&gt;alert(1)") && !strings.Contains(body, "alert(1)&lt;") {
			t.Errorf("%s does not show the text at all", path)
		}
	}
}

// The address opens the page of what is named.
func TestServeOpensWhatIsNamed(t *testing.T) {
	program, dir := readDemo(t)
	for operand, want := range map[string]string{"server.go:11": `id="L11"`, "c86c": "What became of it"} {
		s := serveSite(t, program, dir, operand)
		s.shows(s.first, want)
	}
	for _, args := range [][]string{{"none.go"}, {"--port", "70000"}, {"c86c", "c86c"}, {"ffff"}} {
		cmd := exec.Command(program, append([]string{"serve"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "git-trace: error: ") {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
}
