package trail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// What leads to a commit is what git says, with branches, merges, and clocks that went wrong.
func TestDescentIsThatOfGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := 1_700_000_000
	var all []refs.OID
	commit := func(seconds int) {
		w.Git("commit", "-q", "--allow-empty", "-m", "dated")
		tree := strings.TrimSpace(w.Git("rev-parse", "HEAD^{tree}"))
		all = append(all, w.dated(tree, seconds, w.Git("log", "-1", "--format=%P")))
	}
	for i := range 6 {
		at += 100_000
		commit(at)
		if i == 2 {
			w.Git("branch", "side", "HEAD~1")
			commit(at - 5_000_000) // a clock that goes two months wrong
		}
	}
	w.Git("checkout", "-q", "side")
	for range 3 {
		at += 100_000
		commit(at)
	}
	w.Git("branch", "apart")
	w.Git("checkout", "-q", "main")
	w.Git("merge", "-q", "--no-edit", "side")
	all = append(all, w.Head())
	at += 100_000
	commit(at)
	w.Git("checkout", "-q", "apart")
	commit(at - 1_000_000)
	w.Git("checkout", "-q", "main")
	for _, end := range testenv.Some(all, 4) {
		tracker := w.tracker()
		for _, c := range all {
			_, err := w.Repo.Git(t.Context(), nil, "merge-base", "--is-ancestor", c.String(), end.String())
			within, said := tracker.isWithin(c, end)
			if w.Check(said); within != (err == nil) {
				t.Errorf("%s within %s: %v, git says %v", w.Git("log", "-1", "--format=%s", c.String()), end, within, err)
			}
			if !within || c == end {
				continue
			}
			d, err := tracker.descentOf(end)
			w.Check(err)
			child := d.child(c)
			parents := strings.Fields(w.Git("rev-list", "--parents", "--max-count=1", child.id.String()))[1:]
			if !strings.Contains(strings.Join(parents, " "), c.String()) || child.merge != (len(parents) > 1) {
				t.Errorf("%s is no child of %s: it has the parents %v", child.id, c, parents)
			}
		}
	}
	if missing, err := w.tracker().isWithin(refs.OID{}, w.Head()); missing || err != nil {
		t.Errorf("a commit that is not there: %v %v", missing, err)
	}
}

// dated commits HEAD's tree at a time, in the place of HEAD.
func (w *world) dated(tree string, seconds int, parents string) refs.OID {
	raw := "tree " + tree + "\n"
	for parent := range strings.FieldsSeq(parents) {
		raw += "parent " + parent + "\n"
	}
	who := fmt.Sprintf("a <a@b> %d +0000", seconds)
	raw += "author " + who + "\ncommitter " + who + "\n\ndated\n"
	out, err := w.Repo.Git(w.t.Context(), strings.NewReader(raw), "hash-object", "-t", "commit", "-w", "--stdin")
	w.Check(err)
	w.Git("reset", "-q", "--soft", strings.TrimSpace(string(out)))
	return w.Head()
}
