package search

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

const (
	// fullSegment is the size of a segment's text, in bytes, at which a new segment is started.
	fullSegment = 32 << 20
	// mostSegments is the number of segments above which small ones are merged.
	mostSegments = 12
)

// updater brings an index up to date.
type updater struct {
	ix       *Index
	records  *store.Store
	known    map[events.TraceID]Digest
	progress Progress

	digests []Digest
	build   *builder
	waiting []int // the digests of the conversations in the builder
}

func (u *updater) run(ctx context.Context, list []store.Entry) error {
	var changed []store.Entry
	here := map[events.TraceID]bool{}
	for _, e := range list {
		here[e.Trace] = true
		if d, ok := u.known[e.Trace]; ok && d.Blob == e.Blob {
			u.digests = append(u.digests, d)
			continue
		}
		changed = append(changed, e)
	}
	for trace, d := range u.known {
		if !here[trace] {
			u.bury(d)
		}
	}
	for i, e := range changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if u.progress != nil {
			u.progress(i, len(changed))
		}
		if old, ok := u.known[e.Trace]; ok {
			u.bury(old)
		}
		if err := u.take(e); err != nil {
			return err
		}
	}
	if err := u.flush(); err != nil {
		return err
	}
	if !u.ix.memory && len(u.ix.segments) > mostSegments {
		if err := u.merge(); err != nil {
			return err
		}
	}
	slices.SortFunc(u.digests, func(a, b Digest) int { return cmp.Compare(a.Trace, b.Trace) })
	return nil
}

// bury marks the conversation of a digest as removed.
func (u *updater) bury(d Digest) {
	if d.Unreadable == "" && d.segment >= 0 && d.segment < len(u.ix.segments) {
		u.ix.segments[d.segment].dead[d.conversation] = true
	}
}

// take reads and indexes a record. An unreadable record also gets a digest, so that it is not read again and again.
func (u *updater) take(e store.Entry) error {
	r, err := u.records.Read(e)
	if err != nil {
		u.digests = append(u.digests, Digest{Trace: e.Trace, Blob: e.Blob, Own: e.Own(), Unreadable: err.Error(),
			segment: -1})
		return nil //nolint:nilerr // it is kept with the digest
	}
	d := digest(r)
	d.Trace, d.Blob, d.Own = e.Trace, e.Blob, e.Own()
	if u.build == nil {
		u.build = newBuilder()
	}
	d.conversation = u.build.add(r)
	d.segment = len(u.ix.segments)
	u.waiting = append(u.waiting, len(u.digests))
	u.digests = append(u.digests, d)
	if len(u.build.texts) >= fullSegment {
		return u.flush()
	}
	return nil
}

// flush writes the builder's content as a segment.
func (u *updater) flush() error {
	if u.build == nil {
		return nil
	}
	build := u.build
	u.build, u.waiting = nil, nil
	return u.ix.addSegment(build)
}

func (ix *Index) addSegment(build *builder) error {
	var raw bytes.Buffer
	if err := build.write(&raw); err != nil {
		return err
	}
	if !ix.memory {
		f := segmentFile{
			File: "segment-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(len(ix.segments)),
			Size: int64(raw.Len()),
		}
		err := refs.WriteFileAtomic(filepath.Join(ix.dir, f.File), raw.Bytes(), 0o600)
		if err == nil {
			ix.manifest.Segments = append(ix.manifest.Segments, f)
			return ix.openFile(f)
		}
		ix.memory = true // the disk is full or read-only
	}
	s, err := openSegment(bytes.NewReader(raw.Bytes()), int64(raw.Len()))
	if err == nil {
		ix.segments = append(ix.segments, s)
	}
	return err
}

// merge merges the small segments, without removed conversations.
func (u *updater) merge() error {
	old, oldFiles, oldEntries := u.ix.segments, u.ix.files, u.ix.manifest.Segments
	u.ix.segments, u.ix.files, u.ix.manifest.Segments = nil, nil, nil
	byPlace := map[int]map[uint32]int{}
	for i, d := range u.digests {
		if d.segment >= 0 {
			if byPlace[d.segment] == nil {
				byPlace[d.segment] = map[uint32]int{}
			}
			byPlace[d.segment][d.conversation] = i
		}
	}
	build := newBuilder()
	for at, s := range old {
		if s.offsets[1] >= fullSegment/2 && len(s.dead)*4 < int(s.counts[2]) {
			for _, i := range byPlace[at] {
				u.digests[i].segment = len(u.ix.segments)
			}
			u.ix.segments = append(u.ix.segments, s)
			u.ix.files = append(u.ix.files, oldFiles[at])
			u.ix.manifest.Segments = append(u.ix.manifest.Segments, oldEntries[at])
			continue
		}
		if err := u.move(build, s, byPlace[at]); err != nil {
			return err
		}
		if file := oldFiles[at]; file != nil {
			_ = file.Close()
		}
	}
	for i := range u.digests {
		if u.digests[i].segment == moved {
			u.digests[i].segment = len(u.ix.segments)
		}
	}
	return u.ix.addSegment(build)
}

// moved stands for the number of the segment under construction.
const moved = -2

// `move` copies the conversations of a segment that were not removed into a builder.
func (u *updater) move(build *builder, s *segment, digests map[uint32]int) error {
	table, err := s.documents()
	if err != nil {
		return err
	}
	calls, err := s.calls()
	if err != nil {
		return err
	}
	last := int64(-1)
	for i := range uint32(s.counts[0]) {
		d := entry(table, i)
		at, alive := digests[d.conversation]
		if !alive || s.dead[d.conversation] {
			continue
		}
		if int64(d.conversation) != last {
			if last >= 0 {
				build.conversations++
			}
			last = int64(d.conversation)
		}
		text, err := s.text(d)
		if err != nil {
			return err
		}
		build.document(d.step, text)
		for _, id := range calls[i] {
			build.call(id)
		}
		u.digests[at].segment, u.digests[at].conversation = moved, build.conversations
	}
	if last >= 0 {
		build.conversations++
	}
	for _, at := range digests { // conversations without text
		if u.digests[at].segment >= 0 {
			u.digests[at].segment = -1
		}
	}
	return nil
}
