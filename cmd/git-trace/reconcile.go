package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/reconcile"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func reconcileCommand() *command {
	return &command{
		Name: "reconcile",
		Does: "find the owners in commits that no hook reported",
		Form: "git trace reconcile [--all | <revision range>…] [--dry-run] [--json]",
		About: "Searches the commits without an anchor in the range (by default HEAD and its ancestors): commits\n" +
			"made with hooks switched off, rewritten, squashed on a server, made by another tool or in another\n" +
			"clone. If it finds owners for a commit's lines, it writes an anchor with the evidence of every\n" +
			"line. A second run finds nothing new.",
		Options: options("all", "dry-run", "json", "color"),
		Examples: []example{
			{"git trace reconcile --dry-run", "which commits no hook reported"},
		},
		Run:    (*app).reconcile,
		Traits: seals,
		Tries:  []string{"--dry-run", "--all"},
	}
}

const reconcileSchema = "git-trace.reconcile/1"

// reconciliation holds the findings of a run, in the form of --json.
type reconciliation struct {
	Schema   string             `json:"schema"`
	DryRun   bool               `json:"dry_run"`
	Commits  int                `json:"commits"`  // commits in the range
	Anchored int                `json:"anchored"` // commits that had an anchor before
	Found    []reconciledCommit `json:"found"`
}

// reconciledCommit is a commit for which the run found anchors.
type reconciledCommit struct {
	Commit   refs.OID `json:"commit"`
	Added    int      `json:"added"`
	AI       int      `json:"ai"`
	Human    int      `json:"human"`
	Unknown  int      `json:"unknown"`
	Evidence []string `json:"evidence"` // evidence tiers of its lines, best first
}

func (a *app) reconcile(c *call, ops operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	if !c.Bool("all") {
		if err := needsCommits(repo, ops.All()); err != nil {
			return err
		}
	}
	// this clone does not write the claims of other clones
	reader, err := a.open(c.Context, repo, view.Options{Own: true, LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	order := []string{"--reverse", "--topo-order"}
	nothing := reader.Untraced()
	if nothing {
		order = []string{"--max-count=1"}
	}
	commits, err := lookup.Commits(c.Context, repo, ops.All(), c.Bool("all"), order...)
	if err != nil {
		return err
	}
	if len(commits) == 0 && c.Bool("all") {
		return exit.Fail(exit.Git, lookup.ErrNoCommits, "")
	}
	if nothing {
		a.hintNothing(repo)
		commits = nil
	}
	shown := a.line.Progress("searching commits")
	debug.SetGCPercent(countGrowth)
	found, anchored, err := reconcile.Find(c.Context, reader.Searcher(), reader.Log(), commits, shown.At)
	shown.Clear()
	if err != nil {
		return err
	}
	r := &reconciliation{Schema: reconcileSchema, Commits: len(commits), Anchored: anchored, Found: []reconciledCommit{},
		DryRun: c.Bool("dry-run")}
	for i := range found {
		r.take(&found[i])
	}
	if !r.DryRun {
		if err := reconcile.Write(c.Context, events.OpenLog(repo), found); err != nil {
			return exit.Fail(exit.Unchecked, err, "the next run writes the owners that were found")
		}
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), r)
	}
	return r.report(terminal.Quietly(a.std.out))
}

func (r *reconciliation) take(data *events.CommitData) {
	one := reconciledCommit{
		Commit: data.Commit, Added: data.Added, AI: data.AI, Human: data.Human, Unknown: data.Unknown, Evidence: []string{},
	}
	for _, tier := range correlate.Tiers() {
		if slices.ContainsFunc(data.Files, func(f events.AnchorFile) bool {
			return slices.ContainsFunc(f.Runs, func(run events.AnchorRun) bool {
				return run.Tier == tier && data.Owners[run.Owner].Kind != events.OwnerUnknown
			})
		}) {
			one.Evidence = append(one.Evidence, tier)
		}
	}
	r.Found = append(r.Found, one)
}

func (r *reconciliation) report(w io.Writer) error {
	var out strings.Builder
	for _, c := range r.Found {
		fmt.Fprintf(&out, "%.10s  +%d: %d by agents, %d by people, %d unknown  (%s)\n", c.Commit, c.Added, c.AI, c.Human,
			c.Unknown, strings.Join(c.Evidence, ", "))
	}
	verb := "written"
	if r.DryRun {
		verb = "found, not written"
	}
	fmt.Fprintf(&out, "%s, %d with an anchor; anchors of %d %s\n", numbers.Count(r.Commits, "commit"), r.Anchored,
		len(r.Found),
		verb)
	_, err := io.WriteString(w, out.String())
	return err
}
