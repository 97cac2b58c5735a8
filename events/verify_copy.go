package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/git-trace/git-trace/refs"
)

// VerifyCopy is Verify for the impatient: it hashes and chains every event of the cached copy anew and reads from the
// objects only what the copy lacks. The copy is bound to the ref by the commit ids, so that a rewritten history is found
// as Verify finds it; objects that were changed under their old names are not. When the copy does not hold, Verify
// decides.
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

// CopyNote is noted where the objects were not read.
const CopyNote = "the copy of the log was checked, not the objects that it was made of"

var errCopyUnsound = errors.New("the copy does not hold")

func (l *Log) verifyCopy(ctx context.Context, c *Copy, sources []AnchorSource) (Report, error) {
	report := Report{Ref: c.Ref(), Tip: c.Tip(), State: Consistent}
	if tip, err := l.Tip(c.Ref()); err != nil || tip != c.Tip() || len(c.Notes) > 0 {
		return report, errCopyUnsound
	}
	if report.Tip.IsZero() && len(sources) == 0 {
		return report, nil
	}
	if c.Last() > 0 {
		end, err := l.readTip(c.Tip())
		if err != nil || end.seq != c.Last() {
			return report, errCopyUnsound
		}
		report.Writer = end.writer
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
	report.Notes = append(report.Notes, CopyNote)
	reached, source, wrong := s.judge(report.Anchors)
	if report.Faults = wrong; len(wrong) > 0 {
		report.State, report.BrokenAt = Broken, wrong[0].Seq
	} else if reached > 0 {
		report.State, report.AnchoredTo, report.AnchoredBy = Anchored, reached, source
	}
	return report, nil
}

// copyChunk is how many bytes of lines one job of rehash takes.
const copyChunk = 256 << 10

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

// rehash goes through the whole copy on all processors.
func rehash(ctx context.Context, c *Copy, s *summary) error {
	workers := runtime.GOMAXPROCS(0)
	slots := make(chan struct{}, workers)
	queue := make(chan chan linked, 2*workers)
	result := make(chan error, 1)
	go func() { result <- chainUp(queue, s) }()
	start := func(lines [][]byte) {
		out := make(chan linked, 1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			out <- relink(lines, s.watched)
		}()
		queue <- out
	}
	var lines [][]byte
	var room []byte
	scanErr := ctx.Err()
	for line, err := range c.Scan(0) {
		if scanErr = errors.Join(err, ctx.Err()); scanErr != nil {
			break
		}
		if len(room)+len(line.Line) > cap(room) {
			if len(lines) > 0 {
				start(lines)
			}
			lines, room = nil, make([]byte, 0, max(copyChunk, len(line.Line)))
		}
		at := len(room)
		room = append(room, line.Line...)
		lines = append(lines, room[at:len(room):len(room)])
	}
	if len(lines) > 0 {
		start(lines)
	}
	close(queue)
	err := <-result
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if scanErr != nil {
		return errCopyUnsound
	}
	return err
}

// relink hashes some lines in a row.
func relink(lines [][]byte, watched map[int64]bool) linked {
	out := linked{ok: true, sameWriter: true}
	var h quickHasher
	var last quickLine
	for i, line := range lines {
		q, ok := readQuick(line)
		if !ok || !h.sound(line, q) {
			return linked{}
		}
		if i == 0 {
			out.firstSeq, out.firstPrev = q.seq, ID(q.prev)
		} else {
			out.ok = out.ok && bytes.Equal(q.prev, last.id) && q.seq == last.seq+1
			out.sameWriter = out.sameWriter && bytes.Equal(q.writer, last.writer)
		}
		last = q
		if watched[q.seq] {
			out.hits = append(out.hits, Anchor{Seq: q.seq, ID: ID(q.id)})
		}
	}
	out.count, out.lastID, out.lastWriter = len(lines), ID(last.id), string(last.writer)
	return out
}

// chainUp compares each job's ends with the ones before.
func chainUp(queue <-chan chan linked, s *summary) error {
	var last ID
	var writer string
	var err error
	for out := range queue {
		job := <-out
		if !job.ok || !job.sameWriter || job.firstPrev != last || job.firstSeq != int64(s.count)+1 || writer != "" && writer != job.lastWriter {
			err = errCopyUnsound // the rest is drained, so that nobody waits for ever
		}
		last, writer = job.lastID, job.lastWriter
		s.count += job.count
		for _, hit := range job.hits {
			s.hits[hit] = true
		}
	}
	if err == nil && int64(s.count) != s.last {
		err = errCopyUnsound
	}
	return err
}
