package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/moment"
)

// Lines that the path had and lost come back: as they stood between what stood beside them, or in a run that says
// enough. A content that is nearer to an older one is a change of that one.
func TestLinesThatComeBack(t *testing.T) {
	t.Parallel()
	const (
		base   = "one base line\ntwo base line\nthree base line\nfour base line\n"
		longer = "one base line\ntwo base line\nx := 1\nreturn nil\nthree base line\nfour base line\n"
	)
	block := "first line of the agent's function\nsecond line of the agent's function\nthird line of the agent's function\n"
	for name, tt := range map[string]struct {
		had, old, is string // an agent's content of before, a person's of now, and what is found
		want         string
	}{
		"between the same lines, however short": {
			"one base line\nx\ntwo base line\n", "one base line\ntwo base line\nthree base line\n",
			"one base line\nx\ntwo base line\nthree base line\n", "human o human human",
		},
		"with a line of somebody else below": {
			longer, base, "one base line\ntwo base line\nx := 1\nreturn nil\ntyped by hand\nthree base line\nfour base line\n",
			"human human o o unknown human human",
		},
		"less than a line that speaks for itself, with another one below": {
			"one base line\nx := 1\ntwo base line\n", base, "one base line\nx := 1\ny := 2\ntwo base line\nthree base line\nfour base line\n", "",
		},
		"a brace between lines that a person types": {
			"one base line\ntwo base line\n}\nthree base line\nfour base line\n", base,
			"one base line\ntyped by hand\ntyped again\n}\nthree base line\nfour base line\n", "",
		},
		"in another place, and it says little": {
			longer, base, "return nil\none base line\ntwo base line\nthree base line\nfour base line\n", "",
		},
		"in other signs, broken into several lines": {
			"one base line\ncall('first', x)\ntwo base line\n", base,
			"one base line\ncall(\n  \"first\",\n  x,\n);\ntwo base line\nthree base line\nfour base line\n",
			"human o o o o human human human",
		},
		"of another branch, in another place": {
			base + block, base, "one base line\n" + block + "two base line\nthree base line\nfour base line\n",
			"human o o o human human human",
		},
		"between other lines of its content": {
			base + block, base, "one base line\n" + block + "two base line\nthree base line\nfour base line\n",
			"human o o o human human human",
		},
		"with the lines around it in another order": {
			block + base, base, base + block, "human human human human o o o",
		},
		"of another branch, with the lines around it in another order": {
			block + base, base, base + block, "human human human human o o o",
		},
		"of another branch, less than two people may write": {
			base + "first of the agent\n\nsecond of the agent\n", base, base + "first of the agent\nsecond of the agent\n", "",
		},
		"of another branch, a single line between the same ones": {
			longer, base, "one base line\ntwo base line\nx := 1\nthree base line\nfour base line\n", "",
		},
		"in another place, without a blank line that stood in it": {
			base + strings.Replace(block, "\n", "\n\n", 1), base,
			"one base line\n" + block + "two base line\nthree base line\nfour base line\n", "human o o o human human human",
		},
		"a content is nearer for what it lacks, and has nothing more than a common line": {
			"one base line\nwritten by the agent\n\treturn nil\nfour base line\n",
			"one base line\ntwo base line\nthree base line\nfour base line\n",
			"one base line\nreturn nil\nfour base line\ntyped by hand\n", "",
		},
		"a brace in the place of signs that a formatter put there": {
			"one base line\n}\ntwo base line\nsay(\"x\");\nthree base line\n", "one base line\ntwo base line\nsay('x')\nthree base line\n",
			"one base line\ntwo base line\nsay('x')\n}\nthree base line\n", "",
		},
		"blanks at its end, and a line behind them": {
			base + "\n\n", base, base + "\n\ntyped by hand\n", "human human human human o o human",
		},
		"a blank at its end, below a line that says little": {
			"something else\nend\n\n", "one base line\nend\nx := 1\n", "one base line\nend\n\ntyped by hand\n", "",
		},
		"a brace at its end, without the blank line above it": {
			"one base line\nthree base line\n\n}\n", "one base line\nthree base line\nfour base line\n",
			"one base line\nthree base line\n}\ntyped by hand\nfour base line\n", "",
		},
		"a brace at its end, without the blank line above it, below a line in other signs": {
			"one base line\nsay('three base')\n\n}\n", "one base line\nsay(\"three base\")\nfour base line\n",
			"one base line\nsay(\"three base\")\n}\ntyped by hand\nfour base line\n", "",
		},
		"a brace that was all that the path had": {"}\n", base, "one base line\ntyped by hand\n}\ntyped again\n", ""},
		"nothing but what is new":                {longer, base, base + "typed by hand\n", ""},
		"the file was emptied, and has one line more": {
			longer, "", longer + "typed by hand\n", "o o o o o o - on " + strings.ReplaceAll(strings.TrimSpace(longer), "\n", "|"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, moment.Returned)
			s.Work.Restored = false
			where := s.lost
			if strings.HasPrefix(name, "of another branch") { // git went to a commit without it
				where = s.apart
			}
			where["a.txt"] = s.knew("a.txt", "o", tt.had)
			if s.Old = s.text(tt.old); tt.old != "" {
				s.knew("a.txt", "human", tt.old)
			}
			s.New = s.text(tt.is)
			got := strings.ReplaceAll(s.verdict(), "~", "")
			if tt.want != "" && !strings.Contains(tt.want, " on ") { // only what is not in place needs an origin
				for i, owner := range strings.Fields(tt.want) {
					if f := strings.Fields(got); owner == "o" && (i >= len(f) || f[i] != "o") {
						t.Errorf("line %d of %q is not the agent's", i+1, got)
					} else if owner == "unknown" && i < len(f) && f[i] == "o" {
						t.Errorf("line %d of %q is the agent's", i+1, got)
					}
				}
				return
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// An undo and a formatter: the content has the words of an older one, and not those of one that is nearly the same.
func TestContentInOtherSigns(t *testing.T) {
	t.Parallel()
	const base = "call('one', first)\ncall('two', second)\nprint('three', third)\n"
	s := tell(t, moment.Returned)
	s.Work.Restored = false
	s.lost["a.txt"] = s.knew("a.txt", "o", base+"\n\treturn nil\n\n")
	before := s.knew("a.txt", "human", base+"\n")
	s.order["a.txt"] = []refs.OID{s.lost["a.txt"], before}
	s.Old = s.texts[s.knew("a.txt", "o", "call('one', first)\nsomething else altogether\nwith lines of its own\n")]
	s.New = s.text(strings.ReplaceAll(base, "'", `"`) + "\n")
	if got, want := s.verdict(), "human~ human~ human~ human on "+strings.ReplaceAll(strings.TrimSpace(base), "\n", "|"); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// A lost content has most of a block, and the branch that git left has all of it: each line says something of the rest.
func TestBlockOfAnotherBranchThatALostContentHasInPart(t *testing.T) {
	t.Parallel()
	const base = "one base line\ntwo base line\nthree base line\n"
	block := "second line of the agent's function\nthird line of the agent's function\nlast line of the agent's function\n"
	s := tell(t, moment.Returned)
	s.Work.Restored = false
	s.lost["a.txt"] = s.knew("a.txt", "o", strings.Repeat("some other line that was here and is not here any more\n", 2)+block)
	s.apart["a.txt"] = s.knew("a.txt", "p", base+"first line of it\n"+block)
	s.Old = s.texts[s.knew("a.txt", "human", base)]
	s.New = s.text("one base line\nfirst line of it\n" + block + "two base line\nthree base line\n")
	if got, want := s.verdict(), "- p o o o - -"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
