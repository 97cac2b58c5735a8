package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// Pending holds the lines that are in the work tree and not in HEAD, with their owners.
type Pending struct {
	*belief.Commit                // the data that a commit of the pending lines would have
	Doubts         []events.Limit // reasons for lines that no boundary has seen yet
	Unread         int            // files that are too many or too large to be read
}

// PendingFigures counts the pending lines by owner.
type PendingFigures struct {
	Conversations int `json:"conversations"`
	Lines         int `json:"lines"`
	Files         int `json:"files"`
	Unknown       int `json:"unknown"` // lines without a known owner
	Unread        int `json:"unread"`
}

// Figures adds up the lines.
func (p *Pending) Figures() PendingFigures {
	out := PendingFigures{Lines: p.AI, Unknown: p.Unknown, Unread: p.Unread}
	traces := map[events.TraceID]bool{}
	for i := range p.Files {
		some := false
		for k := range p.Files[i].Runs {
			owner := p.Files[i].Runs[k].Owner
			some = some || byAgent(owner.Kind)
			if owner.Trace != "" {
				traces[owner.Trace] = true
			}
		}
		if some {
			out.Files++
		}
	}
	out.Conversations = len(traces)
	return out
}

func byAgent(kind events.OwnerKind) bool { return kind == events.OwnerAI || kind == events.OwnerMixed }

// Bounds of the search for pending lines: status must be quick in any work tree.
const (
	mostPendingFiles = 500
	mostPendingBytes = 4 << 20 // bytes of one file
)

// PendingOf returns the owners of the lines that are in the work tree and not in HEAD. The log gives owners the names
// of their conversations; it may be nil.
func PendingOf(ctx context.Context, repo *refs.Repo, log belief.Log) (*Pending, error) {
	paths, err := changedPaths(ctx, repo)
	if err != nil {
		return nil, err
	}
	out := &Pending{Unread: max(len(paths)-mostPendingFiles, 0)}
	objects := repo.Objects()
	defer objects.Close()
	p, editing := pendingCommit{owners: map[vector.Owner]int{}}, runner.Editing(repo)
	for _, path := range paths[:min(len(paths), mostPendingFiles)] {
		name := filepath.Join(repo.WorkTree, filepath.FromSlash(path))
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > mostPendingBytes {
			out.Unread++
			continue
		}
		content, ok := readText(name)
		if !ok {
			continue
		}
		owners, err := trails.Pending(ctx, repo, runner.Settler(), editing, path, content)
		if err != nil {
			return nil, fmt.Errorf("find owners of what is not committed: %w", err)
		}
		out.Doubts = append(out.Doubts, owners.Doubts...)
		old, err := objects.Blob(headBlob(objects, path))
		if err != nil && !errors.Is(err, refs.ErrMissing) {
			return nil, err
		}
		p.add(path, old, content, owners)
	}
	out.Commit = belief.Found(log, &p.data)
	return out, nil
}

// changedPaths lists the paths that differ from HEAD or are untracked, like git-status(1).
func changedPaths(ctx context.Context, repo *refs.Repo) ([]string, error) {
	out, err := repo.Git(ctx, nil,
		"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	var paths []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		const letters = len("XY ")
		if len(record) > letters {
			paths = append(paths, string(record[letters:]))
		}
	}
	return paths, nil
}

func readText(name string) (content []byte, ok bool) {
	content, err := os.ReadFile(name)
	return content, err == nil && !gitdiff.Binary(content)
}

// headBlob returns HEAD's blob at a path; the zero id without one.
func headBlob(objects *refs.Objects, path string) refs.OID {
	oid, typ, err := objects.Resolve("HEAD:" + path)
	if err != nil || typ != refs.BlobObject {
		return refs.OID{}
	}
	return oid
}

// pendingCommit stands for the commit of the pending lines.
type pendingCommit struct {
	data   events.CommitData
	owners map[vector.Owner]int // number of each owner in Data.Owners
}

func (p *pendingCommit) add(path string, old, content []byte, owners trails.PendingLines) {
	lines := linediff.Split(content)
	if owners.Vector.Len() != len(lines) {
		return
	}
	file := events.AnchorFile{Path: events.EncodePath(path)}
	for _, hunk := range linediff.Diff(linediff.Split(old), lines, linediff.Options{}).Hunks {
		for _, run := range owners.Vector.Slice(hunk.NewStart, hunk.NewStart+hunk.NewCount).Runs() {
			at, ok := p.owners[run.Owner]
			if !ok {
				at = len(p.data.Owners)
				p.owners[run.Owner] = at
				p.data.Owners = append(p.data.Owners, owners.Describe(run.Owner))
			}
			file.Runs = append(file.Runs, events.AnchorRun{Start: hunk.NewStart + run.Start + 1, Count: run.Count, Owner: at})
			p.data.Added += run.Count
		}
	}
	if len(file.Runs) > 0 {
		p.data.Files = append(p.data.Files, file)
	}
}
