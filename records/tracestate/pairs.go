package tracestate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Origin is the origin of a pair.
type Origin string

// The origins, from the best to the weakest evidence.
const (
	HumanEdit    Origin = "human_edit"        // a person changed the lines of an edit and committed the change
	UserModified Origin = "user_modified"     // a person changed the lines of an edit after they were committed
	Declined     Origin = "declined"          // a person refused the call; a later call replaced it
	Fixed        Origin = "failed_then_fixed" // a command failed; a variant of it worked in the same turn
	Reverted     Origin = "reverted"          // a commit reverted all lines; the next prompt's edit of the file lasted
	Discarded    Origin = "discarded"         // a person removed all lines before any commit; otherwise like Reverted
	Taught       Origin = "teachers"          // other models gave another answer; the most frequent one is used
)

var confidences = map[Origin]records.Confidence{HumanEdit: records.High, UserModified: records.Medium,
	Declined: records.Medium, Fixed: records.Medium, Reverted: records.Low, Discarded: records.Low}

// pair is a state with its rejected answer and the answer that is better.
type pair struct {
	*state
	origin   Origin
	chosen   string
	rejected string
	hint     string
	evidence map[string]any

	confidence records.Confidence // "" for the usual confidence of its origin
}

// WritePairs writes the preference pairs of a conversation, one on each line: pairs from the record, and pairs from
// people's changes of the conversation's edits. The options must have been checked; the form of history and the
// selection of states are ignored.
func WritePairs(w io.Writer, r *records.Record, o Options, told Told, stats *Stats) error {
	o.History, o.PerCall, o.Only, o.MinChars = Full, false, "", 0
	m := states(r, o, told, stats)
	var list []*pair
	after := m.followers()
	for _, st := range m.states {
		for _, one := range []*pair{m.declined(st, after), m.fixed(st, after), m.reverted(st, after),
			m.Teachers.pair(st)} {
			if one != nil && one.chosen != "" && one.rejected != "" && one.chosen != one.rejected {
				list = append(list, one)
			}
		}
		list = append(list, edited(st, told.Edits)...)
	}
	used := make([]*state, len(list))
	for i := range list {
		used[i] = list[i].state
	}
	if err := m.fits(used); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for _, one := range list {
		m.writePair(out, one)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write pairs: %w", err)
	}
	return nil
}

// followers returns, for each state, the next states: the next one on its own path and the first ones of branches that
// begin there.
func (m *maker) followers() map[*state][]*state {
	after := map[*state][]*state{}
	for _, st := range slices.Backward(m.states) {
		if st.base != nil {
			after[st.base] = append(after[st.base], st)
		}
	}
	return after
}

// maxLater limits the number of answers after a call that may replace it.
const maxLater = 50

// `later` yields the answers that follow a state on its path, with the prompts between them, up to a number of prompts.
func (m *maker) later(st *state, after map[*state][]*state, prompts int, yield func(next *state, said []string) bool) {
	var said []string
	for range maxLater {
		next := heir(st, after[st])
		if next == nil {
			return
		}
		for i := st.step.StepIndex; i < next.step.StepIndex-1 && i < len(m.r.Steps); i++ {
			if s := &m.r.Steps[i]; s.Role == records.RoleUser && !isSubagent(s) && m.ways.of(s) == m.ways.of(next.step) {
				said = append(said, content(s))
			}
		}
		if len(said) > prompts || !yield(next, said) {
			return
		}
		st = next
	}
}

// heir returns the next answer after a state; if there are several, the one that was not undone.
func heir(st *state, list []*state) *state {
	for _, next := range list {
		if next.way.branch == st.way.branch {
			return next
		}
	}
	return nil
}

// `declined` pairs calls that a person refused with the next calls, if all of these were accepted and none failed. One
// prompt may come between them; it becomes the hint.
func (m *maker) declined(st *state, after map[*state][]*state) *pair {
	if len(st.step.ToolCalls) == 0 ||
		!m.all(st.step, func(failure string) bool { return failure == records.ErrorRejected }) {
		return nil
	}
	var found *pair
	m.later(st, after, 1, func(next *state, said []string) bool {
		if len(next.step.ToolCalls) == 0 || !m.all(next.step, func(failure string) bool { return failure == "" }) {
			return true
		}
		found = &pair{
			state: st, origin: Declined, chosen: action(next.step), rejected: action(st.step), hint: strings.Join(said, "\n\n"),
			evidence: map[string]any{"chosen_step": next.step.StepIndex},
		}
		return false
	})
	return found
}

// `fixed` pairs a failed command with the first command of the same program in the turn that worked.
func (m *maker) fixed(st *state, after map[*state][]*state) *pair {
	name := program(command(st.step))
	if name == "" || !m.all(st.step, func(failure string) bool { return strings.HasPrefix(failure, "exit_code:") }) {
		return nil
	}
	var found *pair
	m.later(st, after, 0, func(next *state, _ []string) bool {
		if program(command(next.step)) != name || !m.all(next.step, func(failure string) bool { return failure == "" }) {
			return true
		}
		found = &pair{
			state: st, origin: Fixed, chosen: action(next.step), rejected: action(st.step),
			evidence: map[string]any{"chosen_step": next.step.StepIndex, "program": name},
		}
		return false
	})
	return found
}

// `reverted` pairs a lost edit with the next lasting edit of the same file. An edit is lost if a commit reverted all
// its lines, or if a person removed them before any commit. One prompt may come between the two edits. The replacement
// may answer a different question, so these pairs have the lowest confidence.
func (m *maker) reverted(st *state, after map[*state][]*state) *pair {
	gone, found := m.fate(st.step)
	origin, lines := Reverted, gone.Reverted
	if lines == 0 {
		origin, lines = Discarded, gone.Thrown
	}
	if !m.Reverted || !found || lines == 0 || lines < gone.Alive+gone.Human+gone.Reverted+gone.NeverCommitted+gone.Other {
		return nil
	}
	var out *pair
	m.later(st, after, 1, func(next *state, said []string) bool {
		kept, found := m.fate(next.step)
		if !found || kept.Alive == 0 || !slices.ContainsFunc(m.paths(next.step),
			func(path string) bool { return slices.Contains(m.paths(st.step), path) }) {
			return true
		}
		out = &pair{
			state: st, origin: origin, chosen: action(next.step), rejected: action(st.step), hint: strings.Join(said, "\n\n"),
			evidence: map[string]any{"chosen_step": next.step.StepIndex, "lines": lines},
		}
		return false
	})
	return out
}

// fate returns the fate of the lines that an answer wrote; the result `found` is false if it is unknown.
func (m *maker) fate(s *records.Step) (sum Fate, found bool) {
	for i := range s.ToolCalls {
		f, known := m.told.Fates[s.ToolCalls[i].ToolCallID]
		found = found || known
		sum.Alive += f.Alive
		sum.Human += f.Human
		sum.Reverted += f.Reverted
		sum.NeverCommitted += f.NeverCommitted
		sum.Thrown += f.Thrown
		sum.Other += f.Other
	}
	return sum, found
}

// paths returns the files that the calls of a step wrote.
func (m *maker) paths(s *records.Step) []string {
	var out []string
	for i := range s.ToolCalls {
		out = append(out, m.told.Fates[s.ToolCalls[i].ToolCallID].Paths...)
	}
	return out
}

// `all` reports whether the function `ended` returns true for the failures of all calls of a step; a successful call
// has the failure "".
func (m *maker) all(s *records.Step, ended func(failure string) bool) bool {
	return !slices.ContainsFunc(m.results(s), func(o records.Observation) bool {
		failure := ""
		if o.Error != nil {
			failure = *o.Error
		}
		return !ended(failure)
	})
}

// command returns the command line of a step whose only call runs a command; otherwise "".
func command(s *records.Step) string {
	if len(s.ToolCalls) != 1 {
		return ""
	}
	for _, name := range []string{"command", "cmd"} {
		if text := rawjson.MemberText(s.ToolCalls[0].Input, name); text != "" {
			return text
		}
	}
	return ""
}

// program returns the first word of a command, without variable assignments and changes of directory.
func program(command string) string {
	for _, part := range strings.FieldsFunc(command, func(r rune) bool {
		return r == '&' || r == ';' || r == '|' ||
			r == '\n'
	}) {
		words := strings.Fields(part)
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 && words[0] != "cd" {
			return words[0]
		}
	}
	return ""
}

func (m *maker) writePair(out *bufio.Writer, p *pair) {
	m.stats.Pairs[p.origin]++
	write := func(parts ...string) {
		for _, part := range parts {
			_, _ = out.WriteString(part) // the first error is kept until Flush
		}
	}
	links, dropped := m.limited(p.history.chain(nil))
	write(`{"state_id":`, quoted(p.id), `,"state_messages":[`)
	m.messages(write, links, true, m.system(p.state))
	write(`],"chosen":`, quoted(p.chosen), `,"rejected":`, quoted(p.rejected), `,"n_teachers_agreeing":`,
		strconv.Itoa(m.Teachers.agreeing(p.id, p.chosen)), `,"source":`, quoted(string(p.origin)))
	write(`,"confidence":`, quoted(string(cmp.Or(p.confidence, confidences[p.origin]))), `,"hint_text":`)
	if p.hint == "" {
		write("null")
	} else {
		write(quoted(p.hint))
	}
	evidence, err := json.Marshal(p.evidence)
	if err != nil { // plain fields are always valid JSON
		evidence = []byte("{}")
	}
	write(`,"evidence":`, string(evidence), `,"x_git_trace":`, string(m.origin(p.state, dropped)), "}\n")
}
