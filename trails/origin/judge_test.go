package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
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
		}, want: "explained: o o o"},
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
		"an agent's lines in other signs, which git hid and somebody brought back": {tell: func(s *story) {
			s.lost["a.txt"] = s.knew("a.txt", "o", "say('one of it')\nsay('two of it')\nsay('three of it')\n")
			s.Old = s.text("say('one of it')\n")
			s.knew("a.txt", "human", "say('one of it')\n")
			s.commit(1, nil, "a.txt", "say('one of it')\n")
			s.New = s.text("say(\"one of it\")\ntyped(\"by hand\")\nsay(\"two of it\")\nsay(\"three of it\")\n")
		}, want: "o~ - o~ o~ on say('one of it')|say('two of it')|say('three of it')"},
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
			s.leftAlone = true
		}, want: ""},
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
		"a popped stash that git gc took away: a brace between the lines where it was": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.lost["a.txt"] = s.knew("a.txt", "o", "the first of the lines\n}\nthe second of the lines\n")
			s.Old = s.texts[s.knew("a.txt", "human", was+"below the change of the stash\n")]
			s.New = s.text("the first of the lines\n}\nthe second of the lines\nbelow the change of the stash\n")
		}, want: "human o human human"},
		"a brace between other lines": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.lost["a.txt"] = s.knew("a.txt", "o", "the first of the lines\n}\nthe second of the lines\n")
			s.Old = s.texts[s.knew("a.txt", "human", was+"below the change of the stash\n")]
			s.New = s.text(was + "}\nbelow the change of the stash\n")
		}, want: "human human - human"},
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
		"a pick stops at a conflict that has words which the path lost": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was)
			s.lost["a.txt"] = s.knew("a.txt", "o", "the first of the lines\nthe second of the lines\ncall('of', another)\n")
			s.Old = s.texts[s.knew("a.txt", "human", was+"}\n")]
			s.New = s.text(was + "<<<<<<< HEAD\n}\n=======\ncall(\"of\", another);\n>>>>>>> topic\n")
		}, want: "human human unknown human unknown o~ unknown"},
		"lines of both sides of a conflict, and a nearer content that the path lost": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", was+"}\n\nprint of one side\n")
			s.lost["a.txt"] = s.knew("a.txt", "human", was+"call of the other side\ncheck of the other side\n")
			s.Old = s.texts[s.knew("a.txt", "o", was+"}\n\nprint of one side\n")]
			s.New = s.text(was + "}\n\ncall of the other side\ncheck of the other side\n")
		}, want: "human human o o human human on " + strings.ReplaceAll(was, "\n", "|") +
			"call of the other side|check of the other side"},
		"a content that the path lost is nearer, for braces alone": {tell: func(s *story) {
			s.commit(1, nil, "a.txt", other)
			s.lost["a.txt"] = s.knew("a.txt", "o", was+"}\n\n")
			s.Old = s.texts[s.knew("a.txt", "human", was)]
			s.New = s.text(was + "typed by hand\n}\nreturn nil\ntyped again\n\ntyped at last\n")
		}, want: "human human - - - - - -"},
		"a conflict has markers": {tell: func(s *story) {
			s.knew("a.txt", "human", was)
			s.New = s.text("<<<<<<< HEAD\nthe first of the lines\n=======\n>>>>>>> topic\n")
		}, want: "unknown human unknown unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, moment.GitWrote, tt.entries...)
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
			s.Reported = true
		}, ""},
		"the file is gone": {func(s *story) { s.New = Text{} }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, moment.OtherTree)
			s.Work.Restored, s.Work.Elsewhere = false, true
			s.others = []Tree{s.world}
			s.knew("a.txt", "human", was)
			tt.tell(s)
			if got := s.verdict(); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}
