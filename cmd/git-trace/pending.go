package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// pendingLines are lines by agents that no commit holds.
type pendingLines struct {
	Conversations int `json:"conversations"`
	Lines         int `json:"lines"`
	Files         int `json:"files"`
	// Unknown are the lines of which nobody knows who wrote them, and Why the limitations that the log names for such
	// lines.
	Unknown int            `json:"unknown"`
	Why     []events.Limit `json:"why,omitempty"`
}

// countPending counts the agents' lines among those that are not committed.
func countPending(data events.CommitData) *pendingLines {
	out := &pendingLines{Lines: data.AI, Unknown: data.Unknown}
	traces := map[events.TraceID]bool{}
	for _, f := range data.Files {
		some := false
		for _, run := range f.Runs {
			owner := data.Owners[run.Owner]
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

// Bounds of the search for them: status answers at once, whatever lies about in the work tree.
const (
	mostPendingFiles = 500
	mostPendingBytes = 4 << 20 // of one file
)

// pending says who owns the lines that the work tree has and HEAD has not, in the form in which a commit of them would
// be anchored.
func pending(ctx context.Context, repo *refs.Repo) (data events.CommitData, doubts []events.Limit, err error) {
	paths, err := changedPaths(ctx, repo)
	if err != nil {
		return events.CommitData{}, nil, err
	}
	settle := settler()
	objects := repo.Objects()
	defer objects.Close()
	p := pendingCommit{owners: map[vector.Owner]int{}}
	for _, path := range paths[:min(len(paths), mostPendingFiles)] {
		content, ok := readPending(filepath.Join(repo.WorkTree, filepath.FromSlash(path)))
		if !ok {
			continue
		}
		owners, err := trails.Pending(ctx, repo, settle, path, content)
		if err != nil {
			return p.data, nil, fmt.Errorf("find owners of what is not committed: %w", err)
		}
		doubts = append(doubts, owners.Doubts...)
		old, err := objects.Blob(headBlob(objects, path))
		if err != nil && !errors.Is(err, refs.ErrMissing) {
			return p.data, nil, err
		}
		p.add(path, old, content, owners)
	}
	return p.data, doubts, nil
}

// changedPaths lists what differs from HEAD or is not tracked, as git-status(1) says it.
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

// readPending reads a file that may have lines.
func readPending(name string) (content []byte, ok bool) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostPendingBytes {
		return nil, false
	}
	content, err = os.ReadFile(name)
	// as git tells binary files
	return content, err == nil && !bytes.Contains(content[:min(len(content), 8000)], []byte{0})
}

// headBlob is the blob that HEAD has at a path; no id if it has none.
func headBlob(objects *refs.Objects, path string) refs.OID {
	oid, typ, err := objects.Resolve("HEAD:" + path)
	if err != nil || typ != refs.BlobObject {
		return refs.OID{}
	}
	return oid
}

// pendingCommit is a commit to be.
type pendingCommit struct {
	data   events.CommitData
	owners map[vector.Owner]int // of Data.Owners
}

// add takes in the lines that a content has and the old one has not.
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
			p.count(run.Owner.Kind, run.Count)
		}
	}
	if len(file.Runs) > 0 {
		p.data.Files = append(p.data.Files, file)
	}
}

func (p *pendingCommit) count(kind events.OwnerKind, lines int) {
	p.data.Added += lines
	switch {
	case byAgent(kind):
		p.data.AI += lines
	case kind == events.OwnerHuman:
		p.data.Human += lines
	default:
		p.data.Unknown += lines
	}
}
