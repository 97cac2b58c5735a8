package trails

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Uncommitted is how much of the agents' work in a work tree no commit has.
type Uncommitted struct {
	Traces map[events.TraceID]int // lines by conversation
	Lines  int
	Files  int
	// More tells that there were more changed files than were looked at.
	More bool
}

// maxUncommitted bounds the changed files that are looked at.
const maxUncommitted = 500

// CountUncommitted looks through the files that differ from HEAD for lines of agents.
func CountUncommitted(ctx context.Context, repo *refs.Repo) (Uncommitted, error) {
	u := Uncommitted{Traces: map[events.TraceID]int{}}
	out, err := repo.Git(ctx, nil, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
	if err != nil {
		return u, fmt.Errorf("list changed files: %w", err)
	}
	objects := repo.Objects()
	defer objects.Close()
	looked := 0
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) < 4 {
			continue
		}
		if looked++; looked > maxUncommitted {
			u.More = true
			break
		}
		if err := u.count(ctx, repo, objects, string(entry[3:])); err != nil {
			return u, err
		}
	}
	return u, nil
}

// count adds the lines of one file that HEAD does not have.
func (u *Uncommitted) count(ctx context.Context, repo *refs.Repo, objects *refs.Objects, path string) error {
	name := filepath.Join(repo.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLineBytes {
		return nil //nolint:nilerr // a file that is gone, or is none, has no lines
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil //nolint:nilerr // unreadable to us as to git
	}
	now := newText(refs.OID{}, raw)
	if now.whole {
		return nil
	}
	var committed [][]byte
	if oid, typ, err := objects.Resolve("HEAD:" + path); err == nil && typ == refs.BlobObject {
		if blob, err := objects.Blob(oid); err == nil {
			committed = linediff.Split(blob)
		}
	}
	pending, err := Pending(ctx, repo, path, raw)
	if err != nil {
		return err
	}
	found := false
	for _, h := range linediff.Diff(committed, now.lines, linediff.Options{Key: linediff.NoSpace}).Hunks {
		for line := h.NewStart; line < h.NewStart+h.NewCount; line++ {
			o := pending.Vector.At(line)
			if o.Kind != events.OwnerAI && o.Kind != events.OwnerMixed {
				continue
			}
			found = true
			u.Lines++
			u.Traces[pending.Describe(o).Trace]++
		}
	}
	if found {
		u.Files++
	}
	return nil
}
