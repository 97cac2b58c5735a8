package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/sidestore"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view/lookup"
)

// gcSchema names the form of the JSON output; docs/schema/gc-1.schema.json describes it.
const gcSchema = "git-trace.gc/1"

func gcCommand() *command {
	return &command{
		Name: "gc",
		Does: "pack what was recorded and drop old snapshots",
		Form: "git trace gc [--dry-run] [--json]",
		About: "Seals the log, merges the parts of its seal, packs the contents of snapshots, and removes\n" +
			"contents of snapshots older than " + lookup.SnapshotExpiry + " (default " + keeping.DefaultExpire +
			") that are in no last snapshot, and typed prompts that are\n" +
			"older than " + keeping.PromptExpireKey + " (default " + keeping.DefaultPromptExpire +
			") and in no record. The log loses nothing. Sealing and packing\n" +
			"also happen in the background, when enough data waits; --auto does only that.\n" +
			"First it finishes an interrupted purge.",
		Options: options("dry-run", "auto", "json", "color"),
		Examples: []example{
			{"git trace gc --dry-run", "show what it would pack and remove"},
		},
		Run:    (*app).gc,
		Traits: alone,
		Shows:  []string{"--dry-run"},
		Waits:  "--json",
		Tries:  []string{"", "--auto"},
	}
}

// gcReport lists the work done; with DryRun, the work to do.
type gcReport struct {
	Schema string `json:"schema"`
	DryRun bool   `json:"dry_run"`
	Log    struct {
		Sealed int64 `json:"sealed"` // number of events; not counted with DryRun
		Merged int   `json:"merged"` // parts that were merged into others
	} `json:"log"`
	Snapshots struct {
		Before  string            `json:"before,omitempty"` // older snapshots may expire
		Expired sidestore.Expired `json:"expired"`
		Packed  int               `json:"packed"`
		Loose   int               `json:"loose"` // loose objects that are left
		Packs   int               `json:"packs"`
		Bytes   int64             `json:"bytes"` // on disk, loose and packed
	} `json:"snapshots"`
	Prompts struct {
		Expired int `json:"expired"`
	} `json:"prompts"` // as typed
	Temporary int `json:"temporary"` // files that killed processes left behind
}

func (a *app) gc(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	if !repo.HasTraces() { // nothing to do; do not make a lock file
		if c.Bool("auto") {
			return nil
		}
		report, err := tidy(c.Context, repo, true)
		if err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
		report.DryRun = c.Bool("dry-run")
		return a.tellGC(c, report)
	}
	wait := gcWait
	if c.Bool("auto") {
		wait = 0
	}
	lock, err := refs.Flock(repo.MaintenanceLock(), wait)
	if errors.Is(err, refs.ErrLockTimeout) {
		if c.Bool("auto") {
			return nil
		}
		return exit.Fail(exit.Unchecked, errors.New("another gc is running"), "wait until it has ended")
	}
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer lock.Unlock()
	if !c.Bool("dry-run") {
		if err := purge.Again(c.Context, repo); err != nil {
			return exit.Fail(exit.Unchecked, err, "git trace doctor says what is in the way")
		}
	}
	if c.Bool("auto") {
		return exit.Fail(exit.Unchecked, runner.PackDue(c.Context, repo, runner.LooseLimit()), "")
	}
	report, err := tidy(c.Context, repo, c.Bool("dry-run"))
	if errors.Is(err, sidestore.ErrRoots) {
		return exit.Fail(exit.Unchecked, err, "git trace doctor says what is missing; nothing was removed")
	}
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	return a.tellGC(c, report)
}

func (a *app) tellGC(c *call, report gcReport) error {
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), report)
	}
	return printGC(terminal.Quietly(a.std.out), report)
}

// gcWait limits the time that a command waits for the gc of a hook.
const gcWait = 5 * time.Second

// tidy removes expired objects, then packs the others.
func tidy(ctx context.Context, repo *refs.Repo, dry bool) (gcReport, error) {
	r := gcReport{Schema: gcSchema, DryRun: dry}
	before, keep, err := keeping.Expiry(ctx, repo, lookup.SnapshotExpiry, keeping.DefaultExpire)
	if err != nil {
		return r, err
	}
	if !keep {
		r.Snapshots.Before = before.UTC().Format(time.RFC3339)
		if r.Snapshots.Expired, err = trails.Expire(ctx, repo, before, dry); err != nil {
			return r, err
		}
	}
	if r.Prompts.Expired, err = keeping.ExpirePrompts(ctx, repo, dry); err != nil {
		return r, err
	}
	if dry {
		err = r.wouldPack(repo)
	} else {
		err = r.pack(ctx, repo)
	}
	r.Temporary = trails.Sweep(repo, time.Now(), dry)
	return r, err
}

func (r *gcReport) pack(ctx context.Context, repo *refs.Repo) (err error) {
	if r.Log.Sealed, r.Log.Merged, err = events.OpenLog(repo).Merge(ctx); err != nil {
		return err
	}
	if r.Snapshots.Packed, err = sidestore.Open(repo).Pack(ctx); err != nil {
		return err
	}
	return r.measure(repo)
}

// `measure` counts what remains in the side store.
func (r *gcReport) measure(repo *refs.Repo) error {
	loose, err := refs.ListLoose(repo.SideObjects())
	if err != nil {
		return err
	}
	packs, err := refs.ListPacks(repo.SideObjects())
	if err != nil {
		return err
	}
	r.Snapshots.Loose, r.Snapshots.Packs = len(loose), len(packs)
	for _, l := range loose {
		r.Snapshots.Bytes += l.Size
	}
	for _, p := range packs {
		r.Snapshots.Bytes += p.Size
	}
	return nil
}

func (r *gcReport) wouldPack(repo *refs.Repo) error {
	if err := r.measure(repo); err != nil {
		return err
	}
	r.Snapshots.Packed = r.Snapshots.Loose
	return nil
}

func printGC(w io.Writer, r gcReport) error {
	packed, removed := "packed", "removed"
	if r.DryRun {
		packed, removed = "would pack", "would remove"
	}
	s := r.Snapshots
	out := fmt.Sprintf("snapshots: %s %s, %s %s (%s)\n", packed, numbers.Count(s.Packed, "object"), removed,
		numbers.Count(s.Expired.Objects, "expired object"), byteSize(s.Expired.Bytes))
	if !r.DryRun {
		out += fmt.Sprintf("           %s in %s and %s are left\n", byteSize(s.Bytes), numbers.Count(s.Packs, "pack"),
			numbers.Count(s.Loose, "loose object"))
		out += "log:       sealed " + numbers.Count(int(r.Log.Sealed), "event")
		if n := r.Log.Merged; n > 0 {
			out += ", merged " + numbers.Count(n, "part")
		}
		out += "\n"
	}
	if n := r.Prompts.Expired; n > 0 {
		out += fmt.Sprintf("prompts:   %s %s as typed that no record holds\n", removed, numbers.Count(n, "old prompt"))
	}
	if r.Temporary > 0 {
		out += fmt.Sprintf("           %s %s that a killed process left\n", removed, numbers.Count(r.Temporary, "file"))
	}
	_, err := io.WriteString(w, out)
	return err
}

// byteSize writes a number of bytes for people.
func byteSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return numbers.Count(int(n), "byte")
}
