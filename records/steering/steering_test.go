package steering_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// talk makes a conversation step by step.
type talk struct {
	r     *records.Record
	calls int
}

func newTalk(session string) *talk {
	return &talk{r: &records.Record{
		SchemaVersion: records.SchemaVersion, TraceID: "trace-" + session, SessionID: session,
		Agent: records.Agent{Name: "claude-code"}, TimestampStart: new("2026-05-16T04:00:00Z"),
	}}
}

func (k *talk) step(role records.Role, text string) *records.Step {
	n := len(k.r.Steps) + 1
	at := time.Date(2026, 5, 16, 4, 0, n, 0, time.UTC).Format(time.RFC3339)
	k.r.Steps = append(k.r.Steps, records.Step{StepIndex: n, Role: role, Content: &text, CallType: new(records.CallMain), Timestamp: &at})
	return &k.r.Steps[n-1]
}

func (k *talk) says(text string) *talk { k.step(records.RoleUser, text); return k }

func (k *talk) answers(text string) *talk { k.step(records.RoleAgent, text); return k }

// call is an answer with one call; failure is "" for one that ran well.
func (k *talk) call(tool string, input map[string]string, failure, output string) *talk {
	k.calls++
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	s, id := k.step(records.RoleAgent, ""), "t"+strconv.Itoa(k.calls)
	s.ToolCalls = []records.ToolCall{{ToolCallID: id, ToolName: tool, Input: raw}}
	s.Observations = []records.Observation{{SourceCallID: id, Content: &output}}
	if failure != "" {
		s.Observations[0].Error = &failure
	}
	return k
}

func (k *talk) runs(command string) *talk {
	return k.call("Bash", map[string]string{"command": command}, "", "")
}

func (k *talk) failing(command, output string) *talk {
	return k.call("Bash", map[string]string{"command": command}, "exit_code:1", output)
}

func (k *talk) declined(command string) *talk {
	return k.call("Bash", map[string]string{"command": command}, records.ErrorRejected, "The user doesn't want to proceed with this tool use.")
}

func (k *talk) writes(path string, n int) *talk {
	return k.call("Write", map[string]string{"file_path": path, "content": someLines(path, n)}, "", "")
}

func someLines(seed string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", seed, i)
	}
	return b.String()
}

func (k *talk) document(t *testing.T) *treetrace.Document {
	t.Helper()
	return document(t, steering.Conversation{Record: k.r})
}

// has tells whether a failure of a type stands at a node, and gives it.
func has(d *treetrace.Document, kind, node string) *treetrace.Failure {
	for i := range d.Failures {
		if f := &d.Failures[i]; f.Type == kind && (node == "" || f.FirstSeenNodeID == node) {
			return f
		}
	}
	return nil
}

func kinds(d *treetrace.Document) string {
	var out []string
	for i := range d.Nodes {
		out = append(out, d.Nodes[i].Kind)
	}
	return strings.Join(out, " ")
}

func TestPromptsAreOfTheirKind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		talk *talk
		want string
	}{
		"an opener corrects":                        {newTalk("a").says("make a tool").says("No, not like that"), "root correction"},
		"no problem is no correction":               {newTalk("a").says("make a tool").says("no problem, take your time with it"), "root direction"},
		"what follows an interruption corrects":     {newTalk("a").says("make a tool").declined("rm -rf x").says("just list them"), "root correction"},
		"a declined call that the agent went past":  {newTalk("a").says("make a tool").declined("rm -rf x").answers("Then I leave it.").says("just list them"), "root direction"},
		"new work widens":                           {newTalk("a").says("make a tool").says("Also add a flag"), "root scope-change"},
		"a commit is a checkpoint, in any language": {newTalk("a").says("mach das").says("einmal sichern bitte").runs("git add -A && git commit -m x"), "root checkpoint"},
		"a commit that is asked for":                {newTalk("a").says("make a tool").says("Looks good, commit it."), "root checkpoint"},
		"a question about what is there":            {newTalk("a").says("make a tool").says("Where is the flag? It must be somewhere. Or is it?"), "root question"},
		"a choice of a menu":                        {newTalk("a").says("make a tool").says("2"), "root direction"},
		"sorry, go on, after an interruption":       {newTalk("a").says("make a tool").declined("ls").says("sorry continue"), "root"},
		"go on is no prompt of its own":             {newTalk("a").says("make a tool").says("yes, go ahead"), "root"},
		"the same prompt again is one":              {newTalk("a").says("make a tool for me").says("make  a tool for me"), "root"},
		"the next prompt deletes what was made":     {newTalk("a").says("mach ein Werkzeug").writes("x.js", 1).says("lieber ohne").runs("rm x.js"), "root correction"},
		"the next prompt replaces what was written": {newTalk("a").says("schreib es").writes("x.js", 9).says("lieber anders").call("Write", map[string]string{"file_path": "x.js", "content": "alles neu"}, "", ""), "root correction"},
		"a session without prompts has no nodes":    {newTalk("a").answers("hello"), ""},
		"what failed before the first prompt is told": {newTalk("a").failing("make", "no rule").says("go"),
			"rejection direction"},
	} {
		if got := kinds(test.talk.document(t)); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestFailuresAreFoundByEvidence(t *testing.T) {
	t.Parallel()
	edit := func(k *talk) *talk {
		return k.call("Edit", map[string]string{"file_path": "a.go", "old_string": "", "new_string": "try " + strconv.Itoa(k.calls)}, "", "")
	}
	three := newTalk("a").says("fix it").failing("cd x && go test", "boom")
	three = edit(edit(three).failing("go  test", "boom")).failing("go test", "boom")
	for name, test := range map[string]struct {
		talk *talk
		kind string
		node string // "" if there must be none
	}{
		"three failing runs with edits between":    {three, treetrace.RepeatedFailedFix, "node_001"},
		"three failing runs without an edit":       {newTalk("a").says("fix it").failing("go test", "b").failing("go test", "b").failing("go test", "b"), treetrace.RepeatedFailedFix, ""},
		"a search that finds nothing":              {newTalk("a").says("look").failing("cat x | grep foo", ""), treetrace.ToolFailed, ""},
		"a search that fails":                      {newTalk("a").says("look").failing("grep foo x", "grep: x: No such file"), treetrace.ToolFailed, "node_001"},
		"a search of Codex that finds nothing":     {newTalk("a").says("look").failing("rg -n foo src", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n"), treetrace.ToolFailed, ""},
		"a call that was called off":               {newTalk("a").says("look").call("Bash", map[string]string{"command": "ls x"}, records.ErrorTool, "<tool_use_error>Sibling tool call errored</tool_use_error>"), treetrace.ToolFailed, ""},
		"a line that speaks of permissions":        {newTalk("a").says("look").failing("make", "err.go:3: // Permission denied is told here"), treetrace.Denied, ""},
		"a command that is not there":              {newTalk("a").says("look").failing("jq .", "bash: jq: command not found"), treetrace.DependencyMismatch, "node_001"},
		"a command that is not there is no denial": {newTalk("a").says("look").failing("jq .", "bash: jq: command not found"), treetrace.Denied, ""},
		"a file that may not be read":              {newTalk("a").says("look").failing("cat /etc/shadow", "cat: /etc/shadow: Permission denied"), treetrace.Denied, "node_001"},
		"a rule that denies": {newTalk("a").says("look").call("Bash", map[string]string{"command": "ls"}, records.ErrorRejected,
			"Permission to use Bash with command ls has been denied by your settings."), treetrace.UserRejected, ""},
		"a constraint said again, and its directory changed": {newTalk("a").says("Add a flag. Don't touch vendor.").writes("vendor/x.go", 2).
			says("I said don't touch vendor"), treetrace.IgnoredConstraint, "node_001"},
		"another constraint": {newTalk("a").says("Add a flag. Don't touch vendor.").says("no, never use tabs"), treetrace.IgnoredConstraint, ""},
		"a correction that only deletes": {newTalk("a").says("a script, please").writes("a.js", 6).writes("b.js", 6).says("No, too many files").
			runs("rm b.js && rm a.js"), treetrace.ScopeDrift, "node_001"},
		"a correction that replaces most": {newTalk("a").says("a script, please").writes("a.js", 8).says("No, that is wrong").
			call("Write", map[string]string{"file_path": "a.js", "content": someLines("other", 8)}, "", ""), treetrace.MisunderstoodGoal, "node_001"},
		"another tool was asked for and used": {newTalk("a").says("install it").declined("npm install x").says("use pnpm for that").runs("pnpm add x"),
			treetrace.WrongToolChoice, "node_001"},
		"a hook that was passed over":     {newTalk("a").says("commit").runs("git commit --no-verify -m x"), treetrace.SecurityRisk, "node_001"},
		"a directory of the work removed": {newTalk("a").says("clean").runs("rm -rf build"), treetrace.SecurityRisk, ""},
		"a secret that was written":       {newTalk("a").says("configure").call("Write", map[string]string{"file_path": "c.js", "content": "key = [REDACTED:aws-key]"}, "", ""), treetrace.SecurityRisk, "node_001"},
		"a test that is skipped": {newTalk("a").says("make it green").call("Edit", map[string]string{"file_path": "a.test.js", "old_string": "it('x'", "new_string": "it.skip('x'"}, "", ""),
			treetrace.SecurityRisk, "node_001"},
	} {
		f := has(test.talk.document(t), test.kind, "")
		switch {
		case test.node == "" && f != nil:
			t.Errorf("%s: %s at %s: %s", name, f.Type, f.FirstSeenNodeID, f.Evidence)
		case test.node != "" && (f == nil || f.FirstSeenNodeID != test.node):
			t.Errorf("%s: no %s at %s: %+v", name, test.kind, test.node, f)
		}
	}
}

// A subagent's calls belong to the prompt that started it; its prompt is none.
func TestASubagentsFailureIsThatOfItsPrompt(t *testing.T) {
	t.Parallel()
	k := newTalk("a").says("look into it").runs("echo start").says("and now?").failing("make", "no rule")
	for i := range k.r.Steps {
		if s := &k.r.Steps[i]; s.StepIndex == 4 {
			s.CallType, s.ParentStep = new(records.CallSubagent), new(2)
		}
	}
	k.r.Steps = append(k.r.Steps, records.Step{StepIndex: 5, Role: records.RoleUser, Content: new("to the subagent"), CallType: new(records.CallSubagent), ParentStep: new(2)})
	d := k.document(t)
	if len(d.Nodes) != 2 || has(d, treetrace.ToolFailed, "node_001") == nil {
		t.Errorf("%d nodes, %+v", len(d.Nodes), d.Failures)
	}
}

// A fork hangs on the conversation that it was forked from; a conversation of other files on another branch is a root.
func TestConversationsHangWhereTheyGoOn(t *testing.T) {
	t.Parallel()
	a, fork, other := newTalk("a").says("one thing").writes("a.go", 2), newTalk("b").says("more of it"), newTalk("c").says("else").writes("z.go", 1)
	fork.r.SetMeta("forked_from", []string{"a"})
	fork.r.TimestampStart, other.r.TimestampStart = new("2026-05-16T05:00:00Z"), new("2026-05-16T06:00:00Z")
	d := document(t, steering.Conversation{Record: other.r}, steering.Conversation{Record: fork.r}, steering.Conversation{Record: a.r})
	if got := kinds(d); got != "root direction root" || *d.Nodes[1].ParentID != "node_001" || d.Nodes[2].ParentID != nil {
		t.Errorf("%s, %+v", got, d.Edges)
	}
}

// Turns that Codex rolled back are a branch that was abandoned, and the prompt after them corrects.
func TestWhatWasRolledBackIsAbandoned(t *testing.T) {
	t.Parallel()
	k := newTalk("a").says("make a tool").answers("ok").says("mach es bunt").answers("ok").says("mach es grau").answers("ok")
	k.r.SetMeta("rollbacks", []map[string]any{{"after_step": 4, "turns": 1}})
	k.r.SetMeta("branches", []records.Branch{{From: 2, Steps: []int{3, 4}}})
	d := k.document(t)
	if d.Nodes[1].Status != treetrace.Abandoned || *d.Nodes[2].ParentID != "node_001" || d.Nodes[2].Kind != treetrace.Correction {
		t.Errorf("%+v", d.Nodes)
	}
	if f := has(d, treetrace.AbandonedPath, "node_002"); f == nil || f.Tier != treetrace.Verified {
		t.Errorf("%+v", d.Failures)
	}
}

// Time is linear in prompts.
func TestTenThousandPrompts(t *testing.T) {
	t.Parallel()
	k := newTalk("a")
	for i := range 10_000 {
		k.says(fmt.Sprintf("no, not number %d, never touch file %d", i, i%70)).writes(fmt.Sprintf("f%d.go", i%50), 3).failing("make", "boom")
	}
	start := time.Now()
	d := k.document(t)
	if took := time.Since(start); len(d.Nodes) != 10_000 || took > 20*time.Second {
		t.Errorf("%d nodes in %v", len(d.Nodes), took)
	}
	t.Logf("%d nodes, %d failures, %d chains in %v", len(d.Nodes), len(d.Failures), len(d.CorrectionChains), time.Since(start))
}

// A question of the agent that the person did not answer teaches nothing; why an edit was declined does.
func TestALessonOfADeclinedCallNamesTheReason(t *testing.T) {
	t.Parallel()
	d := newTalk("a").says("go").call("AskUserQuestion", nil, records.ErrorRejected, "declined").
		call("Edit", map[string]string{"file_path": "a.go"}, records.ErrorRejected, "rejected. To tell you how to proceed, the user said:\nnot in this branch").document(t)
	if len(d.Lessons) != 1 || !strings.Contains(d.Lessons[0].Text, "`Edit a.go`: it was declined in #1 (“not in this branch”)") {
		t.Errorf("%+v", d.Lessons)
	}
}
