package trails

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/spool"
)

// Log takes the events of the timeline.
type Log interface {
	Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error)
	Writer() (string, error)
	Walk(ctx context.Context, r events.Range) iter.Seq2[events.Event, error]
}

// The end of a call, according to an agent's own record.
type (
	End     = events.CallEnd
	Outcome = events.CallOutcome
)

// The outcomes of a tool call.
const (
	OutcomeUnknown  = events.OutcomeUnknown
	OutcomeRan      = events.OutcomeRan
	OutcomeRejected = events.OutcomeRejected
)

// Settler asks an agent's own record how a tool call ended. A nil Settler has no records.
type Settler func(w Window) End

func (ask Settler) end(w *Window) End {
	if ask == nil {
		return End{}
	}
	return ask(*w)
}

// Engine advances the timeline of one work tree.
type Engine struct {
	repo   *refs.Repo
	log    Log
	settle Settler
	// Announced is the note that the process left before it knew its task, if any.
	Announced *spool.Note
	// Beside reports whether other hooks than git-trace's run after the tools of an agent. It is called if a file changed
	// right after a call.
	Beside func(agent string) bool
	// Editing reports whether the work tree is open in an editor whose completions are not reported. It is called for a
	// person's lines that no editor saw them type. It is nil if that is unknown.
	Editing func() bool
	// Earlier counts the prompts in an agent's own record before the first prompt that hooks count. It is called at the
	// first boundary of a conversation.
	Earlier func(b events.Boundary) int
	// Elsewhere means that the boundary also ends calls in other work trees.
	Elsewhere bool
	// Patient means that a step may take long, so that boundaries arrive during its snapshot (see lookAgain).
	Patient bool
	// GivesWay means that a patient process is running. Then a step fails with ErrBehind if boundaries were put aside,
	// because only a full snapshot shows the changes before them.
	GivesWay bool
	// Most, unless it is 0, is the number of changed files that a step accepts; with more it fails with
	// snapshot.ErrMany.
	Most  int
	began *looked
	pause func(time.Duration) // time.Sleep, except in tests
}

// `looked` holds the state of all snapshots before the engine's first step.
type looked struct {
	state state         // the stored state; only LastFull, Scoped and Marks are set
	git   gitfacts.Mark // git's state at the last look at everything
}

// New returns the engine of a work tree. Settle may be nil.
func New(repo *refs.Repo, log Log, settle Settler) *Engine {
	return &Engine{repo: repo, log: log, settle: settle}
}

// lockFile serialises everything that touches the timeline of a work tree.
func lockFile(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "lock") }

// snapshotState returns the directory of the snapshot engine's state for a work tree.
func snapshotState(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "state") }

// lockWait is the time that a boundary waits for its turn if its context has no deadline.
const lockWait = 10 * time.Second

// step is one advance of the timeline, under the lock. It looks at the work tree and at the processes that may have
// written there, and records the result.
type step struct {
	engine   *Engine
	tree     *workTree
	seen     *witness
	looks    *looks
	queue    *queue
	page     *page
	missed   *recorded.Missed             // notes that this step has read
	declares map[*events.ToolUse][]string // see toolPaths
}

// ErrBehind reports that a step gave way to another process.
var ErrBehind = errors.New("boundaries that were put aside come first")

// advance runs one step of the timeline: lock, load, act, append, save. The parameter `of` is the boundary of the hook
// of an agent; nil for a hook of git.
func (e *Engine) advance(
	ctx context.Context, at time.Time, of *events.Boundary, act func(*step, *heard) error,
) error {
	caller, ahead := "", of != nil && !e.Patient // see lookAhead
	if of != nil {
		caller = of.Session
	}
	if e.GivesWay && !ahead && e.Behind() {
		return ErrBehind
	}
	wait := lockWait
	if deadline, ok := ctx.Deadline(); ok {
		wait = max(time.Until(deadline)-100*time.Millisecond, 10*time.Millisecond)
	}
	lock, err := refs.Flock(lockFile(e.repo), wait)
	if err != nil {
		return fmt.Errorf("lock timeline: %w", err)
	}
	defer lock.Unlock()

	found, err := loadState(e.repo)
	if err != nil {
		return err
	}
	writer, err := e.log.Writer()
	if err != nil {
		return err
	}
	if e.began == nil {
		e.began = &looked{
			state{LastFull: found.LastFull, Scoped: maps.Clone(found.Scoped), Marks: slices.Clone(found.Marks)}, found.Git,
		}
	}
	s := e.newStep(newWorkTree(ctx, e.repo, at, found, ledger.NewKnown(e.repo)), newPage(writer), caller)
	defer s.close()
	h := &heard{editor: &editor{}}
	s.queue.checked = time.Now()
	s.tree.orient()
	if err := s.hearMissed(h); err != nil {
		return err
	}
	switch {
	case s.engine.Patient: // the look takes the boundaries
		s.queue.takeWritten()
	case ahead:
		err = s.lookAhead(h)
	default:
		err = s.takeLate(h, s.queue.waiting(), nil)
	}
	if err != nil {
		return err
	}
	s.seen.askProcesses(s.tree.time)
	if err := act(s, h); err != nil {
		return err
	}
	if err := s.write(h).endOrphans(append(s.seen.doubtGone(), h.over...)); err != nil {
		return err
	}
	return s.finish()
}

func (s *step) close() {
	if s.looks.snap != nil {
		s.looks.snap.Close()
	}
	s.tree.close()
}

// newStep returns a step for a work tree. It knows only the findings of this work tree. For the parameter `caller`, see
// witness.
func (e *Engine) newStep(tree *workTree, on *page, caller string) *step {
	look := &looks{engine: e, tree: tree}
	tree.origins.began, tree.origins.looks = e.began, look
	return &step{
		engine: e, tree: tree, seen: newWitness(tree, e.settle, caller), looks: look,
		queue: &queue{tree: tree, looks: look}, page: on, declares: map[*events.ToolUse][]string{},
	}
}

// The phases of a boundary, each with its input.

func (s *step) hear(h *heard) *hearer {
	return &hearer{
		engine: s.engine, tree: s.tree, seen: s.seen, heard: h, queue: s.queue, declares: s.declares,
	}
}

func (s *step) judge(h *heard) *judge {
	return &judge{tree: s.tree, seen: s.seen, heard: h, beside: s.engine.Beside}
}

func (s *step) weigh(h *heard) *weigher {
	by := s.judge(h)
	return &weigher{
		tree: s.tree, judge: by, cuts: &cutter{s.tree, by}, looks: s.looks, writer: s.page.writer,
		editing: s.engine.Editing,
	}
}

// `settle` runs the function `weigh`, and writes its findings.
func (s *step) settle(h *heard, weigh func(*weigher) ([]finding, error)) error {
	found, err := weigh(s.weigh(h))
	if err != nil {
		return err
	}
	return s.write(h).record(found)
}

func (s *step) write(h *heard) *record {
	return &record{engine: s.engine, tree: s.tree, seen: s.seen, page: s.page, heard: h}
}
