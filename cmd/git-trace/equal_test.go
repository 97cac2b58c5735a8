package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestEveryCommandTellsTheSame makes random histories whose conversations come from hooks, a backfill, an import and
// another clone, asks every command about them, and holds each figure against those of the others and against the
// truth. docs/testing.md says how to run one seed.
func TestEveryCommandTellsTheSame(t *testing.T) {
	t.Parallel()
	first, count := number("GITTRACE_EQUAL_SEED", 1), number("GITTRACE_EQUAL_SEEDS", testenv.Pick(1, 2, 50))
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := tell(t, int64(seed))
			if os.Getenv("GITTRACE_EQUAL_STAY") != "" { // for a look at the repository
				t.Logf("%s, home %s", c.dir, c.home)
				defer time.Sleep(time.Hour)
			}
			a := c.ask()
			for _, fault := range a.differences() {
				t.Error(fault)
			}
			if t.Failed() {
				for _, told := range a.stored() {
					t.Log(told)
				}
				t.Logf("seed %d:\n%s", seed, strings.Join(c.ran, "\n"))
			}
		})
	}
}

// Each command that shows figures has rows, and each of its rows is held against one of another command.
func TestEveryCommandWithFiguresHasRows(t *testing.T) {
	t.Parallel()
	others := map[string]map[string]bool{} // of a thing, the commands that tell it
	first := func(r row) string {
		command, _, _ := strings.Cut(r.command, " ")
		return command
	}
	for _, r := range equalRows {
		if others[r.thing] == nil {
			others[r.thing] = map[string]bool{}
		}
		others[r.thing][first(r)] = true
	}
	for _, command := range []string{"log", "show", "stats", "graph", "diff", "report", "quality", "track", "search", "blame"} {
		if !slices.ContainsFunc(equalRows, func(r row) bool { return first(r) == command && len(others[r.thing]) > 1 }) {
			t.Errorf("no figure of git trace %s is held against another command's", command)
		}
	}
}

// differences holds the figures of each thing against each other, subject by subject. The truth comes first.
func (a *allAnswers) differences() []string {
	var out []string
	byThing := map[string][]row{}
	var things []string
	for _, r := range equalRows {
		if byThing[r.thing] == nil {
			things = append(things, r.thing)
		}
		byThing[r.thing] = append(byThing[r.thing], r)
	}
	for _, thing := range things {
		told := map[string]map[string]string{} // by subject and command
		for _, r := range byThing[thing] {
			for subject, figure := range r.read(a) {
				if told[subject] == nil {
					told[subject] = map[string]string{}
				}
				told[subject][r.command] = figure
			}
		}
		for _, subject := range sortedNames(told) {
			base := byThing[thing][0]
			for _, r := range byThing[thing] {
				if _, tells := told[subject][r.command]; tells {
					base = r
					break
				}
			}
			for _, r := range byThing[thing] {
				figure, tells := told[subject][r.command]
				if tells && figure != told[subject][base.command] {
					out = append(out, fmt.Sprintf("%s of %s: %s says %s, %s says %s", thing, a.named(subject), base.command, told[subject][base.command], r.command, figure))
				}
			}
		}
	}
	return out
}

// stored are the prompts of each conversation as the log and the record have them: what a failure may come from is gone
// afterwards.
func (a *allAnswers) stored() []string {
	byTrace := map[string][]string{}
	for line := range strings.Lines(a.tale.run("git-trace", "events", "--json", "--type", "prompt_submitted")) {
		var e struct {
			Seq   int
			Trace string
			Data  struct {
				Index  int
				Native string
			}
		}
		a.tale.must(json.Unmarshal([]byte(line), &e))
		byTrace[e.Trace] = append(byTrace[e.Trace], fmt.Sprintf("@%d prompt %d %s", e.Seq, e.Data.Index, e.Data.Native))
	}
	var out []string
	for _, trace := range sortedNames(a.show) {
		told := a.named(trace) + ": " + strings.Join(byTrace[trace], ", ")
		if r := a.show[trace].Record; r != nil {
			told += fmt.Sprintf("; record with prompts at steps %s", r.Metadata["prompts"])
		}
		out = append(out, told)
	}
	return out
}

func sortedNames[V any](m map[string]V) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// named is a conversation with its agent and session.
func (a *allAnswers) named(subject string) string {
	for _, t := range a.tale.talks {
		if trace, rest, _ := strings.Cut(subject, "#"); trace == t.trace() {
			return fmt.Sprintf("%.8s#%s (%s %s)", subject, rest, t.agent, t.id)
		}
	}
	return subject
}
