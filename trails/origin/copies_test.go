package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// owned reads a content of which each line is "owner text"; owner "-" stands for what nothing is known of.
func owned(text string) vector.Content {
	var out vector.Content
	var b vector.Builder
	for line := range strings.Lines(text) {
		owner, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch owner {
		case "-":
			b.Add(vector.Unknown, 1)
		case "human":
			b.Add(vector.Owner{Kind: events.OwnerHuman}, 1)
		default:
			b.Add(vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(owner)}, 1)
		}
		out.Lines = append(out.Lines, []byte(rest))
	}
	out.Owners = b.Vector()
	return out
}

func ownersOf(runs []vector.Origin) string {
	var out []string
	for _, run := range runs {
		for range run.Count {
			name := "-"
			if run.Source >= 0 {
				name = run.Owner.String()
			}
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

func TestWhatStandsBesideACopiedLineIsCopiedToo(t *testing.T) {
	t.Parallel()
	source := owned("human the first of the lines\na a line that is copied\na }\na end\na another of the lines\nhuman the last of the lines\n")
	const before = "the first of the lines\na line that is copied\n}\nend\nanother of the lines\n"
	for _, c := range []struct{ name, text, want string }{
		{"a brace below", before + "a line that is copied\n}\nthe last of the lines\n", "human a a a a a a human"},
		{"an end above", before + "end\nanother of the lines\nthe last of the lines\n", "human a a a a a a human"},
		{"a brace above, without the end", before + "}\nanother of the lines\nthe last of the lines\n", "human a a a a a a human"},
		{"a brace above another line", before + "}\nnew one among them\nanother of the lines\n", "human a a a a - - a"},
		{"a brace beside another line", before + "a line that is copied\nnew one among them\n}\n", "human a a a a a - -"},
		{"a brace between two that were copied", before + "a line that is copied\nnew one among them\n}\nanother of the lines\n", "human a a a a a - a a"},
		{"a brace below the copy of a last line", before + "the last of the lines\nthe last of the lines\n}\n", "human a a a a human human -"},
		{"a brace above the copy of a first line", "}\nthe first of the lines\n" + before + "the last of the lines\n", "- human human a a a a human"},
		{"a brace beside nothing that was copied", before + "new one among them\n}\n", "human a a a a - -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := linediff.Split([]byte(c.text))
			sources := []vector.Content{source}
			if got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, len(sources))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestSourcesThatDisagreeTellNothingOfACopy(t *testing.T) {
	t.Parallel()
	a := owned("human the first of the lines\na a line that is copied\na }\n")
	b := owned("human the first of the lines\nb a line that is copied\nb }\n")
	lines := linediff.Split([]byte("the first of the lines\na line that is copied\n}\na line that is copied\n}\n"))
	sources := []vector.Content{a, b}
	if got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, len(sources))); got != "human a a - -" {
		t.Errorf("got %s", got)
	}
}

func TestASourceThatNothingIsKnownOfContradictsNoOther(t *testing.T) {
	t.Parallel()
	a := owned("human the first of the lines\na a line that is copied\na }\n")
	bare := owned("- the first of the lines\n- a line that is copied\n- }\n- only here it stands so\n")
	lines := linediff.Split([]byte("the first of the lines\na line that is copied\n}\na line that is copied\n}\n"))
	sources := []vector.Content{a, bare}
	for known, want := range map[int]string{1: "human a a a a", 2: "human a a - -"} {
		if got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, known)); got != want {
			t.Errorf("%d known: got %s, want %s", known, got, want)
		}
	}
}

func TestALineBetweenOthersThatWereTakenWasTakenToo(t *testing.T) {
	t.Parallel()
	near := owned("b the first of the lines\na }\na the last of the lines\n")
	far := owned("b the first of the lines\nb return nil\nb one that is left out\nb return nil\nb another left out\nb the last of the lines\n")
	far.Far = true
	for _, c := range []struct{ name, text, want string }{
		{"below one that was copied", "the first of the lines\n}\nthe first of the lines\nreturn nil\nreturn nil\nthe last of the lines\n", "b a b b b a"},
		{"between lines that a nearer one has", "the first of the lines\n}\nreturn nil\nthe last of the lines\n", "b a - a"},
		{"at the end, below one that was copied", "the first of the lines\n}\nthe first of the lines\nreturn nil\n", "b a b b"},
		{"at the end, too far from it", "the first of the lines\n}\nreturn nil\n", "b a -"},
		{"at the beginning, above one that was copied", "return nil\nthe last of the lines\nthe first of the lines\n}\n", "b b b a"},
		{"more of them than the far one has", "the first of the lines\n}\nthe first of the lines\nreturn nil\nreturn nil\nreturn nil\nthe last of the lines\n", "b a b b b - a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := linediff.Split([]byte(c.text))
			sources := []vector.Content{near, far}
			if got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, len(sources))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestACopiedLineMayHaveAnotherForm(t *testing.T) {
	t.Parallel()
	const before = "human the first of the lines\na call('one', second)\na use(\na   the, argument)\n"
	source := owned(before + "human the last of the lines\n")
	for _, c := range []struct{ name, text, want string }{
		{"other signs", "call(\"one\", second);\n", "a"},
		{"wrapped", "call(\n  \"one\",\n  second);\n", "a a a"},
		{"joined", "use(the, argument)\n", "a"},
		{"other words", "call(\"one\", third);\n", "-"},
		{"a part of it", "call(\n  \"one\",\n", "- -"},
		{"a line between the parts", "call(\na new one among them\n  'one', second)\n", "- - -"},
		{"another operator", "use(the + argument)\n", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := linediff.Split([]byte("the first of the lines\ncall('one', second)\nuse(\n  the, argument)\n" + c.text + "the last of the lines\n"))
			sources := []vector.Content{source}
			got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, len(sources)))
			if want := "human a a a " + c.want + " human"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAShortLineBetweenTheSidesOfAConflictIsOfASide(t *testing.T) {
	t.Parallel()
	ours := owned("b the first of the lines\nb the line of ours\nb end\nb one of ours left out\nb the last of the lines\n")
	theirs := owned("b the first of the lines\na \na one that is left out\na return nil\na another left out\n" +
		"c the line of theirs\nb the last of the lines\n")
	theirs.Far = true
	for _, c := range []struct{ name, text, want string }{
		{"above lines that are left out", "the line of ours\n\nreturn nil\nthe line of theirs\n", "b b a a c b"},
		{"below lines that are left out", "the line of ours\nend\nthe line of theirs\n", "b b b c b"},
		{"beside a new line", "the line of ours\na new one among them\nreturn nil\nthe line of theirs\n", "b b - - c b"},
		{"that no side has", "the line of ours\n}\nthe line of theirs\n", "b b - c b"},
		{"beyond a line that is not left out", "one that is left out\nthe line of ours\n\nthe line of theirs\n", "b a b - c b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := linediff.Split([]byte("the first of the lines\n" + c.text + "the last of the lines\n"))
			sources := []vector.Content{ours, theirs}
			if got := ownersOf(copies(lines, vector.Origins(lines, sources), sources, len(sources))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestALineOfTheIndexIsThatBetweenTheSameNeighbours(t *testing.T) {
	t.Parallel()
	was := owned("human the first of the lines\na }\na return nil\nhuman the last of the lines\nhuman one behind the last\nb }\nhuman twelve_chars\n")
	for _, c := range []struct{ name, text, want string }{
		{"the same neighbours", "the first of the lines\n}\nreturn nil\nthe last of the lines\n", "human a a human"},
		{"one of them another", "the first of the lines\n}\nreturn nil\none behind the last\n", "human - - human"},
		{"a neighbour that barely speaks for itself", "the first of the lines\none behind the last\n}\ntwelve_chars\nthe last of the lines\n", "human human b human human"},
		{"the same, above", "twelve_chars\n", "human"},
		{"more between them", "the first of the lines\n}\n}\nreturn nil\nthe last of the lines\n", "human - - - human"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := linediff.Split([]byte(c.text))
			runs := make([]vector.Origin, len(lines))
			for i, l := range lines {
				runs[i] = vector.Origin{Start: i, Count: 1, Source: -1}
				if len(linediff.StripSpace(l)) >= Specific {
					runs[i].Source, runs[i].Owner = 0, vector.Owner{Kind: events.OwnerHuman}
				}
			}
			fill(runs, linediff.Keys(lines), was)
			if got := ownersOf(runs); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
