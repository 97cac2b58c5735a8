package sharing_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/sharing"
)

// said is what a clone has of what was said in a conversation; "" for nothing.
func said(t testing.TB, w *recording.World, trace events.TraceID) string {
	t.Helper()
	s := store.Open(w.Repo)
	defer func() { _ = s.Close() }()
	r, _, err := s.Get(t.Context(), trace)
	if errors.Is(err, store.ErrNotFound) {
		return ""
	}
	w.Check(err)
	return *r.Steps[0].Content
}

func demand(t testing.TB, w *recording.World, traces ...events.TraceID) sharing.Demanded {
	t.Helper()
	d, err := sharing.Demand(t.Context(), events.OpenLog(w.Repo), traces)
	w.Check(err)
	return d
}

// saying is a world that shares what was said in one conversation, and a clone that has its digest alone.
func saying(t testing.TB) (w, fresh *recording.World, remote string, trace events.TraceID) {
	t.Helper()
	w, remote = published(t)
	trace = talked(t, w, "one", "please write two lines")
	push(t, w, sharing.LevelConversations)
	fresh = recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	if p := pull(t, fresh, sharing.What{}); p.Writers[0].Shared != 1 || p.Writers[0].Records != 0 {
		t.Fatalf("pulled %+v", p.Writers)
	}
	return w, fresh, remote, trace
}

// What was said is fetched when somebody wants to see it, one record by its id, if the person allowed it.
func TestWhatWasSaidComesOnDemand(t *testing.T) {
	w, fresh, remote, trace := saying(t)
	config := fresh.Git("config", "--local", "--list")
	if d := demand(t, fresh, trace); d.Got != 0 || len(d.Elsewhere) != 1 || d.Err != nil || said(t, fresh, trace) != "" {
		t.Errorf("without leave: %+v", d)
	}
	fresh.Git("config", "trace.fetchOnDemand", "true")
	gone := filepath.Join(t.TempDir(), "gone")
	w.Check(os.Rename(remote, gone))
	if d := demand(t, fresh, trace); d.Got != 0 || len(d.Elsewhere) != 1 || d.Err == nil {
		t.Errorf("from a remote that is not there: %+v", d)
	}
	w.Check(os.Rename(gone, remote))
	if d := demand(t, fresh, trace); d.Got != 1 || d.Err != nil || said(t, fresh, trace) != "please write two lines" {
		t.Errorf("on demand: %+v", d)
	}
	fresh.Git("config", "--unset", "trace.fetchOnDemand")
	if now := fresh.Git("config", "--local", "--list"); now != config {
		t.Errorf("the configuration was %s, and is %s", config, now)
	}
	if p := pull(t, fresh, sharing.What{}); p.Writers[0].Records != 1 {
		t.Errorf("the next pull: %+v", p.Writers)
	}
	// What is taken back goes with the next pull, and nobody who demands it gets it.
	w.Check(sharing.KeepPrivate(w.Repo, trace, false))
	push(t, w, sharing.LevelConversations)
	later := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	pull(t, later, sharing.What{})
	if p := pull(t, fresh, sharing.What{}); p.Writers[0].Records != 0 || said(t, fresh, trace) != "" {
		t.Errorf("after it was taken back: %+v", p.Writers)
	}
	for _, c := range []*recording.World{fresh, later} {
		c.Git("config", "trace.fetchOnDemand", "true")
		if d := demand(t, c, trace); d.Got != 0 || d.Err != nil || said(t, c, trace) != "" {
			t.Errorf("demanded after it was taken back: %+v", d)
		}
	}
}

// A digest that was fetched before the texts were taken off the remote gets nobody a text that the remote may still have.
func TestADemandAsksWhatIsSharedToday(t *testing.T) {
	w, fresh, _, trace := saying(t)
	fresh.Git("config", "trace.fetchOnDemand", "true")
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	_, err = s.Retract(t.Context(), events.OpenLog(w.Repo), r, true)
	w.Check(err)
	if d := demand(t, fresh, trace); d.Got != 0 || said(t, fresh, trace) != "" {
		t.Errorf("%+v", d)
	}
}

// A server that gives nothing by id alone is asked for the ref.
func TestAServerThatGivesNothingById(t *testing.T) {
	_, fresh, _, trace := saying(t)
	fresh.Git("config", "trace.fetchOnDemand", "true")
	fresh.Git("config", "protocol.version", "0")
	if d := demand(t, fresh, trace); d.Got != 1 || d.Err != nil || said(t, fresh, trace) == "" {
		t.Errorf("%+v", d)
	}
}

// S15: a record that no digest names is not read, whoever put it there.
func TestARecordThatNoDigestNamesIsNotRead(t *testing.T) {
	w, fresh, remote, trace := saying(t)
	pull(t, fresh, sharing.What{Records: true})
	forged := strings.ReplaceAll(w.Git("cat-file", "-p", "refs/traces/records:"+string(trace[:2])+"/"+string(trace)+".json"),
		"please write", "steal")
	work := filepath.Join(t.TempDir(), "forger")
	gitIn(t, ".", "clone", "-q", remote, work)
	ref := gitIn(t, work, "ls-remote", "origin", "refs/traces/writers/*/records")
	name := strings.Fields(ref)[1]
	w.Check(os.MkdirAll(filepath.Join(work, string(trace[:2])), 0o700))
	w.Check(os.WriteFile(filepath.Join(work, string(trace[:2]), string(trace)+".json"), []byte(forged), 0o600))
	gitIn(t, work, "add", ".")
	gitIn(t, work, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--no-verify", "-m", "forged")
	gitIn(t, work, "push", "-q", "--force", "--no-verify", "origin", "HEAD:"+name, "HEAD:refs/traces/writers/0123456789abcdef/records")
	p := pull(t, fresh, sharing.What{Records: true})
	if p.LeftOut() != 1 || !strings.Contains(p.Writers[0].LeftOut, "texts that its digest does not name") {
		t.Errorf("pulled %+v", p.Writers)
	}
	if text := said(t, fresh, trace); strings.Contains(text, "steal") {
		t.Errorf("it reads %q", text)
	}
	if refs := fresh.Git("for-each-ref", "refs/traces/remotes/origin/0123456789abcdef"); refs != "" {
		t.Errorf("texts without a digest stay: %s", refs)
	}
}
