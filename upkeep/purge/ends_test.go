package purge

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// What a timeline keeps of a call that is under way goes with what it holds, and no more of it.
func TestWhatATimelineKeepsGoes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		target func(t *testing.T, repo *refs.Repo) *Target
		files  int
	}{
		"a conversation":              {func(*testing.T, *refs.Repo) *Target { return traces(traceOf("S1")) }, 1},
		"another conversation":        {func(*testing.T, *refs.Repo) *Target { return traces(traceOf("S2")) }, 0},
		"a path that a call declared": {func(*testing.T, *refs.Repo) *Target { return paths("plan.txt") }, 1},
		"another path":                {func(*testing.T, *refs.Repo) *Target { return paths("other.txt") }, 0},
		"a text":                      {texts, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := recording.New(t)
			file := filepath.Join(w.Repo.WorkTree, "plan.txt")
			w.Check(w.Engine.Handle(t.Context(), events.Boundary{
				Kind: events.ToolBefore, Agent: "claude-code", Session: "S1", Cwd: w.Repo.WorkTree, Time: w.Now(),
				Tool: &events.ToolUse{CallID: "c1", Name: "Edit", Class: events.ToolEdits, Paths: []string{file},
					Edits: []events.DeclaredEdit{{Path: file, Old: "the plan", New: "say " + word}}},
			}))
			if p := do(t, w.Repo, func() *Target { return tt.target(t, w.Repo) }); p.Files != tt.files {
				t.Errorf("%d files, want %d", p.Files, tt.files)
			}
			if p, err := Look(t.Context(), w.Repo, tt.target(t, w.Repo)); err != nil || p.Files != 0 {
				t.Errorf("%d files are still there, %v", p.Files, err)
			}
		})
	}
}

// full is a repository in which every kind of thing holds the word.
func full(t *testing.T) *refs.Repo {
	t.Helper()
	repo := newRepo(t)
	put(t, repo, "s1", "x "+word, "a.go", word)
	put(t, repo, "s2", "lost "+word, "a.go", word)
	side(t, repo, refs.BlobObject, word)
	write(t, filepath.Join(repo.TracesDir(), "cache", "blame", "x"), word)
	write(t, repo.HookLog(), word)
	return repo
}

// stopping is a context that ends when it has been asked so often whether it has.
type stopping struct {
	context.Context
	cancel context.CancelFunc
	left   int32
}

func (s *stopping) Err() error {
	if atomic.AddInt32(&s.left, -1) == 0 {
		s.cancel()
	}
	return s.Context.Err()
}

// A purge that is stopped, whatever it is at, has its plan on the disk, and the next one finishes it.
func TestAPurgeThatIsStoppedAnywhereIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	ended, stopped := false, 0
	for at := int32(1); !ended; at += 1 + at/4 {
		repo := full(t)
		inner, cancel := context.WithCancel(t.Context())
		p, err := Do(&stopping{inner, cancel, at}, repo, texts(t, repo))
		cancel()
		if ended = err == nil; !ended {
			stopped++
			if !errors.Is(err, context.Canceled) || purged.Unfinished(repo) != 1 {
				t.Errorf("stopped at %d it ends with %v, and %d plans are left", at, err, purged.Unfinished(repo))
			}
		} else if p.Empty() {
			t.Error("nothing was purged")
		}
		if err := Finish(t.Context(), repo); err != nil {
			t.Fatal(err)
		}
		if left := holds(t, repo); len(left) > 0 || purged.Unfinished(repo) > 0 {
			t.Errorf("stopped at %d it is in %q", at, left)
		}
		if now := stored(t, repo); len(now) != 2 {
			t.Errorf("stopped at %d: stored are %d conversations", at, len(now))
		}
	}
	if stopped < 5 {
		t.Errorf("it was stopped %d times", stopped)
	}
}

// What lies outside of what git-trace may change is told, with what can be done about it.
func TestWhatAnotherRepositoryOrADamagedOneHolds(t *testing.T) {
	t.Parallel()
	left := func(t *testing.T, repo *refs.Repo, mend string) {
		t.Helper()
		p := do(t, repo, func() *Target { return texts(t, repo) })
		if !slices.ContainsFunc(p.Left, func(l Left) bool { return strings.Contains(l.Mend, mend) && l.What != "" && l.Why != "" }) {
			t.Errorf("nothing says %q: %+v", mend, p.Left)
		}
	}
	t.Run("objects that are borrowed", func(t *testing.T) {
		t.Parallel()
		repo := newRepo(t)
		put(t, repo, "s1", word, "a.go", word)
		lender := filepath.Join(t.TempDir(), "lender")
		if err := os.CopyFS(lender, os.DirFS(repo.MainObjects())); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(repo.MainObjects(), "info", "alternates"), lender+"\n")
		left(t, repo, "purge there; see .git/objects/info/alternates")
	})
	t.Run("a history of which a part is missing", func(t *testing.T) {
		t.Parallel()
		repo := newRepo(t)
		git(t, repo, "commit", "-q", "--allow-empty", "-m", "second")
		put(t, repo, "s1", word, "a.go", word)
		first := git(t, repo, "rev-parse", "HEAD~1")
		if err := os.Remove(filepath.Join(repo.MainObjects(), first[:2], first[2:])); err != nil {
			t.Fatal(err)
		}
		left(t, repo, "git fsck, then purge again")
	})
	for what, ref := range map[string]string{
		"git trace uninstall --purge deletes all": "refs/traces/events",
		"have them purge it":                      "refs/traces/remotes/origin/0000000000000001/digest",
		"git gc --prune=now":                      "", // nothing leads to it
	} {
		t.Run("names in the log: "+ref, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			part := feed(t, repo, `{"path":"`+word+`.txt"}`, "hash-object", "-w", "--stdin")
			if ref != "" {
				tree := feed(t, repo, "100644 blob "+part+"\tlog\n", "mktree")
				git(t, repo, "update-ref", ref, feed(t, repo, "log\n", "commit-tree", tree))
			}
			git(t, repo, "repack", "-q", "-a", "-d", "-k")
			left(t, repo, what)
		})
	}
	t.Run("a file that nobody may read", func(t *testing.T) {
		if !testenv.AsNobody(t) {
			return
		}
		repo := newRepo(t)
		put(t, repo, "s1", word, "a.go", word)
		secret, dir := write(t, filepath.Join(repo.GitDir, "secret"), word), filepath.Join(repo.GitDir, "closed")
		for _, err := range []error{os.Chmod(secret, 0), os.Mkdir(dir, 0)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		p := do(t, repo, func() *Target { return texts(t, repo) })
		var what []string
		for _, l := range p.Left {
			if strings.HasPrefix(l.Why, "it cannot be read: ") {
				what = append(what, filepath.Base(l.What))
			}
		}
		if slices.Sort(what); !slices.Equal(what, []string{"closed", "secret"}) {
			t.Errorf("told are %q", what)
		}
	})
}

// A ref whose records cannot be read may hold anything: it goes.
func TestARefThatCannotBeReadGoes(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	put(t, repo, "s1", "nothing", "a.go", "x")
	const fetched = "refs/traces/remotes/origin/0000000000000001/records"
	tree := feed(t, repo, "100644 blob "+feed(t, repo, "x", "hash-object", "-w", "--stdin")+"\tx\n", "mktree")
	git(t, repo, "update-ref", fetched, feed(t, repo, "records\n", "commit-tree", tree))
	if err := os.Remove(filepath.Join(repo.MainObjects(), tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	p := do(t, repo, func() *Target { return texts(t, repo) })
	if len(p.Records.Unread) != 1 || p.Records.Unread[0].Ref != fetched || p.Empty() {
		t.Errorf("unread are %+v", p.Records.Unread)
	}
	if _, err := repo.ReadRef(fetched); !errors.Is(err, refs.ErrRefMissing) {
		t.Errorf("the ref is there: %v", err)
	}
}

// A path is followed through the trees that are kept, where it leads to a file.
func TestWhereAPathLeads(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	file := side(t, repo, refs.BlobObject, "a file\n")
	low := side(t, repo, refs.TreeObject, "100644 plan.txt\x00"+string(file.Bytes()))
	dir := side(t, repo, refs.TreeObject, "40000 dir\x00"+string(low.Bytes())+"100644 file\x00"+string(file.Bytes())+
		"40000 gone\x00"+strings.Repeat("\x01", 20))
	objects := repo.Objects()
	defer objects.Close()
	entries, err := objects.Tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := newPurge(t.Context(), repo, paths(), true)
	for path, want := range map[string]refs.OID{
		"dir/plan.txt": file, "file": file, "dir": {}, "file/plan.txt": {}, "gone/plan.txt": {}, "dir/other.txt": {}, "none": {},
	} {
		if got := p.follow(objects, entries, strings.Split(path, "/")); got != want {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}

// A file that is no record is searched as it stands, small or large, for texts and for paths.
func TestFilesThatAreNoRecords(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	target := texts(t, repo)
	if _, err := target.Texts.AddPath("dir/plan.txt"); err != nil {
		t.Fatal(err)
	}
	if _, err := target.Texts.AddPath("other/plan.txt"); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]bool{
		"": false, "nothing": false, "say " + word + ".": true, `{"path":"/home/x/other/plan.txt"}`: true, `{"path":"my-dir/plan.txt"}`: false,
	} {
		name := write(t, filepath.Join(t.TempDir(), "f"), content)
		large := store.Version{Copy: func(to io.Writer) error { return copyFile(name, to) }}
		for kind, v := range map[string]store.Version{"small": {Raw: []byte(content)}, "large": large} {
			if got, err := target.inFile(v); err != nil || got != want {
				t.Errorf("%s %q: %v, %v", kind, content, got, err)
			}
		}
	}
	failed := errors.New("it cannot be read")
	if _, err := target.inFile(store.Version{Copy: func(io.Writer) error { return failed }}); !errors.Is(err, failed) {
		t.Errorf("what cannot be read: %v", err)
	}
}

// The mark of a conversation tells when it was purged, and when it went on; a damaged one still marks it.
func TestMarks(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	day := func(n int) time.Time { return time.Date(2026, 2, n, 4, 5, 6, 0, time.UTC) }
	if err := errors.Join(Pass(repo, "a", day(3)), Pass(repo, "a", day(7)), mark(repo, "b", day(1)), Pass(repo, "b", day(5))); err != nil {
		t.Fatal(err)
	}
	if got := timesOf(repo, "a"); !slices.Equal(got, []time.Time{day(3), day(7)}) {
		t.Errorf("of a: %v", got)
	}
	if got := timesOf(repo, "b"); !slices.Equal(got, []time.Time{day(1), day(5)}) {
		t.Errorf("of b: %v", got)
	}
	write(t, markOf(repo, "c"), "2026-02-09T04:05:06Z\nnonsense\n")
	if talks := Conversations(repo); talks.Count != 3 || talks.WentOn != 2 || !talks.Last.Equal(day(7)) || !Was(repo, "c") || Was(repo, "d") {
		t.Errorf("conversations: %+v", talks)
	}
	if err := Allow(repo, "d"); err == nil {
		t.Error("a conversation that was not purged is allowed again")
	}
}

// Where a ref was fetched from.
func TestTheRemoteOfARef(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"refs/traces/records": "", "refs/traces/remotes/origin/0000000000000001/records": "origin",
		"refs/traces/remotes/team/one/0000000000000001/records": "team/one", "refs/traces/remotes/odd": "odd",
	} {
		if got := remoteOf(ref); got != want {
			t.Errorf("%s is of %q, want %q", ref, got, want)
		}
	}
}
