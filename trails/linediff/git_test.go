package linediff_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

// agreement is the share of files whose hunk headers must equal those of `git diff -U0`. With git 2.39 all of them do;
// the margin is for other versions of git.
const agreement = 0.95

// Real sources, edited as people, agents and formatters edit them, give the hunks that git gives.
func TestHunksEqualThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(11, 12))
	type pair struct{ old, new []byte }
	pairs := map[string]pair{}
	for i, source := range sources(t) {
		old := linediff.Split(source)
		p := pair{source, join(edit(random, old))}
		name := fmt.Sprintf("%04d.txt", i)
		pairs[name] = p
		write(t, filepath.Join(dir, "old", name), p.old)
		write(t, filepath.Join(dir, "new", name), p.new)
	}

	want := gitHeaders(t, dir)
	equal := 0
	for name, p := range pairs {
		got := headers(linediff.Diff(linediff.Split(p.old), linediff.Split(p.new), linediff.Options{}).Hunks)
		if got == want[name] {
			equal++
		} else {
			t.Logf("%s: hunks %.300s\ngit says %.300s", name, got, want[name])
		}
	}
	share := float64(equal) / float64(len(pairs))
	t.Logf("%d of %d files agree", equal, len(pairs))
	if share < agreement {
		t.Errorf("hunks agree with git in %.1f %% of %d files, want %.1f %%", 100*share, len(pairs), 100*agreement)
	}
}

// A group of lines that can stand at several places stands where git puts it: by indentation, blank lines and the ends
// of the file. Many small texts of few lines have such groups.
func TestHunksOfSmallTextsEqualThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewPCG(13, 14))
	pool := []string{"", "", "a", "}", "\ta", "\t}", "\t\ta", "\t\t}", "    a", "        a", "  ", "\tb", "b", " a", "  \ta"}
	some := func(most int) (out [][]byte) {
		for range random.IntN(most + 1) {
			out = append(out, []byte(pool[random.IntN(len(pool))]))
		}
		return out
	}
	olds, news := map[string][][]byte{}, map[string][][]byte{}
	for i := range 1500 {
		old := some(12)
		at := random.IntN(len(old) + 1)
		to := at + random.IntN(len(old)-at+1)
		block := old[at:to]
		var new [][]byte
		switch random.IntN(4) {
		case 0:
			new = slices.Concat(old[:at], old[to:])
		case 1:
			new = slices.Concat(old[:to], block, old[to:]) // the same once more
		case 2:
			new = slices.Concat(old[:to], some(1), block, old[to:])
		case 3:
			new = slices.Concat(old[:at], some(4), old[to:])
		}
		name := fmt.Sprintf("%04d.txt", i)
		olds[name], news[name] = old, new
	}
	equalToGit(t, t.TempDir(), olds, news)
}

// equalToGit checks that texts have git's hunks.
func equalToGit(t *testing.T, dir string, olds, news map[string][][]byte) {
	t.Helper()
	for name := range olds {
		write(t, filepath.Join(dir, "old", name), join(olds[name]))
		write(t, filepath.Join(dir, "new", name), join(news[name]))
	}
	want, other := gitHeaders(t, dir), 0
	for name := range olds {
		script := linediff.Diff(olds[name], news[name], linediff.Options{})
		if got := headers(script.Hunks); got != want[name] {
			other++
			t.Logf("%s: %q → %q: hunks %s; git says %s", name, olds[name], news[name], got, want[name])
		}
	}
	if other > 2 { // another version of git may differ somewhere
		t.Errorf("hunks of %d of %d texts are not git's", other, len(olds))
	}
}

// Git does not look at most of a long end that both texts have, so that nothing slides into it.
func TestHunksBeforeALongCommonEndEqualThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewPCG(15, 16))
	olds, news := map[string][][]byte{}, map[string][][]byte{}
	for i := range 600 {
		var pool []string
		for _, letter := range []string{"a", "b", "c"}[:1+random.IntN(3)] {
			pool = append(pool, strings.Repeat(letter, random.IntN(260)))
		}
		some := func(n int) (out [][]byte) {
			for range n {
				out = append(out, []byte(pool[random.IntN(len(pool))]))
			}
			return out
		}
		end := some(random.IntN(30))
		if random.IntN(3) == 0 { // as long as a block that git leaves out, or a byte more or less
			rest := 1024*(1+random.IntN(2)) - 2 + random.IntN(4) - len(join(end))%1024
			end = append([][]byte{[]byte(strings.Repeat("a", max(0, rest)))}, end...)
		}
		unlike := [2][]byte{}
		if random.IntN(2) == 0 { // the last lines before it end alike
			unlike = [2][]byte{append([]byte("x"), pool[0]...), append([]byte("y"), pool[0]...)}
		}
		name := fmt.Sprintf("%04d.txt", i)
		olds[name] = slices.Concat(some(random.IntN(4)), [][]byte{unlike[0]}, end)
		news[name] = slices.Concat(some(random.IntN(4)), [][]byte{unlike[1]}, some(random.IntN(3)), end)
	}
	equalToGit(t, t.TempDir(), olds, news)
}

// Where much has changed git gives the search up at a cost, or at a long run of equal lines far ahead of it, and cuts
// there. So does this one, at the same places. Lines come back often enough not to be pruned, and seldom enough to be
// evidence.
func TestHunksOfLargeChangesEqualThoseOfGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(21, 22))
	text := func(n, words int) [][]byte {
		out := make([][]byte, n)
		for i := range out {
			out[i] = fmt.Appendf(nil, "line %d", random.IntN(words))
		}
		return out
	}
	olds, news := map[string][][]byte{}, map[string][][]byte{}
	for i := range 24 {
		size := 600 + random.IntN(1200)
		words, apart := size/2+random.IntN(size), []int{15, 150, 300}[i%3]
		var old, new [][]byte
		if i < 4 { // only of so many lines is a find ahead looked for before the search is given up
			size, words, apart = 70_000, 20_000, 1
			old, new = text([]int{150, 600}[i%2], words), text([]int{150, 600}[i%2], words)
		}
		for len(old) < size || len(new) < size {
			same := text(1+random.IntN(max(60, size/8)), words)
			old = append(append(old, text(random.IntN(apart+1), words)...), same...)
			new = append(append(new, text(random.IntN(apart+1), words)...), same...)
		}
		if i < 4 {
			old, new = append(old, text([]int{600, 150}[i/2], words)...), append(new, text([]int{600, 150}[i/2], words)...)
		}
		name := fmt.Sprintf("%02d.txt", i)
		olds[name], news[name] = old, new
		write(t, filepath.Join(dir, "old", name), join(old))
		write(t, filepath.Join(dir, "new", name), join(new))
	}
	want := gitHeaders(t, dir)
	capped := 0
	for name := range olds {
		script := linediff.Diff(olds[name], news[name], linediff.Options{})
		if got := headers(script.Hunks); got != want[name] {
			t.Errorf("%s: hunks %.200s\ngit says %.200s", name, got, want[name])
		}
		if script.Capped {
			capped++
		}
	}
	if capped < len(olds)/3 || capped == len(olds) {
		t.Errorf("the search was given up in %d of %d files", capped, len(olds))
	}
}

// sources reads some hundred files of the Go tree: code, assembly, text.
func sources(t *testing.T) [][]byte {
	t.Helper()
	var list [][]byte
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command is not installed")
	}
	for _, name := range []string{"go/parser", "net/http", "strconv", "runtime", "cmd/go/internal/load", "crypto/sha256"} {
		root := filepath.Join(string(bytes.TrimSpace(goroot)), "src", filepath.FromSlash(name))
		entries, err := os.ReadDir(root)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the sources of Go are not installed")
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, entry := range entries {
			if entry.IsDir() || i%3 != 0 {
				continue
			}
			content, err := os.ReadFile(filepath.Join(root, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if linediff.Terminated(content) {
				list = append(list, content)
			}
		}
	}
	return list
}

// edit makes a handful of changes to a copy of lines, of the kinds seen in real work.
func edit(random *rand.Rand, lines [][]byte) [][]byte {
	lines = append([][]byte(nil), lines...)
	for range 1 + random.IntN(12) {
		if len(lines) < 4 {
			break
		}
		at := random.IntN(len(lines))
		end := min(len(lines), at+1+random.IntN(12))
		block := append([][]byte(nil), lines[at:end]...)
		switch random.IntN(8) {
		case 0: // delete
			lines = append(lines[:at:at], lines[end:]...)
		case 1: // change a token
			lines[at] = append(bytes.TrimRight(lines[at], ";{"), " + 1"...)
		case 2: // repeat a block
			lines = insert(lines, end, block)
		case 3: // move a block
			lines = append(lines[:at:at], lines[end:]...)
			lines = insert(lines, random.IntN(len(lines)+1), block)
		case 4: // indent
			for i, line := range block {
				lines[at+i] = append([]byte("\t"), line...)
			}
		case 5: // write a function
			text := fmt.Sprintf("func f%d() {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n\n", random.IntN(100))
			lines = insert(lines, at, linediff.Split([]byte(text)))
		case 6: // blank lines
			lines = insert(lines, at, [][]byte{{}, {}}[:1+random.IntN(2)])
		case 7: // rewrite a block, keeping its braces
			for i, line := range block {
				if len(bytes.TrimSpace(line)) > 1 {
					lines[at+i] = fmt.Appendf(nil, "\tx%d := %d", random.IntN(1000), i)
				}
			}
		}
	}
	return lines
}

func insert(lines [][]byte, at int, block [][]byte) [][]byte {
	result := append([][]byte(nil), lines[:at]...)
	result = append(result, block...)
	return append(result, lines[at:]...)
}

func join(lines [][]byte) []byte {
	var content []byte
	for _, line := range lines {
		content = append(append(content, line...), '\n')
	}
	return content
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

var (
	fileLine = regexp.MustCompile(`(?m)^diff --git a/old/(\S+) `)
	hunkLine = regexp.MustCompile(`(?m)^@@ -\S+ \+\S+ @@`)
)

// gitHeaders asks git for the hunk headers between dir/old and dir/new, by file.
func gitHeaders(t *testing.T, dir string) map[string]string {
	t.Helper()
	git := exec.Command("git", "diff", "--no-index", "--no-color", "--no-ext-diff", "-U0", "old", "new")
	git.Dir = dir
	git.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+dir)
	out, err := git.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatal(err)
	}
	result := map[string]string{}
	starts := fileLine.FindAllSubmatchIndex(out, -1)
	for i, at := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		var list []string
		for _, header := range hunkLine.FindAll(out[at[0]:end], -1) {
			list = append(list, string(header))
		}
		result[string(out[at[2]:at[3]])] = strings.Join(list, ";")
	}
	return result
}
