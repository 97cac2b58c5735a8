package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/moment"
)

// What is known of a content that was not seen: nothing, unless the path had others.
func TestWhoOwnsAContentThatWasNotSeen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tell func(s *story)
		want string
	}{
		"it was seen":      {func(s *story) { s.knew("a.txt", "o", is) }, "o o o"},
		"the path was not": {func(*story) {}, "unknown unknown unknown"},
		"another name had it": {func(s *story) {
			s.aliases["a.txt"] = []string{"b.txt"}
			s.knew("b.txt", "o", is)
			s.knew("a.txt", "human", was)
		}, "o o o"},
		"HEAD has lines of it":   {func(s *story) { s.commit(1, nil, "a.txt", was); s.knew("a.txt", "human", was) }, "human unknown human"},
		"an earlier one had one": {func(s *story) { s.knew("a.txt", "o", theirs); s.knew("a.txt", "human", was) }, "human o human"},
	} {
		s := tell(t, moment.GitWrote)
		tt.tell(s)
		var got []string
		for _, run := range s.Owners(s.New).Runs() {
			for range run.Count {
				got = append(got, run.Owner.String())
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// A file that is two files in HEAD, of which one was the other's once, is of both no more.
func TestHowFarAnOperandIsToBeBelieved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tell func(s *story)
		want Trust
	}{
		"a merged commit":       {func(s *story) { s.commit(3, []int{1}, "a.txt", theirs) }, Far},
		"it has the older name": {func(s *story) { s.commit(3, []int{1}, "b.txt", theirs) }, Far},
		"and HEAD has a file at each name": {func(s *story) {
			s.commit(3, []int{1}, "b.txt", theirs)
			s.commit(2, []int{1, 3}, "a.txt", other, "b.txt", other)
		}, Faint},
		"a stash that was applied": {func(s *story) {
			s.commit(3, nil)
			s.knew("a.txt", "o", theirs)
			s.Work.Now.Stashes, s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", theirs)}, nil
			s.New = s.text(theirs)
		}, Far},
		"a stash that was applied, and a line of before it is gone": {func(s *story) {
			s.commit(3, nil)
			s.knew("a.txt", "o", theirs)
			s.Work.Now.Stashes, s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", theirs)}, nil
			s.New = s.text(strings.TrimPrefix(theirs, "the first of the lines\n"))
		}, Far},
		"a stash that was not": {func(s *story) {
			s.commit(3, nil)
			s.knew("a.txt", "o", theirs)
			s.Work.Now.Stashes, s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", theirs)}, nil
		}, Faint},
	} {
		s := tell(t, moment.Stashed, "2 merge topic: Merge made by the 'ort' strategy.")
		s.aliases["a.txt"] = []string{"b.txt"}
		s.commit(1, nil, "a.txt", was)
		s.commit(2, []int{1, 3})
		tt.tell(s)
		list, err := operands(s.Query)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range list {
			if c.Blob == s.bare(theirs) {
				found = true
				if c.Trust != tt.want {
					t.Errorf("%s: trust %d, want %d", name, c.Trust, tt.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: it is no candidate", name)
		}
	}
}

// The amended commit counts if its content was seen, or if it is older than the last look.
func TestWhatAnAmendedCommitHad(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tell func(s *story)
		want int
	}{
		"a content that was seen":              {func(*story) {}, 1},
		"one that was not, of a young commit":  {func(s *story) { clear(s.known) }, 0},
		"one that was not, of an older commit": {func(s *story) { clear(s.known); s.old = true }, 1},
		"it has the older name": {func(s *story) {
			s.aliases["a.txt"] = []string{"b.txt"}
			s.knew("b.txt", "o", theirs)
			s.commit(4, []int{1}, "b.txt", theirs)
		}, 1},
		"it has no such file":   {func(s *story) { s.commit(4, []int{1}) }, 0},
		"nothing was amended":   {func(s *story) { s.Query.Commit = commitID(9) }, 0},
		"no commit is anchored": {func(s *story) { s.Query.Commit = refs.OID{} }, 0},
	} {
		s := stories["amended"](t, moment.Committed)
		tt.tell(s)
		if list, err := amended(s.Query); err != nil || len(list) != tt.want {
			t.Errorf("%s: %v, %v; want %d", name, list, err, tt.want)
		}
	}
}

// What a stash took is not explained by itself, of which nobody knows anything.
func TestTheLinesOfAStash(t *testing.T) {
	t.Parallel()
	s := tell(t, moment.Stashed)
	s.knew("a.txt", "human", was)
	s.commit(1, nil, "a.txt", was)
	s.Work.Now.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", is)}
	got, err := s.Lines()
	if err != nil || ownersOf(got) != "human - human" {
		t.Errorf("owners are %s, %v", ownersOf(got), err)
	}
}
