package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/fault"
	"github.com/git-trace/git-trace/refs"
)

// VerifyCopy is Verify for the impatient: it hashes and chains every event of the cached copy anew and reads from the
// objects only what the copy lacks. The copy is bound to the ref by the commit ids, so that a rewritten history is
// found as Verify finds it; objects that were changed under their old names are not. When the copy does not hold,
// Verify decides.
func (l *Log) VerifyCopy(ctx context.Context, what Verification) (Report, error) {
	ref := what.Ref
	if ref == "" {
		ref = refs.EventsRef
	}
	c, err := l.Copy(ctx, ref)
	if err != nil {
		return l.Verify(ctx, what)
	}
	defer c.Close()
	report, err := l.verifyCopy(ctx, c, what.Anchors)
	if errors.Is(err, errCopyUnsound) {
		return l.Verify(ctx, what)
	}
	if err != nil {
		return report, fmt.Errorf("verify %s: %w", ref, err)
	}
	return report, nil
}

// What is noted of what was not read: the objects of which a copy was made, or those that an own log is sealed in.
const (
	CopyNote = "the copy of the log was checked, not the objects that it was made of"
	SealNote = "the log was checked, not what is sealed of it"
)

var errCopyUnsound = errors.New("the copy does not hold")

func (l *Log) verifyCopy(ctx context.Context, c *Copy, sources []AnchorSource) (Report, error) {
	report := Report{Ref: c.Ref(), State: Consistent}
	tip, err := l.Tip(c.Ref())
	if err != nil || tip != c.Tip() && !c.own || len(c.Notes) > 0 {
		return report, errCopyUnsound
	}
	report.Tip = tip
	if c.Last() == 0 && len(sources) == 0 {
		return report, nil
	}
	if c.Last() > 0 {
		end, err := l.End(c.Ref())
		if err != nil || end.Seq < c.Last() {
			return report, errCopyUnsound
		}
		report.Writer = end.Writer
	}
	if err := report.findAnchors(ctx, l, sources); err != nil {
		return report, err
	}
	s := summary{last: c.Last()}
	s.watch(report.Anchors)
	if err := rehash(ctx, c, &s); err != nil {
		return report, err
	}
	report.Events, report.Commits = s.count, s.commits
	if c.own {
		report.Notes = append(report.Notes, SealNote)
	} else {
		report.Notes = append(report.Notes, CopyNote)
	}
	reached, source, wrong := s.judge(report.Anchors)
	if report.Faults = wrong; len(wrong) > 0 {
		report.State, report.BrokenAt = Broken, wrong[0].Seq
	} else if reached > 0 {
		report.State, report.AnchoredTo, report.AnchoredBy = Anchored, reached, source
	}
	return report, nil
}

// copyChunk is how many bytes of lines one job of rehash takes.
const copyChunk = 1 << 20

// linked is the outcome of one job: the ends that must fit its neighbours'.
type linked struct {
	ok         bool
	count      int
	firstSeq   int64
	firstPrev  ID
	lastID     ID
	lastWriter string
	sameWriter bool
	hits       []Anchor
}

// rehash goes through the whole copy on all processors. Each reads a part of the file into a buffer of its own.
func rehash(ctx context.Context, c *Copy, s *summary) error {
	parts := int((c.Stored() + copyChunk - 1) / copyChunk)
	results := make([]linked, parts+1)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), parts) {
		group.Go(fault.In(func() {
			var buf []byte
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= parts {
					return
				}
				lines, _, err := c.storedLines(&buf, int64(i)*copyChunk, int64(i+1)*copyChunk)
				if err == nil {
					results[i] = relink(lines, s.watched)
				}
			}
		}))
	}
	results[parts] = relink(c.inMemory(), s.watched)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return chainUp(results, s)
}

// relink hashes the events among some lines in a row.
func relink(text []byte, watched map[int64]bool) linked {
	out := linked{ok: true, sameWriter: true}
	var h eventHasher
	var last quickLine
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, newline)
		if !whole || len(line) == 0 {
			return linked{}
		}
		if text = rest; line[0] != '{' {
			continue // the end of a batch
		}
		q, ok := readQuick(line)
		if !ok || !q.sound(line, &h) {
			return linked{}
		}
		if out.count == 0 {
			out.firstSeq, out.firstPrev = q.seq, ID(q.prev)
		} else {
			out.ok = out.ok && bytes.Equal(q.prev, last.id) && q.seq == last.seq+1
			out.sameWriter = out.sameWriter && bytes.Equal(q.writer, last.writer)
		}
		last = q
		out.count++
		if watched[q.seq] {
			out.hits = append(out.hits, Anchor{Seq: q.seq, ID: ID(q.id)})
		}
	}
	out.lastID, out.lastWriter = ID(last.id), string(last.writer)
	return out
}

// chainUp compares each part's ends with the ones before.
func chainUp(parts []linked, s *summary) error {
	var last ID
	var writer string
	for _, part := range parts {
		if !part.ok {
			return errCopyUnsound
		}
		if part.count == 0 {
			continue
		}
		if !part.sameWriter || part.firstPrev != last || part.firstSeq != int64(s.count)+1 || writer != "" &&
			writer != part.lastWriter {
			return errCopyUnsound
		}
		last, writer = part.lastID, part.lastWriter
		s.count += part.count
		for _, hit := range part.hits {
			s.hits[hit] = true
		}
	}
	if int64(s.count) != s.last {
		return errCopyUnsound
	}
	return nil
}
