package sharing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/sharing"
)

// S24: what was taken back is in no clone any more after its next pull and a gc, nor in the caches of readers. The
// clone that has it by demand is one of them.
func TestWhatWasTakenBackGoesFromEveryClone(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	trace := talked(t, w, "one", "please write two lines")
	push(t, w, sharing.LevelConversations)
	s := store.Open(w.Repo)
	e, err := s.Find(t.Context(), trace)
	w.Check(err)
	w.Check(s.Close())
	var clones []*recording.World
	for n := range 3 {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
		if pull(t, c, sharing.What{Records: n > 0}); n == 0 {
			c.Git("config", "trace.fetchOnDemand", "true")
			demand(t, c, trace)
		}
		if said(t, c, trace) == "" {
			t.Fatalf("clone %d does not have it", n)
		}
		cached := filepath.Join(store.PromptCache(c.Repo), string(trace)+".json")
		w.Check(os.MkdirAll(filepath.Dir(cached), 0o700))
		w.Check(os.WriteFile(cached, []byte(`{"1":"please write two lines"}`), 0o600))
		clones = append(clones, c)
	}
	w.Check(sharing.KeepPrivate(w.Repo, trace, false))
	push(t, w, sharing.LevelConversations)
	for n, c := range clones {
		pull(t, c, sharing.What{})
		c.Git("gc", "-q", "--prune=now")
		if text := said(t, c, trace); text != "" {
			t.Errorf("clone %d reads %q", n, text)
		}
		if out := c.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"); strings.Contains(out, e.Blob.String()) {
			t.Errorf("clone %d still has the object", n)
		}
		if _, err := os.Lstat(filepath.Join(store.PromptCache(c.Repo), string(trace)+".json")); err == nil {
			t.Errorf("clone %d still has the text in a cache", n)
		}
	}
	if onRemote(t, remote, "two lines") {
		t.Error("a ref of the remote still leads to it")
	}
}
