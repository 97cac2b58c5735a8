package sessionfile

import (
	"encoding/json"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// cursor is the place at which a reading ended.
type cursor struct {
	*assemble.Cursor
	Session string           `json:"session"`
	Start   string           `json:"start"`
	Agents  map[string]int64 `json:"subagents,omitzero"` // the sizes of the subagents' files that were read
	Below   jsonlines.Faults `json:"below,omitzero"`     // the unreadable parts of these files
	Mark    string           `json:"mark,omitempty"`     // the file's mark of this place
}

// Marked is a file that may be truncated and continue differently. Mark returns the text before an offset.
type Marked interface{ Mark(offset int64) string }

func markOf(file File, offset int64) string {
	if marked, ok := file.(Marked); ok {
		return marked.Mark(offset)
	}
	return ""
}

func usable(raw json.RawMessage, session, start string, file File) *cursor {
	if len(raw) == 0 || start == "" {
		return nil
	}
	at := &cursor{Cursor: &assemble.Cursor{}}
	if json.Unmarshal(raw, at) != nil || at.Session != session || at.Start != start || at.Offset < 0 ||
		at.Offset > file.Size() ||
		markOf(file, at.Offset) != at.Mark {
		return nil
	}
	return at
}

// resume continues at the cursor.
func (r *reading) resume(place Place, options capability.ParseOptions, sink records.Sink, at *cursor) error {
	c, err := assemble.Resume(sink, r.options(place, options), at.Cursor)
	if err != nil {
		return err
	}
	var kept registers
	if err := json.Unmarshal(at.Registers, &kept); err != nil {
		return err
	}
	r.main = &conversation{Format: r.Format(c, place), c: c, place: place, kept: string(at.Registers)}
	if err := json.Unmarshal(kept.State, r.main.State()); err != nil {
		return err
	}
	r.Lost, r.Below = kept.Lost, at.Below
	return r.resumeAgents(at.Agents)
}

// cursor returns the cursor for the next reading; nil if the file must be read from its beginning. It must be called
// before the conversation is finished.
func (r *reading) cursor(session, start string, file File, in Source) (json.RawMessage, error) {
	if err := r.keep(); err != nil {
		return nil, err
	}
	at, err := r.main.c.Cursor(in.End(), in.Lines())
	if err != nil || at == nil {
		return nil, err
	}
	return json.Marshal(cursor{Cursor: at, Session: session, Start: start, Agents: r.agents.sizes(), Below: r.Below,
		Mark: markOf(file, at.Offset)})
}
