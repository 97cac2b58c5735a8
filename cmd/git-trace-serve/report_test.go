package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A report as a page is one file without script, with the charts of the page of figures, and says what the report says.
func TestReportsAreDrawnAsPages(t *testing.T) {
	program, dir := demo(t)
	const canary = `<script>alert(1)</script>{{.}}`
	if err := os.WriteFile(filepath.Join(dir, "<b>.txt"), []byte(canary+"\n"), 0o644); err != nil {
		t.Skipf("the file system has no such name: %v", err)
	}
	for _, args := range [][]string{{"add", "."}, {"-c", "user.name=" + canary, "-c", "user.email=a@example.com", "commit", "-qm", canary}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, append([]string{"report", "--html"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	page, err := run("HEAD~2..HEAD")
	if err != nil {
		t.Fatalf("%v\n%s", err, page)
	}
	for _, want := range []string{"<h1>Who wrote HEAD~2..HEAD</h1>", "89 % agents", "people", "claude-code (claude-opus-4-5)", "Lines that commits added, by week",
		"<svg", "As a table", "close must be safe to call twice", "server_test.go", "&lt;b&gt;.txt", "default-src &#39;none&#39;"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, bad := range []string{"<script", "<b>.txt", "href=", "src=", "http:", "https:"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	file := filepath.Join(testenv.TempDir(t), "report.html")
	if out, err := run("--output", file, "HEAD~2..HEAD"); err != nil || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != page {
		t.Errorf("the file is another page: %v", err)
	}
	for _, args := range [][]string{{"none"}, {"--json"}, {"--max-bytes", "9"}, {"HEAD", "HEAD"}, {"--output", filepath.Join(dir, "no", "x"), "HEAD~1..HEAD"}} {
		if out, err := run(args...); err == nil || strings.Count(out, "git-trace: error: ") != 1 {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
