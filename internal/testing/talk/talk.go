// Package talk makes a test repository with a conversation that hooks saw and that has a stored record: prompts,
// thoughts, calls of tools and their results, and lines in commits.
package talk

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/view"
)

// Agent and Model are the agent and the model of every conversation.
const (
	Agent = "claude-code"
	Model = "claude-opus-4-5"
)

// Talk is a conversation of Claude Code.
type Talk struct {
	*recording.World

	Session string
	Trace   events.TraceID
	Unheard bool // no hook runs; only the session file tells
	lines   bytes.Buffer
	last    string
	entries int
}

// New begins a conversation in a world.
func New(w *recording.World, session string) *Talk {
	return &Talk{World: w, Session: session, Trace: events.NewTraceID(Agent, session)}
}

// File is the conversation's session file.
func (k *Talk) File() string {
	return filepath.Join(k.Repo.TracesDir(), "..", "session-"+k.Session+".jsonl")
}

// entry writes a line of the session file.
func (k *Talk) entry(kind string, message map[string]any) {
	k.T.Helper()
	k.entries++
	id := k.Session + "-" + string(rune('a'+k.entries/26)) + string(rune('a'+k.entries%26))
	line := map[string]any{
		"type": kind, "uuid": id, "parentUuid": nil, "sessionId": k.Session, "cwd": k.Repo.WorkTree, "version": "2.1.150",
		"timestamp": k.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "message": message,
	}
	if k.last != "" {
		line["parentUuid"] = k.last
	}
	k.last = id
	raw, err := json.Marshal(line)
	k.Check(err)
	k.lines.Write(append(raw, '\n'))
	k.Check(os.WriteFile(k.File(), k.lines.Bytes(), 0o600))
}

// reply writes an answer of the model.
func (k *Talk) reply(content ...any) {
	k.T.Helper()
	k.entry("assistant", map[string]any{
		"id": "msg_" + k.last, "type": "message", "role": "assistant", "model": Model, "content": content,
		"usage": map[string]any{"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 1000},
	})
}

func (k *Talk) boundary(kind events.BoundaryKind) events.Boundary {
	return events.Boundary{Kind: kind, Agent: Agent, Session: k.Session, Cwd: k.Repo.WorkTree, Time: k.Now(), Model: Model,
		Transcript: k.File()}
}

// tell runs a hook.
func (k *Talk) tell(b events.Boundary) {
	k.T.Helper()
	if !k.Unheard {
		k.Check(k.Engine.Handle(k.T.Context(), b))
	}
}

// Ask sends a prompt.
func (k *Talk) Ask(text string) {
	k.T.Helper()
	b := k.boundary(events.PromptSubmit)
	b.Prompt = &events.Prompt{Text: text}
	k.tell(b)
	k.entry("user", map[string]any{"role": "user", "content": text})
}

// Say ends the turn with an answer.
func (k *Talk) Say(text string) {
	k.T.Helper()
	k.reply(map[string]any{"type": "text", "text": text})
	k.tell(k.boundary(events.TurnEnd))
}

// use makes a call of a tool, with a thought before it.
func (k *Talk) use(tool string, class events.ToolClass, files []string, input map[string]any, output string,
	failed bool, do func()) {
	k.T.Helper()
	k.Calls++
	id := "toolu_" + k.Session + "_" + string(rune('a'+k.Calls%26))
	b := k.boundary(events.ToolBefore)
	b.Tool = &events.ToolUse{CallID: id, Name: tool, Class: class}
	for _, name := range files {
		b.Tool.Paths = append(b.Tool.Paths, filepath.Join(k.Repo.WorkTree, name))
	}
	k.tell(b)
	k.reply(map[string]any{"type": "thinking", "thinking": "I need " + tool + " now", "signature": "x"},
		map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	do()
	b.Kind, b.Time = events.ToolAfter, k.Now()
	if failed {
		b.Kind = events.ToolFailed
	}
	k.tell(b)
	k.entry("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed},
	}})
}

// Put writes a file by a call of Write.
func (k *Talk) Put(name, text string) {
	k.T.Helper()
	input := map[string]any{"file_path": filepath.Join(k.Repo.WorkTree, name), "content": text}
	k.Check(os.MkdirAll(filepath.Dir(filepath.Join(k.Repo.WorkTree, name)), 0o755))
	k.use("Write", events.ToolEdits, []string{name}, input, "done", false, func() { k.Write(name, text) })
}

// Change replaces a text in a file by a call of Edit.
func (k *Talk) Change(name, old, now string) {
	k.T.Helper()
	path := filepath.Join(k.Repo.WorkTree, name)
	before, err := os.ReadFile(path)
	k.Check(err)
	input := map[string]any{"file_path": path, "old_string": old, "new_string": now}
	k.use("Edit", events.ToolEdits, []string{name}, input, "done", false, func() {
		k.Write(name, strings.Replace(string(before), old, now, 1))
	})
}

// Shell runs no command, but tells that the agent ran one.
func (k *Talk) Shell(command, output string, failed bool) {
	k.T.Helper()
	k.use("Bash", events.ToolRuns, nil, map[string]any{"command": command}, output, failed, func() {})
}

// Store stores the record of the conversation.
func (k *Talk) Store() {
	k.T.Helper()
	job, err := keeping.NewJob(k.T.Context(), k.Repo)
	k.Check(err)
	defer job.Close()
	lock, err := job.Lock(k.T.Context(), store.Patience)
	k.Check(err)
	defer lock.Unlock()
	session := waiting.Session{Trace: k.Trace, Agent: Agent, Session: k.Session, Transcript: k.File(),
		WorkTree: k.Repo.WorkTree}
	stored := false
	k.Check(job.One(k.T.Context(), session, func(o keeping.Outcome) { stored = o.Stored }))
	if !stored {
		k.T.Fatal("no record was stored")
	}
}

// Reader opens a reader of the repository for the time of the test.
func (k *Talk) Reader() *view.Reader {
	k.T.Helper()
	reader, err := view.Open(k.T.Context(), k.Repo, view.Options{})
	k.Check(err)
	k.T.Cleanup(reader.Close)
	return reader
}

// Server makes the repository of most tests: an agent writes server.go in answer to three prompts, a person changes a
// line, and the third answer is not committed.
func Server(t testing.TB) *Talk {
	t.Helper()
	k := New(recording.New(t), "5e55a001")
	k.Clock = time.Now().Add(-2 * time.Hour)
	k.Ask("write a server with a retry limit")
	k.Put("server.go", "package server\n\nfunc Serve() int {\n\treturn 1\n}\n\nfunc Close() int {\n\treturn 2\n}\n")
	k.Shell("go test ./...", "FAIL: the retry limit is wrong", true)
	k.Change("server.go", "return 1", "limit := 3\n\treturn limit")
	k.Shell("go test ./...", "ok", false)
	k.Say("the server is there")
	k.Commit("server: begin")
	k.Anchor()
	k.Ask("close it twice without harm")
	k.Change("server.go", "\treturn 2\n", "\tif closed {\n\t\treturn 0\n\t}\n\treturn 2\n")
	k.Say("it closes twice")
	k.Write("notes.txt", "a person's note\n")
	k.Commit("server: close twice")
	k.Anchor()
	k.Ask("say what it does")
	k.Change("server.go", "package server\n", "// Package server serves.\npackage server\n")
	k.Say("it says so")
	k.Store()
	return k
}
