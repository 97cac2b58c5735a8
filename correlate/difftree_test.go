package correlate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What git says of a commit is read whatever is in the files and in their names.
func TestWhatACommitAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	write(t, dir, "plain", ten)
	write(t, dir, "moved", strings.ReplaceAll(ten, "\n", "x\n"))
	write(t, dir, "kind", "text\n")
	write(t, dir, "gone", "a\nb\n")
	write(t, dir, "mode", "m\n")
	write(t, dir, "no newline", "a\nb")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	write(t, dir, "plain", "0\n"+strings.Replace(ten, "5\n", "five\n@@ -1 +1 @@\ndiff --git a/x b/x\n--- a/x\n", 1))
	for _, err := range []error{
		os.Rename(filepath.Join(dir, "moved"), filepath.Join(dir, "moved here")),
		os.Remove(filepath.Join(dir, "kind")), os.Symlink("target", filepath.Join(dir, "kind")),
		os.Remove(filepath.Join(dir, "gone")), os.Chmod(filepath.Join(dir, "mode"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "no newline", "a\nb\nc")
	write(t, dir, "binary", "a\x00b\n")
	write(t, dir, "empty", "")
	write(t, dir, "odd\nname\t\"x\"", "odd\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "two")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := diffTree(context.Background(), repo, 0, nil, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = fmt.Sprintf("%c %s %v", f.Status, strings.TrimPrefix(f.OldPath, f.Path), f.Added)
	}
	want := map[string]string{
		"plain": "M  [{0 1} {5 9}]", "moved here": "R moved []", "kind": "T  [{0 1}]", "gone": "D  []", "mode": "M  []",
		"no newline": "M  [{1 3}]", "binary": "A  []", "empty": "A  []", "odd\nname\t\"x\"": "A  [{0 1}]",
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%q is %q, want %q", name, got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("files are %q", got)
	}
}
