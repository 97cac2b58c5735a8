package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// storedForm is where a form that git-trace stores, or a text that it installs, is told apart from the one before.
type storedForm struct {
	name string
	mark string // a commit that adds or takes away such a line changed the form; empty, any commit did
	in   []string
}

// storedForms are all of them, with the places where they were when there were others. A new form with a number of its
// own gets a row.
var storedForms = []storedForm{
	{"what the page on stored formats says", "", []string{"docs/format.md"}},
	{"what the page on records says of how they are stored", "refs/traces/records", []string{"docs/records.md"}},
	{"the texts of git's hooks", "", []string{"hooks/shim.go", "hooks/trailers.go"}},
	{"the receipt of git's hooks", `receiptVersion +=`, []string{"hooks"}},
	{"the hooks of Claude Code", "", []string{"agents/claudecode/install.go"}},
	{"the timeline of a work tree", `stateMagic +=`, []string{"trails"}},
	{"the snapshots of a work tree", `stateVersion +=|journalMagic +=`, []string{"trails"}},
	{"whose the lines of a content are", `codecVersion +=`, []string{"trails"}},
	{"the file and the copies of logs", `git-trace (copy|log) [0-9]`, []string{"events"}},
	{"the index of events", `storeVersion +=|digestVersion +=`, []string{"events"}},
	{"what a search without hooks found", `keptVersion +=`, []string{"correlate"}},
	{"how far a session file was read", `cursorVersion +=`, []string{"records"}},
	{"the index of conversations", `^const format = `, []string{"records/search"}},
	{"the list of recorded repositories", `git-trace recorded repository`, []string{"refs"}},
	{"git's answers to blame", `cacheMagic +=`, []string{"blame"}},
	{"git's configuration", `git-trace configuration`, []string{"refs"}},
	{"what the watcher remembers", `watchMemoryVersion +=`, []string{"cmd"}},
}

// ownHistory gives the commits of this repository, the first of them first, or skips the test where they are not here: in
// an archive of the source, or in a shallow clone.
func ownHistory(t *testing.T) []string {
	t.Helper()
	shallow, err := exec.Command("git", "-C", moduleRoot, "rev-parse", "--is-shallow-repository").Output()
	if err != nil {
		testenv.Forbids(t, "this is no clone: there are no earlier programs to build")
	}
	if strings.TrimSpace(string(shallow)) == "true" {
		testenv.Forbids(t, "this clone is shallow: there are no earlier programs to build")
	}
	return revList(t, "rev-list", "--reverse", "--topo-order", "HEAD")
}

func revList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", moduleRoot}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.Fields(string(out))
}

// changesOfForms are the commits that changed a stored form, in their order, each with what it changed.
func changesOfForms(t *testing.T, commits []string) (changes []string, what map[string][]string) {
	t.Helper()
	what = map[string][]string{}
	for _, form := range storedForms {
		args := []string{"log", "--format=%H"}
		if form.mark != "" {
			args = append(args, "-G"+form.mark)
		}
		found := revList(t, append(append(args, "--"), form.in...)...)
		if len(found) == 0 {
			t.Errorf("no commit made %s: the row of it is out of date", form.name)
		}
		for _, commit := range found {
			what[commit] = append(what[commit], form.name)
		}
	}
	changes = slices.Collect(maps.Keys(what))
	slices.SortFunc(changes, func(a, b string) int { return slices.Index(commits, a) - slices.Index(commits, b) })
	return changes, what
}

// Not every commit of the first days can be built: so many steps back a program is looked for.
const stepsBack = 6

// programBefore builds the last program before a commit, and tells of which commit it is. There is none before the
// first program.
func programBefore(t *testing.T, commits []string, change string) (commit, binary string) {
	t.Helper()
	at := slices.Index(commits, change)
	for i := at - 1; i >= max(0, at-stepsBack); i-- {
		if binary := buildPast(t, commits[i]); binary != "" {
			return commits[i], binary
		}
	}
	return "", ""
}

// buildPast builds git-trace as it was, in a clone of its own; "" where it cannot be built.
func buildPast(t *testing.T, commit string) string {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "source"), filepath.Join(dir, "git-trace")
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"git", "clone", "-q", "--shared", "--no-checkout", root, source},
		{"git", "-C", source, "checkout", "-q", "--detach", commit},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(source, "cmd", "git-trace")); err != nil {
		return ""
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags", "urfave_cli_no_docs", "-o", binary, "./cmd/git-trace")
	build.Dir = source
	out, err := build.CombinedOutput()
	switch said := string(out); {
	case err == nil:
		return binary
	case strings.Contains(said, "proxy") || strings.Contains(said, "dial tcp") || strings.Contains(said, "module lookup disabled"):
		testenv.Forbids(t, fmt.Sprintf("the modules of an earlier program cannot be had: %s", said))
	default:
		t.Logf("%s cannot be built: %s", commit[:8], said)
	}
	return ""
}
