package transcripts

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/several"
	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// Transcript is a conversation in a session file, or in several.
type Transcript struct {
	Agent   agents.Agent
	Path    string
	Earlier []string // other files of the same session, which are read before
	ID      string   // the agent's id of the session, if the finder has it
	Session backfill.Session
	Prompts []Prompt
	Unseen  int // calls that may have written text that is not in the transcript
	First   time.Time
	Last    time.Time
	Model   string
	Err     error // why it could not be read
	// `Since` is an earlier reading of the file: only the new part is read. Earlier texts are then missing.
	Since Reading

	first  int             // the number of the first step that was read
	asked  []int           // the steps of Prompts
	ended  []string        // the ids of the calls that were read and have a result
	torn   bool            // the new part has the result of a call that an earlier reading left open
	cursor json.RawMessage // cursor for the next reading
	dir    string
	keys   map[uint64]bool // keys of the steps
	calls  []*Call
	open   map[int][]*Call  // the calls of the last step of each chain
	chain  int              // chain of the step that is being read
	late   map[string]*Call // calls without a result
	unseen map[string]bool  // the calls that Unseen counts
	trees  map[string]records.CallTrees
}

// Forget drops the edits and the calls, which take most of the memory.
func (t *Transcript) Forget() {
	t.Session.Edits, t.calls, t.open, t.late, t.keys = nil, nil, nil, nil, nil
	t.unseen, t.trees = nil, nil
}

// Prompt is a person's prompt. Its time is zero if it is unknown.
type Prompt struct {
	At   time.Time
	Text string
}

// read reads the session file.
func (t *Transcript) read(ctx context.Context) error {
	sink := &editSink{t: t, shell: newShellReader()}
	t.keys, t.late, t.open = map[uint64]bool{}, map[string]*Call{}, map[int][]*Call{}
	t.unseen = map[string]bool{}
	parser := t.Agent.Parser
	if len(t.Earlier) > 0 {
		parser = several.Parser{SessionParser: parser, Earlier: t.Earlier}
	}
	parsed, err := parser.Parse(ctx, t.Path, agents.ParseOptions{
		Session: t.ID, Cursor: t.Since.Cursor, Relative: func(path string) (string, bool) { return path, false },
	}, sink)
	if err != nil {
		return err
	}
	t.cursor = parsed.Cursor
	head := parsed.Head
	t.trees = head.Trees()
	s := &t.Session
	s.Trace, s.Agent, s.ID = events.TraceID(head.TraceID), head.Agent.Name, head.SessionID
	if head.Agent.Model != nil {
		t.Model = *head.Agent.Model
	}
	for _, dir := range []string{t.dir, t.Since.Dir, sink.dir} {
		if dir = filepath.ToSlash(dir); dir != "" && !slices.Contains(s.Dirs, dir) {
			s.Dirs = append(s.Dirs, dir)
		}
	}
	if head.Task.RepositoryURL != nil {
		s.Remote = *head.Task.RepositoryURL
	}
	for _, commit := range []*string{head.Task.BaseCommit, head.Environment.VCS.BaseCommit, head.Outcome.CommitSHA} {
		if commit != nil && *commit != "" {
			s.Commits = append(s.Commits, *commit)
		}
	}
	var made []struct {
		SHA  string `json:"sha"`
		Step int    `json:"step"`
		Only bool   `json:"only"`
	}
	if json.Unmarshal(head.Metadata["commits"], &made) == nil {
		for _, c := range made {
			s.Commits, s.Made = append(s.Commits, c.SHA), append(s.Made, c.SHA)
			if c.Only {
				if s.Only == nil {
					s.Only = map[int]string{}
				}
				s.Only[c.Step] = c.SHA
			}
		}
	}
	return nil
}

// editSink collects the edits of a conversation.
type editSink struct {
	t       *Transcript
	shell   *shellReader
	dir     string
	waiting []records.Edited
}

// Edited keeps an edit until its step comes.
func (s *editSink) Edited(e records.Edited) { s.waiting = append(s.waiting, e) }

// EndedBefore reports whether every step is older than a time. A session without times may be of any time.
func (t *Transcript) EndedBefore(at time.Time) bool { return !t.Last.IsZero() && t.Last.Before(at) }

// Step takes the edits of a step.
func (s *editSink) Step(step *records.Step) error {
	s.t.begin(step)
	s.t.keys[several.Key(step)] = true
	at := stampOf(step.Timestamp)
	if !at.IsZero() {
		if s.t.First.IsZero() || at.Before(s.t.First) {
			s.t.First = at
		}
		if at.After(s.t.Last) {
			s.t.Last = at
		}
	}
	if step.Asks() {
		p := Prompt{At: at}
		if step.Content != nil {
			p.Text = *step.Content
		}
		s.t.asked, s.t.Prompts = append(s.t.asked, step.StepIndex), append(s.t.Prompts, p)
	}
	s.t.hearCalls(step, at)
	told := map[string]bool{}
	add := func(edit backfill.Edit) {
		edit.Prompt, edit.Time = len(s.t.Prompts), at
		if step.Model != nil {
			edit.Model = *step.Model
		}
		s.t.Session.Edits = append(s.t.Session.Edits, edit)
	}
	for _, edit := range s.shell.texts(step) {
		told[edit.Call] = true
		add(edit)
	}
	for i := range s.waiting {
		e := &s.waiting[i]
		told[e.Call] = true
		if s.dir == "" {
			s.dir = e.Dir
		}
		if edit, ok := editOf(e); ok {
			add(edit)
		}
	}
	s.waiting = s.waiting[:0]
	s.t.doubtCalls(told)
	for _, call := range s.shell.unseenWrites(step, told) {
		s.t.Unseen++
		s.t.unseen[call] = true
	}
	return nil
}

// Late takes the result of a call of an earlier step. It does not change the edits.
func (s *editSink) Late(_ int, o records.Observation) error {
	if c := s.t.late[o.SourceCallID]; c != nil {
		delete(s.t.late, o.SourceCallID)
		s.t.ran(c, &o)
	} else {
		known := func(calls []string) bool { return slices.Contains(calls, o.SourceCallID) }
		s.t.torn = s.t.torn || len(s.t.Since.Cursor) > 0 && !known(s.t.ended) && !known(s.t.Since.Calls)
	}
	return nil
}

func stampOf(text *string) time.Time {
	if text == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, *text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Reading holds the state of a reading of a session file, so that the next reading takes only the new part. It may hold
// unredacted texts of the conversation.
type Reading struct {
	Cursor  json.RawMessage `json:"cursor,omitempty"`
	Dir     string          `json:"dir,omitempty"`     // directory in which the conversation was held
	Prompts []int           `json:"prompts,omitempty"` // the numbers of the steps with a prompt
	Calls   []string        `json:"calls,omitempty"`   // the last ones
}

// mostKept limits the number of calls that a reading keeps. If hooks report any of them, one is enough.
const mostKept = 100

// Load reads one session: only the new part since another reading, or all of it if that is not possible.
func (t *Transcript) Load(ctx context.Context) error {
	fresh := *t
	if err := t.read(ctx); err != nil || !t.torn {
		return err
	}
	*t = fresh
	t.Since = Reading{}
	return t.read(ctx)
}

// Partial reports whether earlier steps were left out.
func (t *Transcript) Partial() bool { return t.first > 1 }

// Reading returns the state that the next reading needs.
func (t *Transcript) Reading() Reading {
	r := Reading{Cursor: t.cursor, Dir: t.dir, Prompts: t.asked, Calls: slices.Concat(t.Since.Calls, t.ended)}
	if len(t.Session.Dirs) > 0 {
		r.Dir = t.Session.Dirs[0]
	}
	r.Calls = r.Calls[max(len(r.Calls)-mostKept, 0):]
	return r
}

// begin takes the results of the earlier reading, at the first step.
func (t *Transcript) begin(step *records.Step) {
	if t.first > 0 {
		return
	}
	t.first = step.StepIndex
	for _, at := range t.Since.Prompts {
		if at < t.first {
			t.asked, t.Prompts = append(t.asked, at), append(t.Prompts, Prompt{})
		}
	}
}
