package correlate

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// A squash, or an applied patch, may bring lines from commits of other clones, and git does not say from which. The
// logs of these clones name the contents. The timeline notes them without owners, so that a person who brings such a
// content is not credited as its writer. Readers find the owners in the fetched logs, which are not copied.

// mostFetched limits the number of anchors, newest first, that are read from one log.
const mostFetched = 500

// KnowFetched notes the contents that fetched logs name.
func KnowFetched(ctx context.Context, log *events.Log) error {
	logs, err := log.Fetched(ctx)
	if err != nil {
		return err
	}
	copies, err := log.Copies(ctx, logs)
	if err != nil {
		return err
	}
	repo := log.Repo()
	objects := repo.Objects()
	defer objects.Close()
	f := fetched{objects: objects, git: gitfacts.NewGit(ctx, repo, objects), known: ledger.NewKnown(repo)}
	for _, c := range copies {
		if c.Err != nil || c.Copy == nil {
			continue
		}
		err := f.take(ctx, c.Copy)
		c.Copy.Close()
		if err != nil {
			return fmt.Errorf("take in the contents that fetched logs name: %w", err)
		}
	}
	return f.known.Save()
}

type fetched struct {
	objects *refs.Objects
	git     *gitfacts.Git
	known   *ledger.Known
}

func (f *fetched) take(ctx context.Context, c *events.Copy) error {
	var anchors []events.CommitData
	for line, err := range c.Lines() {
		if err != nil {
			return err
		}
		if !bytes.Contains(line.Line, []byte(`"type":"`+string(events.CommitAnchored)+`"`)) {
			continue
		}
		if e, err := events.DecodeLine(bytes.Clone(line.Line)); err == nil && e.Type == events.CommitAnchored {
			anchors = append(anchors, events.DataOf[events.CommitData](e))
		}
	}
	for _, a := range anchors[max(0, len(anchors)-mostFetched):] {
		commit, err := f.objects.Commit(a.Commit)
		if err != nil {
			continue // the commit is missing here
		}
		for _, file := range a.Files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f.content(a.Commit, commit.Parents, events.RawPath(file.Path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// content notes the blob of a path in a commit, unless the timeline knows it. Lines that the parent also has keep their
// owners.
func (f *fetched) content(commit refs.OID, parents []refs.OID, path string) error {
	blob, err := f.git.Blob(commit, path)
	if err != nil || blob.IsZero() {
		return err
	}
	if _, known := f.known.Get(path, blob); known {
		return nil
	}
	raw, err := f.objects.Blob(blob)
	if err != nil {
		return nil //nolint:nilerr // a partial clone has left it on the remote
	}
	lines := linediff.Split(raw)
	var had vector.Content
	if len(parents) > 0 {
		was, err := f.git.Blob(parents[0], path)
		if err != nil {
			return err
		}
		if raw, err := f.objects.Blob(was); err == nil && !was.IsZero() {
			had.Lines = linediff.Split(raw)
		}
		had.Owners, _ = f.known.Get(path, was)
	}
	change := vector.Compare(had, lines)
	var added [][]byte
	for _, h := range change.Hunks() {
		added = append(added, lines[h.NewStart:h.NewStart+h.NewCount]...)
	}
	owners := change.Resolve(func(_, _ int) vector.Owner { return vector.Unknown }).Vector
	f.known.Put(path, blob, owners)
	f.known.PutLeft(path, blob, added)
	return nil
}
