package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// checks lists what doctor looks at, in the order in which one thing depends on another.
func (h *health) checks() []check {
	return []check{
		{"git directory", h.checkWritable},
		{"git hooks", h.checkHooks},
		{"agents", h.checkAgents},
		{"timeline", h.checkTimeline},
		{"spool", h.checkSpool},
		{"log", h.checkLog},
		{"read cache", h.checkIndex},
		{"records", h.checkRecords},
	}
}

// checkWritable makes a file where the traces lie.
func (h *health) checkWritable(context.Context) (string, []finding) {
	for _, dir := range []string{h.repo.TracesDir(), h.repo.WorktreeTracesDir(), h.repo.MainObjects()} {
		err := os.MkdirAll(dir, 0o777)
		if err == nil {
			err = tryWrite(dir)
		}
		if err != nil {
			return "", []finding{{
				What: h.shorten(dir) + " cannot be written: " + refs.PathCause(err).Error(),
				Mend: "give this user write access to it; until then hooks record nothing",
			}}
		}
	}
	return "can be written", nil
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (h *health) checkHooks(ctx context.Context) (string, []finding) {
	st, err := h.hooks.Status(ctx)
	if err != nil {
		return "", []finding{{What: err.Error(), Mend: "see whether this user may read the hooks"}}
	}
	if problems := h.hookFindings(st); len(problems) > 0 {
		return "", problems
	}
	fine := "all installed"
	if others := besideWhom(st); others != "" {
		fine += " beside " + others
	}
	return fine, nil
}

func (h *health) checkAgents(ctx context.Context) (string, []finding) {
	all := h.agentsHealth(ctx)
	if problems := append(h.agentFindings(ctx, all), h.unheardFindings(all)...); len(problems) > 0 {
		return "", problems
	}
	var names []string
	for _, one := range all {
		if one.Traced {
			names = append(names, one.label())
		}
	}
	return strings.Join(names, ", ") + " traced", nil
}

func (h *health) checkSpool(context.Context) (string, []finding) {
	problems := append(h.spoolFindings(), h.laterFindings()...)
	bad, err := filepath.Glob(filepath.Join(globQuote(h.log.SpoolDir()), "*.bad"))
	if err == nil {
		for _, name := range bad {
			problems = append(problems, finding{
				What: h.shorten(name) + " cannot be read as events and was put aside", Mend: "look at it, then delete it",
			})
		}
	}
	return "empty", problems
}

// checkTimeline looks at what the timeline remembers between two boundaries, and whether the snapshot it stands on is
// still there.
func (h *health) checkTimeline(context.Context) (string, []finding) {
	anew := &repair{"the timeline begins anew; what changed meanwhile stays unknown", h.restartTimeline}
	interval, tree, err := trails.Position(h.repo)
	if errors.Is(err, fs.ErrNotExist) {
		return "no snapshot in this work tree yet", nil
	}
	if err != nil {
		return "", []finding{{
			What: "the state of the timeline is damaged: " + refs.PathCause(err).Error(),
			Mend: "git trace doctor --fix", fix: anew,
		}}
	}
	objects := h.repo.Objects()
	defer objects.Close()
	if !tree.IsZero() {
		if _, _, err := objects.Read(tree); err != nil {
			return "", []finding{{
				What: "the last snapshot is lost: " + err.Error(),
				Mend: "git trace doctor --fix", fix: anew,
			}}
		}
	}
	return fmt.Sprintf("at boundary %s of this work tree", thousands(int(interval))), nil
}

// restartTimeline forgets the state and takes a first snapshot.
func (h *health) restartTimeline(ctx context.Context) error {
	lock, err := refs.Flock(filepath.Join(h.repo.WorktreeTracesDir(), "lock"), 10*time.Second)
	if err != nil {
		return err
	}
	for _, name := range []string{trails.StatePath(h.repo), filepath.Join(h.repo.WorktreeTracesDir(), "state")} {
		if removeErr := os.Remove(name); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = removeErr
		}
	}
	lock.Unlock()
	if err != nil {
		return err
	}
	return startRecording(ctx, h.repo)
}

// checkLog reads the whole log.
func (h *health) checkLog(ctx context.Context) (string, []finding) {
	report, err := h.log.Verify(ctx, events.Verification{Anchors: anchorSources()})
	switch {
	case err != nil:
		return "", []finding{{What: "the log could not be checked: " + err.Error(), Mend: "git fsck"}}
	case report.State == events.Broken:
		return "", []finding{{What: "the log is " + report.Summary() + ": " + report.Faults[0].Detail,
			Mend: "git trace verify"}}
	case report.Lost != "":
		return "", []finding{{What: report.Lost, Mend: "git trace checkpoint signs the log as it is now"}}
	}
	if end, err := h.logHealth(ctx); err == nil {
		if lost := h.cutOffFindings(ctx, end); len(lost) > 0 {
			return "", lost
		}
	}
	return plural(report.Events, "event") + ", " + report.Summary(), nil
}

func (h *health) checkIndex(ctx context.Context) (string, []finding) {
	anew := &repair{"the caches are made anew", func(ctx context.Context) error {
		_, _, err := index.Rebuild(ctx, h.repo, nil)
		return err
	}}
	reader, err := index.Open(h.repo)
	if err != nil {
		return "", []finding{{What: "the read cache cannot be used: " + err.Error(), Mend: "git trace rebuild", fix: anew}}
	}
	defer reader.Close()
	misnamed, err := h.log.Misnamed(ctx)
	if err != nil {
		return "", []finding{{What: "the fetched logs cannot be listed: " + err.Error(), Mend: "git trace verify"}}
	}
	problems := misnamedFindings(misnamed)
	for _, note := range reader.Notes() {
		told := func(m events.Misnamed) bool { return strings.Contains(note, m.Ref) }
		if !slices.ContainsFunc(misnamed, told) {
			problems = append(problems, finding{What: note, Mend: "git trace verify"})
		}
	}
	return "holds " + plural(int(reader.Last()), "event"), problems
}
