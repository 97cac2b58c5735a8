package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/view"
)

func uninstallCommand() *command {
	return &command{
		Name: "uninstall",
		Does: "stop recording and remove every hook",
		Form: "git trace uninstall [--agent <name>]… [--global | --project-settings] [--dry-run] " +
			"[--purge [--yes]]",
		About:   "Restores the former hooks. Recorded data stays, and is listed; --purge removes it too.",
		Options: options("agent", "global", "project-settings", "purge", "yes", "dry-run"),
		Examples: []example{
			{"git trace uninstall --dry-run", "show the hooks it would remove, and the data that stays"},
		},
		Run:    (*app).uninstall,
		Traits: alone,
		Tries:  []string{"", "--dry-run", "--purge --yes"},
	}
}

// uninstall removes the agents' hooks. Without --agent and --global it also removes git's hooks, and recording ends.
// Before any change it asks whether to delete all data.
func (a *app) uninstall(c *call, _ operands) error {
	in, err := a.installation(c)
	if err != nil {
		return err
	}
	some := c.Bool("global") || c.Bool("project-settings") || len(c.StringSlice("agent")) > 0
	purge := c.Bool("purge")
	if some && purge {
		return exit.Usage("--purge deletes the data of all agents: it excludes --agent, --global and " +
			"--project-settings")
	}
	if purge {
		if err := a.tellDeletion(c.Context, in.repo); err != nil {
			return err
		}
	}
	if c.Bool("dry-run") {
		if n := a.planAgents(c.Context, in); n == 0 && some {
			a.nothingInstalled()
		}
		if some {
			return nil
		}
		actions, err := in.gitRemovals(c.Context)
		a.printActions(actions, "would ")
		return err
	}
	if purge && !c.Bool("yes") {
		if yes, err := a.confirm("delete them? it cannot be undone", "deletes"); err != nil || !yes {
			return err
		}
	}
	removed, err := a.removeAgents(c.Context, in)
	if err == nil && some && removed == 0 {
		a.nothingInstalled()
	}
	if err != nil || some {
		return err
	}
	if err := a.removeGitHooks(c.Context, in); err != nil {
		return err
	}
	was := recorded.Is(in.repo)
	if err := recorded.Remove(in.repo); err != nil {
		return fmt.Errorf("stop recording: %w", err)
	}
	if err := stayOut(c.Context, in.repo); err != nil {
		return err
	}
	if purge {
		return a.purge(c.Context, in.repo)
	}
	if was {
		fmt.Fprintln(a.std.out, "recording stopped")
	} else {
		fmt.Fprintln(a.std.out, "nothing is being recorded here")
	}
	a.tellKept(in.repo)
	return nil
}

func (a *app) nothingInstalled() {
	fmt.Fprintln(a.std.err, "git-trace: hint: there were no hooks of git-trace to remove")
}

// planAgents lists the hooks of agents that would be removed, and returns the number of agents.
func (a *app) planAgents(ctx context.Context, in *installation) (n int) {
	for _, agent := range in.agents {
		status, err := agent.Installer.Status(ctx, in.target)
		if err == nil && len(status.Present)+len(status.Stale) > 0 {
			fmt.Fprintf(a.std.out, "%-12s would remove the hooks in %s\n", agent.Name,
				cells.Message(relativeTo(a.dir, status.Settings)))
			n++
		}
	}
	return n
}

func (a *app) removeAgents(ctx context.Context, in *installation) (removed int, err error) {
	for _, agent := range in.agents {
		actions, err := agent.Installer.Remove(ctx, in.target)
		if err != nil {
			return removed, explainInstall(fmt.Errorf("%s: %w", agent.Name, err))
		}
		removed += len(actions)
		for _, action := range actions {
			a.printActions([]planned{{who: agent.Name, what: describeAction(action)}}, "")
		}
	}
	return removed, nil
}

// gitRemovals lists the effects of removing git's hooks.
func (in *installation) gitRemovals(ctx context.Context) ([]planned, error) {
	actions, err := in.hooks.PlanRemove(ctx)
	if err != nil {
		return nil, explainInstall(err)
	}
	return ofGit(actions), nil
}

func (a *app) removeGitHooks(ctx context.Context, in *installation) error {
	list, err := in.gitRemovals(ctx)
	if err != nil {
		return err
	}
	if _, err := in.hooks.Remove(ctx); err != nil {
		return explainInstall(err)
	}
	a.printActions(list, "")
	return nil
}

// tellDeletion prints how much --purge deletes.
func (a *app) tellDeletion(ctx context.Context, repo *refs.Repo) error {
	reader, err := a.open(ctx, repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	own, err := ownConversations(ctx, repo, reader.Log())
	if err != nil {
		return err
	}
	fmt.Fprintf(a.std.err, "%s and %s will be deleted, with all snapshots, records and typed prompts\n",
		numbers.Count(own, "conversation"), numbers.Count(int(reader.Log().Last()), "event"))
	return nil
}

// ownConversations counts the conversations of this clone, in its own log and records.
func ownConversations(ctx context.Context, repo *refs.Repo, log *view.Log) (int, error) {
	writer, err := events.OpenLog(repo).Writer()
	if err != nil {
		return 0, err
	}
	traces, err := log.Traces()
	if err != nil {
		return 0, err
	}
	own := map[events.TraceID]bool{}
	for i := range traces {
		if traces[i].Writer == writer {
			own[traces[i].ID] = true
		}
	}
	records := store.Open(repo)
	defer func() { _ = records.Close() }()
	list, err := records.List(ctx)
	for _, e := range list {
		if e.Own() {
			own[e.Trace] = true
		}
	}
	return len(own), err
}

// tellKept lists the data that stays, and how to remove it.
func (a *app) tellKept(repo *refs.Repo) {
	if _, err := repo.ReadRef(refs.EventsRef); err != nil {
		return
	}
	fmt.Fprintf(a.std.out, "kept: %s and %s\n", refs.EventsRef, cells.Message(relativeTo(a.dir, repo.TracesDir())))
	fmt.Fprintln(a.std.err, "git-trace: hint: git trace uninstall --purge deletes them")
}

// purge deletes the log and all other recorded data, in this repository and all its work trees.
func (a *app) purge(ctx context.Context, repo *refs.Repo) error {
	for _, ref := range []string{refs.EventsRef, refs.CheckpointsRef, refs.RecordsRef} {
		if _, err := repo.ReadRef(ref); err != nil {
			continue
		}
		if _, err := repo.Git(ctx, nil, "update-ref", "-d", ref); err != nil {
			return fmt.Errorf("delete %s: %w", ref, err)
		}
	}
	if err := events.OpenLog(repo).ForgetEnd(); err != nil {
		return fmt.Errorf("delete what is known of the log: %w", err)
	}
	dirs := []string{repo.TracesDir(), repo.WorktreeTracesDir()}
	linked, err := filepath.Glob(filepath.Join(refs.QuoteGlob(repo.CommonDir), "worktrees", "*", "traces"))
	if err == nil {
		dirs = append(dirs, linked...)
	}
	for _, dir := range dirs {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("delete %s: %w", dir, err)
		}
	}
	fmt.Fprintln(a.std.out, "recording stopped; everything recorded here is deleted")
	return nil
}
