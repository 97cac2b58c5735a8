package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// purging is one purge, or the search for what one would do. The order is: what makes records anew is stopped, the records,
// then what lies in files, then the objects.
type purging struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the command
	repo   *refs.Repo
	target *purgeTarget
	dry    bool

	records store.Rewritten
	prompts int
	files   int
	blobs   int
	objects int
	left    []refs.OID
}

func (p *purging) empty() bool {
	return len(p.records.Removed)+len(p.records.Changed)+p.prompts+p.files+p.blobs == 0
}

func (p *purging) run() error {
	// Nobody stores records meanwhile: one that was read before would come back.
	lock, err := refs.Flock(filepath.Join(p.repo.TracesDir(), "record.lock"), recordLimit)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	redactor, err := p.redactor()
	if err != nil {
		return err
	}
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	if p.records, err = s.Rewrite(p.ctx, p.target.judge(p.ctx, redactor), p.dry); err != nil {
		return err
	}
	if err := p.local(); err != nil {
		return err
	}
	if err := p.caches(); err != nil {
		return err
	}
	blobs, err := p.snapshotBlobs()
	if err != nil {
		return err
	}
	p.blobs, p.objects = len(blobs), len(p.records.Old)+len(blobs)
	if p.dry {
		return nil
	}
	return p.remove(blobs)
}

// redactor makes the redactor that takes the texts out, with everything that every redactor looks for.
func (p *purging) redactor() (*redact.Redactor, error) {
	return redact.New(redact.Options{Names: redact.SystemNames(), Rules: redact.Rules{Secrets: p.target.patterns}})
}

// remove deletes the objects and what would lead to them.
func (p *purging) remove(blobs map[refs.OID]bool) error {
	for _, name := range p.records.Refs {
		if _, err := p.repo.Git(p.ctx, nil, "reflog", "exists", name); err != nil {
			continue // usually git keeps none of these refs
		}
		if _, err := p.repo.Git(p.ctx, nil, "reflog", "expire", "--expire=all", "--expire-unreachable=all", name); err != nil {
			return err
		}
	}
	_, left, err := p.repo.RemoveObjects(p.ctx, p.repo.MainObjects(), p.records.Old)
	if err != nil {
		return err
	}
	p.left = left
	if _, left, err = p.repo.RemoveObjects(p.ctx, p.repo.SideObjects(), blobs); err != nil {
		return err
	}
	p.left = append(p.left, left...)
	objects := p.repo.Objects() // anew: the old one may have packs open that are gone
	defer func() { _ = objects.Close() }()
	for oid := range p.records.Old {
		if _, _, err := objects.Read(oid); err == nil {
			p.left = append(p.left, oid)
		}
	}
	return nil
}

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

// stopRecording keeps the conversations from being read from their session files again: these still hold what was purged.
func (p *purging) stopRecording() error {
	for _, traces := range []map[events.TraceID]bool{p.target.traces, p.records.Removed, p.records.Changed} {
		for trace := range traces {
			if err := refs.WriteFileAtomic(purgedMark(p.repo, trace), []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// purgedMark is the file that says that a conversation was purged.
func purgedMark(repo *refs.Repo, trace events.TraceID) string {
	return filepath.Join(repo.TracesDir(), "purged", filepath.Base(string(trace)))
}

func wasPurged(repo *refs.Repo, trace events.TraceID) bool {
	_, err := os.Stat(purgedMark(repo, trace))
	return err == nil
}

// caches deletes what is made of records and session files. It is made again when it is needed, of what is left.
func (p *purging) caches() error {
	if p.dry {
		return nil
	}
	for _, dir := range []string{filepath.Join(p.repo.TracesDir(), "cache", "search"), promptCache(p.repo), recorder.StateDir(p.repo)} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("drop caches: %w", err)
		}
	}
	// The other caches hold ids and places, no text; what holds some of it all the same goes too.
	cache := filepath.Join(p.repo.TracesDir(), "cache")
	return filepath.WalkDir(cache, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil || !p.target.holds(string(raw)) {
			return nil //nolint:nilerr // another process may have deleted it
		}
		p.files++
		return os.Remove(name)
	})
}

// snapshotBlobs finds the contents in the side store that must go: those that hold the texts, and those that the paths had.
func (p *purging) snapshotBlobs() (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	if len(p.target.patterns) > 0 {
		if err := p.eachSideBlob(func(oid refs.OID, raw []byte) {
			if p.target.holds(string(raw)) {
				out[oid] = true
			}
		}); err != nil {
			return nil, err
		}
	}
	if len(p.target.paths) > 0 {
		if err := p.pathBlobs(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachSideBlob reads every content of the side store.
func (p *purging) eachSideBlob(yield func(refs.OID, []byte)) error {
	ids, err := p.sideObjects()
	if err != nil {
		return err
	}
	objects := p.repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, oid := range ids {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		typ, raw, err := objects.Read(oid)
		if errors.Is(err, refs.ErrMissing) || errors.Is(err, refs.ErrTooLarge) {
			continue
		}
		if err != nil {
			return err
		}
		if typ == refs.BlobObject {
			yield(oid, raw)
		}
	}
	return nil
}

// sideObjects lists the objects of the side store.
func (p *purging) sideObjects() ([]refs.OID, error) {
	loose, err := refs.ListLoose(p.repo.SideObjects())
	if err != nil {
		return nil, err
	}
	var out []refs.OID
	for _, l := range loose {
		out = append(out, l.OID)
	}
	packs, err := refs.ListPacks(p.repo.SideObjects())
	if err != nil {
		return nil, err
	}
	for _, pack := range packs {
		x, err := pack.Index(p.repo.Format)
		if err != nil {
			return nil, err
		}
		out = append(out, x.IDs()...)
	}
	return out, nil
}

// pathBlobs finds what the paths held in any snapshot: by the patches that the log has of them, and by walking the trees
// of the side store along the paths.
func (p *purging) pathBlobs(out map[refs.OID]bool) error {
	ids, err := p.sideObjects()
	if err != nil {
		return err
	}
	side := map[refs.OID]bool{}
	for _, oid := range ids {
		side[oid] = true
	}
	for e, err := range events.OpenLog(p.repo).Walk(p.ctx, events.Range{}) {
		if err != nil {
			return err
		}
		if e.Type != events.PatchRecorded {
			continue
		}
		var d events.PatchData
		if json.Unmarshal(e.Data, &d) != nil || !p.target.isPath(rawPath(d.Path)) && !p.target.isPath(rawPath(d.OldPath)) {
			continue
		}
		for _, oid := range []refs.OID{d.Before, d.After} {
			if side[oid] {
				out[oid] = true
			}
		}
	}
	objects := p.repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, oid := range ids {
		typ, raw, err := objects.Read(oid)
		if err != nil || typ != refs.TreeObject {
			continue
		}
		entries, err := refs.DecodeTree(p.repo.Format, raw)
		if err != nil {
			continue
		}
		for _, path := range p.target.paths {
			if blob := p.follow(objects, entries, strings.Split(path, "/")); side[blob] {
				out[blob] = true
			}
		}
	}
	return nil
}

// follow walks down from a tree; zero when there is no such path.
func (p *purging) follow(objects *refs.Objects, entries []refs.TreeEntry, path []string) refs.OID {
	for _, e := range entries {
		if e.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			if e.IsDir() {
				return refs.OID{}
			}
			return e.OID
		}
		below, err := objects.Tree(e.OID)
		if !e.IsDir() || err != nil {
			return refs.OID{}
		}
		return p.follow(objects, below, path[1:])
	}
	return refs.OID{}
}

func (t *purgeTarget) isPath(path string) bool {
	for _, p := range t.paths {
		if p == path {
			return true
		}
	}
	return false
}
