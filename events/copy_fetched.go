package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// FetchedCopy is the copy of a fetched log, or why there is none: nothing of a damaged log is to be believed.
type FetchedCopy struct {
	*FetchedLog
	Copy *Copy
	Err  error
}

// Copies opens the copies of fetched logs, as Copy does, and brings them up to date.
func (l *Log) Copies(ctx context.Context, logs []FetchedLog) ([]FetchedCopy, error) {
	if len(logs) == 0 {
		return nil, nil
	}
	out := make([]FetchedCopy, len(logs))
	for i := range logs {
		out[i].FetchedLog = &logs[i]
	}
	ends := l.readEndsKept()
	known := ends.tells(logs)
	if !known {
		if err := l.findEnds(ctx, &ends, out); err != nil {
			return nil, err
		}
	}
	join := l.openJoined(&ends)
	if join == nil || !known {
		join.release()
		l.keepEnds(&ends)
		join = l.openJoined(&ends)
	}
	defer join.release()
	for i := range out {
		switch c := &ends.copies[i]; {
		case c.sound():
			c.lean(l, join)
			out[i].Copy = c
		case c.unsound != "" && out[i].Err == nil:
			out[i].Err = errors.New(c.unsound)
		}
	}
	return out, nil
}

// findEnds puts what is known of logs in their order, and finds the rest. A copy that is not stored whole stays open.
func (l *Log) findEnds(ctx context.Context, ends *keptEnds, of []FetchedCopy) error {
	known := make(map[string]*Copy, len(ends.copies))
	for i := range ends.copies {
		known[ends.copies[i].ref] = &ends.copies[i]
	}
	ends.copies = make([]Copy, len(of))
	var fresh []FetchedLog
	for i := range of {
		if was := known[of[i].Ref]; (was == nil || was.end.commit != of[i].Tip) && !of[i].Aside {
			fresh = append(fresh, *of[i].FetchedLog)
		}
	}
	swollen, err := l.swollen(ctx, fresh)
	if err != nil {
		return err
	}
	for i := range of {
		f, kept := &of[i], &ends.copies[i]
		if was := known[f.Ref]; was != nil && was.end.commit == f.Tip {
			kept.keptEnd = was.keptEnd
			continue
		}
		if why := swollen[f.Tip]; why != "" && !f.Aside {
			f.Err = fmt.Errorf("copy log %s: %s", f.Ref, why)
			kept.keptEnd = keptEnd{ref: f.Ref, end: flatEnd{commit: f.Tip}, unsound: f.Err.Error()}
			continue
		}
		f.Copy, f.Err = l.Copy(ctx, f.Ref)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Err != nil && !passes(f.Err) {
			if tip, err := l.Tip(f.Ref); err == nil && tip == f.Tip {
				kept.keptEnd = keptEnd{ref: f.Ref, end: flatEnd{commit: tip}, unsound: f.Err.Error()}
			}
		}
		if c := f.Copy; f.Err == nil && c.Stored() == c.Size() && c.Stored() > 0 {
			c.Close()
			kept.keptEnd = c.keptEnd
			kept.at = -1
		}
	}
	return nil
}

// lean says where a copy that is not open is read.
func (c *Copy) lean(l *Log, join *joined) {
	c.log = l
	if join != nil && c.at >= 0 {
		join.users++
		c.join = join
	}
}

// Misnamed is a fetched log whose ref does not name the writer of its events, so that it is not read.
type Misnamed struct {
	FetchedLog
	True string // the ref that would name its writer
}

// Misnamed lists the fetched logs whose refs do not name their writers. It reads last events and no others, and none of
// a log whose copy is at hand: that was held against its name.
func (l *Log) Misnamed(ctx context.Context) ([]Misnamed, error) {
	logs, err := l.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]refs.OID{}
	for _, c := range l.readEndsKept().copies {
		if c.sound() {
			known[c.ref] = c.end.commit
		}
	}
	var out []Misnamed
	for _, f := range logs {
		if at, ok := known[f.Ref]; f.Digest || ok && at == f.Tip {
			continue // of a digest those who read it tell
		}
		end, err := l.End(f.Ref) // what cannot be read is told by those who read it
		if err == nil && !end.Tip.IsZero() && end.Writer != f.Writer {
			out = append(out, Misnamed{f, fetchedRefs + f.Remote + "/" + end.Writer + "/events"})
		}
	}
	return out, nil
}
