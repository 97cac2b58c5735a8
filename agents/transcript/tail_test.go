package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/transcript"
)

func tail(t *testing.T, content string, limit int64) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := transcript.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var lines []string
	for line := range file.Lines(limit) {
		lines = append(lines, string(line))
	}
	return lines
}

func TestLinesComeLastFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
		limit         int64
		want          []string
	}{
		{"a file that fits is given whole", "a\nb\nc\n", 100, []string{"c", "b", "a"}},
		{"a last line without newline is given", "a\nb", 100, []string{"b", "a"}},
		{"empty lines are left out", "a\n\n \nb\r\n\n", 100, []string{"b", "a"}},
		{"a line that begins before the window is left out", "long line\nb\nc\n", 8, []string{"c", "b"}},
		{"a window that begins at a line's start leaves that line out too", "a\nb\nc\n", 4, []string{"c"}},
		{"a window inside one line gives nothing", strings.Repeat("x", 50) + "\n", 10, nil},
		{"an empty file has no lines", "", 10, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := tail(t, test.content, test.limit); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	if _, err := transcript.Open(t.TempDir()); !errors.Is(err, transcript.ErrNotRegular) {
		t.Errorf("a directory gives %v", err)
	}
	if _, err := transcript.Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if _, err := transcript.Open(os.DevNull); !errors.Is(err, transcript.ErrNotRegular) {
		t.Errorf("a device gives %v", err)
	}
}

func TestASymbolicLinkIsFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	file, err := transcript.Open(link)
	if err != nil {
		t.Fatal(err)
	}
	if !file.Whole(2) || file.Whole(1) {
		t.Error("the size of the link's target is not known")
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
