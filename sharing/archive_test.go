package sharing_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// settled lets a clone push at a level from here on, and gives its settings and the remote.
func settled(t testing.TB, w *recording.World, level sharing.Level) (*sharing.Settings, sharing.Remote) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	url, err := s.PushURL(t.Context(), w.Repo, "origin")
	w.Check(err)
	w.Check(sharing.Settle(t.Context(), w.Repo, "origin", level, url))
	s, err = sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	return s, r
}

// tidy archives what was published before a moment, and gives how many clones that were.
func tidy(t testing.TB, w *recording.World, since time.Time) int {
	t.Helper()
	s, r := settled(t, w, sharing.LevelConversations)
	k, err := sharing.PlanArchive(t.Context(), events.OpenLog(w.Repo), s, r, since)
	w.Check(err)
	defer k.Close()
	w.Check(k.Keep(t.Context(), true))
	return len(k.Writers)
}

// S23: clones that are gone leave few refs on a remote. Readers answer as before, and one that comes back is read again.
func TestDeadClonesAreArchived(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	trace := talked(t, w, "one", "please write two lines")
	push(t, w, sharing.LevelConversations)
	dead := testenv.Pick(2, 6, 300)
	var names []string
	var back *recording.World
	for n := range dead {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		name := fmt.Sprintf("of-%d.txt", n)
		grow(c, fmt.Sprint("s", n), name)
		push(t, c, sharing.LevelCommits)
		names, back = append(names, name), c
	}
	keeper := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	grow(keeper, "keeper", "keeper.txt")
	push(t, keeper, sharing.LevelCommits)
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	answers := func(c *recording.World) string {
		var out strings.Builder
		for _, name := range append(names, "one.txt", "keeper.txt") {
			out.WriteString(owners(t, c, name))
		}
		return out.String() + said(t, c, trace)
	}
	pull(t, reader, sharing.What{Records: true})
	before := answers(reader)
	if tidy(t, keeper, time.Now().Add(-time.Hour)) != 0 {
		t.Error("clones that published just now are archived")
	}
	if n := tidy(t, keeper, time.Now().Add(time.Hour)); n != dead+1 {
		t.Errorf("%d clones are archived, not %d", n, dead+1)
	}
	if list := strings.Fields(gitIn(t, remote, "for-each-ref", "--format=%(refname)", "refs/traces")); len(list) > 4 {
		t.Errorf("the remote has %d refs: %v", len(list), list)
	}
	reader.Git("config", "fetch.prune", "true")
	reader.Git("config", "--add", "remote.origin.fetch", "+refs/traces/writers/*/digest:refs/traces/remotes/origin/*/digest")
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	for name, c := range map[string]*recording.World{"the reader": reader, "a fresh clone": fresh} {
		if p := pull(t, c, sharing.What{Records: true}); p.LeftOut() != 0 || len(p.Writers) != dead+2 {
			t.Errorf("%s: %+v", name, p)
		}
		if p := pull(t, c, sharing.What{}); p.Changed != 0 {
			t.Errorf("%s, once more: %+v", name, p)
		}
		c.Git("fetch", "-q") // a plain one that prunes leaves it
		if after := answers(c); after != before {
			t.Errorf("%s said\n%s and says\n%s", name, before, after)
		}
	}

	// One comes back: its ref is made again, and wins; the next archive has what it says now.
	back.Git("pull", "-q", "origin", "main")
	grow(back, "back", "back.txt")
	push(t, back, sharing.LevelCommits)
	if pull(t, reader, sharing.What{}); !strings.Contains(reader.Git("for-each-ref", "refs/traces/remotes/origin"), testenv.WriterOf(t, back.Repo.WorkTree)+"/digest") {
		t.Error("the ref of the one that came back is not here")
	}
	reader.Git("pull", "-q", "origin", "main")
	tells(t, reader, "back.txt", names[dead-1])
	if tidy(t, keeper, time.Now().Add(time.Hour)) != 1 {
		t.Error("the one that came back is not archived again")
	}
	pull(t, reader, sharing.What{})
	tells(t, reader, "back.txt", names[0], names[dead-1])
	if text := answers(keeper); !strings.Contains(text, "Kind:ai") {
		t.Errorf("the one who archived says %s", text)
	}

	// The one who archived takes back what is theirs, and not what is others'.
	own, r := settled(t, keeper, sharing.LevelCommits)
	_, err := own.Retract(t.Context(), events.OpenLog(keeper.Repo), r, false)
	w.Check(err)
	pull(t, reader, sharing.What{})
	tells(t, reader, "back.txt", names[0])
	s, r := settled(t, keeper, sharing.LevelCommits)

	// What is taken out of an archive is out of its history too.
	gone := testenv.WriterOf(t, w.Repo.WorkTree)
	n, err := sharing.Drop(t.Context(), events.OpenLog(keeper.Repo), s, r, []string{gone}, true)
	w.Check(err)
	if n != 2 || onRemote(t, remote, "please write two lines") {
		t.Errorf("%d refs were dropped", n)
	}
	if pull(t, reader, sharing.What{}); said(t, reader, trace) != "" {
		t.Error("the text is still read")
	}
	if _, err := sharing.Drop(t.Context(), events.OpenLog(keeper.Repo), s, r, []string{gone}, true); !errors.Is(err, sharing.ErrNotKept) {
		t.Errorf("dropped once more: %v", err)
	}
}

// An archive of anybody's making is left out, and changes nothing.
func TestAHostileArchive(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	digest := gitIn(t, remote, "rev-parse", "refs/traces/writers/"+testenv.WriterOf(t, w.Repo.WorkTree)+"/digest")
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	grow(fresh, "own", "own.txt")
	own := testenv.WriterOf(t, fresh.Repo.WorkTree)
	before := owners(t, fresh, "own.txt")
	tree := gitIn(t, remote, "rev-parse", digest+"^{tree}")
	for name, message := range map[string]string{
		"no list":            "archive\n",
		"a line too many":    "archive\n\n0123456789abcdef\n0123456789abcdee\n",
		"a path":             "archive\n\n../../../heads/main\n",
		"a writer in colour": "archive\n\n\x1b[31m456789abcdef\n",
		"the own writer":     "archive\n\n" + own + "\n",
		"another's log":      "archive\n\n0123456789abcdef\n",
	} {
		cmd := exec.Command("git", "-C", remote, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit-tree", "-p", digest, "-F", "-", tree)
		cmd.Stdin = strings.NewReader(message)
		out, err := cmd.Output()
		w.Check(err)
		gitIn(t, remote, "update-ref", "refs/traces/writers/fedcba9876543210/archive/digest", strings.TrimSpace(string(out)))
		p := pull(t, fresh, sharing.What{})
		if (p.LeftOut() != 1) != (name == "the own writer") {
			t.Errorf("%s: %+v", name, p)
		}
		if after := owners(t, fresh, "own.txt"); after != before {
			t.Errorf("%s: %s", name, after)
		}
	}
}

// S23, §11: a fork's conversations come into the main repository when somebody there adopts them, if their writer allows it.
func TestAForkIsAdopted(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, upstream := published(t)
	fork := filepath.Join(t.TempDir(), "fork.git")
	gitIn(t, ".", "clone", "-q", "--bare", upstream, fork)
	c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", fork, ".")
	grow(c, "contributed", "contributed.txt")
	trace := talked(t, c, "contributed", "please contribute")
	push(t, c, sharing.LevelConversations)
	writer := testenv.WriterOf(t, c.Repo.WorkTree)
	w.Git("pull", "-q", fork, "main")
	w.Git("push", "-q", "origin", "main")
	s, r := settled(t, w, sharing.LevelConversations)
	read := func() {
		t.Helper()
		from, err := s.Source(fork)
		w.Check(err)
		_, err = sharing.Pull(t.Context(), events.OpenLog(w.Repo), from, sharing.What{Records: true})
		w.Check(err)
	}
	adopt := func(writers ...string) error {
		t.Helper()
		k, err := sharing.PlanAdopt(t.Context(), events.OpenLog(w.Repo), s, r, writers)
		if err != nil {
			return err
		}
		defer k.Close()
		return k.Keep(t.Context(), true)
	}
	if err := adopt(writer); !errors.Is(err, sharing.ErrUnknown) {
		t.Errorf("before it was fetched: %v", err)
	}
	read()
	if err := adopt(writer); !errors.Is(err, sharing.ErrNoLeave) {
		t.Errorf("without leave: %v", err)
	}
	if list := gitIn(t, upstream, "for-each-ref", "refs/traces"); list != "" {
		t.Errorf("without leave there is %s", list)
	}
	c.Git("config", "trace.allowAdopt", "true")
	push(t, c, sharing.LevelConversations)
	read()
	w.Check(adopt(writer))
	w.Check(adopt(writer)) // nothing more
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", upstream, ".")
	if p := pull(t, fresh, sharing.What{Records: true}); p.LeftOut() != 0 || len(p.Writers) != 1 {
		t.Errorf("%+v", p)
	}
	tells(t, fresh, "contributed.txt")
	if said(t, fresh, trace) != "please contribute" {
		t.Errorf("the text is %q", said(t, fresh, trace))
	}
	lazy := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+upstream, ".")
	pull(t, lazy, sharing.What{})
	lazy.Git("config", "trace.fetchOnDemand", "true")
	if d := demand(t, lazy, trace); d.Got != 1 || d.Err != nil {
		t.Errorf("on demand: %+v", d)
	}
	if err := adopt(testenv.WriterOf(t, w.Repo.WorkTree)); !errors.Is(err, sharing.ErrThereItself) {
		t.Errorf("the own one: %v", err)
	}
	// What the contributor wrote since comes with the next adoption.
	grow(c, "later", "later.txt")
	push(t, c, sharing.LevelConversations)
	w.Git("pull", "-q", fork, "main")
	w.Git("push", "-q", "origin", "main")
	read()
	w.Check(adopt(writer))
	fresh.Git("pull", "-q", "origin", "main")
	pull(t, fresh, sharing.What{})
	tells(t, fresh, "contributed.txt", "later.txt")
}
