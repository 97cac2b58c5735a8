package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/view"
)

// local takes care of files outside the caches: prompts as they were typed, notes of what waits, what timelines keep.
func (p *purging) local() error {
	if err := p.typedPrompts(); err != nil {
		return err
	}
	list := waiting.Open(p.repo)
	all, err := list.All()
	if err != nil {
		return err
	}
	for _, s := range all {
		if !p.target.traces[s.Trace] {
			continue
		}
		p.files++
		if !p.dry {
			if err := list.Done(s); err != nil {
				return err
			}
		}
	}
	if !p.dry {
		if err := p.stopRecording(); err != nil {
			return err
		}
	}
	drop := func(trace events.TraceID, path string, texts ...string) bool {
		if p.target.traces[trace] || path != "" && p.target.mentions(path) {
			return true
		}
		for _, text := range texts {
			if p.target.holds(text) || path == "" && p.target.mentions(text) {
				return true
			}
		}
		return false
	}
	trees, err := workTrees(p.repo)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		n, err := trails.Forget(tree, drop, p.dry)
		if err != nil {
			return err
		}
		p.files += n
	}
	return p.hookLogs()
}

// workTrees gives every work tree of the repository that git-trace keeps something of.
func workTrees(repo *refs.Repo) ([]*refs.Repo, error) {
	main := *repo
	main.GitDir = repo.CommonDir
	out := []*refs.Repo{&main}
	entries, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		dir := filepath.Join(repo.CommonDir, "worktrees", entry.Name())
		if _, err := os.Stat(filepath.Join(dir, "traces")); err == nil {
			linked := *repo
			linked.GitDir = dir
			out = append(out, &linked)
		}
	}
	return out, nil
}

// typedPrompts deletes the prompts of the conversations, and those that hold what must go.
func (p *purging) typedPrompts() error {
	root := filepath.Join(p.repo.TracesDir(), "prompts")
	dirs, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	prompts := trails.NewPrompts(p.repo)
	for _, dir := range dirs {
		trace := events.TraceID(dir.Name())
		texts, err := prompts.List(trace)
		if err != nil {
			return err
		}
		for index, text := range texts {
			if !p.target.traces[trace] && !p.target.holds(text) {
				continue
			}
			p.prompts++
			if !p.dry {
				if err := prompts.Drop(trace, index); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hookLogs deletes the lines that hooks left if they hold what must go.
func (p *purging) hookLogs() error {
	for _, name := range []string{hookLog(p.repo), hookLog(p.repo) + ".old"} {
		raw, err := os.ReadFile(name)
		if err != nil || !p.target.holds(string(raw)) {
			continue
		}
		p.files++
		if !p.dry {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopRecording keeps conversations that were purged as a whole, or for a path, from being read from their session
// files again: these still hold what was purged. Texts are taken out of whatever is recorded, so that what they stood
// in goes on.
func (p *purging) stopRecording() error {
	all := []map[events.TraceID]bool{p.target.traces}
	if len(p.target.paths) > 0 {
		all = append(all, p.cutByPath())
	}
	for _, traces := range all {
		for trace := range traces {
			if err := markPurged(p.repo, trace, time.Now()); err != nil {
				return err
			}
		}
	}
	return nil
}

// cutByPath are the conversations that something was taken out of, where paths were given.
func (p *purging) cutByPath() map[events.TraceID]bool {
	out := maps.Clone(p.records.Removed)
	maps.Copy(out, p.records.Changed)
	return out
}

// caches deletes what is made of records and session files. It is made again when it is needed, of what is left.
func (p *purging) caches() error {
	if p.dry {
		return nil
	}
	for _, dir := range []string{filepath.Join(p.repo.TracesDir(), "cache", "search"), view.PromptCache(p.repo),
		recorder.StateDir(p.repo)} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("drop caches: %w", err)
		}
	}
	return nil
}
