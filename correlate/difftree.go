package correlate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/linediff"
)

// fileDiff is the change of one path in a commit.
type fileDiff struct {
	gitdiff.Record
	Patched
}

// maxDiff limits the size, in bytes, of the patch that is read for one commit.
const maxDiff = 256 << 20

var errHuge = errors.New("the commit changes more lines than can be anchored")

// diffTree compares a commit with its parent, or two commits. The parameter `most` is the largest number of files; if
// more changed it returns ErrLarge, and 0 means no bound. It calls the function `meanwhile`, unless it is nil, as soon
// as git is running.
func diffTree(
	ctx context.Context, repo *refs.Repo, most int, meanwhile func(), revs ...string,
) (files []fileDiff, err error) {
	args := append(append([]string{"diff-tree", "--root", "--no-commit-id"}, gitdiff.Patch()...), revs...)
	err = gitdiff.Run(ctx, repo, nil, args, func(r *gitdiff.Reader) error {
		if meanwhile != nil {
			meanwhile()
		}
		r.MaxRecords, r.MaxPatch = most, maxDiff
		files, err = readSection(r)
		return err
	})
	switch {
	case errors.Is(err, gitdiff.ErrManyRecords):
		err = ErrLarge
	case errors.Is(err, gitdiff.ErrLongPatch):
		err = errHuge
	}
	if err != nil {
		return nil, fmt.Errorf("diff commit: %w", err)
	}
	return files, nil
}

// diffTrees lists the changes of files in several commits that have at most one parent. It starts one process. A commit
// without changes is left out.
func diffTrees(ctx context.Context, repo *refs.Repo, commits []refs.OID) (map[refs.OID][]fileDiff, error) {
	var in strings.Builder
	for _, id := range commits {
		in.WriteString(id.String() + "\n")
	}
	changes := map[refs.OID][]fileDiff{}
	args := append([]string{"diff-tree", "--root", "--stdin"}, gitdiff.Patch()...)
	err := gitdiff.Run(ctx, repo, strings.NewReader(in.String()), args, func(r *gitdiff.Reader) error {
		return r.Each(func(commit refs.OID) (err error) {
			changes[commit], err = readSection(r)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("diff commits: %w", err)
	}
	return changes, nil
}

// readSection reads git's output for one commit.
func readSection(r *gitdiff.Reader) ([]fileDiff, error) {
	records, err := r.Records()
	if err != nil {
		return nil, err
	}
	return linesOf(records, nil, func(to gitdiff.Lines) error { return r.Patch(records, to) })
}

// linesOf reads the added lines from a patch. The function tells selects the lines that need a fingerprint; it may be
// nil.
func linesOf(records []gitdiff.Record, tells func(line []byte) bool,
	patch func(to gitdiff.Lines) error) ([]fileDiff, error) {
	files := make([]fileDiff, len(records))
	for i := range records {
		files[i].Record = records[i]
	}
	l := &lineTaker{files: files, tells: tells}
	if err := patch(l); err != nil {
		return nil, err
	}
	l.name()
	return files, nil
}

// lineTaker collects the lines that a patch adds, and computes the change id of each file.
type lineTaker struct {
	files  []fileDiff
	tells  func(line []byte) bool
	at     int // index of the current file
	change events.ChangeHash
}

func (l *lineTaker) Hunk(file int, h gitdiff.Hunk) {
	if file != l.at {
		l.name()
	}
	l.at = file
	if h.NewCount > 0 {
		start := h.NewStart - 1
		l.files[file].Added = append(l.files[file].Added, linediff.Range{Start: start, End: start + h.NewCount})
	}
	l.change.Hunk()
}

func (l *lineTaker) Removed(line []byte) { l.change.Removed(line) }

func (l *lineTaker) Added(line []byte) {
	l.change.Added(line)
	if l.tells != nil && l.tells(line) {
		l.files[l.at].Prints = append(l.files[l.at].Prints, l.change.Print())
	}
}

// name computes the change id of the current file at its end.
func (l *lineTaker) name() {
	if l.at < len(l.files) {
		l.files[l.at].Change = l.change.ID()
	}
}
