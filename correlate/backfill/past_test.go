package backfill

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/refs"
)

// An edit of a file that only old commits have, and a line of it that is moved.
func TestEditsOfFilesThatNobodyTouchedForLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("old.go", "package shop\n\nfunc first() int { return firstOfTheNumbers }\n\nfunc second() int { return secondOfTheNumbers }\n")
	w.commit("old")
	for i := range 3 {
		w.put("other.go", fmt.Sprintf("package shop\n\nconst number = %d\n", i))
		w.commit(fmt.Sprint("other ", i))
	}
	w.later(240 * time.Hour)
	s := w.session("s")
	w.replaced(s, "old.go", "secondOfTheNumbers }", "secondOfTheNumbers + 1 }\n\nfunc third() int { return thirdOfTheNumbers }")
	w.put("old.go", "package shop\n\nfunc first() int { return firstOfTheNumbers }\n\nfunc second() int { return secondOfTheNumbers + 1 }\n\nfunc third() int { return thirdOfTheNumbers }\n")
	w.commit("edited")
	lines := w.find()
	for _, place := range []string{"edited old.go 5", "edited old.go 7"} {
		if got := owner(lines, place); got != "s exact_blob" {
			t.Errorf("%s is of %q", place, got)
		}
	}
}

func numbered(t *testing.T, n int) refs.OID {
	t.Helper()
	id, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// The lines of commits before all edits count only if there are few such commits.
func TestWhichCommitsAreReadWithTheirLines(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var list []history.Commit
	for i := range 6 { // a day apart
		list = append(list, history.Commit{ID: numbered(t, i), Committed: begin.AddDate(0, 0, i)})
	}
	edit := func(day int, clock time.Duration) Edit { return Edit{Time: begin.AddDate(0, 0, day).Add(clock)} }
	for name, tt := range map[string]struct {
		session Session
		older   int
		want    string
	}{
		"the newest ones before it": {Session{Edits: []Edit{edit(4, time.Hour), edit(5, 0)}}, 2, "[3 4 5] [0 1 2]"},
		"few":                       {Session{Edits: []Edit{edit(4, time.Hour)}}, 5, "[0 1 2 3 4 5] []"},
		"clocks differ a little":    {Session{Edits: []Edit{edit(4, time.Minute)}}, 1, "[3 4 5] [0 1 2]"},
		"made by it":                {Session{Made: []string{"1"}, Edits: []Edit{edit(5, 0)}}, 1, "[1 4 5] [0 2 3]"},
		"named by a step":           {Session{Only: map[int]string{3: "0"}, Edits: []Edit{edit(5, 0)}}, 1, "[0 4 5] [1 2 3]"},
		"an edit without a time":    {Session{Edits: []Edit{edit(5, 0), {}}}, 1, "[0 1 2 3 4 5] []"},
		"after all commits":         {Session{Edits: []Edit{edit(9, 0)}}, 1, "[0 1 2 3 4 5] []"},
		"no edit":                   {Session{}, 1, "[0 1 2 3 4 5] []"},
	} {
		f := &finder{last: list[5].Committed, options: Options{older: tt.older, Commit: func(id string) (refs.OID, bool) {
			return numbered(t, int(id[0]-'0')), true
		}}}
		near, far := f.splitPast(list, []Session{tt.session})
		if got := fmt.Sprint(near, far); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
