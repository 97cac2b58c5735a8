package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/moment"
)

// A commit that is one of another branch over again counts as what git brought.
func TestACommitThatIsAnotherOneAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tell func(s *story) // commit 2 has a.txt as it is, its parent 1 as it was
		want string
	}{
		"the path had it before": {func(s *story) { s.knew("a.txt", "o", is) }, "explained: o o o"},
		"line for line what another commit did": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(6, nil, "a.txt", was+"and what they have more\n")
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
		}, "human o human"},
		"line for line what a branch did": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(5, nil, "a.txt", was+"and what they have more\n")
			s.commit(6, []int{5}, "a.txt", was)
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(5)
		}, "human o human"},
		"a part of what another commit did": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(6, nil, "a.txt", was)
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
		}, ""},
		"the other commit is in the history": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(6, nil, "a.txt", was+"and what they have more\n")
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(7)
		}, ""},
		"another file has lines that nobody saw": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(6, nil, "a.txt", was+"and what they have more\n")
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs, "b.txt", other)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
			s.files[commitID(2)]["b.txt"], s.Paths = s.bare(other), []string{"a.txt", "b.txt"}
		}, ""},
		"another file was a binary one, and not the same": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			now := s.knew("b.txt", "o", other)
			binary := func(name string) refs.OID {
				oid := refs.SHA1.Hash(refs.BlobObject, []byte(name))
				s.texts[oid] = Text{OID: oid, Whole: true}
				return oid
			}
			s.commit(6, nil, "a.txt", was+"and what they have more\n")
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
			s.files[commitID(1)]["b.txt"], s.files[commitID(6)]["b.txt"] = binary("one"), binary("two")
			s.files[commitID(2)]["b.txt"], s.files[commitID(7)]["b.txt"], s.Paths = now, now, []string{"a.txt", "b.txt"}
		}, ""},
		"another file was the same binary one": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			now := s.knew("b.txt", "o", other)
			binary := refs.SHA1.Hash(refs.BlobObject, []byte("binary"))
			s.texts[binary] = Text{OID: binary, Whole: true}
			s.commit(6, nil, "a.txt", was+"and what they have more\n")
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
			s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
			s.files[commitID(1)]["b.txt"], s.files[commitID(6)]["b.txt"] = binary, binary
			s.files[commitID(2)]["b.txt"], s.files[commitID(7)]["b.txt"], s.Paths = now, now, []string{"a.txt", "b.txt"}
		}, "human o human"},
		"a tool reports the whole file": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.Reported = true
		}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, moment.CommitLook, "2 commit: x")
			s.Work.Restored, s.Parent = false, commitID(1)
			s.Work.Now.Log = 1
			s.knew("a.txt", "human", was)
			s.commit(1, nil, "a.txt", was)
			s.Query.Commit, s.Paths = s.commit(2, []int{1}, "a.txt", is), []string{"a.txt"}
			tt.tell(s)
			if got := s.verdict(); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// Somebody resolved a conflict of a rebase: the lines are of what git had put there, and of the commit that was picked.
func TestACommitThatWentOnWithARebase(t *testing.T) {
	t.Parallel()
	s := tell(t, moment.GitWrote, "2 rebase (start): checkout main", "3 rebase (continue): x", "4 rebase (pick): y")
	s.commit(1, nil, "a.txt", was)
	s.commit(2, nil, "a.txt", other)
	s.commit(3, []int{2}, "a.txt", other+"a line of another side\n")
	s.commit(4, []int{3}, "a.txt", other+"a line of another side\n")
	s.commits[commitID(7)] = refs.Commit{Message: "x"}
	s.commit(7, []int{1}, "a.txt", theirs)
	s.newest = []refs.OID{commitID(7)}
	s.knew("a.txt", "human", was)
	s.knew("a.txt", "b", other)
	s.knew("a.txt", "o", theirs)
	s.Work.Now.Log = 1
	s.New = s.text(other + "a line of another side\n")
	const want = "b b o on something else altogether|with lines of its own"
	if got := s.verdict(); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// What a commit that was rewritten says of a file, which may have had another name.
func TestWhatARewrittenCommitCarries(t *testing.T) {
	t.Parallel()
	from := func(s *story, path string, trust Trust) Candidate {
		return Candidate{Path: path, Blob: s.bare(other), Trust: trust}
	}
	for name, tt := range map[string]struct {
		tell func(s *story)
		want string
	}{
		"its content, which was seen": {func(s *story) { s.knew("a.txt", "o", theirs) }, "a.txt"},
		"git finds the older name": {func(s *story) {
			s.files[commitID(5)] = map[string]refs.OID{"c.txt": s.bare(theirs)}
			s.Renamed = func() map[string]string { return map[string]string{"a.txt": "c.txt"} }
		}, "c.txt"},
		"nobody saw it: what it was made of": {func(s *story) {
			s.madeOf = from(s, "made", Near)
		}, "made"},
		"nobody saw it: the older name, and itself": {func(s *story) {
			s.older = from(s, "older", Far)
		}, "older a.txt"},
		"nobody saw it, but its parent's": {func(s *story) {
			s.commit(4, nil, "a.txt", was)
			s.knew("a.txt", "o", was)
		}, ""},
		"nobody saw it, and it has no parent": {func(s *story) { s.commit(5, nil, "a.txt", theirs) }, "a.txt"},
		"it is gone, but for its files":       {func(s *story) { clear(s.commits) }, "a.txt"},
		"it has no such file":                 {func(s *story) { clear(s.files) }, ""},
		"no commit was rewritten":             {func(s *story) { s.Replaced = refs.OID{} }, ""},
	} {
		s := tell(t, moment.Rewritten)
		s.Replaced = s.commit(5, []int{4}, "a.txt", theirs)
		tt.tell(s)
		found, err := carried(s.Query)
		var got []string
		for _, c := range found {
			got = append(got, c.Path)
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, %v; want %s", name, got, err, tt.want)
		}
	}
}
