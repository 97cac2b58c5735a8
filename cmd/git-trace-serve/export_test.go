package main

import (
	"encoding/json"
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// remembered gives the conversation of the demo another record: what was said in it, with a word that later is a secret.
func remembered(t *testing.T, program, dir string) {
	t.Helper()
	list, err := exec.Command(program, "-C", dir, "log", "--json").Output()
	var known struct {
		Conversations []struct{ Trace, Session, Agent string }
	}
	if err != nil || json.Unmarshal(list, &known) != nil || len(known.Conversations) != 1 {
		t.Fatalf("%v\n%s", err, list)
	}
	c := known.Conversations[0]
	step := func(n int, role, text string) map[string]any {
		return map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{},
			"snippets": []any{}, "timestamp": "2026-11-20T10:00:00Z", "model": "anthropic/claude-opus-4-5",
			"token_usage": map[string]any{"input_tokens": 1000, "output_tokens": 100 * n}}
	}
	steps := []any{step(1, "user", "close must be safe to call twice, and from any goroutine. The host is falconhost.")}
	for n := 2; n < 500; n++ {
		steps = append(steps, step(n, "agent", "answer of step "+strings.Repeat("x", n%7)))
	}
	raw, err := json.Marshal(map[string]any{"schema_version": "0.3.0", "trace_id": c.Trace, "session_id": c.Session,
		"agent": map[string]any{"name": c.Agent, "model": "anthropic/claude-opus-4-5"}, "metadata": map[string]any{},
		"timestamp_start": "2026-11-20T10:00:00Z", "timestamp_end": "2026-11-20T11:00:00Z", "steps": steps})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(testenv.TempDir(t), "said.jsonl")
	if err := os.WriteFile(name, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"git", "-C", dir, "update-ref", "-d", "refs/traces/records"},
		{program, "-C", dir, "import", "--from", "opentraces", name},
		{"git", "-C", dir, "config", "trace.redactSecret", "falcon[a-z]+"}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// pagesOf are the files below a directory by their paths.
func pagesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	linked  = regexp.MustCompile(` (?:href|src)="([^"]*)"`)
	placeID = regexp.MustCompile(` id="([^"]+)"`)
)

// linksLead holds every link of a page to a file, and to a place in it, that there is.
func linksLead(t *testing.T, files map[string]string, page string) {
	t.Helper()
	for _, m := range linked.FindAllStringSubmatch(files[page], -1) {
		u, err := url.Parse(html.UnescapeString(m[1]))
		if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") || u.RawQuery != "" {
			t.Errorf("%s: the link %q needs a server", page, m[1])
			continue
		}
		to := page
		if u.Path != "" {
			to = filepath.ToSlash(filepath.Join(filepath.Dir(page), u.Path))
		}
		content, there := files[to]
		if !there {
			t.Errorf("%s: %q leads nowhere", page, m[1])
		}
		found := u.Fragment == "" || u.Fragment == "main"
		for _, id := range placeID.FindAllStringSubmatch(content, -1) {
			found = found || html.UnescapeString(id[1]) == u.Fragment
		}
		if !found {
			t.Errorf("%s: there is no place %q in %s", page, u.Fragment, to)
		}
	}
}

// W13: pages of an export need no server, hold no script, no token and nothing that was to stay here, and every link in
// them leads to one of them.
func TestPagesAreWrittenAsFiles(t *testing.T) {
	testenv.Wide(t)
	program, dir := demo(t)
	remembered(t, program, dir)
	if err := os.WriteFile(filepath.Join(dir, "plans.txt"), []byte("not committed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(testenv.TempDir(t), "site")
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, append([]string{"-C", dir, "serve"}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("--export", at); err == nil || !strings.Contains(out, "there is no terminal to ask") {
		t.Errorf("nobody was asked: %v\n%s", err, out)
	}
	if _, err := os.Stat(at); err == nil {
		t.Error("something was written before anybody was asked")
	}
	out, err := run("--export", at, "--yes")
	if err != nil || !strings.Contains(out, "whoever can read the pages will read this") {
		t.Fatalf("%v\n%s", err, out)
	}
	files := pagesOf(t, at)
	whole := ""
	for name, page := range files {
		whole += page
		if strings.HasSuffix(name, ".html") {
			linksLead(t, files, name)
		}
		for _, bad := range []string{"<script", "<form", "?k=", ";k=", "falconhost", "not committed", "plans.txt", "/api/1", dir} {
			if strings.Contains(page, bad) && name != "page.css" {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
	for _, want := range []string{"server: safe close", "[REDACTED:", "CompareAndSwap", "answer of step xxxxxx", "94 % agents",
		"one below the other", "Later steps", "$0.0"} {
		if !strings.Contains(strings.ToLower(whole), strings.ToLower(want)) {
			t.Errorf("no page has %q", want)
		}
	}
	if out, err := run("--export", at, "--yes"); err == nil || !strings.Contains(out, "not empty") {
		t.Errorf("pages were written over others: %v\n%s", err, out)
	}
	one := filepath.Join(testenv.TempDir(t), "one")
	if out, err := run("--export", one, "--yes", "HEAD~1..HEAD"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, page := range pagesOf(t, one) {
		if strings.Contains(page, "server: first version") && !strings.HasPrefix(name, "blame/") { // lines of it are left
			t.Errorf("%s tells of a commit outside of the range", name)
		}
	}
	for _, args := range [][]string{{"--export", one + "2", "--yes", "none"}, {"--export", one + "2", "--yes", "--all"},
		{"--export", one + "2", "--port", "1"}, {"--yes"}} {
		if out, err := run(args...); err == nil || !strings.Contains(out, "git-trace: error: ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(one), "*2*")); err != nil || len(left) > 0 {
		t.Errorf("what failed left %v", left)
	}
}
