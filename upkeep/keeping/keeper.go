package keeping

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/memory"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/transcripts"
)

// Keeper stores the records of conversations that backfill linked, as hooks would do. A conversation gets on the
// waiting list before its events get into the log. So after a kill, the next run or hook completes the work.
type Keeper struct {
	repo    *refs.Repo
	warn    io.Writer
	job     *Job // nil if nothing is stored
	prompts *ledger.Prompts
	byTrace map[events.TraceID]*transcripts.Transcript
	roots   map[events.TraceID]string // the work tree in which each conversation was held
	ours    map[events.TraceID]bool   // conversations whose prompts have backfill's numbers
	listed  map[events.TraceID]bool
}

// NewKeeper makes the keeper of the conversations whose session files were read. With dry set, or in a bare repository,
// it stores nothing.
func NewKeeper(ctx context.Context, repo *refs.Repo, dry bool, byTrace map[events.TraceID]*transcripts.Transcript,
	roots map[events.TraceID]string, warn io.Writer) (*Keeper, error) {
	k := &Keeper{
		repo: repo, warn: warn, byTrace: byTrace, roots: roots, prompts: ledger.NewPrompts(repo),
		ours: map[events.TraceID]bool{}, listed: map[events.TraceID]bool{},
	}
	if dry || repo.Bare() {
		return k, nil
	}
	job, err := NewJob(ctx, repo)
	if err != nil {
		return nil, err
	}
	if job.off {
		job.Close()
		return k, nil
	}
	k.job = job
	return k, nil
}

func (k *Keeper) Close() {
	if k.job != nil {
		k.job.Close()
	}
}

// number notes that the prompts of a conversation have backfill's numbers.
func (k *Keeper) number(trace events.TraceID) { k.ours[trace] = true }

// session returns a conversation's entry for the waiting list.
func (k *Keeper) session(trace events.TraceID) (waiting.Session, error) {
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
		Trace: trace, Agent: t.Agent.Name, Session: t.Session.ID, Transcript: files[last], WorkTree: k.repo.WorkTree,
		Files: strings.Join(files[:last], "\x00"),
	}, nil
}

// List puts the linked conversations on the waiting list, each once. It keeps their prompts until the record has them.
func (k *Keeper) List(linked map[events.TraceID]bool) error {
	if k.job == nil {
		return nil
	}
	for trace := range linked {
		if k.listed[trace] || k.byTrace[trace] == nil || purge.Was(k.repo, trace) {
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

// Noted lists the waiting conversations that this run has read.
func (k *Keeper) Noted() ([]waiting.Session, error) {
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

// Keep stores the conversations of the list whose session files were read. If a conversation cannot be stored, it waits
// for the next run. Commits in `known` are not read again. The parameter `line` shows the progress.
func (k *Keeper) Keep(ctx context.Context, noted []waiting.Session, known *facts.Known,
	line *terminal.StatusLine) error {
	if len(noted) == 0 {
		return nil
	}
	k.job.Recorder.Heard = nil
	for _, t := range k.byTrace {
		t.Forget()
	}
	memory.CollectBeyond(memory.ConvertRoom)
	// in order of time: one answer of git for a commit serves several conversations
	slices.SortStableFunc(noted, func(a, b waiting.Session) int {
		return k.byTrace[a.Trace].First.Compare(k.byTrace[b.Trace].First)
	})
	lock, err := k.job.Lock(ctx, store.Patience)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git trace record stores the conversations later")
	}
	defer lock.Unlock()
	traces := make([]events.TraceID, len(noted))
	for i := range noted {
		traces[i] = noted[i].Trace
	}
	// the log has their lines by now
	gather, done := facts.ForMany(ctx, k.repo, traces, k.byTrace[noted[0].Trace].First, known)
	defer done()
	k.job.Recorder.Facts = gather
	inside := k.job.Recorder.Relative
	shown := line.Progress("conversations")
	defer shown.Clear()
	for i, s := range noted {
		k.job.Recorder.Relative = func(path string) (string, bool) {
			if rest, found := strings.CutPrefix(filepath.ToSlash(path), k.roots[s.Trace]+"/"); found {
				return rest, true
			}
			return inside(path)
		}
		if err := k.job.One(ctx, s, func(Outcome) {}); err != nil {
			fmt.Fprintf(k.warn, "git-trace: warning: %s\n", cells.Message(err.Error()))
		} else if err := k.job.list.Done(s); err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
		shown.At(i+1, len(noted))
	}
	return nil
}

// Begin returns the missing events of a conversation: its times, its model, its prompts. After a killed run some of
// them are in the log already.
func (k *Keeper) Begin(log *view.Log, trace events.TraceID) ([]events.Draft, error) {
	t := k.byTrace[trace]
	if t == nil {
		return nil, nil
	}
	told, hooked, err := testimony.Told(log, trace)
	if err != nil || hooked {
		return nil, err
	}
	k.number(trace)
	return testimony.ConversationDrafts(told, trace, t)
}

// Unseen counts the commands of a conversation that may have written lines which its session file does not show.
func (k *Keeper) Unseen(trace events.TraceID) int {
	if t := k.byTrace[trace]; t != nil {
		return t.Unseen
	}
	return 0
}
