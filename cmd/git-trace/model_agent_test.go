package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The tools of the agent, each with the boundaries that it reports.

func (w *world) start(dir, session string) {
	w.enter(dir)
	w.say("exec agent " + session + " start")
	w.boundary(dir, session, "SessionStart", map[string]any{"source": "startup", "model": "claude-opus-4-5"})
}

// callID numbers the tool calls.
func (w *world) callID(session string) string {
	w.calls++
	w.call = fmt.Sprintf("toolu_%03d", w.calls)
	if w.profile.living {
		w.call = w.clients.count(session)
	}
	return w.call
}

func (w *world) tool(dir, session, event, id, name string, input map[string]any, response any) {
	fields := map[string]any{"tool_name": name, "tool_input": input, "tool_use_id": id}
	if response != nil {
		fields["tool_response"] = response
	}
	w.boundary(dir, session, event, fields)
}

// content is the file's present text, nil when there is none.
func (w *world) content(dir, path string) *string {
	raw, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		return nil
	}
	text := string(raw)
	return &text
}

func goQuoted(text string) string {
	text = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text)
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// agentWrite: the Write tool.
func (w *world) agentWrite(dir, session, path string, from []int, lines []string) {
	id, before, text := w.callID(session), w.content(dir, path), joinLines(lines)
	input := map[string]any{"file_path": filepath.Join(dir, path), "content": text}
	w.tool(dir, session, "PreToolUse", id, "Write", input, nil)
	w.writeAs(dir, path, from, lines, session)
	kind := "update"
	if before == nil {
		kind = "create"
	}
	w.tool(dir, session, "PostToolUse", id, "Write", input, map[string]any{
		"type": kind, "filePath": filepath.Join(dir, path), "content": text, "structuredPatch": []any{},
		"originalFile": before,
	})
	w.enter(dir)
	w.say(fmt.Sprintf("exec agent %s write %s %s", session, quoteWord(path), goQuoted(text)))
}

// agentReplace: the Edit tool. It answers false when the change cannot be told as one old text that is unique.
func (w *world) agentReplace(dir, session, path string, text []string, from []int) bool {
	old, ok := w.read(dir, path)
	hunks := hunksOf(len(old), from)
	if !ok || len(hunks) != 1 || len(old) == 0 {
		return false
	}
	h := hunks[0]
	unique := func(lines []string) bool {
		return strings.Count(joinLines(old), joinLines(lines)) == 1
	}
	for h.i == h.j || !unique(old[h.i:h.j]) {
		switch {
		case h.i > 0:
			h.i, h.a = h.i-1, h.a-1
		case h.j < len(old):
			h.j, h.b = h.j+1, h.b+1
		default:
			return false
		}
	}
	oldText, newText := joinLines(old[h.i:h.j]), joinLines(text[h.a:h.b])
	before, full := w.content(dir, path), filepath.Join(dir, path)
	if !strings.Contains(*before, oldText) || strings.Replace(*before, oldText, newText, 1) != joinLines(text) {
		return false
	}
	id := w.callID(session)
	input := map[string]any{"file_path": full, "old_string": oldText, "new_string": newText, "replace_all": false}
	w.tool(dir, session, "PreToolUse", id, "Edit", input, nil)
	w.writeAs(dir, path, from, text, session)
	w.tool(dir, session, "PostToolUse", id, "Edit", input, map[string]any{
		"filePath": full, "oldString": oldText, "newString": newText, "originalFile": before,
		"structuredPatch": []any{}, "userModified": false, "replaceAll": false,
	})
	w.enter(dir)
	w.say(fmt.Sprintf("exec agent %s edit %s %s %s", session, quoteWord(path), goQuoted(oldText), goQuoted(newText)))
	return true
}

// agentShell: the Bash tool around whatever the function does.
func (w *world) agentShell(dir, session string, work func()) {
	id := w.callID(session)
	input := map[string]any{"command": "sh ./" + id, "description": "run"}
	w.tool(dir, session, "PreToolUse", id, "Bash", input, nil)
	w.enter(dir)
	w.say(fmt.Sprintf("exec agent %s pre bash %s", session, id))
	w.command = true
	if w.profile.living {
		w.clients.shell = session
	}
	work()
	w.command, w.clients.shell = false, ""
	w.enter(dir)
	w.tool(dir, session, "PostToolUse", id, "Bash", input, map[string]any{
		"stdout": "", "stderr": "", "interrupted": false, "isImage": false,
	})
	w.say(fmt.Sprintf("exec agent %s did bash %s", session, id))
}

// agentTurn: a prompt or the end of a turn, which look at the whole work tree.
func agentTurn(w *world, rng *rand.Rand, dir string) bool {
	s := w.session(rng)
	w.enter(dir)
	if rng.IntN(2) == 0 {
		w.say("exec agent " + s + " prompt 'go on'")
		w.boundary(dir, s, "UserPromptSubmit", map[string]any{"prompt": "go on"})
		return true
	}
	w.say("exec agent " + s + " stop")
	w.boundary(dir, s, "Stop", map[string]any{"stop_hook_active": false, "background_tasks": []any{}})
	return true
}
