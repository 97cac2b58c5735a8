package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// The real client, from a prompt to a stored record: its hooks start the recording, which reads the client's own
// session file.
func TestClaudeConversationsBecomeRecords(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	r.run("basic", driver.Options{})
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(r.trace("events", "--json", "--type", "record_stored"), "record_stored") {
		if time.Now().After(deadline) {
			t.Fatal("no record is stored")
		}
		time.Sleep(100 * time.Millisecond)
	}
	r.trace("record") // what came after the first one
	var log struct {
		Conversations []struct {
			Trace  string
			Calls  int
			Prompt *struct{ Text string }
			Usage  *struct{ Steps, Output int }
		}
	}
	if err := json.Unmarshal([]byte(r.trace("log", "--json")), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Conversations) != 1 || log.Conversations[0].Usage == nil || log.Conversations[0].Usage.Steps < 2 {
		t.Fatalf("the log is %+v", log)
	}
	c := log.Conversations[0]
	if c.Prompt == nil || c.Prompt.Text == "" {
		t.Error("the prompt is lost")
	}
	typed, err := filepath.Glob(filepath.Join(r.Dir, ".git", "traces", "prompts", c.Trace, "*"))
	if err != nil || len(typed) > 0 {
		t.Errorf("prompts are still kept as they were typed: %v, %v", typed, err)
	}
	shown := r.trace("show", c.Trace)
	if !strings.Contains(shown, c.Trace[:4]+":1  user") || !strings.Contains(shown, ":2  agent") {
		t.Errorf("the conversation is shown as\n%s", shown)
	}
	r.Git("fsck", "--strict")
	r.trace("verify")
}
