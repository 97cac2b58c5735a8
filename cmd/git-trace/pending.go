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
)

// pendingLines are lines by agents that no commit holds.
type pendingLines struct {
	Conversations int `json:"conversations"`
	Lines         int `json:"lines"`
	Files         int `json:"files"`
}

// Bounds of the search for them: status answers at once, whatever lies about in the work tree.
const (
	mostPendingFiles = 500
	mostPendingBytes = 4 << 20 // of one file
)

// pending counts the agents' lines among those that the work tree has and HEAD has not.
func pending(ctx context.Context, repo *refs.Repo) (*pendingLines, error) {
	paths, err := changedPaths(ctx, repo)
	if err != nil {
		return nil, err
	}
	objects := repo.Objects()
	defer objects.Close()
	out := &pendingLines{}
	traces := map[events.TraceID]bool{}
	for _, path := range paths[:min(len(paths), mostPendingFiles)] {
		content, ok := readPending(filepath.Join(repo.WorkTree, filepath.FromSlash(path)))
		if !ok {
			continue
		}
		owners, err := trails.Pending(ctx, repo, path, content)
		if err != nil {
			return nil, fmt.Errorf("find owners of what is not committed: %w", err)
		}
		old, err := objects.Blob(headBlob(objects, path))
		if err != nil && !errors.Is(err, refs.ErrMissing) {
			return nil, err
		}
		if n := countPending(old, content, owners, traces); n > 0 {
			out.Files++
			out.Lines += n
		}
	}
	out.Conversations = len(traces)
	return out, nil
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
	return content, err == nil && !bytes.Contains(content[:min(len(content), 8000)], []byte{0}) // as git tells binary files
}

// headBlob is the blob that HEAD has at a path; no id if it has none.
func headBlob(objects *refs.Objects, path string) refs.OID {
	oid, typ, err := objects.Resolve("HEAD:" + path)
	if err != nil || typ != refs.BlobObject {
		return refs.OID{}
	}
	return oid
}

// countPending counts the lines by agents that a content has and the old one has not.
func countPending(old, content []byte, owners trails.PendingLines, traces map[events.TraceID]bool) int {
	lines := linediff.Split(content)
	if owners.Vector.Len() != len(lines) {
		return 0
	}
	n := 0
	for _, hunk := range linediff.Diff(linediff.Split(old), lines, linediff.Options{}).Hunks {
		for line := hunk.NewStart; line < hunk.NewStart+hunk.NewCount; line++ {
			owner := owners.Vector.At(line)
			if owner.Kind != events.OwnerAI && owner.Kind != events.OwnerMixed {
				continue
			}
			n++
			if trace := owners.Describe(owner).Trace; trace != "" {
				traces[trace] = true
			}
		}
	}
	return n
}
