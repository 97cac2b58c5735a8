package testimony

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/transcripts"
)

// Witnesses compares session files with the reports of hooks. All readers of session files use it: background processes
// at the end of a turn and at a commit, readers of uncommitted lines, and backfill.
type Witnesses struct {
	Repo *refs.Repo
	Env  agents.Env
	// most limits the size of the session files to read, in bytes, for a command that somebody waits for; 0 for no limit.
	Most int64
}

// WatchSlack is the allowed difference between a file's time and the clock: a file written after the last look may have
// a slightly older time.
const WatchSlack = time.Minute

// MostHeard is that limit. The background processes of hooks read files of any size.
const MostHeard = 32 << 20

// waiting compares the conversations that hooks reported on since their records were stored.
func (w *Witnesses) waiting(ctx context.Context) error {
	list, err := waiting.Open(w.Repo).All()
	if err != nil {
		return err
	}
	var failed error
	for _, s := range list {
		path, err := recorder.SessionFile(w.Env, s)
		if _, statErr := os.Stat(path); err != nil || statErr != nil {
			continue // nothing to read
		}
		failed = errors.Join(failed, w.Session(ctx, s, path, s.Beside()))
	}
	return failed
}

// All does the work of waiting and of unreported.
func (w *Witnesses) All(ctx context.Context) error {
	return errors.Join(w.waiting(ctx), w.unreported(ctx))
}

// unreported compares the session files of the work tree that changed since the last reading, or since recording began.
// Hooks may not know their conversations.
func (w *Witnesses) unreported(ctx context.Context) error {
	listed := recorded.Look(w.Repo)
	if listed.State != recorded.Listed {
		return nil
	}
	since := listed.Since
	file := filepath.Join(recorder.StateDir(w.Repo), "heard", "last")
	if info, err := os.Stat(file); err == nil {
		since = info.ModTime().Add(-WatchSlack)
	}
	if w.Most == 0 { // with a limit, a file that is too large now is read later
		if err := refs.WriteFileAtomic(file, nil, 0o600); err != nil {
			return err
		}
	}
	var failed error
	for _, agent := range agents.All(w.Env) {
		if agent.Discoverer == nil {
			continue
		}
		sessions, err := agent.Discoverer.ProjectSessions(w.Repo.WorkTree, since)
		if err != nil {
			continue // skip unreadable session files
		}
		for _, s := range sessions {
			if s.ID != "" && s.Changed.After(since) {
				failed = errors.Join(failed, w.hear(ctx, s.Dir, &transcripts.Transcript{Agent: agent, Path: s.Path, ID: s.ID}))
			}
		}
	}
	return failed
}

// Session compares the session file of one conversation with the log.
func (w *Witnesses) Session(ctx context.Context, s waiting.Session, path string, earlier []string) error {
	agent, _ := agents.Lookup(w.Env, s.Agent)
	return w.hear(ctx, s.WorkTree, &transcripts.Transcript{Agent: agent, Path: path, ID: s.Session, Earlier: earlier})
}

// hear compares a session file's calls with the log, if the file changed since the last reading.
func (w *Witnesses) hear(ctx context.Context, dir string, t *transcripts.Transcript) error {
	mark, fresh, err := w.read(ctx, dir, t)
	if err != nil || !fresh {
		return err
	}
	return w.heard(t, mark, w.testify(ctx, t))
}

// read reads the new part of a session file; `fresh` is false if there is none. `dir` is the conversation's directory,
// unless its edits point to a better one.
func (w *Witnesses) read(
	ctx context.Context, dir string, t *transcripts.Transcript,
) (mark heardMark, fresh bool, err error) {
	if !w.listens(t) {
		return mark, false, nil
	}
	size, changed, err := transcripts.Written(t.Path)
	if err != nil {
		return mark, false, nil //nolint:nilerr // the file was deleted meanwhile
	}
	if w.Most > 0 && size > w.Most {
		return mark, false, nil
	}
	mark = heardMark{Path: t.Path, Size: size, Changed: changed.UnixNano()}
	last := w.marked(t.ID)
	if last.Path == mark.Path {
		if last.Size == mark.Size && last.Changed == mark.Changed {
			return mark, false, nil
		}
		t.Since = last.Reading
	}
	if err := errors.Join(t.Load(ctx), t.FromTrees(ctx, w.Repo)); err != nil {
		return mark, false, err
	}
	if len(t.Session.Dirs) == 0 && dir != "" {
		t.Session.Dirs = []string{dir}
	}
	return mark, true, nil
}

// listens reports whether the calls of a session file can be compared with the hooks' reports.
func (w *Witnesses) listens(t *transcripts.Transcript) bool {
	return t.Agent.Parser != nil && t.Agent.Traits.CallIDs != capability.CallIDsPaired &&
		!purge.Was(w.Repo, events.NewTraceID(t.Agent.Name, t.ID))
}

// `heard` notes that a session file was read. `err` is the error of the comparison, if any.
func (w *Witnesses) heard(t *transcripts.Transcript, mark heardMark, err error) error {
	switch {
	case err == nil && purged.Stamp(w.Repo) != "": // the reading may contain purged text, so all is read again next time
	case err == nil:
		mark.Reading = t.Reading()
	case !errors.Is(err, trails.ErrUnwatched): // all is read again next time
		return err
	}
	return w.mark(t.ID, mark)
}

// testify compares the calls of sessions with the log, in each work tree. It adds conversations that no hook reported
// to the log. It reads the log once.
func (w *Witnesses) testify(ctx context.Context, list ...*transcripts.Transcript) (unwatched error) {
	found := map[events.TraceID]bool{}
	calls := make([][]*transcripts.Call, len(list))
	for i, t := range list {
		calls[i] = t.Calls()
	}
	for _, repo := range WorkTreesOf(w.Repo) {
		var told []*trails.Told
		for i, t := range list {
			if len(calls[i]) == 0 {
				continue
			}
			for _, id := range t.Since.Calls { // the earlier calls show whether hooks report the same ids
				told = append(told, &trails.Told{Trace: t.Session.Trace, Call: id, Began: calls[i][0].Began})
			}
			for _, c := range calls[i] {
				told = append(told, toldIn(repo, t, c))
			}
		}
		engine := runner.Engine(repo, events.OpenLog(repo))
		unheard, err := engine.Testify(ctx, time.Now(), told)
		switch {
		case errors.Is(err, trails.ErrUnwatched):
			unwatched = err
		case err != nil:
			return err
		}
		for _, one := range unheard {
			found[one.Trace] = true
		}
	}
	if len(found) == 0 {
		return unwatched
	}
	reader, err := view.Open(ctx, w.Repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, t := range list {
		if found[t.Session.Trace] {
			unwatched = errors.Join(unwatched, w.begin(ctx, reader.Log(), t))
		}
	}
	return unwatched
}

// begin adds a conversation to the log and to the waiting list, unless hooks reported it.
func (w *Witnesses) begin(ctx context.Context, log *view.Log, t *transcripts.Transcript) error {
	known, hooked, err := Told(log, t.Session.Trace)
	if err != nil || hooked {
		return err
	}
	if t.Partial() { // the prompts are kept, too
		t = &transcripts.Transcript{Agent: t.Agent, Path: t.Path, ID: t.ID, Earlier: t.Earlier}
		if err := t.Load(ctx); err != nil {
			return err
		}
	}
	drafts, err := ConversationDrafts(known, t.Session.Trace, t)
	if err != nil || len(drafts) == 0 {
		return err
	}
	if err := AppendDrafts(ctx, events.OpenLog(w.Repo), drafts); err != nil {
		return err
	}
	return waiting.Open(w.Repo).NoteOnce(waiting.Session{Trace: t.Session.Trace, Agent: t.Agent.Name,
		Session: t.Session.ID, Transcript: t.Path, WorkTree: w.Repo.WorkTree})
}

// toldIn returns a call in the form that the timeline of a work tree compares. If the conversation is held outside the
// work tree, its commands do not count as possible writers.
func toldIn(repo *refs.Repo, t *transcripts.Transcript, c *transcripts.Call) *trails.Told {
	dirs := t.Session.Dirs
	out := &trails.Told{
		Trace: t.Session.Trace, Agent: t.Agent.Name, Session: t.Session.ID, Call: c.ID, Tool: c.Tool, Model: c.Model,
		Prompt: c.Prompt, Began: c.Began, Ended: c.Ended,
		Anything: c.Anything && slices.ContainsFunc(dirs, func(dir string) bool {
			_, inside := route.Relative(repo, filepath.Join(filepath.FromSlash(dir), "any"))
			return inside
		}),
	}
	for _, e := range c.Edits {
		path := filepath.FromSlash(e.Path)
		if !filepath.IsAbs(path) && len(dirs) > 0 {
			path = filepath.Join(filepath.FromSlash(dirs[0]), path)
		}
		out.Subagent = e.Subagent
		out.Edits = append(out.Edits, trails.ToldEdit{Path: path, Make: e.Make, Lines: e.Lines(), Wrote: e.Wrote()})
	}
	return out
}

// Compare compares sessions with the log: conversations that hooks reported, and conversations whose records will be
// stored. It reads them again, because the texts of their edits were dropped after the linking. It compares as many at
// once as MostHeard allows. Sessions from before the recording have nothing to compare until a change is recorded.
func (w *Witnesses) Compare(ctx context.Context, log *view.Log, found map[events.TraceID]*transcripts.Transcript,
	stored []waiting.Session) error {
	var list []*transcripts.Transcript
	var marks []heardMark
	var size int64
	flush := func() error {
		err := w.testify(ctx, list...)
		for i, t := range list {
			if err := w.heard(t, marks[i], err); err != nil {
				return err
			}
		}
		list, marks, size = nil, nil, 0
		return nil
	}
	old, err := log.Began()
	if err != nil {
		return err
	}
	if changed, err := log.Changed(); err != nil || changed {
		old = time.Time{} // an old edit may have reached the work tree since
	}
	kept := map[events.TraceID]bool{}
	for _, s := range stored {
		kept[s.Trace] = true
	}
	for _, trace := range slices.Sorted(maps.Keys(found)) {
		known := found[trace]
		_, hooked, err := Told(log, trace)
		if err != nil || !hooked && (!kept[trace] || known.EndedBefore(old)) {
			continue
		}
		t := &transcripts.Transcript{Agent: known.Agent, Path: known.Path, ID: known.ID, Earlier: known.Earlier}
		mark, fresh, err := w.read(ctx, w.Repo.WorkTree, t)
		if err != nil {
			return err
		}
		if !fresh {
			continue
		}
		list, marks, size = append(list, t), append(marks, mark), size+mark.Size
		if size > MostHeard {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// heardMark describes a session file at its last reading.
type heardMark struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Changed int64  `json:"changed"`

	Reading transcripts.Reading `json:"reading"`
}

func (w *Witnesses) markFile(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(recorder.StateDir(w.Repo), "heard", hex.EncodeToString(sum[:8]))
}

// marked reads the mark from a cache. A session without a mark is read again, which is harmless.
func (w *Witnesses) marked(session string) (mark heardMark) {
	if raw, err := os.ReadFile(w.markFile(session)); err == nil && json.Unmarshal(raw, &mark) != nil {
		return heardMark{}
	}
	return mark
}

func (w *Witnesses) mark(session string, mark heardMark) error {
	return refs.WriteJSON(w.markFile(session), mark, refs.WriteFileAtomic)
}

// WorkTreesOf returns the existing work trees of the repository, the main one first. It starts no process.
func WorkTreesOf(repo *refs.Repo) []*refs.Repo {
	var out []*refs.Repo
	own := false
	for _, dir := range repo.WorkTrees() {
		found, err := refs.FindHook(dir)
		if err != nil || found.CommonDir != repo.CommonDir {
			continue
		}
		if one, err := recorded.Open(found); err == nil {
			out = append(out, one)
			own = own || one.GitDir == repo.GitDir
		}
	}
	if !own {
		out = append(out, repo)
	}
	return out
}
