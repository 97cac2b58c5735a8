package cline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/cline"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suites() map[string]sessiontest.Suite {
	return map[string]sessiontest.Suite{
		"sessions": {
			Agent: cline.New(capability.Env{Home: "/home/dev"}), Names: []string{"*/*.messages.json"},
			Corpus: []string{"cline/*messages.json"}, Plain: plain, Whole: true,
		},
		"tasks": {
			Agent: cline.New(capability.Env{Home: "/home/dev"}), Names: []string{"*/api_conversation_history.json"}, Whole: true,
		},
		"views": {
			Agent: cline.New(capability.Env{Home: "/home/dev"}), Names: []string{"1779000000000/ui_messages.json"}, Whole: true,
		},
		"Roo": {
			Agent: cline.NewRoo(capability.Env{Home: "/home/dev"}), Names: []string{"*/api_conversation_history.json"}, Whole: true,
		},
	}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	for name, suite := range suites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.Golden(t)
		})
	}
}

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	for name, suite := range suites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.Damaged(t)
		})
	}
}

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suites()["sessions"].Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suites()["sessions"].Figures(t)
}

func FuzzSession(f *testing.F) { suites()["sessions"].Fuzz(f, "fuzz.messages.json") }

func FuzzView(f *testing.F) { suites()["views"].Fuzz(f, "ui_messages.json") }

func FuzzTask(f *testing.F) { suites()["tasks"].Fuzz(f, "api_conversation_history.json") }

// plain counts what a session's document says, with encoding/json.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	var messages []struct {
		Role    string
		Content []struct {
			Type, ID string
			Use      string `json:"tool_use_id"`
		}
		Metrics struct{ InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens int64 }
	}
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(members["messages"], &messages); err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, Objects: len(members) - 1 + len(messages)}
	for _, m := range messages {
		for _, block := range m.Content {
			switch block.Type {
			case "tool_use":
				p.Calls[block.ID] = true
			case "tool_result":
				p.Results[block.Use] = true
			}
		}
		p.Usage.InputTokens += m.Metrics.InputTokens - m.Metrics.CacheReadTokens - m.Metrics.CacheWriteTokens
		p.Usage.OutputTokens += m.Metrics.OutputTokens
		p.Usage.CacheReadTokens += m.Metrics.CacheReadTokens
		p.Usage.CacheWriteTokens += m.Metrics.CacheWriteTokens
	}
	return p
}

func TestTasksAndSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	storage := filepath.Join(home, ".config", "Code", "User", "globalStorage")
	for to, from := range map[string]string{
		filepath.Join(home, ".cline", "data", "sessions"):             "cline/1778900000000_ab12c",
		filepath.Join(storage, "saoudrizwan.claude-dev", "tasks"):     "cline/1778900000000",
		filepath.Join(storage, "rooveterinaryinc.roo-cline", "tasks"): "roo-code/7d1f0c86-3b0e-4c55-9b57-2a5b5b0f5a11",
	} {
		from = filepath.Join("..", "..", "testdata", "sessions", filepath.FromSlash(from))
		if err := os.CopyFS(filepath.Join(to, filepath.Base(from)), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		agent capability.Agent
		dir   string
		want  string
	}{
		{cline.New(capability.Env{Home: home}), "/home/dev/shop", "1778900000000 1778900000000_ab12c"},
		{cline.New(capability.Env{Home: home}), "", "1778900000000 1778900000000_ab12c"},
		{cline.New(capability.Env{Home: home}), "/home/dev/other", ""},
		{cline.NewRoo(capability.Env{Home: home}), "/home/dev/shop", "7d1f0c86-3b0e-4c55-9b57-2a5b5b0f5a11"},
	} {
		found, err := test.agent.Discoverer.ProjectSessions(test.dir, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, one := range found {
			if strings.HasSuffix(one.Path, ".record.json") {
				continue
			}
			ids = append(ids, one.ID)
			if one.Dir != "/home/dev/shop" {
				t.Errorf("%s was held in %q", one.ID, one.Dir)
			}
		}
		if len(ids) == 2 && ids[0] > ids[1] {
			ids[0], ids[1] = ids[1], ids[0]
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%s in %q: %q, want %q", test.agent.Name, test.dir, got, test.want)
		}
	}
}

// Older versions kept what the user saw, with the tokens, under another name.
func TestTokensOfAnOlderTaskAreRead(t *testing.T) {
	t.Parallel()
	const task = "../../testdata/sessions/roo-code/7d1f0c86-3b0e-4c55-9b57-2a5b5b0f5a11"
	dir := filepath.Join(t.TempDir(), "7d1f0c86-3b0e-4c55-9b57-2a5b5b0f5a11")
	if err := os.CopyFS(dir, os.DirFS(task)); err != nil {
		t.Fatal(err)
	}
	suite := suites()["Roo"]
	path := filepath.Join(dir, "api_conversation_history.json")
	want, _ := suite.Parse(t, path, capability.ParseOptions{})
	if err := os.Rename(filepath.Join(dir, "ui_messages.json"), filepath.Join(dir, "claude_messages.json")); err != nil {
		t.Fatal(err)
	}
	got, _ := suite.Parse(t, path, capability.ParseOptions{})
	if got.Metrics.TotalInputTokens == 0 || got.Metrics.TotalInputTokens != want.Metrics.TotalInputTokens {
		t.Errorf("%d tokens, want %d", got.Metrics.TotalInputTokens, want.Metrics.TotalInputTokens)
	}
}

// Where only the user's view of a task was kept, the conversation is read from it; beside the conversation with the model
// it is none of its own.
func TestAViewAloneIsAConversation(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := capability.Env{Home: home}
	tasks := filepath.Join(home, ".config", "Code", "User", "globalStorage", "saoudrizwan.claude-dev", "tasks")
	for _, task := range []string{"1779000000000", "1778900000000"} {
		if err := os.CopyFS(filepath.Join(tasks, task), os.DirFS("../../testdata/sessions/cline/"+task)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := cline.New(env).Discoverer.ProjectSessions("/home/dev/shop", time.Time{})
	var names []string
	for _, s := range found {
		names = append(names, s.ID+" "+filepath.Base(s.Path))
	}
	slices.Sort(names)
	if want := []string{"1778900000000 api_conversation_history.json", "1779000000000 ui_messages.json"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("found %q, %v", names, err)
	}
	head := func(text string) []byte {
		return []byte("[{\n \"ts\": 1, \"type\": \"say\", \"say\": \"text\", \"text\": \"" + text + "\"}")
	}
	for text, roo := range map[string]bool{"of Cline": false, "<slug>code</slug>": true} {
		if cline.New(env).Identifier.Recognises("x", head(text)) == roo || cline.NewRoo(env).Identifier.Recognises("x", head(text)) != roo {
			t.Errorf("%q is not told apart", text)
		}
	}
}

// Roo's view tells no results: an approved call was made, and an error is told beside it.
func TestACallOfRoosViewWasMadeIfItWasApproved(t *testing.T) {
	t.Parallel()
	const approved = `"partial":false,"isAnswered":true,"autoApprovalDecision":"approve"`
	call := func(tool string) string {
		text, _ := json.Marshal(`{"tool":"` + tool + `","path":"a.go","content":"package a\n"}`)
		return `{"ts":3,"type":"ask","ask":"tool","text":` + string(text) + `,` + approved + `}`
	}
	view := `[{"ts":1,"type":"say","say":"text","text":"write"},{"ts":2,"type":"say","say":"api_req_started","text":"{\"apiProtocol\":\"openai\",\"tokensIn\":5}"},` +
		call("newFileCreated") + `,{"ts":4,"type":"say","say":"api_req_started","text":"{\"tokensIn\":6}"},` + call("newFileCreated") +
		`,{"ts":5,"type":"say","say":"error","text":"no space"},{"ts":6,"type":"say","say":"api_req_started","text":"{}"}]`
	path := filepath.Join(t.TempDir(), "ui_messages.json")
	if err := os.WriteFile(path, []byte(view), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := suites()["Roo"].Parse(t, path, capability.ParseOptions{})
	var got []string
	for _, s := range r.Steps {
		for _, o := range s.Observations {
			failed := ""
			if o.Error != nil {
				failed = *o.Error
			}
			got = append(got, failed)
		}
	}
	if !slices.Equal(got, []string{"", "tool_error"}) || r.Metrics.TotalInputTokens != 11 {
		t.Errorf("results %q, %+v", got, r.Metrics)
	}
}

// A task of Roo tells its subtasks after the steps that started them, while they work too; a subtask alone names its
// parent.
func TestSubtasksAreToldByTheirParents(t *testing.T) {
	t.Parallel()
	const parent, done, working = "9a3c0c11-6a54-4a0e-8f43-0c7e5d1b2a01", "9a3c0c11-6a54-4a0e-8f43-0c7e5d1b2a02",
		"9a3c0c11-6a54-4a0e-8f43-0c7e5d1b2a03"
	suite := suites()["Roo"]
	path := func(id string) string { return filepath.Join(suite.Sessions(), id, "api_conversation_history.json") }
	record, _ := suite.Parse(t, path(parent), capability.ParseOptions{})
	starts := map[string]int{}
	for i := range record.Steps {
		step := &record.Steps[i]
		if id := step.SubagentTrajectoryRef; id != nil {
			starts[*id] = step.StepIndex
		}
		if step.ParentStep != nil && *step.ParentStep >= step.StepIndex {
			t.Errorf("step %d has the parent %d", step.StepIndex, *step.ParentStep)
		}
	}
	if starts[done] == 0 || starts[working] == 0 {
		t.Errorf("started %v", starts)
	}
	if got := record.Metrics.TotalInputTokens; got != 100+120+50+60+40 {
		t.Errorf("%d tokens", got)
	}
	if cost := string(record.Metadata["client_cost_usd"]); cost != "0.042" ||
		!bytes.Contains(record.Metadata["checkpoints"], []byte("2222")) {
		t.Errorf("cost %s, checkpoints %s", cost, record.Metadata["checkpoints"])
	}
	for _, id := range []string{done, working} {
		alone, _ := suite.Parse(t, path(id), capability.ParseOptions{})
		if got := string(alone.Metadata["parent_session"]); got != `"`+parent+`"` {
			t.Errorf("%s names %v as its parent", id, got)
		}
	}
	home := t.TempDir()
	tasks := filepath.Join(home, ".config", "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline", "tasks")
	if err := os.CopyFS(tasks, os.DirFS(suite.Sessions())); err != nil {
		t.Fatal(err)
	}
	listed := func() (ids []string) {
		found, err := cline.NewRoo(capability.Env{Home: home}).Discoverer.ProjectSessions("/home/dev/shop", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			if strings.HasPrefix(one.ID, "9a3c0c11") && filepath.Base(one.Path) == "api_conversation_history.json" {
				ids = append(ids, one.ID)
			}
		}
		slices.Sort(ids)
		return ids
	}
	if got := listed(); !slices.Equal(got, []string{parent}) {
		t.Errorf("listed %v", got)
	}
	if err := os.RemoveAll(filepath.Join(tasks, parent)); err != nil {
		t.Fatal(err)
	}
	if got := listed(); !slices.Equal(got, []string{done, working}) {
		t.Errorf("without the parent listed %v", got)
	}
}
