package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/view"
)

func TestCopilotEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "copilot", "--agent", "copilot-cli", "--global")
	res := r.run("copilot", driver.Options{})
	a := r.blame("a.txt")
	for i, want := range []string{"ai", "ai", "ai", "unknown", "human"} {
		if a[i].Contributor != want {
			t.Errorf("a.txt: %+v is not of %s", a[i], want)
		}
	}
	r.want("guide.md", "call 2 | # Guide", "call 2 | ", "call 2 | Call greet.")
	for _, file := range []string{"slow.txt", "par.txt"} {
		if l := r.blame(file)[0]; l.Contributor != "ai" || l.ToolCall == "" {
			t.Errorf("%s: %+v", file, l)
		}
	}
	if a[0].ToolCall == r.blame("slow.txt")[0].ToolCall || a[0].ToolCall == r.blame("par.txt")[0].ToolCall {
		t.Error("parallel calls were taken for one")
	}
	log := r.blame("log.txt")
	if len(log) != 3 || log[0].ToolCall == log[1].ToolCall || log[0].ToolCall == "" || log[2].Contributor != "ai" {
		t.Errorf("log.txt is %+v", log)
	}
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	for _, l := range r.blame("guide.md") { // the session file, which names the model, is written behind
		if l.Session != res.Session || l.Agent != "copilot-cli" || l.Model != "" && l.Model != "claude-sonnet-4-5" || l.Prompt.Index != 1 {
			t.Errorf("guide.md: %+v of session %s", l, res.Session)
		}
	}
	for _, file := range []string{"README.md", "helper.txt"} {
		for _, l := range r.blame(file) {
			if l.Contributor != "ai" || l.Session != res.Session || l.Subagent == "" || l.Prompt.Index != 1 {
				t.Errorf("%s: %+v is not the sub-agent's of %s", file, l, res.Session)
			}
		}
	}
	if !strings.Contains(r.trace("events", "--json"), "tool_call_id_missing") {
		t.Error("the log does not say that the calls were paired")
	}
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	second := r.run("copilot", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "copilot-cli", res.Session), Model: "claude-haiku-4.5"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("guide.md")[2]; l.Contributor != "ai" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "" && l.Model != lastModel(t, second.Transcripts[0]) {
		t.Errorf("the second turn's line is %+v", l)
	}
	r.trace("verify")
}

// lastModel is the model of the last answer in a session file. A conversation that goes on may keep the one that it had,
// whatever it was started with.
func lastModel(t *testing.T, path string) (model string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		if rawjson.MemberText(line, "type") == "assistant.message" {
			model = rawjson.MemberText(rawjson.Member(line, "data"), "model")
		}
	}
	return view.ModelName(view.SharedModel(model))
}

// A sub-agent that another one started is told under the id of that one; its calls are the conversation's all the same.
func TestCopilotSubagentsKeepTheirCalls(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "copilot", "--agent", "copilot-cli", "--global")
	res := r.run("copilot-subagents", driver.Options{})
	r.commitAll()
	const model = "claude-sonnet-4.5"
	outer := r.subagentOf(res, "outer.txt", "by the outer one", model)
	inner := r.subagentOf(res, "inner.txt", "by the inner one", model)
	a := r.subagentOf(res, "from-a.txt", "by A", model)
	b := r.subagentOf(res, "from-b.txt", "by B", model)
	r.announced(res, outer, inner, a, b)
	if outer == "" || inner == "" || a == "" || b == "" || outer == inner || a == b {
		t.Errorf("sub-agents are %q, %q, %q, %q", outer, inner, a, b)
	}
	if r.subagentOf(res, "outer.txt", "after", model) != outer || r.subagentOf(res, "a.txt", "line 1 by A", model) != a {
		t.Error("a sub-agent lost a call")
	}
	if r.subagentOf(res, "main.txt", "by the main agent", model) != "" {
		t.Error("a sub-agent was given what the main agent did")
	}
	r.trace("verify")
}

func TestCopilotRunsTheHooksOfARepositoryAndClaudesKeepQuiet(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "copilot", "--agent", "copilot-cli", "--agent", "claude-code")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{
		{Name: "create", Input: map[string]any{"path": filepath.Join(r.Dir, "x.txt"), "file_text": "x\n"}},
	}}, driver.Turn{})
	driver.Run(t, "copilot", r.Repo, script, driver.Options{Path: []string{filepath.Dir(r.binary)}})
	recorded := func() bool { return strings.Contains(r.trace("log", "--json"), `"record"`) }
	for range 200 { // made after the last hook, which waits for nobody
		if recorded() {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !recorded() {
		t.Errorf("the conversation has no record when it is over\n%s", r.trace("log", "--json"))
	}
	r.commitAll()
	r.want("x.txt", "call 1 | x")
	if strings.Contains(r.trace("events", "--json"), `"claude-code"`) {
		t.Error("what Copilot did was recorded as Claude's as well")
	}
}

// A conversation that is gone on with in a folder that is not trusted for good runs no hooks of the
// repository.
func TestCopilotIsToldApartWhereItsHooksDoNotRun(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "copilot", "--agent", "copilot-cli")
	appends := func(line string) driver.Script {
		input := map[string]any{"command": "echo " + line + " >> x.txt", "description": "write"}
		turn := driver.Turn{Tools: []driver.Tool{{Name: "bash", Input: input}}}
		return driver.Script{Scripts: map[string][]driver.Turn{line: {turn, {Text: "done"}}}}
	}
	goOn := func(line string, args ...string) {
		t.Helper()
		r.played(appends(line), driver.Options{Prompt: "[[script:" + line + "]] go on", Args: args})
	}
	goOn("first")
	r.commitAll()
	r.want("x.txt", "call 1 | first")
	if said := r.trace("status"); !strings.Contains(said, "have not trusted") {
		t.Errorf("status does not say that the folder is not trusted: %s", said)
	}
	time.Sleep(time.Second)
	config := filepath.Join(r.Home, ".copilot", "config.json")
	if err := os.WriteFile(config, []byte(`{"trustedFolders": ["`+r.Dir+`"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := r.trace("status"); strings.Contains(said, "attention") {
		t.Errorf("status is not content with a folder that is trusted: %s", said)
	}
	goOn("second", "--continue")
	r.commitAll()
	r.want("x.txt", "call 1 | first", "call 2 | second")
	if err := os.WriteFile(config, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	goOn("third", "--continue")
	r.commitAll()
	if l := r.blame("x.txt")[2]; l.Contributor == "ai" && l.ToolCall == "" {
		t.Errorf("%+v", l)
	}
	r.trace("verify")
}
