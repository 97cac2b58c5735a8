package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/harm"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

var linked = regexp.MustCompile(` (?:href|src)="([^"]*)"`)

// tag is a piece of markup as the templates write it, and attribute one of its attributes.
var (
	tag       = regexp.MustCompile(`^</?([a-z][a-z0-9]*)((?: [a-z][a-zA-Z-]*(?:="[^"<>]*")?)*)/?>$`)
	attribute = regexp.MustCompile(` ([a-z][a-zA-Z-]*)(?:="([^"]*)")?`)
)

// elements and attributes are those that templates write. None of them runs or loads anything, but for the one script and
// the one style sheet of the server.
var (
	elements = strings.Fields("html head meta title link script body a header nav span b form label input p main section ol ul li h1 h2 " +
		"div svg rect path circle polyline g details summary table thead tbody tr th td dl dt dd code pre q time small kbd article " +
		"figure figcaption ins del mark footer button i select option")
	attributes = strings.Fields("lang charset name content rel href type src class id aria-label aria-hidden aria-current role hidden tabindex " +
		"action for value placeholder autocomplete size title datetime viewBox width height x y d cx cy r preserveAspectRatio points " +
		"scope colspan open selected data-state data-t data-fetch data-key data-again")
)

// onlyOwnMarkup holds a page against the markup of the templates: what others wrote is text in it.
func onlyOwnMarkup(t *testing.T, path, body string) {
	t.Helper()
	rest, found := strings.CutPrefix(body, "<!DOCTYPE html>")
	if !found {
		t.Errorf("%s is no page: %.200q", path, body)
	}
	for {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			return
		}
		end := strings.IndexByte(rest[at:], '>')
		piece := rest[at : at+max(end, 0)+1]
		rest = rest[at+max(end, 0)+1:]
		m := tag.FindStringSubmatch(piece)
		if m == nil || !slices.Contains(elements, m[1]) {
			t.Fatalf("%s: %.300q is no markup of the templates", path, piece)
		}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(attributes, a[1]) {
				t.Fatalf("%s: the attribute %q in %.300q", path, a[1], piece)
			}
			leads := a[1] == "href" || a[1] == "src" || a[1] == "action"
			if inside := a[2] == "" || strings.ContainsAny(a[2][:1], "/#?") && !strings.HasPrefix(a[2], "//"); leads && !inside {
				t.Fatalf("%s: %.300q leads away", path, piece)
			}
			if a[1] == "src" && !strings.HasPrefix(a[2], "/static/") {
				t.Fatalf("%s: %.300q loads", path, piece)
			}
		}
	}
}

// quietly holds a page against what acts on a terminal or on the order of text.
func quietly(t *testing.T, path, body string) {
	t.Helper()
	for _, bad := range []string{"\x1b", "\x07", "\x00", "\b", "\u009b", "\u202e", "\u2066", "\u200b", "\u2028"} {
		if at := strings.Index(body, bad); at >= 0 {
			t.Errorf("%s: %q in %q", path, bad, body[max(0, at-80):at+40])
		}
	}
}

// saying lets an agent say texts in every field that it fills, and git in those that it keeps.
func saying(t *testing.T, program, dir string, texts []string) {
	t.Helper()
	var names []string
	for i, text := range texts {
		hook := func(event string, more map[string]any) {
			payload := map[string]any{"session_id": fmt.Sprintf("H%d", i), "cwd": dir, "hook_event_name": event, "model": text, "agent_type": text}
			for k, v := range more {
				payload[k] = v
			}
			raw, err := json.Marshal(payload)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, "hook", "claude-code", event)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(raw))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v %s", event, err, out)
			}
		}
		name := "f-" + strings.NewReplacer("/", "_", "\x00", "_").Replace(text)
		name = name[:min(len(name), 200)]
		call := map[string]any{"tool_name": text, "tool_use_id": text, "tool_input": map[string]any{"command": text}}
		hook("SessionStart", map[string]any{"source": text})
		hook("UserPromptSubmit", map[string]any{"prompt": text})
		hook("PreToolUse", call)
		if err := os.WriteFile(filepath.Join(dir, name), []byte("line "+text+"\n"), 0o644); err == nil {
			names = append(names, name)
		}
		call["tool_response"] = map[string]any{"stdout": text}
		hook("PostToolUse", call)
	}
	if len(names) < len(texts)/2 {
		t.Skip("the file system has no such names")
	}
	all := strings.ReplaceAll(strings.Join(texts, " "), "\x00", "")
	for _, args := range [][]string{{"add", "-A"},
		{"-c", "user.name=" + strings.NewReplacer("<", "", ">", "", "\n", "").Replace(all[:min(len(all), 300)]), "-c", "user.email=a@example.com",
			"commit", "-q", "--cleanup=verbatim", "-m", all}, {"branch", "evil\u202ebranch\u009b31m\"'"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// kindOf is the kind of a page.
func kindOf(path string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	kind, _, _ = strings.Cut(kind, "?")
	return kind
}

// W4: whatever is said in any field, on no page is it more than text.
func TestWhatOthersSayIsTextOnEveryPage(t *testing.T) {
	testenv.Wide(t)
	program, dir := demo(t)
	all := slices.Concat(harm.Markup(), harm.Sequences())
	size := testenv.Pick(90, 45, 3) // texts that are said together
	var texts []string
	for part := range slices.Chunk(all, size) {
		texts = append(texts, strings.Join(part, " "))
	}
	saying(t, program, dir, texts)
	s := serveSite(t, program, dir)
	seen := map[string]bool{}
	todo := []string{"/", "/log", "/graph", "/stats", "/log-health", "/tree/HEAD/", "/commit/HEAD", "/commit/HEAD?view=split", "/diff/HEAD~1..HEAD"}
	for i, text := range all {
		for _, form := range []string{"/search?q=%s", "/log?grep=%s", "/graph?author=%s", "/graph?path=%s", "/stats?since=%s", "/%s",
			"/graph?agent=%s", "/log?model=%s", "/stats?by=%s"} {
			if testenv.Long() || len(todo)%7 == 0 {
				todo = append(todo, strings.Replace(form, "%s", url.QueryEscape(text), 1))
			}
			if i%testenv.Pick(8, 3, 1) == 0 {
				todo = append(todo, "/search?q="+url.QueryEscape(text))
			}
		}
	}
	kinds := map[string]int{}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		body, status := s.get(path)
		if status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
		if strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/api/") {
			continue
		}
		kinds[kindOf(path)]++
		quietly(t, path, body)
		if strings.HasSuffix(path, "/markdown") {
			continue // is text for the browser
		}
		onlyOwnMarkup(t, path, body)
		for _, m := range linked.FindAllStringSubmatch(body, -1) {
			to, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				t.Fatalf("%s: the link %q: %v", path, m[1], err)
			}
			to.Fragment = ""
			next := to.String()
			if to.Path != "" && kinds[kindOf(next)] < testenv.Pick(10, 40, 2000) {
				todo = append(todo, next)
			}
		}
	}
	for _, kind := range []string{"t", "track", "blame", "tree", "commit", "graph", "log", "search"} {
		if kinds[kind] == 0 {
			t.Errorf("no page of %q was looked at: %v", kind, kinds)
		}
	}
}

// W5: no path and no revision in an address leads out of the repository, or is an option of git.
func TestAddressesLeadNowhereElse(t *testing.T) {
	testenv.Wide(t)
	program, dir := demo(t)
	base := filepath.Dir(dir)
	const secret = "canary-of-what-lies-outside"
	for _, name := range []string{"outside", "home/.gitconfig", "theirs/.git/config"} {
		file := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# "+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "config", "x.y", secret)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for link, to := range map[string]string{"link": "../outside", "dirlink": "..", "up": "../../.."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links: %v", err)
		}
	}
	cmd = exec.Command("git", "add", "link", "dirlink", "up")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := namesBelow(t, base)
	s := serveSite(t, program, dir)
	ask := func(path string) {
		t.Helper()
		body, status := s.get(path)
		if status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
		if strings.Contains(body, secret) || strings.Contains(body, "root:x:0") {
			t.Errorf("%s shows what lies outside", path)
		}
	}
	paths, revisions := harm.Paths(base), harm.Revisions()
	step := testenv.Pick(37, 19, 1)
	for i := rand.N(step); i < len(paths); i += step { // others the next time
		for _, form := range []string{"/blame/worktree/%s", "/blame/HEAD/%s", "/tree/HEAD/%s", "/blame/HEAD/%s?line=1"} {
			ask(strings.Replace(form, "%s", url.PathEscape(paths[i]), 1))
		}
		for _, form := range []string{"/graph?path=%s", "/api/1/blame?rev=HEAD&path=%s", "/api/1/blame?rev=worktree&path=%s", "/api/1/show?id=%s"} {
			ask(strings.Replace(form, "%s", url.QueryEscape(paths[i]), 1))
		}
	}
	step = testenv.Pick(3, 2, 1)
	for i := rand.N(step); i < len(revisions); i += step {
		rev := revisions[i]
		for _, form := range []string{"/commit/%s", "/blame/%s/server.go", "/tree/%s/", "/diff/%s..HEAD", "/diff/HEAD...%s", "/t/%s", "/track/%s"} {
			ask(strings.Replace(form, "%s", url.PathEscape(rev), 1))
		}
		for _, form := range []string{"/graph?rev=%s", "/graph?before=%s", "/log?before=%s", "/api/1/graph?range=%s", "/api/1/diff?range=%s",
			"/api/1/track?id=%s", "/api/1/stats?by=%s", "/api/1/blame?rev=%s&path=server.go"} {
			ask(strings.Replace(form, "%s", url.QueryEscape(rev), 1))
		}
	}
	if after := namesBelow(t, base); !slices.Equal(before, after) {
		t.Errorf("files came: %q", slices.DeleteFunc(after, func(name string) bool { return slices.Contains(before, name) }))
	}
}

// namesBelow are the files below a directory, but for what git-trace keeps.
func namesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if !strings.Contains(filepath.ToSlash(path), ".git/traces") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
