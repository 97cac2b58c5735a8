package correlate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

func TestLinesThatTwoListsHaveInCommon(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 71))
		some := func() (list []linediff.Range, lines [20]bool) {
			for at := random.IntN(3); at < 14; at += 1 + random.IntN(3) {
				r := linediff.Range{Start: at, End: at + 1 + random.IntN(4)}
				list, at = append(list, r), r.End
				for line := r.Start; line < r.End; line++ {
					lines[line] = true
				}
			}
			return list, lines
		}
		a, inA := some()
		b, inB := some()
		var got [20]int
		for _, r := range overlapOf(a, b) {
			if r.Start >= r.End {
				t.Fatalf("seed %d: an empty range", seed)
			}
			for line := r.Start; line < r.End; line++ {
				got[line]++
			}
		}
		for line, n := range got {
			if want := inA[line] && inB[line]; n > 1 || (n == 1) != want {
				t.Fatalf("seed %d: line %d of %v and %v: %d times", seed, line, a, b, n)
			}
		}
	}
}

func TestWhichLineOfARebaseIsAPick(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("5e", 20)
	for line, want := range map[string]bool{
		"pick " + id + " # a subject": true, "p " + id: true, "pick " + id + "\n": true, "pick": false, "pick 5e5e x": false, "edit " + id: false,
		"fixup " + id: false, id + " pick": false, "": false, "# pick " + id: false, "pick -C " + id: false,
	} {
		if from, ok := pickOf(line); ok != want || ok && from.String() != id || !ok && !from.IsZero() {
			t.Errorf("%q: %s, %v", line, from, ok)
		}
	}
}

// git numbers the commands of a rebase that it has done, comments and empty lines left out.
func TestWhatTheCommandsOfARebasePicked(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1a", 20), strings.Repeat("2b", 20)
	for name, tt := range map[string]struct {
		picking, began, done string
		want                 map[int]string
	}{
		"two picks":                        {"7 1 2\nb\n", "b\n", "pick " + one + " x\npick " + two + " y\n", map[int]string{1: one, 2: two}},
		"a comment and an empty line":      {"7 1 2\nb\n", "b", "# x\n\npick " + one + "\n", map[int]string{1: one}},
		"another command has a number too": {"7 1 2\nb\n", "b", "exec make\npick " + one + "\nzap\npick " + two + "\n", map[int]string{2: one, 4: two}},
		"nothing was done":                 {"7 1 2\nb\n", "b", "", map[int]string{}},
		"the notes are another rebase's":   {"7 1 2\nc\n", "b", "pick " + one + "\n", nil},
		"the notes name none":              {"7 1 2\n\n", "", "pick " + one + "\n", nil},
		"nothing was announced":            {"", "b", "pick " + one + "\n", nil},
		"as much as is read, or more":      {"7 1 2\nb\n", "b", "pick " + one + "\n" + strings.Repeat("#", maxTodo), nil},
	} {
		repo := &refs.Repo{GitDir: t.TempDir()}
		write := func(path, text string) {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if tt.picking != "" {
			write(pickingFile(repo), tt.picking)
		}
		write(rebaseFile(repo, "orig-head"), tt.began)
		write(rebaseFile(repo, "done"), tt.done)
		got := commandsDone(repo)
		same := len(got) == len(tt.want) && (got == nil) == (tt.want == nil)
		for number, id := range tt.want {
			same = same && got[number].String() == id
		}
		if !same {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
