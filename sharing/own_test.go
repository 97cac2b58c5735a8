package sharing_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// copied is a copy of the directory of a world, with what was recorded.
func copied(t testing.TB, w *recording.World) *recording.World {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-r", w.Repo.WorkTree, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return recording.Open(t, dir, w.Now(), "status", "-s")
}

// grow has an agent write a file, and publishes the commit.
func grow(w *recording.World, session, name string) {
	w.Edit(session, name, "of "+session+"\nand more\n")
	w.Commit(name)
	w.Anchor()
	w.Git("pull", "-q", "--rebase", "origin", "main")
	w.Git("push", "-q", "origin", "main")
}

// tells checks that an agent wrote all lines of files, by what a clone knows.
func tells(t testing.TB, w *recording.World, names ...string) {
	t.Helper()
	for _, name := range names {
		if text := owners(t, w, name); !strings.Contains(text, "Kind:ai") || strings.Contains(text, "Kind:unknown") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// S17: a directory that was copied gets an id of its own. Nothing that either has recorded is lost to anybody.
func TestACopyGetsAnIDOfItsOwn(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	c := copied(t, w)
	grow(w, "first", "first.txt")
	push(t, w, sharing.LevelCommits)
	for _, name := range []string{"copy.txt", "copy2.txt", "copy3.txt"} {
		c.Edit("copy", name, "of the copy\nand more\n")
	}
	c.Commit("of the copy")
	c.Anchor()
	c.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
	c.Git("push", "-q", "origin", "main")
	if _, err := plan(t, c, sharing.LevelCommits); !errors.Is(err, sharing.ErrDiverged) {
		t.Fatalf("the copy may push: %v", err)
	}
	before, list := len(c.Log()), owners(t, c, "copy.txt")
	old, now, err := events.OpenLog(c.Repo).SetAside(t.Context())
	w.Check(err)
	if writer, err := events.OpenLog(c.Repo).Writer(); err != nil || writer != now || old == now {
		t.Errorf("the writer is %s, %v; it was %s, and is said to be %s", writer, err, old, now)
	}
	aside, err := events.OpenLog(c.Repo).Copy(t.Context(), "refs/traces/aside/"+old+"/events")
	w.Check(err)
	defer aside.Close()
	if aside.Last() != int64(before) {
		t.Errorf("%d events are set aside of %d", aside.Last(), before)
	}
	if after := owners(t, c, "copy.txt"); after != list {
		t.Errorf("it told %s, and tells %s", list, after)
	}
	grow(c, "later", "later.txt")
	push(t, c, sharing.LevelCommits)
	w.Git("pull", "-q", "--no-rebase", "origin", "main")
	grow(w, "again", "again.txt")
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	c.Git("pull", "-q", "--rebase", "origin", "main")
	for _, one := range []*recording.World{fresh, c} {
		if p := pull(t, one, sharing.What{}); p.LeftOut() != 0 {
			t.Errorf("pulled %+v", p.Writers)
		}
		tells(t, one, "one.txt", "first.txt", "copy.txt", "copy2.txt", "later.txt", "again.txt")
	}
}

// lost is what origin has of a clone, and the clone has not.
func lost(t testing.TB, w *recording.World) (*sharing.Lost, error) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	return sharing.FindLost(t.Context(), events.OpenLog(w.Repo), s, r)
}

// S17: a clone that came out of a backup takes back what it published after it.
func TestARestoredBackupTakesBackWhatItPublished(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	b := copied(t, w)
	if _, err := lost(t, b); !errors.Is(err, sharing.ErrNothingLost) {
		t.Errorf("without a loss: %v", err)
	}
	grow(w, "lost", "lost.txt")
	push(t, w, sharing.LevelCommits)
	if _, err := plan(t, b, sharing.LevelCommits); !errors.Is(err, sharing.ErrBehind) {
		t.Fatalf("the backup may push: %v", err)
	}
	had := int64(len(b.Log()))
	l, err := lost(t, b)
	w.Check(err)
	if l.From != had+1 || l.To <= l.From || len(l.Events) == 0 || l.Signed {
		t.Errorf("of %d events: %+v", had, l)
	}
	got, err := l.Take(t.Context(), 0)
	if err != nil || got.Pulled.LeftOut() != 0 || len(got.Pulled.Writers) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	b.Git("pull", "-q", "--rebase", "origin", "main")
	tells(t, b, "one.txt", "lost.txt")
	grow(b, "after", "after.txt")
	push(t, b, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	pull(t, fresh, sharing.What{})
	tells(t, fresh, "one.txt", "lost.txt", "after.txt")
}
