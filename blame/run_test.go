package blame

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

func TestGitsRefusalsKeepTheirWordsAndGetTheRightStatus(t *testing.T) {
	t.Parallel()
	r := history(t)
	r.Write("deleted", "x\n")
	r.Commit("a file to be deleted")
	if err := os.Remove(filepath.Join(r.Dir, "deleted")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args, message string
		code          int
	}{
		{"nosuch", "no such path 'nosuch' in HEAD", 128},
		{"HEAD nosuch", "no such path nosuch in HEAD", 128},
		{"deleted", "Cannot lstat 'deleted': No such file or directory", 128},
		{"HEAD~99 sub.go", "bad revision 'HEAD~99'", 128},
		{"-L900,901 sub.go", "file sub.go has only 15 lines", 128},
		{"../elsewhere", "'../elsewhere' is outside repository at '" + r.Dir + "'", 128},
		{"--no-such-option sub.go", "unknown option `no-such-option'", 129},
		{"-Z sub.go", "unknown option `-Z'", 129},
		{"--show sub.go", "ambiguous option: show (could be --show-number or --show-email)", 129},
		{"-w", "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", 129},
		{"--reverse --contents contents.txt sub.go", "--contents and --reverse do not blend well.", 128},
	}
	for _, test := range tests {
		for _, format := range []string{"", "--json", "--porcelain", "--incremental", "--prompts"} {
			args := strings.Fields(format + " " + test.args)
			out, err := r.blame(r.Dir, &knows{}, Style{}, args...)
			var failure *gitblame.Failure
			if !errors.As(err, &failure) {
				t.Errorf("%s: error %v, output %q", args, err, out)
				continue
			}
			if out != "" || failure.ExitCode() != test.code || !same(failure.Error(), test.message) {
				t.Errorf("%s: status %d %q, output %q; want %d %q", args, failure.ExitCode(), failure, out, test.code, test.message)
			}
		}
	}
}

// same compares messages by their first words, since git varies the rest.
func same(got, want string) bool {
	words := func(text string) string {
		return strings.Join(strings.Fields(text)[:min(2, len(strings.Fields(text)))], " ")
	}
	return words(got) == words(want)
}

func TestARepositoryWithoutCommitsHasNoFileButThoseOfTheWorkTree(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	_, err := r.blame(r.Dir, &knows{}, Style{}, "f")
	var failure *gitblame.Failure
	if !errors.As(err, &failure) || failure.ExitCode() == 129 || failure.Message == "" || !failure.NoCommit() {
		t.Errorf("error %v", err)
	}
}

func TestGitsWarningsArePassedOn(t *testing.T) {
	t.Parallel()
	r := history(t)
	r.Git("config", "color.blame.repeatedLines", "nocolour")
	var warnings strings.Builder
	opts, err := gitblame.Parse([]string{"sub.go"})
	if err != nil {
		t.Fatal(err)
	}
	opts.Stderr = &warnings
	if err := Run(context.Background(), r.Discover(r.Dir), r.Dir, opts, &knows{}, io.Discard, Style{}); err != nil {
		t.Fatal(err)
	}
	if want, _ := r.Try(r.Dir, "", "blame", "-p", "sub.go"); !strings.Contains(warnings.String(), "nocolour") {
		t.Skipf("this git does not warn: %.40s", want)
	}
}

// failing is a resolver that does not answer, or not for every line.
type failing struct{ err error }

func (f failing) Committed(context.Context, refs.OID, string, []int) ([]*Attribution, error) {
	return nil, f.err
}

func (f failing) Uncommitted(context.Context, string, []byte, []int) ([]*Attribution, error) {
	return nil, f.err
}

// stuck fails every write.
type stuck struct{}

var errStuck = errors.New("stuck")

func (stuck) Write([]byte) (int, error) { return 0, errStuck }

func TestWhatFailsIsReportedInEveryFormat(t *testing.T) {
	t.Parallel()
	r := history(t)
	broken := errors.New("log broken")
	for _, format := range []string{"--root", "--json", "--porcelain", "--line-porcelain", "--incremental", "--prompts", "-c"} {
		if out, err := r.blame(r.Dir, failing{broken}, Style{}, format, "sub.go"); !errors.Is(err, broken) || out != "" {
			t.Errorf("%s: a broken log gives %v and %q", format, err, out)
		}
		if _, err := r.blame(r.Dir, failing{}, Style{}, format, "sub.go"); err == nil {
			t.Errorf("%s: missing answers give no error", format)
		}
		opts, err := gitblame.Parse([]string{format, "sub.go"})
		if err != nil {
			t.Fatal(err)
		}
		k := &knows{lines: map[string]Attribution{}}
		for line := range 20 {
			k.lines[at(noCommit, "sub.go", line)] = claude
		}
		err = Run(context.Background(), r.Discover(r.Dir), r.Dir, opts, k, stuck{}, Style{})
		if !errors.Is(err, errStuck) {
			t.Errorf("%s: a failed write gives %v", format, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := Run(ctx, r.Discover(r.Dir), r.Dir, opts, k, io.Discard, Style{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled run gives %v", format, err)
		}
	}
}

func TestLinkedWorkTreesAndOtherDirectoriesBlameTheSame(t *testing.T) {
	t.Parallel()
	r := history(t)
	r.Git("worktree", "add", "-q", r.Dir+"-linked", "HEAD")
	t.Cleanup(func() { _ = os.RemoveAll(r.Dir + "-linked") })
	k := &knows{lines: map[string]Attribution{}}
	head := strings.TrimSpace(r.Git("rev-list", "-1", "HEAD", "--", "dir/lib.go"))
	id, err := refs.ParseOID(head)
	if err != nil {
		t.Fatal(err)
	}
	k.lines[at(id, "dir/lib.go", 9)] = claude
	want, err := r.blame(r.Dir, k, Style{}, "dir/lib.go")
	if err != nil || !strings.Contains(want, "claude-code 4f2a#3") {
		t.Fatalf("%v\n%s", err, want)
	}
	for _, place := range []struct{ dir, file string }{
		{r.Dir + "-linked", "dir/lib.go"}, {r.Dir + "-linked/dir", "lib.go"}, {r.Dir + "/dir", "../dir/lib.go"},
		{r.Dir + "/dir", r.Dir + "/dir/lib.go"},
	} {
		got, err := r.blame(place.dir, k, Style{}, place.file)
		if err != nil || got != want {
			t.Errorf("%s in %s: %v\n%s\nwant\n%s", place.file, place.dir, err, got, want)
		}
	}
}

func TestOnlyWhatAgentsWroteInGitsFormats(t *testing.T) {
	t.Parallel()
	r, k := screenRepo(t)
	for _, format := range []string{"--porcelain", "--line-porcelain"} {
		out, err := r.blame(r.Dir, k, Style{}, format, "--only-ai", "server.go")
		if err != nil {
			t.Fatal(err)
		}
		plain := readPorcelain(t, r.Git("blame", format, "server.go"))
		got := readPorcelain(t, out)
		if len(got.lines) != 2 || got.lines[2] != plain.lines[2] || got.lines[4] != plain.lines[4] ||
			got.text[4] != plain.text[4] {
			t.Errorf("%s: %v\n%s", format, got.lines, out)
		}
	}
	out, err := r.blame(r.Dir, k, Style{}, "--incremental", "--only-ai", "server.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := entriesOf(strings.NewReader(out), gitblame.Incremental)
	if err != nil || len(entries) != 2 || entries[0].Commit.Author.Name == "" || entries[1].Commit.Author.Name == "" {
		t.Errorf("%v: %d entries\n%s", err, len(entries), out)
	}
	for _, want := range []string{"trace-lines 4 1\n", "trace-lines 2 1\n", "trace-agent codex-cli\n", "trace-agent claude-code\n"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q %d times in\n%s", want, strings.Count(out, want), out)
		}
	}
}

func TestTheHeadersOfAGroupSayWhereItsOwnersChange(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("f", "one\ntwo\nthree\nfour\n")
	id := r.Commit("first")
	k := &knows{lines: map[string]Attribution{at(id, "f", 2): claude, at(id, "f", 3): claude, at(id, "f", 4): person}}
	out, err := r.blame(r.Dir, k, Style{}, "--porcelain", "--prompts", "f")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "trace-") || strings.HasPrefix(line, "\t") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"trace-contributor unknown", "one", "trace-contributor ai", "trace-id 4f2a9c01-1111-5111-8111-111111111111",
		"trace-agent claude-code", "trace-model claude-opus-4-5", "trace-session s-1", "trace-step 7", "trace-tool Edit",
		"trace-tool-call toolu_01", "trace-prompt 3",
		"trace-prompt-text close must be safe to call twice, and from any goroutine",
		"trace-patch 0123456789abcdef0123456789abcdef", "trace-evidence exact_blob", "trace-confidence high", "two", "three",
		"trace-contributor human", "trace-evidence exact_blob", "trace-confidence high", "four",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	incremental, err := r.blame(r.Dir, k, Style{}, "--incremental", "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"trace-lines 1 1\ntrace-contributor unknown\ntrace-lines 2 2\ntrace-contributor ai\n",
		"trace-lines 4 1\ntrace-contributor human\ntrace-evidence exact_blob\ntrace-confidence high\nfilename f\n",
	} {
		if !strings.Contains(incremental, want) {
			t.Errorf("%q is not in\n%s", want, incremental)
		}
	}
}

func TestAFileNameNeedNotBeUTF8(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const name = "caf\xe9.txt"
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte("one\n"), 0o666); err != nil {
		t.Skip("no such names here")
	}
	id := r.Commit("first")
	k := &knows{lines: map[string]Attribution{at(id, name, 1): claude}}
	out, err := r.blame(r.Dir, k, Style{}, "--json", name)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, compileSchema(t, "blame-1"), out)
	for _, want := range []string{
		`"path":"caf\ufffd.txt","path_base64":"Y2Fm6S50eHQ="`, `"original_path_base64":"Y2Fm6S50eHQ="`, `"agent":"claude-code"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
	git := r.Git("blame", "--porcelain", name)
	pass, err := r.blame(r.Dir, k, Style{}, "--porcelain", name)
	if err != nil || traceLine.ReplaceAllString(pass, "") != git || !strings.Contains(pass, "trace-agent claude-code\n") {
		t.Errorf("%v\n%s\ngit\n%s", err, pass, git)
	}
	screen, err := r.blame(r.Dir, k, Style{Terminal: true}, "-f", name)
	if err != nil || !strings.Contains(screen, "caf<E9>.txt  claude-code 4f2a#3") {
		t.Errorf("%v\n%s", err, screen)
	}
}
