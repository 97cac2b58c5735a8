package sharing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// bare is an empty remote.
func bare(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "remote.git")
	out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// published is a world whose first commits are on a remote.
func published(t testing.TB) (*recording.World, string) {
	t.Helper()
	w, remote := recording.New(t), bare(t)
	w.Git("remote", "add", "origin", remote)
	w.Edit("one", "one.txt", "first\nsecond\n")
	w.Commit("by an agent")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	return w, remote
}

func plan(t testing.TB, w *recording.World, level sharing.Level) (*sharing.Plan, error) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	return sharing.MakePlan(t.Context(), events.OpenLog(w.Repo), s, r, level, func(context.Context) (*redact.Redactor, error) {
		return redact.New(redactions)
	})
}

// redactions are the rules of the tests that run one after the other.
var redactions redact.Options

func push(t testing.TB, w *recording.World, level sharing.Level) []sharing.Pushed {
	t.Helper()
	p, err := plan(t, w, level)
	w.Check(err)
	defer p.Close()
	sent, err := p.Push(t.Context(), true)
	w.Check(err)
	return sent
}

func pull(t testing.TB, w *recording.World, what sharing.What) *sharing.Pulled {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	p, err := sharing.Pull(t.Context(), events.OpenLog(w.Repo), r, what)
	w.Check(err)
	return p
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// owner is what blame says of each line of a file at HEAD.
func owners(t testing.TB, w *recording.World, path string) string {
	t.Helper()
	ix, err := index.Open(w.Repo)
	w.Check(err)
	defer ix.Close()
	var out strings.Builder
	evidence := blame.NewEvidence(w.Repo, ix, nil)
	for i, line := range strings.Split(gitIn(t, w.Repo.WorkTree, "blame", "--porcelain", "-s", "HEAD", "--", path), "\n") {
		fields := strings.Fields(line)
		id, err := refs.ParseOID(strings.Split(line, " ")[0])
		if err != nil || len(fields) < 3 || strings.HasPrefix(line, "\t") {
			continue
		}
		n := 0
		_, err = fmt.Sscan(fields[1], &n)
		w.Check(err)
		at, err := evidence.Committed(t.Context(), id, path, []int{n})
		w.Check(err)
		fmt.Fprintf(&out, "%d %s %+v\n", i, id, at[0])
	}
	return out.String()
}

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
	for range testenv.Pick(2, 8, 200) {
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

// S5: where nothing is new, nothing is made and nothing sent.
func TestASecondPushDoesNothing(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 || sent[0].State != "pushed" {
		t.Fatalf("%+v", sent)
	}
	count := func(dir string) string { return gitIn(t, dir, "count-objects", "-v") }
	here, there := count(w.Repo.WorkTree), count(remote)
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
		t.Errorf("%+v", sent)
	}
	if count(w.Repo.WorkTree) != here || count(remote) != there {
		t.Error("the second push made objects")
	}
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("not published yet")
	w.Anchor()
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
		t.Errorf("of a commit that is not published: %+v", sent)
	}
	w.Git("push", "-q", "origin", "main")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 {
		t.Errorf("of one that is: %+v", sent)
	}
}

func TestTheWholeLogLeavesAtItsLevel(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	if sent := push(t, w, sharing.LevelLog); len(sent) != 2 {
		t.Fatalf("%+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	if got := pull(t, fresh, sharing.What{}); len(got.Writers) != 1 {
		t.Errorf("without asking for logs: %+v", got)
	}
	got := pull(t, fresh, sharing.What{Log: true})
	if len(got.Writers) != 2 || got.Writers[1].Events != int64(len(w.Log())) || got.LeftOut() != 0 {
		t.Errorf("with logs: %+v", got)
	}
	ix, err := index.Open(fresh.Repo)
	w.Check(err)
	defer ix.Close()
	if ix.Logs() != 2 { // the own one, which is empty, and the log; the digest is not read beside it
		t.Errorf("%d logs are read", ix.Logs())
	}
}

// S6: nothing leaves for a place that the person did not choose.
func TestNothingLeavesForAnotherPlace(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	other := bare(t)
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	w.Check(sharing.Settle(t.Context(), w.Repo, "origin", sharing.LevelCommits, p.URL))
	p.Close()
	for _, args := range [][]string{{"remote", "set-url", "origin", other}, {"remote", "set-url", "--push", "origin", other}} {
		before := gitIn(t, w.Repo.WorkTree, "config", "--list", "--local")
		w.Git(args...)
		if _, err := plan(t, w, sharing.LevelCommits); !errors.Is(err, sharing.ErrMoved) {
			t.Errorf("%v: %v", args, err)
		}
		w.Git("config", "remote.origin.url", p.URL)
		if args[2] == "--push" && before == gitIn(t, w.Repo.WorkTree, "config", "--list", "--local") {
			t.Error("nothing was changed")
		}
	}
	if refs := gitIn(t, other, "for-each-ref"); refs != "" {
		t.Errorf("%s", refs)
	}
}

// The setting that lets something leave counts only where the person alone writes.
func TestACommittedFileSettlesNothing(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	w.Write("settings", "[remote \"origin\"]\n\ttraceShare = log\n[trace]\n\tremote = origin\n")
	for _, config := range [][]string{
		{"include.path", "../settings"},
		{"extensions.worktreeConfig", "true"},
	} {
		w.Git("config", config[0], config[1])
	}
	w.Git("config", "--worktree", "remote.origin.traceShare", "log")
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	if _, err := s.Destination(""); !errors.Is(err, sharing.ErrNoRemote) {
		t.Errorf("it is %v", err)
	}
	if r, err := s.Destination("origin"); err != nil || r.Share != sharing.LevelNone {
		t.Errorf("%+v, %v", r, err)
	}
	w.Git("config", "--local", "remote.origin.traceShare", "commits")
	s, err = sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	if r, err := s.Destination(""); err != nil || r.Share != sharing.LevelCommits {
		t.Errorf("%+v, %v", r, err)
	}
}

// §7: a copy of a clone must not go on where the other one has gone on.
func TestACopiedCloneDoesNotPublish(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	push(t, w, sharing.LevelCommits)
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-r", w.Repo.WorkTree, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	grow := func(w *recording.World, text string) {
		w.Edit("more", "one.txt", text)
		w.Commit(text)
		w.Anchor()
		w.Git("push", "-q", "-f", "origin", "main")
	}
	grow(w, "first\nof the first clone\n")
	push(t, w, sharing.LevelCommits)
	repo, err := refs.Discover(dir)
	w.Check(err)
	copied := recording.Open(t, dir, w.Now(), "status", "-s")
	copied.Repo = repo
	if _, err := plan(t, copied, sharing.LevelCommits); !errors.Is(err, sharing.ErrBehind) {
		t.Errorf("a copy that is behind: %v", err)
	}
	for range 9 {
		copied.Edit("copy", "one.txt", fmt.Sprint("first\nof the copy ", rand.N(1000), "\n"))
	}
	copied.Commit("of the copy")
	copied.Anchor()
	if _, err := plan(t, copied, sharing.LevelCommits); !errors.Is(err, sharing.ErrDiverged) {
		t.Errorf("a copy that has gone on: %v", err)
	}
}

// §7: a push that was killed after it had sent everything is finished by the next one.
func TestAPushThatWasKilledIsFinished(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	tip := gitIn(t, remote, "for-each-ref", "--format=%(objectname)", "refs/traces/")
	ref := events.FetchedRef("origin", testenv.WriterOf(t, w.Repo.WorkTree), "digest")
	for name, objects := range map[string]bool{"its objects are here": true, "they are not": false} {
		w.Git("update-ref", "-d", ref)
		if !objects {
			w.Git("gc", "-q", "--prune=now")
		}
		if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
			t.Errorf("%s: %+v", name, sent)
		}
		if got := gitIn(t, w.Repo.WorkTree, "rev-parse", ref); got != tip {
			t.Errorf("%s: %s is noted, %s is there", name, got, tip)
		}
	}
	gitIn(t, remote, "update-ref", "-d", "refs/traces/writers/"+testenv.WriterOf(t, w.Repo.WorkTree)+"/digest")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 {
		t.Errorf("the remote lost it: %+v", sent)
	}
}

// S1: clones that push at once do not meet.
func TestClonesPushAtOnce(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	clones, pushes := testenv.Pick(2, 4, 8), testenv.Pick(2, 3, 25)
	var worlds []*recording.World
	for i := range clones {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		c.Git("checkout", "-q", "-b", fmt.Sprint("b", i))
		worlds = append(worlds, c)
	}
	var all sync.WaitGroup
	for i, c := range worlds {
		all.Go(func() {
			for n := range pushes {
				c.Edit("s", fmt.Sprint("f", i), fmt.Sprint("text ", n, "\n"))
				c.Commit(fmt.Sprint("c", n))
				c.Anchor()
				c.Git("push", "-q", "origin", "HEAD")
				if sent := push(t, c, sharing.LevelCommits); len(sent) != 1 || sent[0].State != "pushed" {
					t.Errorf("clone %d, push %d: %+v", i, n, sent)
				}
			}
		})
	}
	all.Wait()
	for _, c := range worlds {
		got := pull(t, c, sharing.What{})
		if len(got.Writers) != clones-1 || got.LeftOut() > 0 {
			t.Errorf("%+v", got)
		}
		if sent := push(t, c, sharing.LevelCommits); len(sent) != 0 { // the pull left what is noted of the own one
			t.Errorf("after the pull: %+v", sent)
		}
		for _, o := range got.Writers {
			if o.Commits != pushes {
				t.Errorf("of %s %d commits came", o.Writer, o.Commits)
			}
		}
	}
}

// Many pushes are joined into one file, which says what they said.
func TestManyPushesAreJoined(t *testing.T) {
	t.Parallel()
	if testing.Short() {
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
	for line, err := range c.Scan(0) {
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
	tree, err := log.WritePublication(first.Head, files)
	w.Check(err)
	cut := w.Git("commit-tree", "-m", "cut", tree.String())
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	w.Git("push", "-q", "-f", "origin", cut+":refs/traces/writers/"+writer+"/digest")
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 || got.Writers[0].Events != first.Head.Events {
		t.Errorf("%+v", got)
	}
}

// S14: what a hostile remote sends is left out whole, and nothing of the own changes.
func TestASpoiledPublicationIsLeftOut(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	name := "refs/traces/writers/" + writer + "/digest"
	sound := gitIn(t, remote, "rev-parse", name)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	fresh.Edit("own", "own.txt", "mine\n")
	fresh.Commit("own")
	fresh.Anchor()
	before := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt")
	head, log := gitIn(t, remote, "cat-file", "-p", sound+":digest.json"), gitIn(t, remote, "cat-file", "-p", sound+":log/0000000001.jsonl")
	for range testenv.Pick(12, 40, 5000) {
		h, l := head+"\n", log+"\n"
		file := "0000000001.jsonl"
		how := rand.N(9)
		switch how {
		case 0:
			at := rand.N(len(l))
			l = l[:at] + string(rune('a'+rand.N(26))) + l[at+1:]
			if l == log+"\n" {
				continue
			}
		case 1:
			l = l[:rand.N(len(l)-1)]
		case 2:
			lines := strings.SplitAfter(l, "\n")
			l = strings.Join(lines[1:], "")
		case 3:
			h = strings.Replace(h, writer, "0123456789abcdef", 1)
			h = strings.Replace(h, `"writer":"`+writer+`"}`, `"writer":"0123456789abcdef"}`, 1)
		case 4:
			h = strings.Repeat("[", 100_000)
		case 5:
			file = []string{"..", "0000000002.jsonl", "1.jsonl", "-rf", "\x1b[31m.jsonl"}[rand.N(5)]
			if file == ".." {
				file = "0000000001.json"
			}
		case 6:
			h = strings.Replace(h, `"events":`, `"events":1`, 1)
		case 7:
			h = strings.Replace(h, `"format":1`, `"format":2`, 1)
		case 8:
			h = strings.Replace(h, `"object_format":"`, `"object_format":"x`, 1)
		}
		tip := spoiled(t, remote, h, file, l)
		gitIn(t, remote, "update-ref", name, tip)
		got := pull(t, fresh, sharing.What{})
		if got.LeftOut() != 1 {
			t.Errorf("way %d is believed: %+v", how, got)
		}
		if after := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt"); after != before {
			t.Errorf("way %d changed what is here", how)
		}
	}
	gitIn(t, remote, "update-ref", name, sound)
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
		t.Errorf("the sound one: %+v", got)
	}
}

// spoiled makes a publication with any contents on a remote.
func spoiled(t testing.TB, remote, head, file, log string) string {
	t.Helper()
	store := func(text string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", remote}, args...)...)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	blob := func(text string) string { return store(text, "hash-object", "-w", "--stdin") }
	dir := store("100644 blob "+blob(log)+"\t"+file+"\x00", "mktree", "-z")
	tree := store("100644 blob "+blob(head)+"\tdigest.json\x00040000 tree "+dir+"\tlog\x00", "mktree", "-z")
	return store("", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit-tree", "-m", "x", tree)
}

// S4: a remote that is not there leaves all as it was, and what is said has no credentials.
func TestARemoteThatIsNotReached(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	w.Git("remote", "set-url", "origin", "https://user:s3cret@127.0.0.1:9/x.git")
	_, err := plan(t, w, sharing.LevelCommits)
	if !errors.Is(err, sharing.ErrUnreached) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	var remote *sharing.RemoteError
	if errors.As(err, &remote) && strings.Contains(strings.Join(remote.Lines, "\n"), "s3cret") {
		t.Errorf("%q", remote.Lines)
	}
	if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Error(kept)
	}
	for text, want := range map[string]string{
		"https://user:pw@host/x": "https://host/x", "https://token@host/x": "https://host/x",
		"ssh://git@host/x": "ssh://git@host/x", "git@host:x": "git@host:x", "/a/b": "/a/b",
	} {
		if got := sharing.Bare(text); got != want {
			t.Errorf("%s is told as %s", text, got)
		}
	}
}

func TestPlainFetchesBringWhatIsConfigured(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	configure := func(on bool) {
		s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
		w.Check(err)
		r, err := s.Source("origin")
		w.Check(err)
		w.Check(sharing.Configure(t.Context(), fresh.Repo, s, r, on))
	}
	before := fresh.Git("config", "--get-all", "remote.origin.fetch")
	configure(true)
	configure(true)
	fresh.Git("fetch", "-q")
	if got := fresh.Git("for-each-ref", "refs/traces/remotes/origin"); !strings.HasSuffix(got, "/digest") {
		t.Errorf("a plain fetch brought %q", got)
	}
	configure(false)
	configure(false)
	if after := fresh.Git("config", "--get-all", "remote.origin.fetch"); after != before {
		t.Errorf("%q was %q", after, before)
	}
}

// talked stores what was said in a conversation.
func talked(t testing.TB, w *recording.World, session, text string) events.TraceID {
	t.Helper()
	redactor, err := redact.New(redact.Options{})
	w.Check(err)
	trace := events.NewTraceID("claude-code", session)
	r, err := redactor.Record(t.Context(), &records.Record{
		TraceID: string(trace), SessionID: session, Agent: records.Agent{Name: "claude-code"},
		Steps: []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &text}},
	})
	w.Check(err)
	s := store.Open(w.Repo)
	defer func() { _ = s.Close() }()
	e, err := s.Find(t.Context(), trace)
	if !errors.Is(err, store.ErrNotFound) {
		w.Check(err)
	}
	stored, err := s.Put(t.Context(), r, e.Blob)
	w.Check(err)
	w.Check(r.Close())
	raw, err := events.Encode(events.RecordData{Commit: stored.Commit, Blob: stored.Blob, Steps: 1, Lifecycle: "final"})
	w.Check(err)
	_, err = events.OpenLog(w.Repo).Append(t.Context(), []events.Draft{{
		Type: events.RecordStored, Trace: trace, Agent: "claude-code", Session: session, Method: []events.Method{events.HookStop}, Data: raw,
	}})
	w.Check(err)
	return trace
}

// onRemote tells whether a text is in anything that the traces of a remote lead to.
func onRemote(t testing.TB, remote, text string) bool {
	t.Helper()
	ids := gitIn(t, remote, "rev-list", "--objects", "--no-object-names", "--glob=refs/traces/*")
	cmd := exec.Command("git", "-C", remote, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(ids + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(out), text)
}

// S8, S9: what was said leaves redacted by the rules of the day, and what must not be had any more goes with its history.
func TestConversationsLeaveRedacted(t *testing.T) { // alone: it changes the rules of redaction
	defer func() { redactions = redact.Options{} }()
	w, remote := published(t)
	trace := talked(t, w, "one", "please write two lines for project-halibut")
	silent := talked(t, w, "no line anywhere", "nothing came of this")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 || onRemote(t, remote, "two lines") {
		t.Errorf("at the level of commits: %+v", sent)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 || !onRemote(t, remote, "two lines") || onRemote(t, remote, "nothing came") {
		t.Errorf("at the level of conversations: %+v", sent)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
		t.Errorf("once more: %+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	theirs := func(trace events.TraceID) string {
		t.Helper()
		s := store.Open(fresh.Repo)
		defer func() { _ = s.Close() }()
		r, _, err := s.Get(t.Context(), trace)
		if errors.Is(err, store.ErrNotFound) {
			return ""
		}
		w.Check(err)
		return *r.Steps[0].Content
	}
	if pull(t, fresh, sharing.What{}); theirs(trace) != "" {
		t.Error("texts came that nobody asked for")
	}
	if got := pull(t, fresh, sharing.What{Records: true}); got.Writers[0].Records != 1 || !strings.Contains(theirs(trace), "halibut") || theirs(silent) != "" {
		t.Errorf("%+v: %q", got, theirs(trace))
	}

	// A growing conversation has a history on the remote.
	talked(t, w, "one", "please write two lines for project-halibut, and a third")
	push(t, w, sharing.LevelConversations)
	if !onRemote(t, remote, "and a third") || gitIn(t, remote, "rev-list", "--count", "--glob=refs/traces/writers/*/records") != "2" {
		t.Error("the second version")
	}

	// The rules find more than they did: the record here is another one, and no version with the name is left there.
	w.Check(redactions.Rules.Add("secret", "project-[a-z]+"))
	if sent := push(t, w, sharing.LevelConversations); len(sent) == 0 || onRemote(t, remote, "halibut") || !onRemote(t, remote, "and a third") {
		t.Errorf("after the rules changed: %+v", sent)
	}
	if pull(t, fresh, sharing.What{}); strings.Contains(theirs(trace), "halibut") || !strings.Contains(theirs(trace), "and a third") {
		t.Errorf("the next pull: %q", theirs(trace))
	}

	// A redactor that fails keeps its record here, and the others leave.
	other := talked(t, w, "two", "trouble with it")
	w.Edit("two", "two.txt", "of another\n")
	w.Commit("of another conversation")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	redactions.Finder = failing{}
	p, err := plan(t, w, sharing.LevelConversations)
	w.Check(err)
	if len(p.Records.Sent) != 1 || len(p.Records.Kept) != 1 || p.Records.Kept[0].Trace != other || !p.Records.Kept[0].Fault {
		t.Errorf("%+v", p.Records)
	}
	_, err = p.Push(t.Context(), true)
	w.Check(err)
	p.Close()
	if onRemote(t, remote, "trouble with it") || !onRemote(t, remote, "and a third") {
		t.Error("what the redactor could not read left")
	}
	redactions.Finder = nil
	if push(t, w, sharing.LevelConversations); !onRemote(t, remote, "trouble with it") {
		t.Error("with a redactor it leaves")
	}

	// What the person keeps goes from the remote, and from who fetched it.
	w.Check(sharing.KeepPrivate(w.Repo, trace, false))
	if push(t, w, sharing.LevelConversations); onRemote(t, remote, "and a third") || !onRemote(t, remote, "trouble with it") {
		t.Error("it is kept, and there all the same")
	}
	if pull(t, fresh, sharing.What{}); theirs(trace) != "" || theirs(other) != "trouble with it" {
		t.Errorf("the clone has %q and %q", theirs(trace), theirs(other))
	}
	w.Check(sharing.KeepPrivate(w.Repo, trace, true))
	if push(t, w, sharing.LevelConversations); !onRemote(t, remote, "and a third") {
		t.Error("it is shared again")
	}
}

// failing finds nothing, and fails at one word.
type failing struct{}

func (failing) Find(text string) ([]gitleaks.Finding, error) {
	if strings.Contains(text, "trouble") {
		return nil, errors.New("no")
	}
	return nil, nil
}

// S15: a log that a remote has rewound, or made anew, is not taken before the person accepts it.
func TestARewoundLogIsNotTaken(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	name, kept := "refs/traces/writers/"+writer+"/digest", events.FetchedRef("origin", writer, "digest")
	first := gitIn(t, remote, "rev-parse", name)
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("more")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	push(t, w, sharing.LevelCommits)
	second := gitIn(t, remote, "rev-parse", name)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	pull(t, fresh, sharing.What{})
	for _, plainly := range []bool{false, true} {
		gitIn(t, remote, "update-ref", name, first)
		if plainly { // a plain fetch asks nobody
			fresh.Git("fetch", "-q", "origin", "+"+name+":"+kept)
		}
		got := pull(t, fresh, sharing.What{})
		if got.LeftOut() != 1 || !strings.Contains(got.Writers[0].LeftOut, "without event") || gitIn(t, fresh.Repo.WorkTree, "rev-parse", kept) != second {
			t.Errorf("plainly %v: %+v", plainly, got)
		}
		gitIn(t, remote, "update-ref", name, second)
		if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
			t.Errorf("as it was: %+v", got)
		}
	}
	gitIn(t, remote, "update-ref", name, first)
	if got := pull(t, fresh, sharing.What{Accept: []string{writer}}); got.LeftOut() != 0 || gitIn(t, fresh.Repo.WorkTree, "rev-parse", kept) != first {
		t.Errorf("accepted: %+v", got)
	}
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
		t.Errorf("after that: %+v", got)
	}
	s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	for _, word := range []string{"", "*", "../../heads/main", strings.ToUpper(writer[:15]) + "F"} {
		if _, err := sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{Writers: []string{word}}); !errors.Is(err, sharing.ErrNoWriter) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// S21: servers that can do less, and rules that they have.
func TestServersWithRules(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(remote string){
		"without atomic":  func(remote string) { gitIn(t, remote, "config", "receive.advertiseAtomic", "false") },
		"fsck of objects": func(remote string) { gitIn(t, remote, "config", "receive.fsckObjects", "true") },
		"no forced push":  func(remote string) { gitIn(t, remote, "config", "receive.denyNonFastForwards", "true") },
		"rules for commits": func(remote string) { // S20: of mail and message
			hook := "#!/bin/sh\nwhile read old new ref; do\n  git log -1 --format='%ae %ce %s' $new | grep -v git-trace@localhost | grep -q ' traces: ' || { echo 'not by our rules'; exit 1; }\ndone\n"
			if err := os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote := published(t)
			set(remote)
			talked(t, w, "one", "what was asked")
			sent := push(t, w, sharing.LevelConversations)
			if len(sent) != 2 || sent[0].State != "pushed" || sent[1].State != "pushed" || !strings.HasSuffix(sent[0].Ref, "/records") {
				t.Errorf("%+v", sent)
			}
			if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
				t.Errorf("once more: %+v", sent)
			}
		})
	}
	w, remote := published(t)
	refuse := "#!/bin/sh\necho 'we take no traces \x1b[31m at https://user:s3cret@host/x' >&2\nexit 1\n"
	w.Check(os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte(refuse), 0o755))
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	defer p.Close()
	_, err = p.Push(t.Context(), true)
	var said *sharing.RemoteError
	if !errors.As(err, &said) || !strings.Contains(strings.Join(said.Lines, "\n"), "we take no traces") || strings.Contains(strings.Join(said.Lines, "\n"), "s3cret") {
		t.Errorf("%v %+v", err, said)
	}
	if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Errorf("what was refused is noted as sent: %s", kept)
	}
}

// S2: work trees of one clone that push at once publish once.
func TestWorkTreesPushAtOnce(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	linked := w.Linked("other")
	for n := range testenv.Pick(2, 5, 50) {
		w.Edit("one", "one.txt", fmt.Sprint("first\nsecond\n", n, "\n"))
		w.Commit(fmt.Sprint("c", n))
		w.Anchor()
		w.Git("push", "-q", "origin", "main")
		var both sync.WaitGroup
		var sent [2]int
		for i, from := range []*recording.World{w, linked} {
			both.Go(func() { sent[i] = len(push(t, from, sharing.LevelCommits)) })
		}
		both.Wait()
		if sent[0]+sent[1] != 1 {
			t.Errorf("round %d: %v were sent", n, sent)
		}
	}
	if log := gitIn(t, remote, "rev-list", "--count", "--glob=refs/traces/*"); log != fmt.Sprint(testenv.Pick(2, 5, 50)) {
		t.Errorf("%s publications", log)
	}
}

// The same over smart HTTP, git's own.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	talked(t, w, "one", "what was asked")
	gitIn(t, remote, "config", "http.receivepack", "true")
	served := httptest.NewServer(httpBackend(t, remote))
	defer served.Close()
	url := served.URL + "/" + filepath.Base(remote)
	w.Git("remote", "set-url", "origin", url)
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 {
		t.Errorf("%+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", url, ".")
	if got := pull(t, fresh, sharing.What{Records: true}); len(got.Writers) != 1 || got.Writers[0].Records != 1 {
		t.Errorf("%+v", got)
	}
	if mine, theirs := owners(t, w, "one.txt"), owners(t, fresh, "one.txt"); mine != theirs {
		t.Errorf("the writer says\n%sthe clone\n%s", mine, theirs)
	}
	gitIn(t, remote, "config", "http.receivepack", "false")
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("more")
	w.Anchor()
	gitIn(t, remote, "fetch", "-q", w.Repo.WorkTree, "main:main")
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	defer p.Close()
	if _, err := p.Push(t.Context(), true); !errors.Is(err, sharing.ErrUnreached) {
		t.Errorf("a server that takes nothing: %v", err)
	}
}

// S16: who signs is told where git trusts the key, and a writer's key does not change unnoticed.
func TestPublicationsAreSigned(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	w, remote := published(t)
	keys := t.TempDir()
	allowed := filepath.Join(keys, "allowed")
	for _, name := range []string{"anna", "bob"} {
		file := filepath.Join(keys, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		public, err := os.ReadFile(file + ".pub")
		w.Check(err)
		f, err := os.OpenFile(allowed, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		w.Check(err)
		_, err = fmt.Fprintf(f, "%s@example.com %s", name, public)
		w.Check(errors.Join(err, f.Close()))
	}
	w.Git("config", "gpg.format", "ssh")
	w.Git("config", "user.signingKey", filepath.Join(keys, "anna"))
	w.Git("config", "trace.signPush", "true")
	more := func(n int) {
		w.Edit("one", "one.txt", fmt.Sprint("first\nsecond\n", n, "\n"))
		w.Commit(fmt.Sprint("c", n))
		w.Anchor()
		w.Git("push", "-q", "origin", "main")
		push(t, w, sharing.LevelCommits)
	}
	more(1)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	state := func() sharing.FetchedState {
		t.Helper()
		states, err := sharing.Verify(t.Context(), events.OpenLog(fresh.Repo))
		w.Check(err)
		if len(states) != 1 || states[0].Why != "" {
			t.Fatalf("%+v", states)
		}
		return states[0]
	}
	pull(t, fresh, sharing.What{})
	if s := state(); s.Signed != checkpoint.Unverifiable || s.Signer != "" {
		t.Errorf("with no list of keys: %+v", s)
	}
	fresh.Git("config", "gpg.ssh.allowedSignersFile", allowed)
	if s := state(); s.Signed != checkpoint.Good || !strings.HasPrefix(s.Signer, "anna@example.com") || s.Made.Seq == 0 {
		t.Errorf("with one: %+v", s)
	}
	more(2)
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 { // from here on the key is known
		t.Errorf("%+v", got)
	}
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	tip := fresh.Git("rev-parse", events.FetchedRef("origin", writer, "digest"))
	for n, how := range [][2]string{{"user.signingKey", filepath.Join(keys, "bob")}, {"trace.signPush", "false"}} {
		w.Git("config", how[0], how[1])
		more(n + 3)
		got := pull(t, fresh, sharing.What{})
		if got.LeftOut() != 1 || !strings.Contains(got.Writers[0].LeftOut, "signed by") {
			t.Errorf("%v: %+v", how, got)
		}
		if now := fresh.Git("rev-parse", events.FetchedRef("origin", writer, "digest")); now != tip {
			t.Errorf("%v: it is taken", how)
		}
	}
	if got := pull(t, fresh, sharing.What{Accept: []string{writer}}); got.LeftOut() != 0 {
		t.Errorf("accepted: %+v", got)
	}
	if s := state(); s.Signed != checkpoint.Unsigned {
		t.Errorf("%+v", s)
	}
}

// A remote that sends without end is left, and nothing of it stays.
func TestAPullTakesSoMuchAndNoMore(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	noise := make([]byte, 24<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	cmd := exec.Command("git", "-C", remote, "hash-object", "-w", "--stdin")
	cmd.Stdin = bytes.NewReader(noise)
	blob, err := cmd.Output()
	w.Check(err)
	gitIn(t, remote, "update-ref", "refs/traces/writers/"+writer+"/records", strings.TrimSpace(string(blob)))
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "--no-local", remote, ".")
	served := httptest.NewServer(endless{httpBackend(t, remote)})
	defer served.Close()
	s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
	w.Check(err)
	r, err := s.Source(served.URL + "/" + filepath.Base(remote))
	w.Check(err)
	_, err = sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{Records: true, Most: 1 << 20})
	if !errors.Is(err, sharing.ErrTooMuch) {
		t.Errorf("%v", err)
	}
	if kept := fresh.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Errorf("%s", kept)
	}
	for text, want := range map[string]int64{"": 0, "5": 5, "2k": 2048, "1G": 1 << 30, "x": -1, "-1": -1, "9999999999g": -1} {
		fresh.Git("config", "trace.maxFetched", text)
		if text == "" {
			fresh.Git("config", "--unset", "trace.maxFetched")
		}
		s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
		w.Check(err)
		got, err := s.MostFetched()
		if err == nil && got != want || (err != nil) != (want < 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// httpBackend serves a repository as git does.
func httpBackend(t testing.TB, remote string) http.Handler {
	t.Helper()
	programs := gitIn(t, remote, "--exec-path")
	for _, name := range []string{"git-http-backend", "git-remote-http"} { // some gits are built without
		if _, err := os.Stat(filepath.Join(programs, name)); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	backend := filepath.Join(programs, "git-http-backend")
	return &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(remote), "GIT_HTTP_EXPORT_ALL=1"}}
}

// endless is a server that never comes to the end of what it sends.
type endless struct{ http.Handler }

func (e endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.Handler.ServeHTTP(&slowly{ResponseWriter: w, ended: r.Context().Done()}, r)
}

type slowly struct {
	http.ResponseWriter
	ended <-chan struct{}
	sent  int
}

func (s *slowly) Write(p []byte) (int, error) {
	if s.sent += len(p); s.sent > 4<<20 {
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
		}
		return 0, io.ErrClosedPipe
	}
	return s.ResponseWriter.Write(p)
}
