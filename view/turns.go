package view

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// Turn is a prompt and the tool calls that it led to. Index 0 is the part before the first prompt in the log: prompts
// that are only in the record, and calls.
type Turn struct {
	Trace events.TraceID `json:"trace"`
	Agent string         `json:"agent"`
	Index int            `json:"index"`
	Kind  string         `json:"kind,omitempty"`
	Time  *time.Time     `json:"time"`
	Ended *time.Time     `json:"ended"` // null if unknown
	Chars int            `json:"chars"`
	Text  *string        `json:"text"` // null if this machine does not have it
	Calls []Call         `json:"calls"`

	said int // number in the order of the record's prompts; 0 if the record does not have it
}

// Talk holds the course of a conversation, event by event and step by step.
type Talk struct {
	Turns     []Turn
	Subagents []string
}

// Talk puts the calls of a conversation under the prompts that led to them: calls of the log and of the record, which
// may be nil.
func (r *Reader) Talk(id events.TraceID, record *records.Record) (Talk, error) {
	recorded, err := r.log.Told(id)
	if err != nil {
		return Talk{}, err
	}
	lines, err := r.Lines()
	if err != nil {
		return Talk{}, err
	}
	held, err := lines.Anchors(id, func(*events.AnchorOwner) bool { return true })
	if err != nil {
		return Talk{}, err
	}
	agent := ""
	switch {
	case len(recorded) > 0:
		agent = recorded[0].Agent
	case record != nil:
		agent = record.Agent.Name
	}
	turns := []Turn{}
	places, saidAt := map[int]int{}, map[int]int{} // the first turn with each number, and for each prompt of the record
	at := func(index int) *Turn {
		i, known := places[index]
		if !known {
			i = len(turns)
			places[index] = i
			turns = append(turns, Turn{Trace: id, Agent: agent, Index: index, Calls: []Call{}})
		}
		return &turns[i]
	}
	for _, e := range recorded {
		if e.Type == events.PromptSubmitted {
			d := events.DataOf[events.PromptData](e)
			p := at(d.Index)
			p.Kind, p.Time, p.Chars = d.Kind, &e.Time, d.Chars
		}
	}
	calls := callsOf(recorded, held)
	var said *conversationSteps
	if record != nil {
		said = spoken(record)
		for i, prompt := range said.prompts {
			p := at(prompt.number)
			saidAt[i+1] = places[prompt.number]
			if prompt.number == 0 && p.said > 0 {
				saidAt[i+1] = len(turns)
				turns = append(turns, Turn{Trace: id, Agent: agent, Calls: []Call{}})
				p = &turns[len(turns)-1]
			}
			p.said = i + 1
			text := strings.ToValidUTF8(prompt.text, "\ufffd")
			p.Text, p.Chars = &text, cmp.Or(p.Chars, utf8.RuneCountInString(text))
			if p.Time == nil {
				p.Time = prompt.at
			}
		}
		calls = said.join(calls, held)
		for i := range calls {
			for k, path := range calls[i].Paths {
				calls[i].Paths[k] = r.Inside(path)
			}
		}
	}
	for _, c := range calls {
		i, known := saidAt[c.follows]
		if !known || c.Prompt != 0 || turns[i].said != c.follows {
			at(c.Prompt)
			i = places[c.Prompt]
		}
		turns[i].Calls = append(turns[i].Calls, c)
	}
	end(turns, recorded, places, said, saidAt)
	r.addTyped(id, turns)
	slices.SortStableFunc(turns, func(a, b Turn) int { return a.Index - b.Index })
	return Talk{Turns: turns, Subagents: subagents(recorded)}, nil
}

func subagents(recorded []events.Event) []string {
	out := []string{}
	for i := range recorded {
		if name := recorded[i].Subagent; name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// addTyped adds the texts of prompts that the record does not have.
func (r *Reader) addTyped(id events.TraceID, turns []Turn) {
	for i := range turns {
		if turns[i].Text != nil || r.prompts == nil {
			continue
		}
		if text, ok, err := r.prompts.Get(id, turns[i].Index); err == nil && ok {
			text = strings.ToValidUTF8(text, "\ufffd")
			turns[i].Text = &text
		}
	}
}

// Inside shortens the path of a file in the work tree, in an agent's form, to git's form.
func (r *Reader) Inside(path string) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(path), filepath.ToSlash(r.repo.WorkTree)+"/")
	if !ok || r.repo.WorkTree == "" {
		return path
	}
	return rest
}
