package sharing_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

func TestAFreshCloneSaysWhatTheWriterSays(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	w.Edit("two", "one.txt", "first\nsecond, changed\nthird\n")
	w.Write("mine.txt", "typed\n")
	w.Commit("by both")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	got := pull(t, fresh, sharing.What{})
	if len(got.Writers) != 1 || got.Writers[0].Commits != 3 || got.LeftOut() != 0 || got.Changed != 1 {
		t.Fatalf("%+v", got)
	}
	for _, path := range []string{"one.txt", "mine.txt", "base.txt"} {
		if mine, theirs := owners(t, w, path), owners(t, fresh, path); mine != theirs || !strings.Contains(mine, "Kind:") {
			t.Errorf("%s: the writer says\n%sthe clone\n%s", path, mine, theirs)
		}
	}
	if again := pull(t, fresh, sharing.What{}); again.Changed != 0 || len(again.Writers) != 1 {
		t.Errorf("the second pull: %+v", again)
	}
}

// S27: whatever became of the history, a digest says of every published line what the log says.
func TestADigestSaysWhatTheLogSays(t *testing.T) {
	t.Parallel()
	for range testenv.Pick(2, 4, 200) {
		w, remote := published(t)
		text := []string{"first", "second"}
		for n := range 6 {
			at := rand.N(len(text) + 1)
			text = append(text[:at:at], append([]string{fmt.Sprint("line ", n, rand.N(1000))}, text[at:]...)...)
			all := strings.Join(text, "\n") + "\n"
			if rand.N(3) == 0 {
				w.Write("one.txt", all)
			} else {
				w.Edit(fmt.Sprint("s", rand.N(3)), "one.txt", all)
			}
			if rand.N(4) == 0 {
				older := w.Head()
				w.Git("commit", "-q", "-a", "--amend", "-m", "amended")
				w.Anchor()
				w.Rewritten("amend", older, w.Head())
			} else {
				w.Commit(fmt.Sprint("commit ", n))
				w.Anchor()
			}
			if rand.N(2) == 0 {
				w.Git("push", "-q", "-f", "origin", "main")
				push(t, w, sharing.LevelCommits)
			}
		}
		w.Git("push", "-q", "-f", "origin", "main")
		push(t, w, sharing.LevelCommits)
		fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		pull(t, fresh, sharing.What{})
		if mine, theirs := owners(t, w, "one.txt"), owners(t, fresh, "one.txt"); mine != theirs {
			t.Fatalf("the log says\n%sthe digest\n%s", mine, theirs)
		}
	}
}

// S7: at the level of commits no byte of the remote names what was not published, nor has a text.
func TestOnlyWhatIsPublishedLeaves(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	w.Edit("hidden", "never-committed.txt", "planted secret text\n")
	w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "never-committed.txt")))
	w.Git("checkout", "-q", "-b", "not-published")
	w.Edit("hidden", "unpublished-path.txt", "another secret\n")
	w.Commit("kept here")
	w.Anchor()
	unpublished := w.Head().String()
	w.Git("checkout", "-q", "main")
	linked := w.Linked("name-of-a-work-tree")
	linked.Edit("elsewhere", "one.txt", "first\nsecond\nfrom the linked one\n")
	linked.Commit("from a linked work tree")
	linked.Anchor()
	linked.Git("push", "-q", "origin", "name-of-a-work-tree:main2")
	push(t, w, sharing.LevelCommits)
	all := gitIn(t, remote, "cat-file", "--batch-all-objects", "--batch", "--unordered")
	for _, word := range []string{"never-committed", "unpublished-path", "planted", "hidden"} {
		if strings.Contains(all, word) {
			t.Errorf("%q is on the remote", word)
		}
	}
	digest := gitIn(t, remote, "for-each-ref", "--format=%(refname)", "refs/traces/")
	log := gitIn(t, remote, "cat-file", "-p", digest+":log/0000000001.jsonl")
	for _, word := range []string{`"worktree"`, "window_opened", "patch_recorded", "snapshot_taken", "call-1\",\"method"} {
		if strings.Contains(log, word) {
			t.Errorf("%q is in the digest", word)
		}
	}
	if !strings.Contains(log, "one.txt") || strings.Contains(all, unpublished) {
		t.Error("the digest has not what it should have")
	}
}

// Many pushes are joined into one file, which says what they said.
func TestManyPushesAreJoined(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	log := events.OpenLog(w.Repo)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	ref := events.FetchedRef("origin", writer, "digest")
	tip, err := log.Tip(ref)
	w.Check(err)
	first, err := log.ReadPublication(tip)
	w.Check(err)
	// The file is cut into one for each event, as many pushes would have left it.
	var files []events.PublishedFile
	c, err := log.Copy(t.Context(), ref)
	w.Check(err)
	for line, err := range c.Lines() {
		w.Check(err)
		e, err := events.DecodeLine(append([]byte(nil), line.Line...))
		w.Check(err)
		f, err := log.WritePublished([]events.Event{e})
		w.Check(err)
		files = append(files, f)
	}
	c.Close()
	joined, err := log.JoinPublished(files)
	w.Check(err)
	if len(joined) != 1 || joined[0] != first.Files[0] {
		t.Errorf("%d files are joined into %v, which were %v", len(files), joined, first.Files)
	}
	tree, err := log.WritePublication(events.Publication{Head: first.Head, Files: files})
	w.Check(err)
	cut := w.Git("commit-tree", "-m", "cut", tree.String())
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	w.Git("push", "-q", "-f", "origin", cut+":refs/traces/writers/"+writer+"/digest")
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 || got.Writers[0].Events != first.Head.Events {
		t.Errorf("%+v", got)
	}
}
