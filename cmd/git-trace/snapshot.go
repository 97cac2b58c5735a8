package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// snapshotSchema names the form of the JSON output; docs/schema/snapshot-1.schema.json describes it.
const snapshotSchema = "git-trace.snapshot/1"

// Snapshots of this command have their own state, so they do not affect the timeline.
const (
	snapshotState = "snapshot.state"
	snapshotLock  = "snapshot.lock"
	snapshotWait  = time.Minute
)

func snapshotCommand() *command {
	return &command{
		Name: "snapshot",
		Does: "print the tree id of the whole work tree",
		Form: "git trace snapshot [--json]",
		About: "Prints the id of the tree that `git add -A && git write-tree` would give, without touching the\n" +
			"index. The tree is stored in git-trace's object store. The timeline of the work tree does not\n" +
			"change.",
		Options: options("json", "color"),
		Examples: []example{
			{"git trace snapshot", "the tree of the work tree as it is"},
		},
		Run:    (*app).snapshot,
		Traits: alone,
		Tries:  []string{""},
		Leaves: "writes the tree whose id it prints",
		Unseen: "the id of a tree, for programs",
	}
}

func (a *app) snapshot(c *call, _ operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	taken, err := takeSnapshot(c.Context, repo)
	if err != nil {
		return err
	}
	skipped := make([]string, 0, len(taken.Skipped))
	for _, path := range taken.Skipped {
		skipped = append(skipped, events.EncodePath(path))
	}
	out := terminal.Quietly(a.std.out)
	if c.Bool("json") {
		return writeJSON(out, struct {
			Schema  string   `json:"schema"`
			Tree    refs.OID `json:"tree"`
			Method  string   `json:"method"`
			Skipped []string `json:"skipped"`
		}{snapshotSchema, taken.Tree, taken.Method, skipped})
	}
	for _, path := range skipped {
		fmt.Fprintf(a.std.err, "git-trace: warning: could not be captured: %s\n", cells.Safe(path))
	}
	_, err = fmt.Fprintln(out, taken.Tree)
	return err
}

// takeSnapshot stores the present content of the work tree, and does not change the timeline.
func takeSnapshot(ctx context.Context, repo *refs.Repo) (snapshot.Snapshot, error) {
	lock, err := refs.Flock(filepath.Join(repo.WorktreeTracesDir(), snapshotLock), snapshotWait)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	defer lock.Unlock()
	engine, err := snapshot.Open(ctx, repo, filepath.Join(repo.WorktreeTracesDir(), snapshotState))
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	defer engine.Close()
	taken, err := engine.Full(ctx)
	if err != nil {
		return taken, err
	}
	return taken, engine.Save()
}
