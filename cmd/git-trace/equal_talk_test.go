package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
)

// talk is a conversation and the truth about it.
type talk struct {
	*pastSession
	tale   *tale
	word   string // that only it says
	hooked bool   // hooks see it at this moment

	seen           bool // hooks saw something of it
	added, removed int  // as hooks saw it
	files          map[string]bool
	writing        int          // calls that hooks saw: those that may write
	asked          int          // prompts that hooks saw
	helpers        int          // sub-agents, each of which is asked once and makes one call
	began, ended   [2]time.Time // between when and when
	spoke          [2]time.Time // what the transcript tells
	endless        bool         // its end was taken out of the record
	known          bool         // the clone that is asked has something of it
	recorded       bool         // and a record
}

// talk begins a conversation. Hooks see it where they are installed and hooked asks for it.
func (c *tale) talk(agent string, hooked bool) *talk {
	c.tick()
	c.made++
	s := &pastSession{
		w: c.pastWorld, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", c.made, c.rng.Int63n(1<<40)), agent: agent, root: c.dir, form: 1 + c.rng.Intn(2), spends: true,
	}
	if agent == "opencode" {
		s.id = "ses_" + strings.ReplaceAll(s.id, "-", "")
	}
	s.open()
	t := &talk{pastSession: s, tale: c, word: fmt.Sprintf("errand%dof%d", c.made, c.seed), files: map[string]bool{}}
	c.talks = append(c.talks, t)
	if hooked {
		t.listen("startup")
	}
	return t
}

func (t *talk) trace() string { return string(events.NewTraceID(t.agent, t.id)) }

// listen lets hooks see the conversation from now on.
func (t *talk) listen(source string) {
	t.hooked, t.seen = true, true
	t.hook("SessionStart", jsonObject{"source": source, "model": taleModels[t.agent].name})
}

// ask is a prompt.
func (t *talk) ask() {
	t.w.tick()
	text := fmt.Sprintf("Please see to the %s, part %d", t.word, t.prompts+1)
	t.prompt(text)
	t.happened(t.w.clock, t.w.clock)
	t.save()
	if t.hooked {
		t.asked++
		t.hook("UserPromptSubmit", jsonObject{"prompt": text})
	}
}

// save writes the transcript as it is by now.
func (t *talk) save() { t.end() }

// reads is a call that changes nothing; it may fail.
func (t *talk) reads() {
	t.look(t.tale.files()[0], t.w.rng.Intn(3) == 0)
	t.happened(t.w.clock, t.w.clock)
	t.save()
}

// fails is an edit that does not come about.
func (t *talk) fails() {
	path := t.tale.files()[0]
	fields := t.toolOf(path, nil, nil, 0, 0, []string{"nothing"})
	if t.agent != "claude-code" || !t.hooked {
		t.reads()
		return
	}
	t.writing++
	t.hook("PreToolUse", fields)
	t.callOf("Write", fields["tool_input"].(jsonObject), nil, true)
	t.happened(t.w.clock, t.w.clock)
	t.save()
	fields["error"], fields["is_interrupt"] = "there is no such file", false
	t.hook("PostToolUseFailure", fields)
}

// delegates lets a sub-agent write a file.
func (t *talk) delegates(prefix string) {
	if t.agent != "claude-code" {
		t.writes(prefix)
		return
	}
	t.w.tick()
	t.helpers++
	id, path := fmt.Sprintf("ae%06d", t.helpers), fmt.Sprintf("%snew/helped%d.go", prefix, t.w.count)
	sub := &pastSession{w: t.w, id: t.id, agent: t.agent, root: t.root, form: 2, spends: true, calls: 1000 * t.helpers}
	fresh := t.freshLines(3 + t.w.rng.Intn(4))
	fields := t.toolOf(path, nil, fresh, 0, 0, fresh)
	fields["tool_use_id"], fields["agent_id"], fields["agent_type"] = fmt.Sprintf("toolu_%s_%d", t.id[:12], sub.calls+1), id, "general-purpose"
	sub.entry("user", jsonObject{"role": "user", "content": "write it"}, nil)
	if t.hooked {
		t.added, t.writing, t.files[path] = t.added+len(fresh), t.writing+1, true
		t.hook("SubagentStart", jsonObject{"agent_id": id, "agent_type": "general-purpose"})
		t.hook("PreToolUse", fields)
	}
	t.w.put(path, fresh)
	sub.call("Write", fields["tool_input"].(jsonObject), nil)
	t.saveHelper(sub, id)
	if t.hooked {
		fields["tool_response"] = jsonObject{"type": "create", "filePath": filepath.Join(t.root, path), "content": strings.Join(fresh, "\n") + "\n", "originalFile": nil}
		t.hook("PostToolUse", fields)
		t.hook("SubagentStop", jsonObject{"agent_id": id, "agent_type": "general-purpose"})
	}
	t.callOf("Agent", jsonObject{"description": "Help", "prompt": "write it", "subagent_type": "general-purpose"}, jsonObject{"status": "completed", "agentId": id}, false)
	t.happened(t.w.clock, t.w.clock)
	t.save()
	t.used = t.used.plus(sub.used)
}

// saveHelper writes the transcript of a sub-agent, whose call is the next of the conversation.
func (t *talk) saveHelper(sub *pastSession, id string) {
	var out strings.Builder
	for _, line := range sub.lines {
		var entry jsonObject
		t.w.must(json.Unmarshal([]byte(line), &entry))
		entry["isSidechain"], entry["agentId"], entry["uuid"] = true, id, fmt.Sprint(id, entry["uuid"])
		if parent, ok := entry["parentUuid"].(string); ok {
			entry["parentUuid"] = id + parent
		}
		out.Write(mustJSON(entry))
		out.WriteByte('\n')
	}
	file := filepath.Join(strings.TrimSuffix(t.transcript(), ".jsonl"), "subagents", "agent-"+id)
	t.w.must(os.MkdirAll(filepath.Dir(file), 0o755))
	t.w.must(os.WriteFile(file+".jsonl", []byte(out.String()), 0o644))
	meta := mustJSON(jsonObject{"agentType": "general-purpose", "description": "Help", "toolUseId": fmt.Sprintf("toolu_%s_%d", t.id[:12], t.calls+1)})
	t.w.must(os.WriteFile(file+".meta.json", meta, 0o644))
}

// made is how many calls it made, with those of its sub-agents; steps how many prompts and answers there were.
func (t *talk) made() int { return t.calls + t.helpers }

func (t *talk) steps() int { return t.prompts + t.made() + t.helpers }

// writes is an edit of a file below a prefix, or a new file.
func (t *talk) writes(prefix string) {
	w := t.w
	t.w.tick()
	var files []string
	for _, path := range t.tale.files() {
		if strings.HasPrefix(path, prefix) && len(w.get(path)) > 3 {
			files = append(files, path)
		}
	}
	if len(files) == 0 || w.rng.Intn(4) == 0 {
		path := fmt.Sprintf("%snew/made%d.go", prefix, w.count)
		t.change(path, nil, 0, 0, t.freshLines(4+w.rng.Intn(8)))
		return
	}
	path := files[w.rng.Intn(len(files))]
	before := w.get(path)
	at, removed := 1+w.rng.Intn(len(before)-2), 0
	if w.rng.Intn(3) == 0 {
		removed = 1
	}
	t.change(path, before, at, removed, t.freshLines(2+w.rng.Intn(5)))
}

// freshLines are new lines of the conversation.
func (t *talk) freshLines(n int) []string {
	var out []string
	for range n {
		out = append(out, t.w.line(t.id))
	}
	return out
}

// change puts lines in the place of others, or makes a file of them.
func (t *talk) change(path string, before []string, at, removed int, fresh []string) {
	do := func() {
		if before == nil {
			t.write(path, fresh, nil, true)
		} else {
			t.edit(path, at, removed, fresh, true)
		}
		t.happened(t.w.clock, t.w.clock)
		t.save()
	}
	if !t.hooked {
		do()
		return
	}
	t.seen = true
	t.added, t.removed, t.writing = t.added+len(fresh), t.removed+removed, t.writing+1
	t.files[path] = true
	after := slices.Concat(before[:at], fresh, before[min(at+removed, len(before)):])
	fields := t.toolOf(path, before, after, at, removed, fresh)
	t.hook("PreToolUse", fields)
	do()
	if t.agent == "claude-code" {
		var original any
		if before != nil {
			original = strings.Join(before, "\n") + "\n"
		}
		input := fields["tool_input"].(jsonObject)
		fields["tool_response"] = jsonObject{"filePath": input["file_path"], "oldString": input["old_string"], "newString": input["new_string"], "content": input["content"], "originalFile": original}
	}
	t.hook("PostToolUse", fields)
}

// toolOf is the call of an edit as the hooks of an agent tell it. Its id is that of the next call of the transcript.
func (t *talk) toolOf(path string, before, after []string, at, removed int, fresh []string) jsonObject {
	full := filepath.Join(t.root, path)
	fields := jsonObject{"tool_use_id": fmt.Sprintf("toolu_%s_%d", t.id[:12], t.calls+1)}
	if t.agent == "codex-cli" {
		patch := "*** Begin Patch\n*** Add File: " + path + "\n" + strings.Join(prefixed(nil, "+", fresh), "\n") + "\n*** End Patch"
		if before != nil {
			patch = "*** Begin Patch\n*** Update File: " + path + "\n@@\n" + patchHunk(before, after) + "*** End Patch"
		}
		fields["tool_name"], fields["tool_input"] = "apply_patch", jsonObject{"command": patch}
		return fields
	}
	names := [2]string{"Write", "Edit"}
	if t.agent == "qwen-code" {
		names = [2]string{"write_file", "edit"}
	}
	if before == nil {
		fields["tool_name"], fields["tool_input"] = names[0], jsonObject{"file_path": full, "content": strings.Join(fresh, "\n") + "\n"}
		return fields
	}
	from, to := max(at-1, 0), min(at+removed+1, len(before))
	fields["tool_name"], fields["tool_input"] = names[1], jsonObject{
		"file_path": full, "old_string": strings.Join(before[from:to], "\n"),
		"new_string": strings.Join(slices.Concat(before[from:at], fresh, before[at+removed:to]), "\n"),
	}
	return fields
}

// rests ends a turn, leaves ends the conversation.
func (t *talk) rests() {
	t.save()
	if t.hooked {
		t.hook("Stop", jsonObject{"stop_hook_active": false})
	}
}

func (t *talk) leaves() {
	t.rests()
	if t.hooked {
		t.hook("SessionEnd", jsonObject{"reason": "other"})
	}
	t.hooked = false
}

// hook is what the client starts.
func (t *talk) hook(event string, fields jsonObject) {
	c := t.tale
	payload := jsonObject{
		"session_id": t.id, "transcript_path": t.transcript(), "cwd": c.dir, "hook_event_name": event,
		"prompt_id": fmt.Sprintf("00000000-0000-4000-8000-%012d", t.prompts), "turn_id": fmt.Sprintf("turn-%d", t.prompts), "model": taleModels[t.agent].name,
	}
	for name, value := range fields {
		payload[name] = value
	}
	raw, err := json.Marshal(payload)
	c.must(err)
	before := time.Now()
	out, complaint, err := c.tryInput(raw, "git-trace", "hook", t.agent, event)
	t.happened(before, time.Now())
	if err != nil || out+complaint != "" {
		c.t.Fatalf("seed %d: hook %s %s: %v %s%s", c.seed, t.agent, event, err, out, complaint)
	}
}

// happened notes that something of the conversation was between two moments.
func (t *talk) happened(from, to time.Time) {
	if from.Equal(to) {
		if t.spoke[0].IsZero() {
			t.spoke[0] = from
		}
		t.spoke[1] = to
	}
	if t.began[0].IsZero() {
		t.began = [2]time.Time{from, to}
	}
	t.ended = [2]time.Time{from, to}
}

// transcript is the session file.
func (t *talk) transcript() string { return filepath.Join(t.w.folder, t.agent, t.file()) }
