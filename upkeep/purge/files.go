package purge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/collected"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/view"
)

// `local` purges files that are not caches: typed prompts, notes of waiting conversations, states of timelines.
func (p *Purge) local() error {
	if err := p.typedPrompts(); err != nil {
		return err
	}
	n, err := collected.Purge(p.Repo, func(trace events.TraceID, line string) bool {
		return p.Target.Traces[trace] || p.Target.holds(line) || p.Target.mentions(line)
	}, p.dry)
	if err != nil {
		return err
	}
	p.Files += n
	list := waiting.Open(p.Repo)
	all, err := list.All()
	if err != nil {
		return err
	}
	for _, s := range all {
		if !p.Target.Traces[s.Trace] {
			continue
		}
		p.Files++
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
		if p.Target.Traces[trace] || path != "" && p.Target.mentions(path) {
			return true
		}
		for _, text := range texts {
			if p.Target.holds(text) || path == "" && p.Target.mentions(text) {
				return true
			}
		}
		return false
	}
	trees, err := workTrees(p.Repo)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		n, err := trails.Forget(tree, drop, p.dry)
		if err != nil {
			return err
		}
		p.Files += n
	}
	return p.hookLogs()
}

// workTrees returns the work trees of the repository for which git-trace has data.
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

// typedPrompts deletes the typed prompts of the purged conversations, and the typed prompts that contain purged text.
func (p *Purge) typedPrompts() error {
	root := filepath.Join(p.Repo.TracesDir(), "prompts")
	dirs, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	prompts := ledger.NewPrompts(p.Repo)
	for _, dir := range dirs {
		trace := events.TraceID(dir.Name())
		texts, err := prompts.List(trace)
		if err != nil {
			return err
		}
		for index, text := range texts {
			if !p.Target.Traces[trace] && !p.Target.holds(text) {
				continue
			}
			p.Prompts++
			if !p.dry {
				if err := prompts.Drop(trace, index); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hookLogs deletes the hooks' notes of failures if they contain purged text.
func (p *Purge) hookLogs() error {
	for _, name := range []string{p.Repo.HookLog(), p.Repo.HookLog() + ".old"} {
		raw, err := os.ReadFile(name)
		if err != nil || !p.Target.holds(string(raw)) {
			continue
		}
		p.Files++
		if !p.dry {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopRecording marks conversations that were purged as a whole, so that they are not read again from their session
// files. Other conversations continue: purged texts and paths are removed from every new record.
func (p *Purge) stopRecording() error {
	for trace := range p.Target.Traces {
		if err := mark(p.Repo, trace, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// caches deletes the data derived from records and session files. It is made again on demand.
func (p *Purge) caches() error {
	if p.dry {
		return nil
	}
	for _, dir := range []string{filepath.Join(p.Repo.TracesDir(), "cache", "search"), store.PromptCache(p.Repo),
		recorder.StateDir(p.Repo), view.FoundCache(p.Repo)} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("drop caches: %w", err)
		}
	}
	return nil
}
