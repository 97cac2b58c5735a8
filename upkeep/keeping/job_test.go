package keeping

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

const purgeWord = "xyzzy plugh"

// A process that stores conversations may have begun before a purge, and waited for it: it must not bring back what the
// purge took out.
func TestARecordingFollowsAPurgeThatItWaitedFor(t *testing.T) {
	t.Parallel()
	repo := purgeRepo(t)
	job, err := NewJob(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	texts, err := purged.New(repo)
	if err == nil {
		_, err = texts.AddText(purgeWord)
	}
	if err == nil {
		err = texts.Save(repo)
	}
	if err != nil {
		t.Fatal(err)
	}
	lock, err := job.Lock(t.Context(), store.Patience)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	text, _, err := job.Recorder.Redactor.Text(t.Context(), "the word is "+purgeWord+", keep it")
	if err != nil || strings.Contains(text, purgeWord) || !strings.Contains(text, "keep it") {
		t.Errorf("%q, %v", text, err)
	}
	if !job.purged.Holds(purgeWord) {
		t.Error("prompts that backfill finds are not held against the purge")
	}
}

func purgeRepo(t *testing.T) *refs.Repo {
	dir := testenv.TempDir(t)
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err == nil {
		err = repo.MakeTracesDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo
}
