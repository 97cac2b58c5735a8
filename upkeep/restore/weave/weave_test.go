package weave

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

// play weaves contents, one word a line. A step that begins with a star is the writer's.
func play(t *testing.T, contents ...string) *Weave {
	t.Helper()
	split := func(text string) [][]byte {
		var out [][]byte
		for _, word := range strings.Fields(text) {
			out = append(out, []byte(word))
		}
		return out
	}
	before := split(contents[0])
	w := New(before)
	for _, step := range contents[1:] {
		text, mine := strings.CutPrefix(step, "*")
		next := split(text)
		var hunks []Hunk
		for _, h := range linediff.Diff(before, next, linediff.Options{Minimal: true}).Hunks {
			hunks = append(hunks, Hunk{h, mine})
		}
		w.Step(hunks, next, func(int) Whose { return NotKnown })
		if got := w.now(); len(got) != len(next) {
			t.Fatalf("the weave has %q after %q", got, step)
		}
		before = next
	}
	return w
}

func words(r Result) string {
	var out []string
	for _, l := range r.Lines {
		out = append(out, string(l))
	}
	return strings.Join(out, " ")
}

func TestAWritersChangesGo(t *testing.T) {
	t.Parallel()
	const begin, middle, end = "<<<<<<< now", "=======", ">>>>>>> without"
	for name, c := range map[string]struct {
		steps []string
		want  string
	}{
		"nothing came later":                       {[]string{"a b c", "*a x c"}, "a b c"},
		"a line was added above and below":         {[]string{"a b c", "*a x c", "n a x c m"}, "n a b c m"},
		"a line was added right before and behind": {[]string{"a b c", "*a x c", "a n x m c"}, "a n b m c"},
		"a line was added within added lines":      {[]string{"a b", "*a x y b", "a x n y b"}, "a n b"},
		"added lines are gone already":             {[]string{"a b", "*a x b", "a b n"}, "a b n"},
		"the change was taken back by hand":        {[]string{"a b c", "*a x c", "a b c n"}, "a b c n"},
		"the writer changed their own line again":  {[]string{"a b c", "*a x c", "n a x c", "*n a y c"}, "n a b c"},
		"the line before removed lines was changed": {[]string{"a b c", "*a c", "n c"},
			"n b c"},
		"somebody changed a line of the writer": {[]string{"a b c", "*a x c", "a y c"},
			"a " + begin + " y " + middle + " b " + end + " c"},
		"somebody changed one of many new lines": {[]string{"a b", "*a x y z b", "a x n z b"},
			"a " + begin + " n " + middle + " " + end + " b"},
		"somebody removed what stood for a line": {[]string{"a b c", "*a x c", "a c"},
			"a " + begin + " " + middle + " b " + end + " c"},
		"it was changed twice before it was removed": {[]string{"a b c", "*a x c", "*a y c", "a c"},
			"a " + begin + " " + middle + " b " + end + " c"},
		"somebody removed a part of what stood for a line": {[]string{"a b c", "*a x y c", "a x c"}, "a b c"},
		"somebody wrote where lines were removed": {[]string{"a b c", "*a c", "a n c"},
			"a " + begin + " n " + middle + " b " + end + " c"},
		"somebody replaced the lines around removed ones": {[]string{"a b c d e", "*a b d e", "a n e"},
			"a " + begin + " n " + middle + " c " + end + " e"},
		"somebody wrote between lines that replaced others": {[]string{"a b c", "*a x y c", "a x n y c"},
			"a " + begin + " x n y " + middle + " b " + end + " c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := words(play(t, c.steps...).Without(Labels{"now", "without"})); got != c.want {
				t.Errorf("%q: got %q, want %q", c.steps, got, c.want)
			}
		})
	}
}

// Lines that the writer only moved or indented are somebody else's. They go from their new place only if they come back
// to the old one.
func TestLinesOfOthersAreNotLost(t *testing.T) {
	t.Parallel()
	step := func(w *Weave, next []string, whose Whose, hunks ...linediff.Hunk) {
		var text [][]byte
		for _, l := range next {
			text = append(text, []byte(l))
		}
		var own []Hunk
		for _, h := range hunks {
			own = append(own, Hunk{h, true})
		}
		w.Step(own, text, func(int) Whose { return whose })
	}
	a := []byte("a")
	for name, back := range map[string]bool{"they come back in another file": true, "they do not come back": false} {
		w := New([][]byte{a})
		step(w, []string{"a", "moved"}, Anothers, linediff.Hunk{OldStart: 1, NewStart: 1, NewCount: 1})
		w.Keep(map[string]bool{"moved": back})
		want := "a moved"
		if back {
			want = "a"
		}
		if got := words(w.Without(Labels{})); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	w := New([][]byte{a, []byte("b")})
	step(w, []string{"a", " b"}, Anothers, linediff.Hunk{OldStart: 1, OldCount: 1, NewStart: 1, NewCount: 1})
	w.Keep(nil)
	if got := words(w.Without(Labels{})); got != "a b" {
		t.Errorf("an indented line: got %q", got)
	}
	w = New([][]byte{a, []byte("b")})
	step(w, []string{"a", "x"}, Mine, linediff.Hunk{OldStart: 1, OldCount: 1, NewStart: 1, NewCount: 1})
	for i, next := range []string{"b", "x"} { // taken back by hand, and that taken back
		w.Step([]Hunk{{linediff.Hunk{OldStart: 1, OldCount: 1, NewStart: 1, NewCount: 1}, false}},
			[][]byte{a, []byte(next)}, func(int) Whose { return []Whose{Anothers, Mine}[i] })
	}
	if r := w.Without(Labels{}); words(r) != "a b" {
		t.Errorf("a line that came back by a restore: got %q", words(r))
	}
	w.Step(nil, [][]byte{a, []byte("\tx")}, func(int) Whose { return NotKnown })
	w.Owned(func(i int) bool { return i == 1 })
	if r := w.Without(Labels{}); r.Conflicts != 1 {
		t.Errorf("a line that another owner has by now: %q", words(r))
	}
}

// truth is a line of a random history, with what happened to it.
type truth struct {
	word    string
	writer  int
	removed int // by whom; -1 for nobody
}

// TestWhatIsLeftIsTheHistoryWithoutTheWriter plays random histories of several writers in one file. Wherever no
// conflict is told, the file is what the others would have made of it alone.
func TestWhatIsLeftIsTheHistoryWithoutTheWriter(t *testing.T) {
	t.Parallel()
	clean, conflicts := 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 43))
		var all []*truth
		var contents []string
		var now []int // places of the lines that are there
		look := func(mine bool) {
			now = now[:0]
			text := ""
			if mine {
				text = "*"
			}
			for i, l := range all {
				if l.removed < 0 {
					now = append(now, i)
					text += l.word + " "
				}
			}
			contents = append(contents, text)
		}
		for i := range 4 + r.IntN(12) {
			all = append(all, &truth{fmt.Sprintf("b%d", i), 9, -1})
		}
		look(false)
		for step := range 2 + r.IntN(8) {
			writer := r.IntN(4)
			at := r.IntN(len(now) + 1)
			place := len(all)
			if at < len(now) {
				place = now[at]
			}
			if writer != 0 && at < len(now) && all[place].writer == 0 { // the line stands for what was there before it
				from := 0
				if at > 0 {
					from = now[at-1] + 1
				}
				if i := slices.IndexFunc(all[from:place], func(l *truth) bool { return l.writer != 0 && l.removed == 0 }); i >= 0 {
					place = from + i
				}
			}
			for i := at; i < min(len(now), at+r.IntN(3)); i++ {
				all[now[i]].removed = writer
				place = now[i] + 1
			}
			for i := range r.IntN(3) {
				all = slices.Insert(all, place+i, &truth{fmt.Sprintf("w%d.%d.%d", writer, step, i), writer, -1})
			}
			look(writer == 0)
		}
		result := play(t, contents...).Without(Labels{"now", "without"})
		got, want := words(result), ""
		for _, l := range all {
			others := l.writer != 0
			if others && l.removed < 1 { // nobody removed it, or the writer
				want += l.word + " "
			}
			if n := strings.Count(" "+got+" ", " "+l.word+" "); others && l.removed < 1 && n != 1 {
				t.Fatalf("seed %d: %q of another writer is there %d times: %q\n%q", seed, l.word, n, got, contents)
			}
		}
		if result.Conflicts > 0 {
			conflicts++
			continue
		}
		if clean++; got != strings.TrimSpace(want) {
			t.Fatalf("seed %d: got %q, want %q\n%q", seed, got, want, contents)
		}
	}
	if clean < 1500 || conflicts < 200 {
		t.Errorf("%d histories without a conflict, %d with one", clean, conflicts)
	}
	t.Logf("%d histories without a conflict, %d with one", clean, conflicts)
}

// now returns the lines that the file has after the last step.
func (w *Weave) now() [][]byte {
	var out [][]byte
	for _, l := range w.lines {
		if !l.gone {
			out = append(out, l.text)
		}
	}
	return out
}
