package main

import (
	"fmt"
	"path"
	"strings"
)

// pastForm writes transcripts as one agent does. How much a transcript tells beyond what the model asked for depends on
// the session's form: 0 tells most, 2 nothing.
type pastForm interface {
	begin(s *pastSession)
	prompt(s *pastSession, text string)
	look(s *pastSession, path string, failed bool)
	edit(s *pastSession, e pastEdit)
	// file is the name of the transcript, content what it holds.
	file(s *pastSession) string
}

// pastEdit is an edit as a model asks for it: a text in the place of another, or a whole file where old is empty.
type pastEdit struct {
	path          string // below the root
	old, now      string
	before, after []string // the file, nil where the transcript does not tell
}

// pastForms are the agents whose transcripts are not written by pastSession itself.
var pastForms = map[string]pastForm{
	"codex-cli": codexForm{}, "gemini-cli": geminiForm{}, "opencode": openCodeForm{}, "copilot-cli": copilotForm{},
	"qwen-code": qwenForm{},
}

func linesOfText(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// apart gives what two lists of lines begin and end with alike, at most one line of each, and what lies between.
func apart(old, now []string) (at int, before, gone, fresh, after []string) {
	for at < min(len(old), len(now)) && old[at] == now[at] {
		at++
	}
	end := 0
	for end < min(len(old), len(now))-at && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	before, after = old[max(at-1, 0):at], old[len(old)-end:min(len(old)-end+1, len(old))]
	return at, before, old[at : len(old)-end], now[at : len(now)-end], after
}

func prefixed(out []string, prefix string, list []string) []string {
	for _, line := range list {
		out = append(out, prefix+line)
	}
	return out
}

// patchHunk is a change as a patch has it.
func patchHunk(old, now []string) string {
	_, before, gone, fresh, after := apart(old, now)
	return strings.Join(prefixed(prefixed(prefixed(prefixed(nil, " ", before), "-", gone), "+", fresh), " ", after), "\n") + "\n"
}

// unified is patchHunk with the numbers of lines.
func unified(old, now []string) string {
	at, before, gone, fresh, after := apart(old, now)
	around := len(before) + len(after)
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", at+1-len(before), around+len(gone), at+1-len(before), around+len(fresh), patchHunk(old, now))
}

type jsonObject = map[string]any

// codexForm writes rollouts of Codex CLI: patches called from a script (0), patches with an event that tells what they
// did (1), patches alone (2); whole files by patches or here-documents.
type codexForm struct{}

func (codexForm) file(s *pastSession) string { return "rollout-2026-03-02T09-00-00-" + s.id + ".jsonl" }

func (codexForm) line(s *pastSession, kind string, payload jsonObject) {
	s.add(jsonObject{"timestamp": s.stamp(), "type": kind, "payload": payload})
}

func (f codexForm) begin(s *pastSession) {
	f.line(s, "session_meta", jsonObject{"id": s.id, "timestamp": s.stamp(), "cwd": s.root, "originator": "codex_exec", "cli_version": "0.142.0", "source": "exec", "model_provider": "openai"})
	f.line(s, "turn_context", jsonObject{"turn_id": "t1", "cwd": s.root, "model": "gpt-6-sol", "approval_policy": "never", "summary": "none"})
}

func (f codexForm) prompt(s *pastSession, text string) {
	f.line(s, "event_msg", jsonObject{"type": "user_message", "message": text, "images": []any{}})
}

func (f codexForm) look(s *pastSession, path string, failed bool) {
	id, status := s.next(), 0
	if failed {
		status = 1
	}
	f.line(s, "response_item", jsonObject{"type": "function_call", "name": "exec_command", "arguments": string(mustJSON(jsonObject{"cmd": "cat " + path, "workdir": s.root})), "call_id": id})
	f.tokens(s)
	f.line(s, "response_item", jsonObject{"type": "function_call_output", "call_id": id, "output": fmt.Sprintf("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code %d\nOutput:\n", status)})
}

// tokens tells what the answer before it used, and the session so far.
func (f codexForm) tokens(s *pastSession) {
	if !s.spends {
		return
	}
	count := func(u pastUse) jsonObject {
		return jsonObject{"input_tokens": u.in + u.read, "cached_input_tokens": u.read, "output_tokens": u.out, "reasoning_output_tokens": 0, "total_tokens": u.in + u.read + u.out}
	}
	last := s.spend("in out read")
	f.line(s, "event_msg", jsonObject{"type": "token_count", "info": jsonObject{"total_token_usage": count(s.used), "last_token_usage": count(last), "model_context_window": 272000}, "rate_limits": nil})
}

func (f codexForm) edit(s *pastSession, e pastEdit) {
	id := s.next()
	full := s.root + "/" + e.path
	patch, change := "*** Begin Patch\n*** Update File: "+e.path+"\n@@\n"+patchHunk(linesOfText(e.old), linesOfText(e.now))+"*** End Patch", jsonObject{}
	switch {
	case e.old == "" && s.calls%2 == 0: // a shell writes the file
		command := "cat > " + e.path + " <<'EOF'\n" + e.now + "EOF"
		f.line(s, "response_item", jsonObject{"type": "function_call", "name": "exec_command", "arguments": string(mustJSON(jsonObject{"cmd": command, "workdir": s.root})), "call_id": id})
		f.tokens(s)
		f.line(s, "response_item", jsonObject{"type": "function_call_output", "call_id": id, "output": "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"})
		return
	case e.old == "":
		patch = "*** Begin Patch\n*** Add File: " + e.path + "\n" + strings.Join(prefixed(nil, "+", linesOfText(e.now)), "\n") + "\n*** End Patch"
		change = jsonObject{"type": "add", "content": e.now}
	case e.before != nil:
		change = jsonObject{"type": "update", "unified_diff": unified(e.before, e.after), "move_path": nil}
	}
	told := s.form < 2 && (e.old == "" || e.before != nil)
	if s.form == 0 {
		f.line(s, "response_item", jsonObject{"type": "custom_tool_call", "call_id": id, "name": "exec", "status": "completed", "input": "text(await tools.apply_patch(`" + patch + "`));"})
		f.tokens(s)
		if told && s.calls%3 > 0 { // some versions say nothing of it
			f.line(s, "event_msg", jsonObject{"type": "item_completed", "turn_id": "t1", "item": jsonObject{
				"type": "FileChange", "id": "exec-" + id, "changes": jsonObject{full: change}, "status": "completed", "stdout": "Success. Updated the following files:\nM " + e.path + "\n", "stderr": "",
			}})
		}
		f.line(s, "response_item", jsonObject{"type": "custom_tool_call_output", "call_id": id, "output": []any{jsonObject{"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}, jsonObject{"type": "input_text", "text": "{}"}}})
		return
	}
	f.line(s, "response_item", jsonObject{"type": "custom_tool_call", "call_id": id, "name": "apply_patch", "status": "completed", "input": patch})
	f.tokens(s)
	if told {
		f.line(s, "event_msg", jsonObject{"type": "patch_apply_end", "call_id": id, "turn_id": "t1", "stdout": "Success.", "stderr": "", "success": true, "status": "completed", "changes": jsonObject{full: change}})
	}
	f.line(s, "response_item", jsonObject{"type": "custom_tool_call_output", "call_id": id, "output": "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM " + e.path + "\n"})
}

// geminiForm writes sessions of Gemini CLI.
type geminiForm struct{}

func (geminiForm) file(s *pastSession) string {
	return "session-2026-03-02T09-00-" + s.id[:8] + ".jsonl"
}

func (geminiForm) begin(s *pastSession) {
	s.add(jsonObject{"sessionId": s.id, "projectHash": strings.Repeat("0", 64), "startTime": s.stamp(), "lastUpdated": s.stamp(), "kind": "main", "directories": []any{s.root}})
	context := "<session_context>\nThe context.\n- **Workspace Directories:**\n  - " + s.root + "\n</session_context>"
	s.add(jsonObject{"$set": jsonObject{"messages": []any{jsonObject{"id": "c0", "timestamp": s.stamp(), "type": "user", "content": []any{jsonObject{"text": context}}}}}})
}

func (geminiForm) prompt(s *pastSession, text string) {
	s.add(jsonObject{"id": fmt.Sprint("p", s.prompts-1), "timestamp": s.stamp(), "type": "user", "content": []any{jsonObject{"text": text}}})
}

func (f geminiForm) look(s *pastSession, path string, failed bool) {
	f.call(s, s.next(), "read_file", jsonObject{"file_path": s.root + "/" + path}, "", failed)
}

func (f geminiForm) edit(s *pastSession, e pastEdit) {
	id, full := s.next(), s.root+"/"+e.path
	name, args := "replace", jsonObject{"file_path": full, "instruction": "edit", "old_string": e.old, "new_string": e.now}
	before, after := e.before, e.after
	if e.old == "" {
		name, args, after = "write_file", jsonObject{"file_path": full, "content": e.now}, linesOfText(e.now)
	}
	var display any = ""
	if s.form == 0 && after != nil {
		original := ""
		if before != nil {
			original = strings.Join(before, "\n") + "\n"
		}
		display = jsonObject{
			"fileDiff": "Index: " + path.Base(e.path) + "\n--- a\tCurrent\n+++ b\tProposed\n" + unified(before, after), "fileName": path.Base(e.path), "filePath": full,
			"originalContent": original, "newContent": strings.Join(after, "\n") + "\n", "isNewFile": before == nil,
			"diffStat": jsonObject{"model_added_lines": 1, "model_removed_lines": 0, "user_added_lines": 0, "user_removed_lines": 0},
		}
	}
	f.call(s, id, name, args, display, false)
}

func (geminiForm) call(s *pastSession, id, name string, args jsonObject, display any, failed bool) {
	status, response, use := "success", jsonObject{"output": "Successfully modified file."}, s.spend("in out read")
	if failed {
		status, response = "error", jsonObject{"error": "there is no such file"}
	}
	s.add(jsonObject{
		"id": "m" + id, "timestamp": s.stamp(), "type": "gemini", "content": "", "thoughts": []any{}, "model": "gemini-2.5-pro",
		"tokens": jsonObject{"input": use.in + use.read, "output": use.out, "cached": use.read, "thoughts": 0, "tool": 0, "total": use.in + use.read + use.out},
		"toolCalls": []any{jsonObject{
			"id": id, "name": name, "args": args, "status": status, "timestamp": s.stamp(), "resultDisplay": display,
			"result": []any{jsonObject{"functionResponse": jsonObject{"id": id, "name": name, "response": response}}},
		}},
	})
}

// openCodeForm writes what `opencode export` gives.
type openCodeForm struct{}

func (openCodeForm) file(s *pastSession) string { return s.id + ".json" }

func (openCodeForm) begin(*pastSession) {}

// asked is the id of the message that asked last.
func (openCodeForm) asked(s *pastSession) string { return fmt.Sprint("msg_", s.prompts-1) }

func (f openCodeForm) prompt(s *pastSession, text string) {
	id := f.asked(s)
	s.add(jsonObject{
		"info":  jsonObject{"role": "user", "id": id, "sessionID": s.id, "time": jsonObject{"created": s.millis()}, "agent": "build", "model": jsonObject{"providerID": "p", "modelID": "m"}},
		"parts": []any{jsonObject{"type": "text", "text": text, "id": fmt.Sprint("prt_", s.prompts-1), "messageID": id, "sessionID": s.id}},
	})
}

func (f openCodeForm) look(s *pastSession, path string, failed bool) {
	f.call(s, s.next(), "read", path, jsonObject{"filePath": s.root + "/" + path}, jsonObject{}, failed)
}

func (f openCodeForm) edit(s *pastSession, e pastEdit) {
	id, full := s.next(), s.root+"/"+e.path
	name, input, metadata := "edit", jsonObject{"filePath": full, "oldString": e.old, "newString": e.now}, jsonObject{}
	if e.old == "" {
		name, input = "write", jsonObject{"filePath": full, "content": e.now}
	}
	if e.before != nil && e.after != nil {
		switch s.form {
		case 0:
			metadata["diff"] = "Index: " + full + "\n--- " + full + "\n+++ " + full + "\n" + unified(e.before, e.after)
		case 1:
			metadata["filediff"] = jsonObject{"file": full, "before": strings.Join(e.before, "\n") + "\n", "after": strings.Join(e.after, "\n") + "\n", "additions": 1, "deletions": 0}
		}
	}
	f.call(s, id, name, e.path, input, metadata, false)
}

func (f openCodeForm) call(s *pastSession, id, name, title string, input, metadata jsonObject, failed bool) {
	now, use := s.millis(), s.spend("in out read write")
	state := jsonObject{"status": "completed", "input": input, "output": "done", "title": title, "metadata": metadata, "time": jsonObject{"start": now, "end": now}}
	if failed {
		state["status"], state["error"] = "error", "there is no such file"
	}
	s.add(jsonObject{
		"info": jsonObject{
			"role": "assistant", "id": "msg_" + id, "sessionID": s.id, "parentID": f.asked(s), "mode": "build", "agent": "build", "path": jsonObject{"cwd": s.root, "root": s.root}, "cost": 0,
			"tokens": jsonObject{"input": use.in, "output": use.out, "reasoning": 0, "cache": jsonObject{"write": use.write, "read": use.read}}, "modelID": "m", "providerID": "p", "time": jsonObject{"created": now, "completed": now},
		},
		"parts": []any{jsonObject{"type": "tool", "tool": name, "callID": id, "id": "prt_" + id, "messageID": "msg_" + id, "sessionID": s.id, "state": state}},
	})
}

// copilotForm writes event files of Copilot CLI.
type copilotForm struct{}

func (copilotForm) file(s *pastSession) string { return s.id + "/events.jsonl" }

func (copilotForm) line(s *pastSession, kind string, data jsonObject) {
	id := fmt.Sprintf("e%s%04d", s.id[:8], len(s.lines))
	var parent any
	if s.last != "" {
		parent = s.last
	}
	s.last = id
	s.add(jsonObject{"type": kind, "data": data, "id": id, "timestamp": s.stamp(), "parentId": parent})
}

func (f copilotForm) begin(s *pastSession) {
	f.line(s, "session.start", jsonObject{"sessionId": s.id, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.45", "startTime": s.stamp(), "context": jsonObject{"cwd": s.root, "gitRoot": s.root, "branch": "main"}})
}

func (f copilotForm) prompt(s *pastSession, text string) {
	f.line(s, "user.message", jsonObject{"content": text})
}

func (f copilotForm) look(s *pastSession, path string, failed bool) {
	f.call(s, s.next(), "view", jsonObject{"path": s.root + "/" + path}, jsonObject{"content": "done"}, failed)
}

func (f copilotForm) call(s *pastSession, id, name string, args, result jsonObject, failed bool) {
	use := s.spend("out")
	f.line(s, "assistant.message", jsonObject{"messageId": "m" + id, "model": "gpt-5.2", "content": "", "outputTokens": use.out, "toolRequests": []any{jsonObject{"toolCallId": id, "name": name, "arguments": args, "type": "function"}}})
	f.line(s, "tool.execution_start", jsonObject{"toolCallId": id, "toolName": name, "arguments": args})
	end := jsonObject{"toolCallId": id, "success": true, "result": result}
	if failed {
		end = jsonObject{"toolCallId": id, "success": false, "error": jsonObject{"message": "there is no such file"}}
	}
	f.line(s, "tool.execution_complete", end)
}

func (f copilotForm) edit(s *pastSession, e pastEdit) {
	id, full := s.next(), s.root+"/"+e.path
	name, args := "edit", jsonObject{"path": full, "old_str": e.old, "new_str": e.now}
	if e.old == "" {
		name, args = "create", jsonObject{"path": full, "file_text": e.now}
	}
	result := jsonObject{"content": "done"}
	if s.form == 0 && e.before != nil && e.after != nil {
		result["detailedContent"] = "\ndiff --git a" + full + " b" + full + "\nindex 0..0\n--- a" + full + "\n+++ b" + full + "\n" + unified(e.before, e.after)
	}
	f.call(s, id, name, args, result, false)
}

// qwenForm writes sessions of Qwen Code.
type qwenForm struct{}

func (qwenForm) file(s *pastSession) string { return "chats/" + s.id + ".jsonl" }

func (qwenForm) line(s *pastSession, kind, provenance string, more jsonObject) {
	id := fmt.Sprintf("%s-%04d", s.id, len(s.lines))
	line := jsonObject{
		"uuid": id, "parentUuid": nil, "sessionId": s.id, "timestamp": s.stamp(), "type": kind, "provenance": provenance, "cwd": s.root, "version": "0.24.4",
		"gitBranch": "main", "model": "qwen3-coder",
	}
	if s.last != "" {
		line["parentUuid"] = s.last
	}
	for name, value := range more {
		line[name] = value
	}
	s.last = id
	s.add(line)
}

func (f qwenForm) begin(s *pastSession) {
}

func (f qwenForm) prompt(s *pastSession, text string) {
	f.line(s, "user", "real_user", jsonObject{"message": jsonObject{"role": "user", "parts": []any{jsonObject{"text": text}}}})
}

func (f qwenForm) look(s *pastSession, path string, failed bool) {
	f.callOf(s, "read_file", jsonObject{"file_path": s.root + "/" + path}, "", failed)
}

func (f qwenForm) call(s *pastSession, name string, args jsonObject, display any) {
	f.callOf(s, name, args, display, false)
}

func (f qwenForm) callOf(s *pastSession, name string, args jsonObject, display any, failed bool) {
	id, use, status, response := s.next(), s.spend("in out read"), "success", jsonObject{"output": "done"}
	if failed {
		status, response = "error", jsonObject{"error": "there is no such file"}
	}
	f.line(s, "assistant", "assistant_output", jsonObject{
		"message": jsonObject{"role": "model", "parts": []any{jsonObject{"functionCall": jsonObject{"id": id, "name": name, "args": args}}}},
		"usageMetadata": jsonObject{
			"promptTokenCount": use.in + use.read, "cachedContentTokenCount": use.read, "candidatesTokenCount": use.out, "totalTokenCount": use.in + use.read + use.out,
		},
	})
	f.line(s, "tool_result", "tool_result", jsonObject{
		"message":        jsonObject{"role": "user", "parts": []any{jsonObject{"functionResponse": jsonObject{"id": id, "name": name, "response": response}}}},
		"toolCallResult": jsonObject{"callId": id, "status": status, "resultDisplay": display, "executionStatus": "success"},
	})
}

func (f qwenForm) edit(s *pastSession, e pastEdit) {
	full := s.root + "/" + e.path
	name, args, after := "edit", jsonObject{"file_path": full, "old_string": e.old, "new_string": e.now}, e.after
	if e.old == "" {
		name, args, after = "write_file", jsonObject{"file_path": full, "content": e.now}, linesOfText(e.now)
	}
	var display any = ""
	if s.form == 0 && after != nil && e.before != nil {
		display = jsonObject{
			"fileDiff": "Index: " + path.Base(e.path) + "\n--- a\tCurrent\n+++ b\tProposed\n" + unified(e.before, after), "fileName": path.Base(e.path), "filePath": full,
			"originalContent": strings.Join(e.before, "\n") + "\n", "newContent": strings.Join(after, "\n") + "\n",
			"diffStat": jsonObject{"model_added_lines": 1, "model_removed_lines": 0, "user_added_lines": 0, "user_removed_lines": 0},
		}
	}
	f.call(s, name, args, display)
}
