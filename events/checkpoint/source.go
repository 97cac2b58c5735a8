package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Source gives the checkpoints of a log as anchors: those on refs/traces/checkpoints for this clone's log, and copies
// of them that were fetched, under refs/traces/remotes. It implements events.AnchorSource.
//
// On each ref the newest checkpoint with a good signature counts: it includes the older ones, unless the log was
// rewritten on purpose (a purge) and signed again. Newer checkpoints without a good signature are named.
type Source struct{}

// Sources returns the anchors with which verification compares the log: copies of others, and checkpoints.
func Sources() []events.AnchorSource { return []events.AnchorSource{events.FetchedCopies{}, Source{}} }

const (
	fetchedRefs = "refs/traces/remotes/"
	refSuffix   = "/checkpoints"

	// maxVoid is the number of consecutive invalid checkpoints after which the rest of a ref is not read.
	maxVoid = 16
)

// Anchors implements events.AnchorSource.
func (Source) Anchors(ctx context.Context, log *events.Log, of events.Subject) ([]events.Anchor, error) {
	where, err := places(ctx, log, of)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var anchors []events.Anchor
	for _, p := range where {
		found, err := p.read(ctx, log)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p.ref, err)
		}
		anchors = append(anchors, found...)
	}
	return anchors, nil
}

type place struct {
	ref    string
	remote string // empty for this clone's ref
	writer string // the writer that the checkpoints of a fetched ref must name
}

// places returns the refs with checkpoints of a log. This clone's ref counts for its log with any writer in the
// statements: a log that was rebuilt under another writer must not escape its checkpoints.
func places(ctx context.Context, log *events.Log, of events.Subject) ([]place, error) {
	var found []place
	if of.Ref == refs.EventsRef {
		found = append(found, place{ref: refs.CheckpointsRef})
	}
	writers := log.WritersOf(of)
	if len(writers) == 0 {
		return found, nil
	}
	list, err := log.Repo().RefsUnder(ctx, fetchedRefs)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		rest, ok := strings.CutSuffix(strings.TrimPrefix(r.Name, fetchedRefs), refSuffix)
		slash := strings.LastIndexByte(rest, '/')
		if ok && slash > 0 && slices.Contains(writers, rest[slash+1:]) {
			found = append(found, place{ref: r.Name, remote: rest[:slash], writer: rest[slash+1:]})
		}
	}
	return found, nil
}

// read reads checkpoints from the newest back to the first that counts.
func (p place) read(ctx context.Context, log *events.Log) ([]events.Anchor, error) {
	commit, err := log.Repo().ReadRef(p.ref)
	if errors.Is(err, refs.ErrRefMissing) {
		return nil, nil
	}
	if err != nil {
		return []events.Anchor{{Source: p.ref, Void: err.Error()}}, nil
	}
	objects := log.Repo().Objects()
	objects.Max = maxCommit
	defer func() { _ = objects.Close() }()
	var anchors []events.Anchor
	for len(anchors) < maxVoid && !commit.IsZero() {
		anchor, parent, err := p.anchor(ctx, log.Repo(), objects, commit)
		if err != nil {
			return nil, err
		}
		if anchors = append(anchors, anchor); anchor.Void == "" {
			break
		}
		commit = parent
	}
	return anchors, nil
}

// anchor reads one checkpoint and lets git check its signature.
func (p place) anchor(ctx context.Context, repo *refs.Repo, objects *refs.Objects, commit refs.OID) (events.Anchor,
	refs.OID, error) {
	anchor := events.Anchor{Source: "checkpoint " + commit.String()[:12] + p.from()}
	void := func(why error) (events.Anchor, refs.OID, error) {
		anchor.Void = why.Error()
		return anchor, refs.OID{}, ctx.Err()
	}
	typ, raw, err := objects.Read(commit)
	if err != nil {
		return void(err)
	}
	if typ != refs.CommitObject || repo.Format.Hash(refs.CommitObject, raw) != commit {
		return void(errNoCheckpoint)
	}
	s, err := parse(repo.Format, raw)
	if err != nil {
		anchor.Void = err.Error()
		return anchor, s.parent, nil //nolint:nilerr // Void has the reason
	}
	anchor.Seq, anchor.ID = s.Seq, s.Event
	if p.writer != "" && p.writer != s.Writer {
		anchor.Void = "it speaks of writer " + s.Writer
		return anchor, s.parent, nil
	}
	signature, err := judge(ctx, repo, commit, s.kind)
	if err != nil {
		return anchor, s.parent, err
	}
	if anchor.Void = signature.Why(); anchor.Void == "" {
		anchor.Source = "checkpoint signed by " + signature.By() + p.from()
	}
	return anchor, s.parent, nil
}

func (p place) from() string {
	if p.remote == "" {
		return ""
	}
	return " fetched from " + p.remote
}
