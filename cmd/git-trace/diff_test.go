package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
)

// toldDiff is what `git trace diff --json` says, as far as it is compared.
type toldDiff struct {
	Totals struct {
		Added, Removed struct{ Lines, AI, Mixed, Human, Unknown int }
	}
	Files []struct {
		Path    string
		OldPath string `json:"old_path"`
		Runs    []struct {
			Side         string
			Start, Count int
			toldOwner
			Prompt int
		}
	}
	Conversations []struct {
		Trace                         string
		Added, Removed, Written, Gone int
	}
}

// toldOwner is who wrote a line, as diff and blame tell it.
type toldOwner struct {
	Commit, Contributor, Trace, Agent, Evidence, Patch string
}

// diffForms are diffs, each with the revisions that blame is asked for on its two sides. "" is the work tree.
var diffForms = []struct {
	words    []string
	old, new string
}{
	{[]string{"HEAD"}, "HEAD", ""},
	{[]string{"HEAD~1", "HEAD"}, "HEAD~1", "HEAD"},
	{[]string{"HEAD~3..HEAD"}, "HEAD~3", "HEAD"},
	{[]string{"HEAD~2...HEAD"}, "HEAD~2", "HEAD"},
	{[]string{"HEAD~4"}, "HEAD~4", ""},
	{[]string{"HEAD", "HEAD~3"}, "HEAD", "HEAD~3"},
	{[]string{"HEAD^!"}, "HEAD~1", "HEAD"},
	{[]string{"-R", "HEAD~2", "HEAD"}, "HEAD", "HEAD~2"},
	{[]string{"-w", "--patience", "HEAD~3", "HEAD"}, "HEAD~3", "HEAD"},
	{[]string{"-U0", "--no-renames", "HEAD~5", "HEAD"}, "HEAD~5", "HEAD"},
	{nil, "-", ""},
	{[]string{"--cached"}, "HEAD", "-"},
	{[]string{emptyTree, "HEAD"}, "-", "HEAD"},
	{[]string{emptyTree + "..HEAD~3"}, "-", "HEAD~3"},
	{[]string{emptyTree}, "-", ""},
	{[]string{"-R", emptyTree, "HEAD~2"}, "HEAD~2", "-"},
	{[]string{"HEAD~2^{tree}", "HEAD"}, "-", "HEAD"},
}

// emptyTree has no files: what a commit without a parent is compared with.
var emptyTree = refs.SHA1.EmptyTree().String()

// TestDiffTellsWhatBlameTells holds each line of diffs of random histories against blame of the side that has it, the
// sums against git's, and what is shown without its margin against git's own patch.
func TestDiffTellsWhatBlameTells(t *testing.T) {
	t.Parallel()
	first, count := number("GITTRACE_DIFF_SEED", 1), number("GITTRACE_DIFF_SEEDS", testenv.Pick(1, 2, 200))
	lines := 0
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := tell(t, int64(seed))
			d := &diffJudge{tale: c, blamed: map[string][]toldLine{}}
			for _, form := range testenv.Some(diffForms, 3) {
				if slices.ContainsFunc(append(form.words, form.old, form.new), func(rev string) bool {
					return strings.HasPrefix(rev, "HEAD") && !strings.ContainsAny(rev, ".!") && d.fails("git", "rev-parse", "-q", "--verify", rev)
				}) {
					continue
				}
				if slices.Contains(form.words, "HEAD^!") && !d.fails("git", "rev-parse", "-q", "--verify", "HEAD^2") {
					continue // a merge: git diff compares it with all of its parents
				}
				lines += d.judge(form.words, form.old, form.new)
			}
		})
	}
	if lines == 0 {
		t.Error("no line was compared")
	}
}

// diffJudge compares.
type diffJudge struct {
	*tale
	blamed map[string][]toldLine
}

type toldLine struct {
	toldOwner
	Prompt *struct{ Index int }
}

func (d *diffJudge) fails(name string, args ...string) bool {
	_, _, err := d.tryInput(nil, name, args...)
	return err != nil
}

func (d *diffJudge) blame(rev, path string) []toldLine {
	key := rev + ":" + path
	if list, known := d.blamed[key]; known {
		return list
	}
	args := []string{"blame", "--json"}
	if rev != "" {
		args = append(args, rev)
	}
	var told struct{ Lines []toldLine }
	d.must(json.Unmarshal([]byte(d.run("git-trace", append(args, "--", path)...)), &told))
	d.blamed[key] = told.Lines
	return told.Lines
}

// judge compares one diff, and tells how many lines were held against blame.
func (d *diffJudge) judge(words []string, old, now string) (lines int) {
	d.t.Helper()
	var told toldDiff
	d.must(json.Unmarshal([]byte(d.run("git-trace", append([]string{"diff", "--json"}, words...)...)), &told))
	added, removed := 0, 0
	for row := range strings.Lines(d.run("git", append([]string{"diff", "--numstat"}, words...)...)) {
		fields := strings.Split(row, "\t")
		if len(fields) < 3 { // of the patch that -U asks for, too; of a file that differs in white space alone
			continue
		}
		a, _ := strconv.Atoi(fields[0])
		r, _ := strconv.Atoi(fields[1])
		added, removed = added+a, removed+r
	}
	if told.Totals.Added.Lines != added || told.Totals.Removed.Lines != removed {
		d.t.Errorf("seed %d: diff %q: +%d -%d, git counts +%d -%d", d.seed, words, told.Totals.Added.Lines,
			told.Totals.Removed.Lines, added, removed)
	}
	sums := map[string][2]int{}
	for _, f := range told.Files {
		for _, r := range f.Runs {
			rev, path, at := now, f.Path, 0
			if r.Side == "old" {
				rev, at = old, 1
				if f.OldPath != "" {
					path = f.OldPath
				}
			}
			s := sums[r.Trace]
			s[at] += r.Count
			sums[r.Trace] = s
			if rev == "-" {
				continue
			}
			for n := r.Start; n < r.Start+r.Count; n++ {
				list := d.blame(rev, path)
				if n > len(list) {
					d.t.Fatalf("seed %d: diff %q: %s has no line %d", d.seed, words, path, n)
				}
				want := list[n-1]
				prompt := 0
				if want.Prompt != nil {
					prompt = want.Prompt.Index
				}
				if lines++; r.toldOwner != want.toldOwner || r.Prompt != prompt {
					d.t.Errorf("seed %d: diff %q: %s line %d of %q: %+v prompt %d, blame says %+v prompt %d", d.seed, words,
						path, n, rev, r.toldOwner, r.Prompt, want.toldOwner, prompt)
				}
			}
		}
	}
	for _, c := range told.Conversations {
		if got := sums[c.Trace]; got != [2]int{c.Added, c.Removed} {
			d.t.Errorf("seed %d: diff %q: %s has %v lines, its sum says +%d -%d", d.seed, words, c.Trace, got, c.Added, c.Removed)
		}
	}
	shown := withoutMargin(d.run("git-trace", append([]string{"diff", "--removed"}, words...)...))
	if want := d.run("git", append([]string{"diff"}, words...)...); shown != want {
		d.t.Errorf("seed %d: diff %q without its margin:\n%s\ngit's:\n%s", d.seed, words, shown, want)
	}
	return lines
}

// marginEnd is what ends the margin, behind the number of the line.
var marginEnd = regexp.MustCompile(`(?m)^.{0,40}? +\d* │ `)

// sumsBegin is the first line of the sums, with the blank line before it.
var sumsBegin = regexp.MustCompile(`(?m)^\n?[0-9,]+ files?(, \+[0-9,]+ −[0-9,]+| not tracked; .*)\n`)

// withoutMargin takes the margin off each line, and the sums off the end.
func withoutMargin(text string) string {
	if at := sumsBegin.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return marginEnd.ReplaceAllString(text, "")
}

// diffOptions are options of git diff, one row each; %s stands for two revisions. The table of options in package diff
// decides from which of them on git's own output is shown.
const diffOptions = `
-p|-u|-U0|-U1|-U20|--unified=2|-W|--function-context|--inter-hunk-context=3|--inter-hunk-context 3
-w|-b|--ignore-all-space|--ignore-space-change|--ignore-space-at-eol|--ignore-cr-at-eol|--ignore-blank-lines|-Ithree|-I three|--ignore-matching-lines=x
--minimal|--patience|--histogram|--diff-algorithm=myers|--diff-algorithm histogram|--anchored=three|--indent-heuristic|--no-indent-heuristic|-wU1
-M|-M90%|--find-renames|-C|-C -C|--find-copies-harder|--no-renames|--rename-empty|--no-rename-empty|-B|-B20%/60%|-D|-l5|-l 5
--raw|--numstat|--name-only|--name-status|--name-o|--shortstat|--summary|--compact-summary|--dirstat|-X|-X50|--cumulative|--dirstat-by-file|--stat|--stat=60|--stat=60,20|--stat-count=1|--stat-width=70|--stat --summary|-p --stat|--patch-with-stat|--patch-with-raw|-s|--no-patch|--quiet|--check|--exit-code|-z|-z --numstat|--raw -z
--word-diff|--word-diff=porcelain|--color-words|--word-diff-regex=.|--color|--color=never|--no-color|--color=always|--color-moved|--ws-error-highlight=all
--full-index|--abbrev=12|--abbrev|--no-abbrev|--binary|-a|--text|--src-prefix=x/|--dst-prefix y/|--no-prefix|--line-prefix=>|--output-indicator-new=*
-R|-R -w|-R --no-prefix|--relative|--no-relative|--relative=dir|--diff-filter=A|--diff-filter M|--diff-filter=d|-Sthree|-S three|-Gthree|-G three|--pickaxe-all -Sthree|--pickaxe-regex -Sth.ee|--find-object=HEAD:a
-O/dev/null|-O /dev/null|--rotate-to=dir/c|--skip-to=dir/c|--no-ext-diff|--ext-diff|--no-textconv|--textconv|--ignore-submodules|--submodule=log|--submodule=diff|--ita-invisible-in-index
--nosuch|--stat-width|-G|--diff-filter=!|--abbrev=x|--color=sometimes|--diff-algorithm=x|-U -- nosuch
`

// TestDiffTakesEveryOptionOfGits runs each option with git and with us: with --no-trace, the bytes and the status are
// git's. Without it they are, too, where another form of output is asked for; of a patch they are without its margin.
func TestDiffTakesEveryOptionOfGits(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	r := newRecorded(t)
	run := func(args ...string) (string, int) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = r.dir, append(r.environ(), "COLUMNS=80")
		out, err := cmd.Output()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	r.run("sh", "-c", `git branch -m main; mkdir dir; printf 'one\ntwo\nthree\n' >a; seq 30 >dir/c; printf '\000' >bin; printf 'odd\n' >"q\"t"; git add -A; git commit -qm old
		printf 'one\n two\nthree\nfour' >a; seq 5 40 >dir/d; git rm -q dir/c; printf '\000\001' >bin; printf 'odder\n' >"q\"t"; ln -s a link; git add -A; git commit -qm new
		printf 'one\ntwo \nfive\n' >a; echo x >>dir/d`)
	forms := [][]string{{"HEAD~1", "HEAD"}, {}}
	count, options := 0, 0
	for option := range strings.FieldsFuncSeq(diffOptions, func(c rune) bool { return c == '|' || c == '\n' }) {
		asked := forms
		if options++; !testenv.Long() { // one after the other
			asked = forms[options%len(forms):][:1]
		}
		for _, revs := range asked {
			args := append(strings.Fields(option), revs...)
			if at := slices.Index(args, "--"); at >= 0 {
				args = strings.Fields(option)
			}
			count++
			want, status := run(append([]string{"git", "diff"}, args...)...)
			if got, code := run(append([]string{"git-trace", "diff", "--no-trace"}, args...)...); got != want || code != usageStatus(status) {
				t.Errorf("diff --no-trace %q: status %d, git's is %d:\n%s\ngit's:\n%s", args, code, status, got, want)
			}
			got, code := run(append([]string{"git-trace", "diff"}, args...)...)
			if opts, err := diff.Parse(args); err == nil && !opts.Verbatim {
				if opts.Color == "always" { // it is drawn in other places
					continue
				}
				got = withoutMargin(got)
			}
			if got != want || code != usageStatus(status) {
				t.Errorf("diff %q: status %d, git's is %d:\n%q\ngit's:\n%q", args, code, status, got, want)
			}
		}
	}
	if options < 125 || count < options {
		t.Errorf("%d diffs of %d options", count, options)
	}
}

// TestDiffStartsFewProcesses holds what a diff of two commits costs: one process for the patch, one for the history, and
// one for all files that several commits changed one after the other. Where a merge is among them git blames each.
func TestDiffStartsFewProcesses(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	files, commits := 20, 20
	if testenv.Long() {
		files, commits = 300, 40
	}
	r := newRecorded(t)
	r.run("sh", "-c", fmt.Sprintf("git add -A; git commit -qm base; for i in $(seq %d); do seq 30 >f$i; done; git add -A; git commit -qm files",
		files))
	for i := 1; i <= commits; i++ {
		r.run("sh", "-c", fmt.Sprintf("for i in $(seq %d %d %d); do echo %d >>f$i; done; git commit -qam %d", i, commits, files, i, i))
	}
	r.run("sh", "-c", "for i in 3 7; do sed -i '1s/.*/again/' f$i; git commit -qam again$i; done; git tag straight")
	r.run("sh", "-c", "git checkout -qb side HEAD~1; echo side >>f9; git commit -qam side; git checkout -q -; git merge -q --no-edit side")
	base := fmt.Sprintf("straight~%d", commits+2)
	r.run("git-trace", "diff", base, "HEAD")
	bin, count := testenv.TempDir(t), filepath.Join(testenv.TempDir(t), "count")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$*\" >>" + count + "\nexec " + git + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		most int
	}{
		{[]string{base, "straight"}, 3},
		{[]string{base + "...straight"}, 3},
		{[]string{"straight~1..straight"}, 2},
		{[]string{base, "HEAD"}, 2 + 3},
		{[]string{"--cached"}, 1},
		{[]string{"HEAD"}, 2}, // one for the files that are not tracked
	} {
		_ = os.Remove(count)
		cmd := exec.Command("git-trace", append([]string{"diff"}, row.args...)...)
		cmd.Dir, cmd.Env = r.dir, append(r.environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		started, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		// the configuration is read once, and again when it changed a moment ago
		if n := strings.Count(string(started), "\n") - strings.Count(string(started), " config -z --list"); n > row.most {
			t.Errorf("diff %q started git %d times, and may %d times:\n%s", row.args, n, row.most, started)
		}
	}
}
