package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// agentsPage is docs/agents.md from the heading of other agents on.
func agentsPage(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(raw), "\n## Any other agent\n")
	if !found {
		t.Fatal("docs/agents.md says nothing of other agents")
	}
	return page
}

func TestTheWrapperOfTheDocumentationIsRecorded(t *testing.T) {
	t.Parallel()
	_, script, _ := strings.Cut(agentsPage(t), "```sh\n")
	script, _, found := strings.Cut(script, "```")
	if !found {
		t.Fatal("there is no wrapper")
	}
	r := hooked(t)
	cmd := exec.Command("/bin/sh", "-eu", "-c", script)
	cmd.Dir, cmd.Env = r.Dir, r.Env(filepath.Dir(r.binary))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	r.commitAll()
	lines := r.blame("greeting.txt")
	if len(lines) != 1 {
		t.Fatalf("greeting.txt is %+v", lines)
	}
	l := lines[0]
	if l.Contributor != "ai" || l.Agent != "my-agent" || l.Session != "4f2a" || l.Model != "big-model-1" || l.ToolCall != "call-7" ||
		l.Prompt == nil || l.Prompt.Text != "Write a greeting." {
		t.Errorf("the line is %+v with prompt %+v", l, l.Prompt)
	}
	if log := r.trace("events", "--json"); !strings.Contains(log, `"session_ended"`) {
		t.Error("the end of the session is not in the log")
	}
}

func TestThePayloadsOfTheDocumentationFitTheSchema(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, block := range regexp.MustCompile(`(?m)(?:^    ["{ ].*\n)+`).FindAllString(agentsPage(t), -1) {
		text := strings.TrimSpace(block)
		if strings.HasPrefix(text, `"`) { // a part of a payload
			text = `{"session": "4f2a", "cwd": "/home/dev/project", ` + text + "}"
		}
		follows(t, "hook", text)
		checked++
	}
	if checked != 3 {
		t.Errorf("%d payloads are shown", checked)
	}
}
