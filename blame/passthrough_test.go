package blame

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

var traceLine = regexp.MustCompile(`(?m)^trace-[a-z-]+ .*\n`)

func TestWithoutItsHeadersThePassThroughIsGitsOutputByteForByte(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"--porcelain", "--line-porcelain", "--incremental"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			comparePassThrough(t, history(t), format, testenv.Some(blamerepo.Forms, 4))
		})
	}
	t.Run("other ways to say it", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		for _, words := range []string{"-p", "-wp", "--porc", "--line-p", "--inc", "--porcelain --incremental",
			"--incremental --line-porcelain", "--line-porcelain -p", "--incremental --no-inc -p", "-p --root --"} {
			comparePassThrough(t, r, words, blamerepo.Forms[:1])
		}
	})
	t.Run("SHA-256", func(t *testing.T) {
		t.Parallel()
		comparePassThrough(t, history(t, "--object-format=sha256"), "--porcelain", testenv.Some(blamerepo.Forms[:30], 4))
	})
	t.Run("hostile configuration", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		for _, entry := range strings.Fields(`color.ui=always blame.coloring=repeatedLines core.quotePath=false
			blame.showRoot=true blame.markIgnoredLines=true blame.markUnblamableLines=true blame.date=relative
			blame.showEmail=true diff.noprefix=true diff.mnemonicPrefix=true diff.algorithm=histogram
			diff.renames=copies core.pager=false pager.blame=true log.showSignature=true`) {
			key, value, _ := strings.Cut(entry, "=")
			r.Git("config", key, value)
		}
		r.Git("config", "diff.external", "false")
		for i, format := range []string{"--porcelain", "--line-porcelain", "--incremental"} {
			var some []blamerepo.Form
			for j := i; j < len(blamerepo.Forms); j += 3 {
				some = append(some, blamerepo.Forms[j])
			}
			comparePassThrough(t, r, format, testenv.Some(some, 4))
		}
	})
}

func comparePassThrough(t *testing.T, r *repo, format string, forms []blamerepo.Form) {
	t.Helper()
	r.Ask(t, format, forms, func(a blamerepo.Asked) {
		k := &knows{lines: map[string]Attribution{}}
		got, err := r.blameStdin(a.Dir, a.Stdin, k, Style{}, a.Args...)
		if a.Code != 0 {
			if err == nil || got != "" {
				t.Errorf("%s: git fails with %d\n%s\nwe print %q, error %v", a.Text, a.Code, a.Want, got, err)
			}
			return
		}
		if err != nil {
			t.Errorf("%s: %v", a.Text, err)
			return
		}
		// the time of lines not committed is now, and differs between two runs
		want, got := blamerepo.Clock.ReplaceAllString(a.Want, "$1"), blamerepo.Clock.ReplaceAllString(got, "$1")
		if stripped := traceLine.ReplaceAllString(got, ""); stripped != want {
			t.Errorf("%s: differs from git's\n--- git\n%s\n--- ours\n%s", a.Text, want, stripped)
		}
		if n := strings.Count(got, "\ntrace-contributor "); n == 0 && want != "" {
			t.Errorf("%s: no headers of ours", a.Text)
		}
	})
}

// reader is a reader of git's porcelain formats as others write them: it knows git's words and skips the rest.
type reader struct {
	lines map[int]string // final line to "commit:path:original line"
	text  map[int]string
}

// readPorcelain follows git-blame(1) to the letter, without any of the package's code.
func readPorcelain(t *testing.T, stream string) reader {
	t.Helper()
	position := regexp.MustCompile(`^([0-9a-f]{40,64}) (\d+) (\d+)(?: (\d+))?$`)
	r := reader{lines: map[int]string{}, text: map[int]string{}}
	paths := map[string]string{}
	commit, orig, final := "", 0, 0
	for _, line := range strings.Split(strings.TrimSuffix(stream, "\n"), "\n") {
		switch m := position.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "\t"):
			r.lines[final] = commit + ":" + paths[commit] + ":" + strconv.Itoa(orig)
			r.text[final] = line[1:]
		case m != nil:
			commit = m[1]
			orig, _ = strconv.Atoi(m[2])
			final, _ = strconv.Atoi(m[3])
		case strings.HasPrefix(line, "filename "):
			paths[commit] = strings.TrimPrefix(line, "filename ")
		}
	}
	return r
}

func TestReadersOfGitsFormatSkipTheHeaders(t *testing.T) {
	t.Parallel()
	r := history(t)
	for _, format := range []string{"--porcelain", "--line-porcelain"} {
		plain := readPorcelain(t, r.Git("blame", format, "-C", "-C", "dir/lib.go"))
		ours, err := r.blame(r.Dir, &knows{}, Style{}, format, "-C", "-C", "dir/lib.go")
		if err != nil {
			t.Fatal(err)
		}
		got := readPorcelain(t, ours)
		if len(plain.lines) != 10 || len(got.lines) != len(plain.lines) {
			t.Fatalf("%s: %d lines, git has %d", format, len(got.lines), len(plain.lines))
		}
		for n, want := range plain.lines {
			if got.lines[n] != want || got.text[n] != plain.text[n] {
				t.Errorf("%s: line %d is %s %q, git says %s %q", format, n, got.lines[n], got.text[n], want, plain.text[n])
			}
		}
	}
}

// forewarned counts how often it is told what it will be asked.
type forewarned struct {
	knows
	warnings int
}

func (f *forewarned) Expect(context.Context, []unseen.Question) error {
	f.warnings++
	return nil
}

// A question about commits without an anchor starts processes of git: one for each entry was 40 times git's own work.
func TestAnIncrementalBlameAsksForManyEntriesAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	text := ""
	for i := range 30 {
		text = fmt.Sprintf("line %d\n", i) + text
		r.Write("f", text)
		r.Commit(fmt.Sprintf("commit %d", i))
	}
	// An entry is waited for 50 ms at first and then longer: 30 of them take several such times on a very slow machine.
	k := &forewarned{}
	out, err := r.blame(r.Dir, k, Style{}, "--incremental", "f")
	if err != nil || strings.Count(out, "\nfilename f\n") != 30 {
		t.Fatalf("%d entries: %v\n%s", strings.Count(out, "\nfilename f\n"), err, out)
	}
	if k.warnings > 8 {
		t.Errorf("asked %d times for 30 entries", k.warnings)
	}
}

// Git's own graphical blame reads the incremental format with three patterns: an entry opens, a file name ends it,
// anything else of the shape "name value" is stored under its name.
func TestAnIncrementalReaderInTheMannerOfGitGuiFindsEveryEntry(t *testing.T) {
	t.Parallel()
	r := history(t)
	out, err := r.blame(r.Dir, &knows{}, Style{}, "--incremental", "sub.go")
	if err != nil {
		t.Fatal(err)
	}
	opening := regexp.MustCompile(`^([0-9a-f]{40}) (\d+) (\d+) (\d+)$`)
	ending := regexp.MustCompile(`^filename (.+)$`)
	other := regexp.MustCompile(`^([a-z-]+) (.*)$`)
	open, covered := false, 0
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		switch m := opening.FindStringSubmatch(line); {
		case m != nil:
			if open {
				t.Fatalf("an entry opens within another: %q", line)
			}
			open = true
			n, _ := strconv.Atoi(m[4])
			covered += n
		case ending.MatchString(line):
			if !open {
				t.Fatalf("a file name outside an entry: %q", line)
			}
			open = false
		case !other.MatchString(line) && line != "boundary":
			t.Errorf("a line that such a reader does not match: %q", line)
		case !open:
			t.Errorf("a header outside an entry: %q", line)
		}
	}
	if want := strings.Count(r.Read("sub.go"), "\n"); covered != want {
		t.Errorf("entries cover %d lines of %d", covered, want)
	}
}
