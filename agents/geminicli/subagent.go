package geminicli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/events"
)

// The limits for reading subagents' files in a hook.
const (
	answerWindow  = 512 << 10 // bytes at the end of a file
	maxSubagents  = 32        // the ones that changed last
	maxFirstBytes = 4 << 10   // bytes of a file's first line
)

// subagent is a subagent of the answer on which the main conversation is working.
type subagent struct {
	id, model string
	calling   bool // the last answer of the agent waits for the results of its calls
}

// attribute finds the subagent whose call is about to start. Hooks do not name it. The session's files show it: if
// calls of an answer run in parallel, all their hooks run before the first call starts. So the main conversation makes
// no calls while a subagent runs. A subagent writes an answer twice: before it makes the answer's calls, and again,
// with the calls, after their end.
func attribute(b *events.Boundary) {
	var calling []subagent
	for _, one := range subagents(b.Transcript, b.Session) {
		if one.calling {
			calling = append(calling, one)
		}
	}
	switch len(calling) {
	case 0:
		return
	case 1:
		b.Subagent = calling[0].id
	default:
		b.Limits = append(b.Limits, events.LimitSubagentUnknown)
	}
	b.Model = calling[0].model
	if slices.ContainsFunc(calling, func(one subagent) bool { return one.model != b.Model }) {
		b.Model = ""
	}
}

// subagents returns the subagents of the main conversation's current answer; none if the file lacks that answer.
func subagents(main, session string) []subagent {
	dir := filepath.Join(filepath.Dir(main), session)
	entries, err := os.ReadDir(dir)
	if err != nil || main == "" || !payload.SessionID(session) {
		return nil
	}
	last, _ := lastMessages(main)
	if !last.busy() {
		return nil
	}
	var out []subagent
	for _, name := range newest(entries) {
		path := filepath.Join(dir, name)
		id := strings.TrimSuffix(name, ".jsonl")
		if id == name || !payload.SessionID(id) || !began(path).After(last.Time) {
			continue
		}
		own, before := lastMessages(path)
		out = append(out, subagent{id: id, model: payload.Name(own.Model), calling: own.busy() && before.givesResults()})
	}
	return out
}

// `newest` returns the names of the files that changed last.
func newest(entries []os.DirEntry) []string {
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, file{entry.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.name, b.name)) })
	var names []string
	for _, one := range files[:min(len(files), maxSubagents)] {
		names = append(names, one.name)
	}
	return names
}

// line is a message of a session file, with the members that show which agent is working.
type line struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Time    time.Time       `json:"timestamp"`
	Model   string          `json:"model"`
	Calls   json.RawMessage `json:"toolCalls"` // only after the calls have ended
	Content json.RawMessage `json:"content"`
	first   bool            // the message is the first one
}

// `busy` reports whether the line is an answer without ended calls: its calls may still run.
func (l *line) busy() bool { return l.Type == "gemini" && len(l.Calls) == 0 }

// givesResults reports whether a line requires another answer: the task, or results of calls. Other texts mean that the
// subagent has run out of time.
func (l *line) givesResults() bool {
	return l.Type == "user" && (l.first || bytes.Contains(l.Content, []byte(`"functionResponse"`)))
}

// lastMessages returns the last message of a session file and the message before it.
func lastMessages(path string) (last, before line) {
	file, err := transcript.Open(path)
	if err != nil {
		return last, before
	}
	defer func() { _ = file.Close() }()
	for raw := range file.Lines(answerWindow) {
		if bytes.HasPrefix(raw, []byte(`{"$set"`)) {
			continue
		}
		var one line
		if json.Unmarshal(raw, &one) != nil || one.Type == "" { // the first line of the file has no type
			before.first = before.Type != "" && bytes.Contains(raw, []byte(`"kind"`))
			return last, before
		}
		switch {
		case last.Type == "":
			last = one
		case one.ID == last.ID: // written again
		case before.Type == "":
			before = one
		default:
			return last, before
		}
	}
	return last, before
}

// `began` returns the time at which the session of a file began, from its first line.
func began(path string) time.Time {
	file, err := transcript.Open(path)
	if err != nil {
		return time.Time{}
	}
	defer func() { _ = file.Close() }()
	raw, _ := bufio.NewReaderSize(file.From(0), maxFirstBytes).ReadSlice('\n')
	var head struct {
		Start time.Time `json:"startTime"`
	}
	if json.Unmarshal(raw, &head) != nil {
		return time.Time{}
	}
	return head.Start
}

// settle uses the order of calls. A subagent's calls end with the subagent. An edit of the main conversation runs
// alone, so it has ended when another boundary comes. This does not hold while subagents run, because their calls look
// like calls of the main conversation. Shell commands may run in parallel.
func (c *Client) settle(call capability.Call) (end capability.End) {
	at := subagents(call.Transcript, sessionOf(call.Transcript))
	switch {
	case call.Subagent != "":
		if slices.ContainsFunc(at, func(one subagent) bool { return one.id == call.Subagent }) {
			return end
		}
		end.Outcome = capability.OutcomeRan
	case call.Class == events.ToolEdits && len(at) == 0:
		end.Outcome = capability.OutcomeRan
	}
	return end
}

// sessionOf returns the id of the session in a file.
func sessionOf(path string) string { return sessionfile.PeekIn(open, path, peek).id }
