package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/vector"
)

// What is said of a change from was to is: "explained", or whose each line is, with the content that git put there.
func (s *story) verdict() string {
	s.t.Helper()
	v, err := s.Judge()
	if err != nil {
		s.t.Fatal(err)
	}
	if v.Explained {
		owners, known := s.Get("a.txt", s.New.OID)
		if !known {
			return "explained"
		}
		var runs []vector.Origin
		for i, run := range owners.Runs() {
			runs = append(runs, vector.Origin{Start: i, Count: run.Count, Owner: run.Owner})
		}
		return "explained: " + ownersOf(runs)
	}
	said := ownersOf(v.From)
	if v.Put != nil {
		said += " on " + strings.ReplaceAll(strings.TrimSpace(string(s.put(v.Put))), "\n", "|")
	}
	return said
}

func (s *story) put(t *Text) []byte {
	var out []byte
	for _, l := range t.Lines {
		out = append(append(out, l...), '\n')
	}
	return out
}

func TestWhatGitExplainsOfAChange(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries []string
		tell    func(s *story)
		want    string
	}{
		"git wrote nothing": {tell: func(s *story) { s.Work.Restored = false }, want: ""},
		"git wrote nothing, but HEAD has it, and it was seen": {tell: func(s *story) {
			s.Work.Restored = false
			s.knew("a.txt", "o", is)
			s.commit(1, nil, "a.txt", is)
		}, want: "explained: o o o"},
		"HEAD has it under an older name": {tell: func(s *story) {
			s.Work.Restored = false
			s.aliases["a.txt"] = []string{"b.txt"}
			s.knew("b.txt", "o", is)
			s.commit(1, nil, "b.txt", is)
		}, want: "explained: o o o"},
		"HEAD has the older name, and the new one": {tell: func(s *story) {
			s.Work.Restored = false
			s.aliases["a.txt"] = []string{"b.txt"}
			s.knew("b.txt", "o", is)
			s.commit(1, nil, "b.txt", is, "a.txt", was)
		}, want: ""},
		"nobody saw what HEAD has": {tell: func(s *story) {
			s.Work.Restored = false
			s.commit(1, nil, "a.txt", is)
		}, want: ""},
		"a file is gone, and git wrote nothing": {tell: func(s *story) { s.Work.Restored, s.New = false, Text{} }, want: ""},
		"git deletes what HEAD does not have":   {tell: func(s *story) { s.New = Text{} }, want: "explained"},
		"what HEAD has was deleted": {tell: func(s *story) {
			s.New = Text{}
			s.commit(1, nil, "a.txt", was)
		}, want: ""},
		"git brings back what the path had": {tell: func(s *story) { s.knew("a.txt", "o", is) }, want: "explained: o o o"},
		"a stash may have been applied, and none has it": {tell: func(s *story) {
			s.knew("a.txt", "o", is)
			s.Work.Doubtful = true
		}, want: ""},
		"a stash may have been applied that has it": {tell: func(s *story) {
			s.knew("a.txt", "o", is)
			s.Work.Doubtful = true
			s.commit(1, nil, "a.txt", was)
			s.Work.Now.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", is)}
		}, want: "explained: o o o"},
		"a binary file as HEAD has it": {tell: func(s *story) {
			s.New = Text{OID: s.New.OID, Whole: true}
			s.commit(1, nil, "a.txt", is)
		}, want: "explained"},
		"a binary file that HEAD has not": {tell: func(s *story) {
			s.New = Text{OID: s.New.OID, Whole: true}
			s.commit(1, nil, "a.txt", was)
		}, want: ""},
		"a merge of both sides": {entries: []string{"2 merge topic: Merge made by the 'ort' strategy."}, tell: func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.knew("a.txt", "human", was)
			s.commit(1, nil, "a.txt", was)
			s.commit(2, []int{1, 3}, "a.txt", was+"more of HEAD\n")
			s.commit(3, []int{1}, "a.txt", theirs)
		}, want: "human o human on the first of the lines|the second of the lines|more of HEAD"},
		"HEAD's very content, of which nothing else is known": {tell: func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(1, nil, "a.txt", is)
		}, want: "explained: o o o"},
		"a commit of another branch has the very content": {tell: func(s *story) {
			s.Work.Now.Log = 1
			s.knew("a.txt", "human", was)
			s.newest = []refs.OID{s.commit(7, nil, "a.txt", is)}
		}, want: "explained: human unknown human"},
		"git went on to another branch, and somebody wrote": {entries: []string{"2 checkout: moving from main to topic"}, tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.commit(2, nil, "a.txt", other)
			s.knew("a.txt", "human", was)
			s.New = s.text(other + "a line that somebody wrote\n")
			s.knew("a.txt", "o", other)
		}, want: "o o - on something else altogether|with lines of its own"},
		"HEAD's content is nearer, but git left the file alone": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", other)
			s.knew("a.txt", "human", was)
			s.knew("a.txt", "o", other)
			s.New = s.text(other + "a line that somebody wrote\n")
			s.LeftAlone = func(string) bool { return true }
		}, want: "o o -"},
		"a new stash took what was there": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", "the first of the lines\n")
			s.knew("a.txt", "human", was)
			s.knew("a.txt", "o", "the first of the lines\n")
			s.Work.Now.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", was)}
			s.New = s.text("the first of the lines\nthe second of the lines\nwith a third one\n")
		}, want: "o human - on the first of the lines"},
		"a popped stash, and what was written since": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.knew("a.txt", "human", was)
			s.knew("a.txt", "o", is)
			s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", is)}
			s.New = s.text(is + "a line that somebody wrote\n")
		}, want: "o o o - on the first of the lines|a line of another side|the second of the lines"},
		"a popped stash onto other changes": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.knew("a.txt", "o", is)
			s.Old = s.texts[s.knew("a.txt", "human", was+"below the change of the stash\n")]
			s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", is)}
			s.New = s.text(is + "below the change of the stash\nand a line that somebody wrote\n")
		}, want: "human o human human - on " + strings.ReplaceAll(is, "\n", "|") + "below the change of the stash"},
		"the stash was dropped, and the index is the same": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.knew("a.txt", "human", was)
			s.Work.Before.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", other)}
			s.knew("a.txt", "o", other)
			s.Work.Now.Index = s.Work.Before.Index
		}, want: "human - human on the first of the lines|the second of the lines"},
		"git put another one there, and HEAD was reset since": {
			entries: []string{"2 rebase (start): checkout 2", "2 rebase (finish): returning to refs/heads/main", "3 reset: moving to ORIG_HEAD"},
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, nil, "a.txt", other)
				s.commit(3, nil, "a.txt", was)
				s.knew("a.txt", "human", was)
				s.knew("a.txt", "o", other)
				s.New = s.text(other + "a line that somebody wrote\n")
			}, want: "o o - on something else altogether|with lines of its own"},
		"git put another one there, and somebody committed since": {
			entries: []string{"2 rebase (start): checkout 2", "3 commit (amend): x", "3 rebase (finish): returning to refs/heads/main"},
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, nil, "a.txt", other)
				s.New = s.text(other + "a line that somebody wrote\n")
				s.commit(3, []int{2}, "a.txt", other+"a line that somebody wrote\n")
				s.knew("a.txt", "human", was)
				s.knew("a.txt", "o", other)
			}, want: "o o - on something else altogether|with lines of its own"},
		"git put another one there, and HEAD's was brought back": {
			entries: []string{"2 checkout: moving from main to topic", "1 reset: moving to main"},
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, nil, "a.txt", other)
				s.knew("a.txt", "human", was)
				s.New = s.text("the first of the lines\na line that somebody wrote\n")
			}, want: "human - on the first of the lines|the second of the lines"},
		"a reset put another one there, and HEAD was reset again": {
			entries: []string{"2 reset: moving to 2", "1 reset: moving to ORIG_HEAD"},
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, nil, "a.txt", other)
				s.knew("a.txt", "human", was)
				s.knew("a.txt", "o", other)
				s.New = s.text(other + "a line that somebody wrote\n")
			}, want: "o o - on something else altogether|with lines of its own"},
		"HEAD was reset to what somebody had committed": {
			entries: []string{"2 commit: x", "2 reset: moving to HEAD"},
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, []int{1}, "a.txt", other)
				s.knew("a.txt", "human", was)
				s.New = s.text(other + "a line that somebody wrote\n")
			}, want: "- - -"},
		"there was no file": {
			entries: []string{"2 checkout: moving from main to topic", "1 reset: moving to main"},
			tell: func(s *story) {
				s.Old = Text{}
				s.commit(1, nil)
				s.commit(2, nil, "a.txt", other)
				s.knew("a.txt", "o", other)
				s.New = s.text(other + "a line that somebody wrote\n")
			}, want: "o o -"},
		"somebody committed the very content that a reflog has for git's": {
			entries: []string{"2 rebase (pick): x"}, // of a patch whose conflict they resolved (git rebase --apply)
			tell: func(s *story) {
				s.commit(1, nil, "a.txt", was)
				s.commit(2, []int{1}, "a.txt", is)
				s.Query.Commit = s.commit(9, []int{1}, "a.txt", is)
				s.knew("a.txt", "human", was)
			}, want: "human - human"},
		"a conflict has markers": {tell: func(s *story) {
			s.knew("a.txt", "human", was)
			s.New = s.text("<<<<<<< HEAD\nthe first of the lines\n=======\n>>>>>>> topic\n")
		}, want: "unknown human unknown unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, GitWrote, tt.entries...)
			tt.tell(s)
			if got := s.verdict(); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// What a stash of another work tree brings, where no trace says that git wrote.
func TestWhatComesFromAnotherWorkTree(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tell func(s *story)
		want string
	}{
		"the very content that it had": {func(s *story) { s.there["a.txt"] = s.knew("a.txt", "o", is) }, "explained: o o o"},
		"lines of what it had":         {func(s *story) { s.there["a.txt"] = s.knew("a.txt", "o", theirs) }, "human o human"},
		"the very content that git took from it": {func(s *story) {
			s.taken["a.txt"] = s.knew("a.txt", "o", is)
		}, "explained: o o o"},
		"lines of what git took from it": {func(s *story) { s.taken["a.txt"] = s.knew("a.txt", "o", theirs) }, "human o human"},
		"nothing is known of it":         {func(s *story) { s.there["a.txt"] = s.bare(theirs) }, ""},
		"it had what was here":           {func(s *story) { s.there["a.txt"] = s.bare(was) }, ""},
		"a stash that it knew of and that is gone": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(1, nil, "a.txt", was)
			s.marks = []gitfacts.Mark{{Stashes: []refs.OID{s.stashed(5, 1, "a.txt", theirs)}}}
		}, "human o human"},
		"a stash that is still there": {func(s *story) {
			s.knew("a.txt", "o", theirs)
			s.commit(1, nil, "a.txt", was)
			s.marks = []gitfacts.Mark{{Stashes: []refs.OID{s.stashed(5, 1, "a.txt", theirs)}}}
			s.Work.Now.Stashes = s.marks[0].Stashes
		}, ""},
		"a stash that does not change it": {func(s *story) {
			s.commit(1, nil, "a.txt", theirs)
			s.knew("a.txt", "o", theirs)
			s.marks = []gitfacts.Mark{{Stashes: []refs.OID{s.stashed(5, 1, "a.txt", theirs)}}}
		}, ""},
		"what was no stash": {func(s *story) { s.marks = []gitfacts.Mark{{Stashes: []refs.OID{commitID(9)}}} }, ""},
		"a tool reports what it found and left": {func(s *story) {
			s.there["a.txt"] = s.knew("a.txt", "o", theirs)
			s.Reported = func(string) bool { return true }
		}, ""},
		"the file is gone": {func(s *story) { s.New = Text{} }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, OtherTree)
			s.Work.Restored, s.Work.Elsewhere = false, true
			s.Others = func() []Tree { return []Tree{s.world} }
			s.knew("a.txt", "human", was)
			tt.tell(s)
			if got := s.verdict(); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// A commit that takes an earlier one back, or is one of another branch over again, counts as what git brought.
func TestACommitThatIsAnotherOneAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tell func(s *story) // commit 2 has a.txt as it is, its parent 1 as it was
		want string
	}{
		"typed anew": {func(s *story) { s.knew("a.txt", "o", is) }, ""},
		"it takes the last commit back": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(8, nil, "a.txt", is)
			s.commit(1, []int{8}, "a.txt", was)
		}, "explained: o o o"},
		"a part of it": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(8, nil, "a.txt", is)
			s.commit(1, []int{8}, "a.txt", was, "b.txt", other)
		}, ""},
		"it takes the one before that back": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(9, nil, "a.txt", is)
			s.commit(8, []int{9}, "a.txt", was)
			s.commit(1, []int{8}, "a.txt", was, "b.txt", other)
		}, "explained: o o o"},
		"it is a commit of another branch": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(6, nil, "a.txt", other)
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", is)}
		}, "explained: o o o"},
		"that commit is in the history": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(6, nil, "a.txt", other)
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", is)}
			s.base[[2]refs.OID{commitID(7), commitID(2)}] = commitID(7)
		}, ""},
		"that commit changes more": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.commit(6, nil, "a.txt", other)
			s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", is, "b.txt", other)}
		}, ""},
		"it is a merge": {func(s *story) {
			s.knew("a.txt", "o", is)
			s.newest = []refs.OID{s.commit(7, []int{6, 5}, "a.txt", is)}
		}, ""},
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
			s.Reported = func(string) bool { return true }
		}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, Again, "2 commit: x")
			s.Work.Restored, s.Base = false, commitID(1)
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
	s := tell(t, GitWrote, "2 rebase (start): checkout main", "3 rebase (continue): x", "4 rebase (pick): y")
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
	from := func(path string, trust Trust) func(*story) (Candidate, bool) {
		return func(s *story) (Candidate, bool) {
			return Candidate{Path: path, Blob: s.bare(other), Trust: trust}, true
		}
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
			s.MadeOf = func(refs.OID, string) (Candidate, bool) { return from("made", Near)(s) }
		}, "made"},
		"nobody saw it: the older name, and itself": {func(s *story) {
			s.UnderOlderName = func(refs.OID, string) (Candidate, bool) { return from("older", Far)(s) }
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
		s := tell(t, Rewritten)
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
		s := tell(t, GitWrote)
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
		s := tell(t, Stashed, "2 merge topic: Merge made by the 'ort' strategy.")
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
		"one that was not, of an older commit": {func(s *story) { clear(s.known); s.Young = func(refs.OID) bool { return false } }, 1},
		"it has the older name": {func(s *story) {
			s.aliases["a.txt"] = []string{"b.txt"}
			s.knew("b.txt", "o", theirs)
			s.commit(4, []int{1}, "b.txt", theirs)
		}, 1},
		"it has no such file":   {func(s *story) { s.commit(4, []int{1}) }, 0},
		"nothing was amended":   {func(s *story) { s.Query.Commit = commitID(9) }, 0},
		"no commit is anchored": {func(s *story) { s.Query.Commit = refs.OID{} }, 0},
	} {
		s := stories["amended"](t, Committed)
		tt.tell(s)
		if list, err := amended(s.Query); err != nil || len(list) != tt.want {
			t.Errorf("%s: %v, %v; want %d", name, list, err, tt.want)
		}
	}
}

// What a stash took is not explained by itself, of which nobody knows anything.
func TestTheLinesOfAStash(t *testing.T) {
	t.Parallel()
	s := tell(t, Stashed)
	s.knew("a.txt", "human", was)
	s.commit(1, nil, "a.txt", was)
	s.Work.Now.Stashes = []refs.OID{s.stashed(5, 1, "a.txt", is)}
	got, err := s.Lines()
	if err != nil || ownersOf(got) != "human - human" {
		t.Errorf("owners are %s, %v", ownersOf(got), err)
	}
}
