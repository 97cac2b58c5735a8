package waiting_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
)

// What a killed process was writing is not a conversation that waits: each hook would start a process for it.
func TestAHalfWrittenNoteIsNoNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := waiting.Open(repo)
	half := filepath.Join(repo.TracesDir(), "pending", "tmp_1abc")
	write := func(age time.Duration) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(half), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(half, []byte(`{"trace":`), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(half, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	if list.Any() {
		t.Error("it counts as one that waits")
	}
	note := waiting.Session{Trace: "4f2a8f60-1c3d-5e5f-8a9b-0c1d2e3f4a5b", Agent: "pi", Session: "s"}
	if err := list.Note(note); err != nil {
		t.Fatal(err)
	}
	if all, err := list.All(); err != nil || len(all) != 1 || all[0] != note || !list.Any() {
		t.Errorf("got %v, %v", all, err)
	}
	if _, err := os.Stat(half); err != nil {
		t.Error("one that may still be written is gone")
	}
	write(2 * time.Hour)
	if _, err := list.All(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("an old one is still there")
	}
	if err := list.Done(note); err != nil || list.Any() {
		t.Errorf("it still waits: %v", err)
	}
}
