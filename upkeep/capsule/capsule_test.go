package capsule_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/upkeep/capsule"
)

// small is a capsule with files of all kinds.
const small = `{"schema": "git-trace.capsule/1", "trace": "01234567-89ab-5cde-8f01-23456789abcd", "prompt": 1, "first_step": 1, "commit": null,
"record": {"schema_version": "0.3.0", "trace_id": "t", "session_id": "s", "agent": {"name": "a"}, "steps": [],
"outcome": {"signal_confidence": "inferred"}, "lifecycle": "provisional"},
"files": [{"path": "a/b.sh", "executable": true, "before": null, "after": "new\n"}, {"path": "gone", "before": "x", "after": null},
{"path": "link", "before": null, "after": "mine\n"}], "left": [], "test": null, "redacted": 0}`

func TestFilesAreLaidOut(t *testing.T) {
	t.Parallel()
	c, _, err := capsule.Read(bytes.NewReader([]byte(small)))
	if err != nil {
		t.Fatal(err)
	}
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	for name, content := range map[string]string{filepath.Join(dir, "gone"): "x", outside: "theirs"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := c.Lay(dir, false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{filepath.Join(dir, "a/b.sh"): "new\n", filepath.Join(dir, "link"): "mine\n", outside: "theirs"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("a file stays that was deleted")
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := c.Lay(dir, false); err == nil {
		t.Error("a file was written through a link")
	}
}

// What was a file may be a directory afterwards, and the other way round.
func TestAFileTakesThePlaceOfADirectory(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(small, `"files"`)
	raw := head + `"files": [{"path": "d/one", "before": "1", "after": null}, {"path": "d", "before": null, "after": "2"},
{"path": "f", "before": "3", "after": null}, {"path": "f/e/two", "before": null, "after": "4"}], "left": [], "test": null, "redacted": 0}`
	c, _, err := capsule.Read(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, before := range []bool{true, false, true, true} {
		if err := c.Lay(dir, before); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"d/one": before, "f/e/two": !before} {
			if info, err := os.Stat(filepath.Join(dir, name)); (err == nil && info.Mode().IsRegular()) != want {
				t.Errorf("before %t: %s: %v", before, name, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add(bytes.ReplaceAll([]byte(small), []byte("a/b.sh"), []byte("a/../../b")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, record, err := capsule.Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		if record == nil {
			t.Fatal("a capsule without an episode")
		}
		top := t.TempDir()
		dir := filepath.Join(top, "below")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = c.Lay(dir, false) // a name may be too long
		if entries, err := os.ReadDir(top); err != nil || len(entries) != 1 {
			t.Fatalf("something was written outside: %v, %v", entries, err)
		}
	})
}
