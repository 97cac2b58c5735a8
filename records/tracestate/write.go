package tracestate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/records"
)

// Write writes the states of a conversation, one on each line, in the order of their answers. The options must have
// been checked.
func Write(w io.Writer, r *records.Record, o Options, told Told, stats *Stats) error {
	m := states(r, o, told, stats)
	if o.History == Full {
		if err := m.fits(m.states); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for _, st := range m.states {
		m.write(out, st)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	return nil
}

// `fits` returns an error if the full histories of the states are too long in total.
func (m *maker) fits(list []*state) error {
	sum := int64(0)
	for _, st := range list {
		bytes := st.history.bytes
		if m.MaxTokens > 0 {
			bytes = min(bytes, m.MaxTokens*tokenBytes)
		}
		sum += bytes
	}
	if sum > maxBytes {
		return fmt.Errorf("conversation %s: %w", m.r.TraceID, ErrTooLong)
	}
	return nil
}

func (m *maker) write(out *bufio.Writer, st *state) {
	write := func(parts ...string) {
		for _, part := range parts {
			_, _ = out.WriteString(part) // the first error is kept until Flush
		}
	}
	write(`{"state_id":`, quoted(st.id))
	dropped := 0
	if m.History == Delta {
		base, after := "null", (*node)(nil)
		if st.base != nil {
			base, after = quoted(st.base.id), st.base.history
		}
		write(`,"base":`, base, `,"append":[`)
		m.messages(write, st.history.chain(after), after == nil, m.System)
	} else {
		var links []*node
		links, dropped = m.limited(st.history.chain(nil))
		write(`,"messages":[`)
		m.messages(write, links, true, m.system(st))
	}
	write(`],"student_action":`, quoted(action(st.step)), `,"teacher_id":null,"reward":`, m.reward(), `,"hint_text":null`)
	write(`,"x_git_trace":`, string(m.origin(st, dropped)), "}\n")
}

// system returns the system prompt of a state; "" for none.
func (m *maker) system(st *state) string {
	if m.Recorded && st.step.SystemPromptHash != nil {
		return m.r.SystemPrompts[*st.step.SystemPromptHash]
	}
	return m.System
}

// messages writes the links of a history, with the system prompt before the first message.
func (m *maker) messages(write func(...string), links []*node, whole bool, system string) {
	if whole && system != "" {
		write(message("system", quoted(system)))
		if len(links) > 0 {
			write(",")
		}
	}
	for i, link := range links {
		if i > 0 {
			write(",")
		}
		write(link.text)
	}
}

// tokenBytes is the number of bytes that are counted as one token.
const tokenBytes = 4

// `limited` removes the oldest messages after the first one, each time an answer and its results. It stops when the
// history is short enough, or has only its first and last messages.
func (m *maker) limited(links []*node) ([]*node, int) {
	if m.MaxTokens == 0 {
		return links, 0
	}
	left := links[len(links)-1].bytes
	drop := 0
	for left > m.MaxTokens*tokenBytes && 1+drop+2 < len(links) {
		left -= int64(len(links[1+drop].text) + len(links[2+drop].text) + 2)
		drop += 2
	}
	m.stats.Dropped += drop
	return append(links[:1:1], links[1+drop:]...), drop
}

func (m *maker) reward() string {
	if m.r.Outcome.Reward == nil {
		return "null"
	}
	raw, err := json.Marshal(*m.r.Outcome.Reward)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// origin returns the source of a state, as JSON.
func (m *maker) origin(st *state, dropped int) []byte {
	o := struct {
		Trace     string   `json:"trace_id"`
		Step      int      `json:"step"`
		Agent     string   `json:"agent"`
		Model     *string  `json:"model"`
		Timestamp *string  `json:"timestamp"`
		Kind      Kind     `json:"kind"`
		Calls     []string `json:"call_ids"`
		Results   []result `json:"result"`
		Branch    string   `json:"branch"`
		Subagent  bool     `json:"subagent"`
		Compacted bool     `json:"compacted,omitempty"`
		Dropped   int      `json:"dropped,omitempty"`
		Fate      *Fate    `json:"fate,omitempty"`
	}{
		Trace: m.r.TraceID, Step: st.step.StepIndex, Agent: m.r.Agent.Name, Model: st.step.Model,
		Timestamp: st.step.Timestamp, Kind: kindOf(st.step),
		Calls: []string{}, Results: []result{}, Branch: "active", Subagent: st.way.subagent, Compacted: st.compacted,
		Dropped: dropped,
	}
	if fate, found := m.fate(st.step); found {
		o.Fate = &fate
	}
	if st.way.branch {
		o.Branch = "abandoned"
	}
	for _, r := range m.results(st.step) {
		o.Calls = append(o.Calls, r.SourceCallID)
		o.Results = append(o.Results, result{r.Error == nil, r.Error})
	}
	raw, err := json.Marshal(o)
	if err != nil { // plain fields are always valid JSON
		return []byte("{}")
	}
	return raw
}

type result struct {
	OK    bool    `json:"ok"`
	Error *string `json:"error"`
}
