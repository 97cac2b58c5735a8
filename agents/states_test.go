package agents_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/tracestate"
)

// corpus is the directory of real session files, "" where there is none.
func corpus() string {
	if dir := os.Getenv("GITTRACE_CORPUS"); dir != "" {
		return dir
	}
	found, _ := filepath.Glob(filepath.Join("..", "..", "*", "corpus", "MANIFEST.tsv"))
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[0])
}

// sessionFiles are the session files of the tests, and real ones where they are present: some in the quick form.
func sessionFiles(t *testing.T) []string {
	t.Helper()
	roots := []string{filepath.Join("..", "testdata", "sessions")}
	if dir := corpus(); dir != "" {
		roots = append(roots, dir)
	}
	var all []string
	for i, root := range roots {
		var files []string
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && !strings.HasSuffix(path, ".record.json") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			files = testenv.Some(files, 6)
		}
		all = append(all, files...)
	}
	return all
}

// Of every session of every agent: an answer is one state or is counted as none, no history holds a part of its own
// answer, and histories can be asked again: roles alternate, and each call has its result in the next message.
func TestEveryAnswerIsOneStateWithAHistoryThatCanBeAsked(t *testing.T) {
	t.Parallel()
	env := agents.Env{Home: t.TempDir()}
	sessions, states := 0, 0
	for _, path := range sessionFiles(t) {
		agent, found, err := agents.Identify(env, path)
		if err != nil || !found {
			continue
		}
		var steps records.Collector
		parsed, err := agent.Parser.Parse(t.Context(), path, agents.ParseOptions{}, &steps)
		if err != nil {
			t.Fatal(err)
		}
		r := *parsed.Head
		r.Steps = steps.Steps
		sessions++
		states += checkStates(t, filepath.Base(path), &r)
	}
	if sessions < 40 || states < 150 {
		t.Errorf("only %d states of %d sessions", states, sessions)
	}
	t.Logf("%d states of %d sessions", states, sessions)
}

type stateLine struct {
	ID       string    `json:"state_id"`
	Base     *string   `json:"base"`
	Append   []talk    `json:"append"`
	Messages []talk    `json:"messages"`
	Action   string    `json:"student_action"`
	Origin   stateFrom `json:"x_git_trace"`
}

type stateFrom struct {
	Step  int      `json:"step"`
	Calls []string `json:"call_ids"`
}

type talk struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func statesOf(t *testing.T, r *records.Record, o tracestate.Options) ([]stateLine, tracestate.Stats, error) {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var stats tracestate.Stats
	if err := tracestate.Write(&out, r, o, tracestate.Told{}, &stats); err != nil {
		return nil, stats, err
	}
	var list []stateLine
	d := json.NewDecoder(&out)
	for d.More() {
		var one stateLine
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list, stats, nil
}

func checkStates(t *testing.T, name string, r *records.Record) int {
	t.Helper()
	answers := 0
	for i := range r.Steps {
		if r.Steps[i].Role == records.RoleAgent {
			answers++
		}
	}
	delta, stats, err := statesOf(t, r, tracestate.Options{History: tracestate.Delta, Subagents: true})
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for reason, n := range stats.Skipped {
		if reason != "warmup" { // prompts of them count, too
			skipped += n
		}
	}
	if len(delta) != stats.States || len(delta)+skipped != answers && stats.Skipped["warmup"] == 0 {
		t.Errorf("%s: %d answers, %d states, %v", name, answers, len(delta), stats.Skipped)
	}
	known, steps := map[string][]asked{}, map[int]bool{}
	for _, one := range delta {
		var history []asked
		if one.Base != nil {
			history = slices.Clip(known[*one.Base])
		}
		for i := range one.Append {
			history = append(history, one.Append[i].read())
		}
		if known[one.ID] != nil || steps[one.Origin.Step] || one.Action == "" {
			t.Errorf("%s: %s stands twice, or does nothing", name, one.ID)
		}
		known[one.ID], steps[one.Origin.Step] = history, true
		if fault := askable(history, one.Origin.Calls); fault != "" {
			t.Errorf("%s: %s: %s", name, one.ID, fault)
		}
	}
	if len(delta) <= 60 { // longer ones take their time
		full, _, err := statesOf(t, r, tracestate.Options{Subagents: true})
		if err != nil && !errors.Is(err, tracestate.ErrTooLong) {
			t.Fatal(err)
		}
		for i, one := range full {
			same := slices.EqualFunc(one.Messages, known[one.ID], func(m talk, a asked) bool { return m.Role == a.role && string(m.Content) == a.content })
			if !same || one.Action != delta[i].Action {
				t.Errorf("%s: %s: the forms differ", name, one.ID)
			}
		}
	}
	open, _, err := statesOf(t, r, tracestate.Options{Subagents: true, Messages: tracestate.OpenAI, History: tracestate.Delta})
	if err != nil || len(open) != len(delta) {
		t.Errorf("%s: %d states in the other dialect, %v", name, len(open), err)
	}
	return len(delta)
}

// block is a block of a message.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	ID   string `json:"id"`
	Use  string `json:"tool_use_id"`
}

// asked is a message as it was read once.
type asked struct {
	role, content, fault string
	calls, results       []string
}

func (m *talk) read() asked {
	out := asked{role: m.Role, content: string(m.Content)}
	var text string
	var blocks []block
	if json.Unmarshal(m.Content, &text) != nil && json.Unmarshal(m.Content, &blocks) != nil || text == "" && len(blocks) == 0 {
		out.fault = "says nothing"
	}
	for _, b := range blocks {
		switch {
		case b.Type == "tool_use":
			out.calls = append(out.calls, b.ID)
		case b.Type == "tool_result":
			out.results = append(out.results, b.Use)
		case b.Type != "text" || b.Text == "":
			out.fault = "has a block " + b.Type
		}
	}
	return out
}

// askable tells what is wrong with a history.
func askable(history []asked, own []string) string {
	role, open := "user", []string(nil)
	for i, one := range history {
		switch {
		case one.role != role:
			return fmt.Sprintf("message %d is of the %s", i, one.role)
		case one.fault != "":
			return fmt.Sprintf("message %d %s", i, one.fault)
		case slices.ContainsFunc(one.calls, func(id string) bool { return slices.Contains(own, id) }):
			return fmt.Sprintf("message %d is a part of the answer", i)
		case !slices.Equal(one.results, open):
			return fmt.Sprintf("message %d has the results %v of the calls %v", i, one.results, open)
		}
		open = one.calls
		role = map[string]string{"user": "assistant", "assistant": "user"}[role]
	}
	if len(history) == 0 || role == "user" {
		return "the history does not end with the user"
	}
	return ""
}
