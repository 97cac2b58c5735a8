package transcripts

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/records"
)

// Reading is what is kept of a reading of a session file, so that the next one reads only what is new. It may hold
// texts of the conversation as they were written.
type Reading struct {
	Cursor  json.RawMessage `json:"cursor,omitempty"`
	Dir     string          `json:"dir,omitempty"`     // that the conversation was held in
	Prompts []int           `json:"prompts,omitempty"` // the numbers of the steps in which somebody asked
	Calls   []string        `json:"calls,omitempty"`   // the last ones
}

// mostKept is how many calls are kept of a reading. Hooks told of one of them, if they tell of any.
const mostKept = 100

// Load reads one session: what is new since another reading, and all of it where that is not possible.
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

// Reading is what the next reading needs of this one.
func (t *Transcript) Reading() Reading {
	r := Reading{Cursor: t.cursor, Dir: t.dir, Prompts: t.asked, Calls: slices.Concat(t.Since.Calls, t.ended)}
	if len(t.Session.Dirs) > 0 {
		r.Dir = t.Session.Dirs[0]
	}
	r.Calls = r.Calls[max(len(r.Calls)-mostKept, 0):]
	return r
}

// begin takes what was read earlier, when the first step comes.
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
