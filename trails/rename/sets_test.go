package rename

import (
	"errors"
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
)

// stories tell, of each set, what it alone finds: that b.txt was a.txt.
var stories = map[string]func(*testing.T, moment.Moment) *story{
	"deleted": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.lost("a.txt", mine, "")
		return s
	},
	"untold": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		gone := contentOf("a.txt", mine)
		s.Untold = []*File{&gone}
		return s
	},
	"index": func(t *testing.T, m moment.Moment) *story { // git mv a.txt b.txt; somebody writes a new a.txt
		s := tell(t, m)
		s.Wrote = false
		s.lost("a.txt", mine, other)
		s.staged = map[string]string{"b.txt": "a.txt"}
		return s
	},
	"moved": func(t *testing.T, m moment.Moment) *story { // git mv a.txt b.txt; somebody rewrites b.txt
		s := tell(t, m)
		s.Wrote = false
		s.lost("a.txt", other, "")
		s.Work.Now.Index++
		s.staged = map[string]string{"b.txt": "a.txt"}
		return s
	},
	"inode": func(t *testing.T, m moment.Moment) *story { // mv a.txt b.txt; git checkout a.txt
		s := tell(t, m)
		s.Wrote = false
		s.commit(t, 1, nil, "a.txt", mine, "c.txt", mine)
		s.last["a.txt"], s.last["c.txt"], s.there["a.txt"] = s.blob(mine), s.blob(mine), s.blob(mine)
		s.moved["b.txt"] = "a.txt"
		return s
	},
	"former": func(t *testing.T, m moment.Moment) *story { // a.txt gets back what it had; mv a.txt b.txt
		s := tell(t, m)
		s.lost("a.txt", other, "")
		s.former = []refs.OID{s.blob(mine)}
		return s
	},
	"overwritten": func(t *testing.T, m moment.Moment) *story { // mv a.txt b.txt; git reset --hard, and HEAD has another a.txt
		s := tell(t, m)
		s.lost("a.txt", mine, other)
		return s
	},
	"stashed": func(t *testing.T, m moment.Moment) *story { // mv a.txt b.txt; git stash; b.txt is not tracked; a.txt is back
		s := tell(t, m)
		s.commit(t, 1, nil, "a.txt", mine)
		s.commit(t, 2, []int{1})
		s.Stashes = []refs.OID{s.commit(t, 3, []int{1, 2})}
		s.there["a.txt"] = s.blob(mine)
		return s
	},
	"returned": func(t *testing.T, m moment.Moment) *story { // mv a.txt b.txt is committed; a merge brings a.txt back
		s := tell(t, m, "2 commit: x", "3 merge topic: Merge made by the 'ort' strategy.")
		s.commit(t, 2, []int{1}, "b.txt", mine)
		s.commit(t, 3, []int{2, 4}, "a.txt", mine, "b.txt", mine)
		s.there["a.txt"] = s.blob(mine)
		return s
	},
	"missing": func(t *testing.T, m moment.Moment) *story { // nobody looked at a.txt, which came with a merge; mv a.txt b.txt
		s := tell(t, m)
		s.commit(t, 1, nil, "a.txt", mine)
		return s
	},
	"replaced": func(t *testing.T, m moment.Moment) *story { // mv a.txt b.txt; git switch, and there is another a.txt; git stash -u
		s := tell(t, m, "2 checkout: moving from main to topic")
		s.commit(t, 1, nil, "a.txt", mine)
		s.commit(t, 2, nil, "a.txt", other)
		s.last["a.txt"], s.there["a.txt"] = s.blob(mine), s.blob(other)
		s.Wrote = m == moment.Stashed // elsewhere overwritten would find it
		s.Stash = gitfacts.Stash{Head: commitID(t, 2)}
		return s
	},
	"along": func(t *testing.T, m moment.Moment) *story { // a merge brings dir/b.txt, and dir has another name here
		s := tell(t, m, "2 merge topic: Merge made by the 'ort' strategy.")
		s.commit(t, 1, nil)
		s.commit(t, 2, []int{1, 4}, "b.txt", mine)
		s.commit(t, 4, []int{1}, "dir/b.txt", mine)
		return s
	},
	"onTheWay": func(t *testing.T, m moment.Moment) *story { // git mv a.txt b.txt is committed; a revert makes another text of it
		s := tell(t, m, "2 commit: x", "3 revert: Revert \"y\"")
		s.commit(t, 2, []int{1}, "b.txt", other)
		s.commit(t, 3, []int{2}, "b.txt", mine)
		s.lost("a.txt", other, "")
		return s
	},
}

// The table is the decision: each set finds its older name at the moments that it is asked at, and nothing finds it at
// others.
func TestEverySetAtEveryMoment(t *testing.T) {
	t.Parallel()
	for i, set := range sets {
		if i > 0 && set.rank < sets[i-1].rank {
			t.Errorf("%s is asked before %s, and stands behind it", set.name, sets[i-1].name)
		}
		for at, decided := range otherwise {
			m := moment.Moment(at)
			if decided.Why == "" {
				continue // the table is never asked then
			}
			cell := set.at.At(m, otherwise)
			if cell.Why == "" {
				t.Errorf("%s at moment %d: nobody has decided", set.name, m)
			}
			s := stories[set.name](t, m)
			b := contentOf("b.txt", mine)
			pairs, err := Pair(s.Query, []*File{&b})
			if err != nil {
				t.Fatalf("%s at moment %d: %v", set.name, m, err)
			}
			want := "a.txt"
			if set.name == "along" {
				want = "dir/b.txt"
			}
			found := len(pairs) == 1 && pairs[0].Old.Path == want && pairs[0].New == &b
			if found != cell.Asked || len(pairs) > 1 {
				t.Errorf("%s at moment %d: found %v, but: %s", set.name, m, found, cell.Why)
			}
		}
	}
}

// What a set alone would find is not found where its evidence is missing.
func TestWhereThereIsNoEvidence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set    string
		change func(*story)
	}{
		"git wrote nothing":                      {"overwritten", func(s *story) { s.Wrote = false }},
		"git wrote nothing, and a file is gone":  {"missing", func(s *story) { s.Wrote = false }},
		"git wrote nothing, and one is back":     {"returned", func(s *story) { s.Wrote = false }},
		"git wrote nothing since the stash":      {"stashed", func(s *story) { s.Wrote = false }},
		"git took nothing along":                 {"along", func(s *story) { s.Wrote = false }},
		"the index names another file":           {"index", func(s *story) { s.staged = map[string]string{"c.txt": "a.txt"} }},
		"the index was not written":              {"inode", func(s *story) { s.Work.Now.Index = s.Work.Before.Index }},
		"it is a copy":                           {"inode", func(s *story) { clear(s.moved) }},
		"the old name was seen with another one": {"inode", func(s *story) { s.last["a.txt"] = s.blob(other) }},
		"what was seen last cannot be read":      {"inode", func(s *story) { s.Last = func() (Seen, bool) { return nil, false } }},
		"nor can HEAD":                           {"inode", func(s *story) { clear(s.files) }},
		"the stash deleted another file":         {"stashed", func(s *story) { delete(s.there, "a.txt"); clear(s.files[commitID(s.t, 1)]) }},
		"it is no stash":                         {"stashed", func(s *story) { clear(s.made) }},
		"the new file itself is what came back": {"stashed", func(s *story) {
			s.files[commitID(s.t, 1)] = map[string]refs.OID{"b.txt": s.blob(mine)}
			delete(s.there, "a.txt")
		}},
		"the new file was never committed":     {"returned", func(s *story) { delete(s.files[commitID(s.t, 2)], "b.txt") }},
		"its owners are known":                 {"along", func(s *story) { s.known = true }},
		"the commit has the new name":          {"along", func(s *story) { s.files[commitID(s.t, 4)]["b.txt"] = s.blob(mine) }},
		"the work tree has the other name":     {"along", func(s *story) { s.there["dir/b.txt"] = s.blob(mine) }},
		"and had it before":                    {"along", func(s *story) { s.last["dir/b.txt"] = s.blob(mine) }},
		"nothing was seen last":                {"along", func(s *story) { s.Last = func() (Seen, bool) { return nil, false } }},
		"the work tree has what HEAD has":      {"missing", func(s *story) { s.there["a.txt"] = s.blob(mine) }},
		"no commit had it on the way":          {"onTheWay", func(s *story) { clear(s.files[commitID(s.t, 2)]) }},
		"a commit had another text on the way": {"onTheWay", func(s *story) { s.files[commitID(s.t, 2)]["b.txt"] = s.blob("quite\n") }},
		"the old name has it again":            {"former", func(s *story) { s.Changes[0].New = s.blob(mine); s.Wrote = false }},
		"many files are gone": {"former", func(s *story) {
			for i := range renameLimit {
				s.lost(fmt.Sprintf("gone%d.txt", i), other, "")
			}
		}},
		"what it had is forgotten":                {"former", func(s *story) { s.unread = refs.ErrMissing }},
		"the old name is still there":             {"onTheWay", func(s *story) { s.Changes[0].New = s.blob("quite\n"); s.Wrote = false }},
		"another text is alike in too few lines":  {"deleted", func(s *story) { s.Changes = []Change{{Old: contentOf("a.txt", other)}} }},
		"the same look has another file there":    {"stashed", func(s *story) { s.Changes = []Change{{Old: File{Path: "a.txt"}, New: s.blob(mine)}} }},
		"what HEAD lacks, the last one had, left": {"missing", func(s *story) { clear(s.files[commitID(s.t, 1)]) }},
	} {
		s := stories[tt.set](t, moment.Look)
		tt.change(s)
		b := contentOf("b.txt", mine)
		if pairs, err := Pair(s.Query, []*File{&b}); err != nil || len(pairs) > 0 {
			t.Errorf("%s: %v, %v", name, pairs, err)
		}
	}
}

// A stash says which content the old name had before a checkout, and what is told of already has no new name.
func TestWhatACheckoutReplaced(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*story)
		want   int
	}{
		"the commit that was left has it":   {func(s *story) { delete(s.last, "a.txt") }, 1},
		"the stash tells of the old name":   {func(s *story) { s.Stashed = map[string]refs.OID{"a.txt": {}} }, 0},
		"nothing was seen last":             {func(s *story) { s.Last = func() (Seen, bool) { return nil, false } }, 0},
		"the checkout brought the same":     {func(s *story) { s.files[commitID(s.t, 2)]["a.txt"] = s.blob(mine) }, 0},
		"HEAD was never where the stash is": {func(s *story) { s.Stash.Head = commitID(s.t, 9) }, 0},
	} {
		s := stories["replaced"](t, moment.Stashed)
		tt.change(s)
		b := contentOf("b.txt", mine)
		if pairs, err := Pair(s.Query, []*File{&b}); err != nil || len(pairs) != tt.want {
			t.Errorf("%s: %v, %v", name, pairs, err)
		}
	}
}

// Git left a content in a commit for another one: it may have gone to the new name before.
func TestWhatGitWentOnFrom(t *testing.T) {
	t.Parallel()
	s := tell(t, moment.Look, "2 checkout: moving from main to topic")
	s.commit(t, 1, nil, "a.txt", mine)
	s.commit(t, 2, nil, "a.txt", other)
	s.there["a.txt"] = s.blob(other)
	b := contentOf("b.txt", mine)
	pairs, err := Pair(s.Query, []*File{&b})
	if err != nil || len(pairs) != 0 {
		t.Errorf("HEAD is at the second commit alone: %v, %v", pairs, err)
	}
	s = tell(t, moment.Look, "1 commit: x", "2 checkout: moving from main to topic")
	s.commit(t, 1, nil, "a.txt", mine)
	s.commit(t, 2, nil, "a.txt", other)
	s.there["a.txt"] = s.blob(other)
	if pairs, err = Pair(s.Query, []*File{&b}); err != nil || len(pairs) != 1 || pairs[0].Old.Path != "a.txt" {
		t.Errorf("it was at the first: %v, %v", pairs, err)
	}
}

// git stash pop brought an older content of the file than HEAD has, and somebody moved it at once.
func TestWhatAStashBroughtBack(t *testing.T) {
	t.Parallel()
	s := tell(t, moment.Look)
	s.commit(t, 1, nil, "a.txt", other)
	s.commit(t, 5, []int{1}, "a.txt", mine)
	s.Work.Before.Stashes = []refs.OID{commitID(t, 5)}
	b := contentOf("b.txt", mine)
	if pairs, err := Pair(s.Query, []*File{&b}); err != nil || len(pairs) != 1 || pairs[0].Old.Path != "a.txt" {
		t.Errorf("the stash is gone: %v, %v", pairs, err)
	}
	s.Work.Now.Stashes = s.Work.Before.Stashes
	if pairs, err := Pair(s.Query, []*File{&b}); err != nil || len(pairs) != 0 {
		t.Errorf("the stash is still there: %v, %v", pairs, err)
	}
}

func TestAContentThatCannotBeReadIsAFailure(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"stashed", "returned", "missing", "along", "onTheWay"} {
		s := stories[set](t, moment.Look)
		failed := errors.New("failed")
		s.unread = failed
		b := contentOf("b.txt", mine)
		if _, err := Pair(s.Query, []*File{&b}); !errors.Is(err, failed) {
			t.Errorf("%s: %v", set, err)
		}
	}
	s := stories["replaced"](t, moment.Stashed)
	s.unread = errors.ErrUnsupported
	b := contentOf("b.txt", mine)
	if _, err := Pair(s.Query, []*File{&b}); err == nil {
		t.Error("replaced: no failure")
	}
}
