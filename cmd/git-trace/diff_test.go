package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
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
}

// TestDiffTellsWhatBlameTells holds each line of diffs of random histories against blame of the side that has it, the
// sums against git's, and what is shown without its margin against git's own patch.
func TestDiffTellsWhatBlameTells(t *testing.T) {
	t.Parallel()
	first, count := number("GITTRACE_DIFF_SEED", 1), number("GITTRACE_DIFF_SEEDS", 3)
	if testenv.Long() {
		count = max(count, 50)
	}
	lines := 0
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := tell(t, int64(seed))
			d := &diffJudge{tale: c, blamed: map[string][]toldLine{}}
			for _, form := range diffForms {
				if form.old != "" && form.old != "-" && d.fails("git", "rev-parse", "-q", "--verify", form.old) ||
					form.new != "" && form.new != "-" && d.fails("git", "rev-parse", "-q", "--verify", form.new) {
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

// withoutMargin takes the margin off each line, and the sums off the end.
func withoutMargin(text string) string {
	if at := strings.LastIndex(text, "\n\n"); at >= 0 && strings.Contains(text[at:], " −") {
		text = text[:at+1]
	}
	return marginEnd.ReplaceAllString(text, "")
}
