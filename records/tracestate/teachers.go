package tracestate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
	"github.com/git-trace/git-trace/records/jsonl"
)

// Teachers holds the answers of other models to states, by state id and teacher.
type Teachers struct {
	answers map[string]map[string]answer
	count   int
	met     map[string]bool // states that occurred
}

// answer is a teacher's answer to a state.
type answer struct{ action, hint, key string }

// mostAnswers limits the number of teachers' answers.
const mostAnswers = 1 << 20

// The errors of teachers' answers.
var (
	ErrAnswer      = errors.New("not an answer of a teacher: state_id, teacher_id and action are texts")
	ErrManyAnswers = fmt.Errorf("more than %d answers", mostAnswers)
)

// Read reads answers, one on each line, with the members state_id, teacher_id, action and optionally hint_text. An
// action is a text, or calls in the form of a state's action. If a teacher has two answers to a state, the later one
// counts. The function `clean` is applied to all texts.
func (t *Teachers) Read(r io.Reader, clean func(string) (string, error)) error {
	in := jsonl.NewReader(r, 0)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.take(raw, clean); err != nil {
			return in.Fault(err)
		}
	}
}

func (t *Teachers) take(raw []byte, clean func(string) (string, error)) error {
	var line struct {
		State   string          `json:"state_id"`
		Teacher string          `json:"teacher_id"`
		Action  json.RawMessage `json:"action"`
		Hint    *string         `json:"hint_text"`
	}
	if err := jsonl.Decode(raw, &line); err != nil {
		return err
	}
	text := string(line.Action)
	if strings.HasPrefix(text, `"`) && json.Unmarshal(line.Action, &text) != nil ||
		line.State == "" || line.Teacher == "" || strings.TrimSpace(text) == "" || text == "null" {
		return ErrAnswer
	}
	var one answer
	for _, part := range []struct {
		to   *string
		text string
	}{{&one.action, text}, {&one.hint, records.Value(line.Hint)}, {&line.Teacher, line.Teacher}} {
		var err error
		if *part.to, err = clean(part.text); err != nil {
			return err
		}
	}
	step := stepOf(one.action)
	one.action, one.key = action(step), compare.KeyOfAnswer(step)
	if t.answers == nil {
		t.answers, t.met = map[string]map[string]answer{}, map[string]bool{}
	}
	of := t.answers[line.State]
	if of == nil {
		of = map[string]answer{}
		t.answers[line.State] = of
	}
	if _, before := of[line.Teacher]; !before {
		if t.count++; t.count > mostAnswers {
			return ErrManyAnswers
		}
	}
	of[line.Teacher] = one
	return nil
}

// stepOf returns an answer with the given action: calls, or a text.
func stepOf(text string) *records.Step {
	s := &records.Step{Role: records.RoleAgent, Content: &text}
	var calls []struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "[") || json.Unmarshal([]byte(text), &calls) != nil || len(calls) == 0 {
		return s
	}
	for _, c := range calls {
		if c.Name == "" || !strings.HasPrefix(string(c.Input), "{") {
			return s
		}
		s.ToolCalls = append(s.ToolCalls, records.ToolCall{ToolName: c.Name, Input: c.Input})
	}
	return s
}

// Unknown returns the number of state ids in the answers that belong to no state.
func (t *Teachers) Unknown() int { return len(t.answers) - len(t.met) }

// agreeing returns the number of teachers whose answer to a state is equivalent to the chosen one.
func (t *Teachers) agreeing(state, chosen string) int {
	if t == nil {
		return 0
	}
	n, key := 0, compare.KeyOfAnswer(stepOf(chosen))
	for _, one := range t.answers[state] {
		if one.key == key {
			n++
		}
	}
	return n
}

// pair pairs the answer that most teachers gave to a state with the recorded answer. It returns nil if two answers are
// equally frequent, or if the recorded answer is the most frequent one.
func (t *Teachers) pair(st *state) *pair {
	if t == nil || len(t.answers[st.id]) == 0 {
		return nil
	}
	t.met[st.id] = true
	groups := map[string][]string{}
	of := t.answers[st.id]
	for _, teacher := range slices.Sorted(maps.Keys(of)) {
		groups[of[teacher].key] = append(groups[of[teacher].key], teacher)
	}
	best, tie := "", false
	for key, group := range groups {
		switch more := len(group) - len(groups[best]); {
		case more > 0:
			best, tie = key, false
		case more == 0:
			tie = true
		}
	}
	if tie || best == compare.KeyOfAnswer(st.step) {
		return nil
	}
	agreed, all := groups[best], len(of)
	p := &pair{state: st, origin: Taught, chosen: of[agreed[0]].action, rejected: action(st.step), confidence: records.Low,
		hint: of[agreed[0]].hint, evidence: map[string]any{"teachers": all, "agreeing": agreed}}
	switch {
	case len(agreed) > 1 && len(agreed) == all:
		p.confidence = records.High
	case 2*len(agreed) > all && all > 1:
		p.confidence = records.Medium
	}
	return p
}
