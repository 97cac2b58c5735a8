package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/memory"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/transcripts"
)

// keeper stores the records of conversations that backfill linked, as hooks would do. A conversation gets on the
// waiting list before its events get into the log. So after a kill, the next run or hook completes the work.
type keeper struct {
	filler  *filler
	job     *recording // nil if nothing is stored
	prompts *ledger.Prompts
	byTrace map[events.TraceID]*transcripts.Transcript
	roots   map[events.TraceID]string // the work tree in which each conversation was held
	ours    map[events.TraceID]bool   // conversations whose prompts have backfill's numbers
	listed  map[events.TraceID]bool
}

func (b *filler) newKeeper(
	byTrace map[events.TraceID]*transcripts.Transcript, roots map[events.TraceID]string,
) (*keeper, error) {
	k := &keeper{
		filler: b, byTrace: byTrace, roots: roots, prompts: ledger.NewPrompts(b.repo),
		ours: map[events.TraceID]bool{}, listed: map[events.TraceID]bool{},
	}
	if b.dry || b.repo.Bare() {
		return k, nil
	}
	job, err := newRecording(b.ctx, b.repo)
	if err != nil {
		return nil, err
	}
	if job.off {
		job.close()
		return k, nil
	}
	k.job = job
	return k, nil
}

func (k *keeper) close() {
	if k.job != nil {
		k.job.close()
	}
}

// number notes that the prompts of a conversation have backfill's numbers.
func (k *keeper) number(trace events.TraceID) { k.ours[trace] = true }

// session returns a conversation's entry for the waiting list.
func (k *keeper) session(trace events.TraceID) (waiting.Session, error) {
	t := k.byTrace[trace]
	files := append(slices.Clone(t.Earlier), t.Path)
	for i := range files {
		file, err := filepath.Abs(files[i])
		if err != nil {
			return waiting.Session{}, err
		}
		files[i] = file
	}
	last := len(files) - 1
	return waiting.Session{
		Trace: trace, Agent: t.Agent.Name, Session: t.Session.ID, Transcript: files[last], WorkTree: k.filler.repo.WorkTree,
		Files: strings.Join(files[:last], "\x00"),
	}, nil
}

// list puts the conversations linked since its last call on the waiting list. It keeps their prompts until the record
// has them.
func (k *keeper) list() error {
	if k.job == nil {
		return nil
	}
	for trace := range k.filler.linked {
		if k.listed[trace] || k.byTrace[trace] == nil || purge.Was(k.filler.repo, trace) {
			continue
		}
		k.listed[trace] = true
		for i, p := range k.byTrace[trace].Prompts {
			if !k.ours[trace] {
				break
			}
			if k.job.purged.Holds(p.Text) { // a purged text is not kept, not even until the record is stored
				continue
			}
			if err := k.prompts.Put(trace, i+1, p.Text); err != nil {
				return err
			}
		}
		s, err := k.session(trace)
		if err != nil {
			return err
		}
		if err := k.job.list.Note(s); err != nil {
			return err
		}
	}
	return nil
}

// noted lists the waiting conversations that this run has read.
func (k *keeper) noted() ([]waiting.Session, error) {
	if k.job == nil {
		return nil, nil
	}
	all, err := k.job.list.All()
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	return slices.DeleteFunc(all, func(s waiting.Session) bool {
		if k.byTrace[s.Trace] == nil {
			return true
		}
		own, err := k.session(s.Trace)
		return err != nil || own != s
	}), nil
}

// keep stores the conversations of the list whose session files were read. If a conversation cannot be stored, it waits
// for the next run.
func (k *keeper) keep(ctx context.Context, noted []waiting.Session) error {
	if len(noted) == 0 {
		return nil
	}
	k.job.recorder.Heard = nil
	for _, t := range k.byTrace {
		t.Forget()
	}
	memory.CollectBeyond(memory.ConvertRoom)
	// in order of time: one answer of git for a commit serves several conversations
	slices.SortStableFunc(noted, func(a, b waiting.Session) int {
		return k.byTrace[a.Trace].First.Compare(k.byTrace[b.Trace].First)
	})
	lock, err := k.job.lock(ctx, store.Patience)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git trace record stores the conversations later")
	}
	defer lock.Unlock()
	traces := make([]events.TraceID, len(noted))
	for i := range noted {
		traces[i] = noted[i].Trace
	}
	// the log has their lines by now
	gather, done := facts.ForMany(ctx, k.filler.repo, traces, k.byTrace[noted[0].Trace].First)
	defer done()
	k.job.recorder.Facts = gather
	inside := k.job.recorder.Relative
	shown := k.filler.app.line.Progress("conversations")
	defer shown.Clear()
	for i, s := range noted {
		k.job.recorder.Relative = func(path string) (string, bool) {
			if rest, found := strings.CutPrefix(filepath.ToSlash(path), k.roots[s.Trace]+"/"); found {
				return rest, true
			}
			return inside(path)
		}
		if err := k.job.one(ctx, s, func(recordedConversation) {}); err != nil {
			fmt.Fprintf(k.filler.app.std.err, "git-trace: warning: %s\n", cells.Message(err.Error()))
		} else if err := k.job.list.Done(s); err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
		shown.At(i+1, len(noted))
	}
	return nil
}
