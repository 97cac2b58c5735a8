package events

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// read reads the whole log, the oldest events first, and checks its parts on all processors.
func (v *verifier) read(ctx context.Context) error {
	groups := v.sealed()
	if v.own != nil {
		whole := *v.own
		whole.end.offset = v.own.size
		groups = v.inFile(whole.groups(0))
		if v.own.gen == "" {
			v.chain.fault(1, FaultFile, "its first line is not that of a log")
		}
	}
	err := fault.InOrder(groups, checkBatches, func(group []checkedBatch) error {
		for i := range group {
			v.chain.add(&group[i])
		}
		return ctx.Err()
	})
	v.chain.settle(0)
	return err
}

// inFile leaves out the rest after the last end line, from a killed append, and batches without events.
func (v *verifier) inFile(groups iter.Seq2[[]batch, error]) iter.Seq2[[]batch, error] {
	return func(yield func([]batch, error) bool) {
		for group, err := range groups {
			group = slices.DeleteFunc(group, func(b batch) bool {
				return len(b.lines) == 0 || v.damage == nil && b.at >= v.own.end.offset
			})
			if !yield(group, err) {
				return
			}
		}
	}
}

// sealed yields the files of the seal.
func (v *verifier) sealed() iter.Seq2[[]batch, error] {
	return func(yield func([]batch, error) bool) {
		if v.report.Tip.IsZero() {
			return
		}
		if v.report.Ref == refs.EventsRef {
			v.watchSeals()
		}
		p, err := v.log.readSeal(v.report.Tip)
		if err != nil {
			yield([]batch{{lost: fmt.Errorf("commit %s: %w", v.report.Tip, err)}}, nil)
			return
		}
		for i, f := range p.Files {
			b := batch{end: flatEnd{seq: p.Head.Events}}
			if i+1 < len(p.Files) {
				b.end.seq = p.Files[i+1].First - 1
			}
			if text, err := v.log.sealedFile(f); err != nil {
				b.lost = fmt.Errorf("events from %d: %w", f.First, err)
			} else {
				b.lines = bytes.Split(text, newline)
			}
			if !yield([]batch{b}, nil) {
				return
			}
		}
	}
}

// compareSeal compares the ref's log with the file. The seal is not an outside witness, so it confirms nothing; but if
// it has another event, one of the two was changed.
func (v *verifier) compareSeal() {
	note := func(format string, args ...any) {
		v.report.Notes = append(v.report.Notes, refs.EventsRef+" "+fmt.Sprintf(format, args...)+
			": git trace gc seals the log again")
	}
	if v.report.Tip.IsZero() {
		note("does not name the log's seal")
		return
	}
	p, err := v.log.readSeal(v.report.Tip)
	if err != nil {
		note("does not name the log's seal (%v)", err)
		return
	}
	v.watchSeals()
	for _, f := range p.Files {
		if _, err := v.log.sealedFile(f); err != nil {
			note("lacks events from %d on (%v)", f.First, err)
			return
		}
	}
}

// mostSeals is the number of seals that are followed, from the newest one back.
const mostSeals = 1 << 20

// watchSeals compares each seal of the chain with the log, which must have the seal's last event. The tip may not be a
// seal; its reader reports that.
func (v *verifier) watchSeals() {
	objects := v.log.repo.Objects()
	objects.Max = maxHead
	defer objects.Close()
	commit := v.report.Tip
	for range mostSeals {
		v.unsound.meet(commit)
		p, err := readHead(objects, commit)
		if err != nil {
			if commit != v.report.Tip {
				note := fmt.Sprintf("the seal %s before the last one cannot be read: %v", commit, err)
				v.report.Notes = append(v.report.Notes, note)
			}
			return
		}
		at := p.Head.Source
		source := fmt.Sprintf("the seal %s on %s", commit, v.report.Ref)
		v.seals = append(v.seals, Anchor{Seq: at.Seq, ID: at.Event, Source: source})
		v.chain.watched[at.Seq] = true
		if len(p.Parents) == 0 {
			return
		}
		commit = p.Parents[0]
	}
}
