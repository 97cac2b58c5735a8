package gitblame

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// inquire is what a history is asked.
func (h *History) inquire(t *testing.T, r *repo, words ...string) *inquiry {
	t.Helper()
	opts, err := Parse(append([]string{"--porcelain"}, words...))
	if err != nil {
		t.Fatal(err)
	}
	opts.History = h
	s, err := Open(context.Background(), r.Discover(r.Dir), r.Dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	q, ok := s.inquiry(Porcelain)
	if !ok {
		t.Fatalf("%q: not for the cache", words)
	}
	return q
}

// told blames as the history tells, in git's own form.
func (h *History) told(t *testing.T, r *repo, words ...string) string {
	t.Helper()
	q := h.inquire(t, r, words...)
	defer q.Close()
	a, lines := h.answer(q)
	if a == nil {
		t.Fatalf("%q: the history tells nothing", words)
	}
	var out bytes.Buffer
	if err := q.replay(a, lines, 1, len(lines), func(e *Entry) error {
		out.Write(e.Header)
		out.Write(e.Text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func (r *repo) history(t *testing.T, since time.Time, known *Known, paths ...string) *History {
	t.Helper()
	h, err := ReadHistory(context.Background(), r.Discover(r.Dir), since, paths, known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// Every path of every commit of a history with merges, renames and the rest is blamed, in no order, from all of the
// history and from its later half. The full form takes a history of 300 commits.
func TestWhatAHistoryTellsIsGitsBlame(t *testing.T) {
	t.Parallel()
	commits := testenv.Pick(10, 14, 300)
	r := generated(t, commits)
	list := strings.Fields(r.Git("rev-list", "--all"))
	slices.Sort(list) // by their ids: as good as by chance
	all := map[string]bool{}
	var places []changedIn
	for _, commit := range list {
		for path := range strings.SplitSeq(strings.TrimSuffix(r.Git("ls-tree", "-r", "-z", "--name-only", commit), "\x00"), "\x00") {
			if all[path] = true; strings.TrimSpace(r.Git("cat-file", "-s", commit+":"+path)) != "0" {
				places = append(places, changedIn{commit, path})
			}
		}
	}
	var paths []string
	for path := range all {
		paths = append(paths, path)
	}
	var known *Known
	for _, since := range []time.Time{time.Unix(0, 0), time.Unix(1_600_000_000+3600*int64(commits)/2, 0)} {
		h := r.history(t, since, known, paths...)
		known = r.known(t, list[len(list)/2:]) // the next one reads all paths of the other commits
		h.compare(t, r, testenv.Some(places, 3))
		if t.Logf("%d blames, %d by git", len(places), h.asked); h.asked > len(places)/2 {
			t.Errorf("git was asked for %d of %d", h.asked, len(places))
		}
	}
}

// known reads the changes of commits as a caller may have done before.
func (r *repo) known(t *testing.T, commits []string) *Known {
	t.Helper()
	known := NewKnown()
	args := append([]string{"diff-tree", "--stdin", "--root"}, gitdiff.Patch()...)
	err := gitdiff.Run(t.Context(), r.Discover(r.Dir), strings.NewReader(strings.Join(commits, "\n")+"\n"), args, func(g *gitdiff.Reader) error {
		return g.Each(func(commit refs.OID) error {
			records, err := g.Records()
			if err != nil {
				return err
			}
			return known.Add(commit, records, func(to gitdiff.Lines) error { return g.Patch(records, to) })
		})
	})
	if err != nil || len(known.of) == 0 {
		t.Fatal(len(known.of), err)
	}
	return known
}

// Files are blamed where the last commits of a real history, or its merges on both sides, changed them. The full form
// takes 200 commits.
func TestWhatARealHistoryTellsIsGitsBlame(t *testing.T) {
	t.Parallel()
	r := realHistory(t)
	r.Git("checkout", "-q", "-f", "HEAD")
	var places []changedIn
	list := strings.Fields(r.Git("rev-list", fmt.Sprint("--max-count=", testenv.Pick(5, 10, 200)), "HEAD"))
	for _, commit := range list {
		out := r.Git("diff-tree", "-r", "--root", "-c", "--no-commit-id", "--name-only", "--diff-filter=AM", "-z", commit)
		for i, path := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
			if path != "" && i < 3 && strings.HasPrefix(r.Git("ls-tree", commit, "--", path), "100") {
				places = append(places, changedIn{commit, path})
			}
		}
	}
	since, err := strconv.ParseInt(strings.TrimSpace(r.Git("log", "-1", "--format=%ct", list[len(list)-1])), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range places {
		paths = append(paths, p.path)
	}
	h := r.history(t, time.Unix(since, 0), nil, slices.Concat(paths, slices.Repeat([]string{"none"}, fewPaths))...)
	h.compare(t, r, places)
	t.Logf("%d commits, %d blames, %d by git", len(list), len(places), h.asked)
}

// changedIn is a file of a commit.
type changedIn struct{ commit, path string }

// compare blames files as the history tells and as git does.
func (h *History) compare(t *testing.T, r *repo, places []changedIn) {
	t.Helper()
	for _, p := range places {
		id, err := refs.ParseOID(p.commit)
		if err != nil {
			t.Fatal(err)
		}
		if h.commits[id] == nil {
			continue
		}
		want := r.Git("blame", "--porcelain", h.sinceOption(), p.commit, "--", p.path)
		if got := h.told(t, r, p.commit, "--", p.path); got != want {
			t.Fatalf("%s of %s\n--- git\n%s\n--- ours\n%s", p.path, p.commit, want, got)
		}
	}
}

// Names are those of the mailmap, messages have blank lines before their subject or none at all.
func TestAHistoryNamesPeopleAndMessagesAsGitDoes(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("f", "one\ntwo\nthree\n")
	r.Write(".mailmap", "Ada <ada@example.com> <author@example.com>\n")
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "first")
	r.Write("f", "one\n2\nthree\n")
	r.Git("commit", "-qa", "--cleanup=verbatim", "-m", "\n  \n  padded \nand more\n\nbody")
	r.Write("f", "one\n2\n3\n")
	r.Git("commit", "-qa", "--allow-empty-message", "-m", "")
	r.Write("f", "1\n2\n3\n")
	r.Git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-qa", "-m", "caf\xe9")
	h := r.history(t, time.Unix(0, 0), nil, "f")
	if got, want := h.told(t, r, "--", "f"), r.Git("blame", "--porcelain", "--", "f"); got != want {
		t.Errorf("--- git\n%s\n--- ours\n%s", want, got)
	}
	if h.asked != 0 { // no line is of the first commit
		t.Errorf("git was asked %d times", h.asked)
	}
}

// What git takes for binary, and what a person does not know how it is compared, is left to git.
func TestAHistoryLeavesToGitWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write(".gitattributes", "*.bin binary\n")
	r.Write("f.bin", "one\ntwo\n")
	r.Write("f", "one\ntwo\n")
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "first")
	r.Write("f.bin", "one\nthree\n")
	r.Write("f", "one\nthree\n")
	r.Git("commit", "-qam", "second")
	h := r.history(t, time.Unix(0, 0), nil, "f.bin", "f")
	if got, want := h.told(t, r, "--", "f.bin"), r.Git("blame", "--porcelain", "--", "f.bin"); got != want {
		t.Errorf("--- git\n%s\n--- ours\n%s", want, got)
	}
	r.Git("config", "diff.algorithm", "histogram")
	q := h.inquire(t, r, "--", "f")
	defer q.Close()
	if a, _ := h.answer(q); a != nil {
		t.Error("it compares as nobody configured")
	}
}

func TestAHistoryListsTheCommitsOfASpanOfTime(t *testing.T) {
	t.Parallel()
	r := generated(t, 60)
	begin := time.Unix(1_600_000_000, 0)
	paths := []string{"start0.txt", "start1.txt", "start2.txt"}
	h := r.history(t, begin, nil, paths...)
	for from := range 30 {
		from, to := begin.Add(time.Duration(from)*time.Hour), begin.Add(time.Duration(from+from%7+20)*time.Hour)
		var got []string
		list, known := h.Between(from, to, paths[:2], 5)
		for _, id := range list {
			got = append(got, id.String())
		}
		want := strings.Fields(r.Git("rev-list", "--all", "--full-history", "--no-merges", "--max-count=5",
			"--since="+from.Format(time.RFC3339), "--until="+to.Format(time.RFC3339), "--", "start0.txt", "start1.txt"))
		if !known || !slices.Equal(got, want) {
			t.Errorf("%v to %v: %q, git says %q", from, to, got, want)
		}
	}
	if _, known := h.Between(begin.Add(-time.Second), begin, paths, 5); known {
		t.Error("it knows what was before it began")
	}
	if _, known := h.Between(begin, begin, []string{"other"}, 5); known {
		t.Error("it knows of a path that was not asked for")
	}
}
