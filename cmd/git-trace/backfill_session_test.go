package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pastSession is one conversation of a world.
type pastSession struct {
	w     *pastWorld
	id    string
	agent string
	root  string // the checkout that it was held in
	form  int    // how much its transcript tells
	lines []string
	calls int
	last  string

	spends  bool // its answers use different numbers of tokens, not one each
	used    pastUse
	prompts int
	first   time.Time // of the times that its transcript tells
}

// pastUse are tokens, in four buckets that do not overlap.
type pastUse struct{ in, out, read, write int }

func (u pastUse) plus(o pastUse) pastUse {
	return pastUse{u.in + o.in, u.out + o.out, u.read + o.read, u.write + o.write}
}

// spend are the tokens of an answer, in the buckets that the transcript tells.
func (s *pastSession) spend(buckets string) pastUse {
	u := pastUse{in: 1, out: 1}
	if s.spends {
		u = pastUse{1 + s.w.rng.Intn(900), 1 + s.w.rng.Intn(300), s.w.rng.Intn(2000), s.w.rng.Intn(500)}
	}
	for bucket, n := range map[string]*int{"in": &u.in, "out": &u.out, "read": &u.read, "write": &u.write} {
		if !slices.Contains(strings.Fields(buckets), bucket) {
			*n = 0
		}
	}
	s.used = s.used.plus(u)
	return u
}

// next begins a call and gives its id.
func (s *pastSession) next() string {
	s.w.tick()
	s.calls++
	return fmt.Sprintf("toolu_%s_%d", s.id[:12], s.calls)
}

func (s *pastSession) stamp() string { return s.now().Format("2006-01-02T15:04:05.000Z") }

func (s *pastSession) millis() int64 { return s.now().UnixMilli() }

// now is the time that the transcript tells.
func (s *pastSession) now() time.Time {
	at := s.w.clock.UTC()
	if s.first.IsZero() {
		s.first = at
	}
	return at
}

// mustJSON encodes what always has a JSON form.
func mustJSON(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

func (s *pastSession) add(value map[string]any) {
	raw, err := json.Marshal(value)
	s.w.must(err)
	s.lines = append(s.lines, string(raw))
}

// begin writes the head of a transcript, and a prompt.
func (s *pastSession) begin() {
	s.open()
	s.prompt("go on")
}

// open writes the head of a transcript.
func (s *pastSession) open() {
	s.prompts, s.used, s.first = 0, pastUse{}, time.Time{}
	if f := pastForms[s.agent]; f != nil {
		f.begin(s)
	} else if s.agent == "pi" {
		s.add(map[string]any{"type": "session", "version": 3, "id": s.id, "timestamp": s.stamp(), "cwd": s.root})
	}
}

// prompt writes what a person asks.
func (s *pastSession) prompt(text string) {
	s.prompts++
	if f := pastForms[s.agent]; f != nil {
		f.prompt(s, text)
		return
	}
	if s.agent == "pi" {
		var parent any
		if s.last != "" {
			parent = s.last
		}
		s.last = fmt.Sprintf("p%07d", s.prompts-1)
		s.add(map[string]any{"type": "message", "id": s.last, "parentId": parent, "timestamp": s.stamp(), "message": map[string]any{
			"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}, "timestamp": s.millis(),
		}})
		return
	}
	s.entry("user", map[string]any{"role": "user", "content": text}, nil)
}

// look writes a call that reads a file, or cannot.
func (s *pastSession) look(path string, failed bool) {
	if f := pastForms[s.agent]; f != nil {
		f.look(s, path, failed)
		return
	}
	s.callOf(map[bool]string{true: "read", false: "Read"}[s.agent == "pi"], map[string]any{"file_path": s.root + "/" + path, "path": s.root + "/" + path}, nil, failed)
}

// entry is a line of a transcript of Claude Code.
func (s *pastSession) entry(kind string, message map[string]any, result any) {
	id := fmt.Sprintf("%s-%d", s.id, len(s.lines))
	line := map[string]any{
		"type": kind, "uuid": id, "parentUuid": nil, "sessionId": s.id, "cwd": s.root, "version": "2.1.150", "timestamp": s.stamp(), "message": message,
	}
	if s.last != "" {
		line["parentUuid"] = s.last
	}
	if result != nil {
		line["toolUseResult"] = result
	}
	s.last = id
	s.add(line)
}

// call writes a tool call and its result to the transcript.
func (s *pastSession) call(tool string, input map[string]any, result any) {
	s.callOf(tool, input, result, false)
}

// callOf is call for one that may have failed.
func (s *pastSession) callOf(tool string, input map[string]any, result any, failed bool) {
	id, answer := s.next(), "done"
	if failed {
		answer = "there is no such file"
	}
	use := s.spend("in out read write")
	if s.agent == "pi" {
		parent := s.last
		for i, message := range []map[string]any{
			{
				"role": "assistant", "content": []any{map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": input}},
				"api": "x", "provider": "anthropic", "model": "claude-opus-4-5", "stopReason": "toolUse", "timestamp": s.millis(),
				"usage": map[string]any{
					"input": use.in, "output": use.out, "cacheRead": use.read, "cacheWrite": use.write, "totalTokens": use.in + use.out + use.read + use.write,
					"cost": map[string]any{"total": 0},
				},
			},
			{
				"role": "toolResult", "toolCallId": id, "toolName": tool, "content": []any{map[string]any{"type": "text", "text": answer}},
				"isError": failed, "timestamp": s.millis(),
			},
		} {
			own := fmt.Sprintf("%04x%d%03d", s.calls, i, s.calls%1000)
			s.add(map[string]any{"type": "message", "id": own, "parentId": parent, "timestamp": s.stamp(), "message": message})
			parent = own
		}
		s.last = parent
		return
	}
	s.entry("assistant", map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude-opus-4-5", "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}},
		"usage": map[string]any{
			"input_tokens": use.in, "output_tokens": use.out, "cache_read_input_tokens": use.read, "cache_creation_input_tokens": use.write,
		},
	}, nil)
	told := map[string]any{"type": "tool_result", "tool_use_id": id, "content": answer}
	if failed {
		told["is_error"] = true
	}
	s.entry("user", map[string]any{"role": "user", "content": []any{told}}, result)
}

// edit replaces lines of a file, from at on, and says so in the transcript as the agent does.
func (s *pastSession) edit(path string, at, removed int, fresh []string, inPlace bool) {
	before := s.w.get(path)
	from, to := max(at-1, 0), min(at+removed+1, len(before)) // with a line of context on either side
	old := strings.Join(before[from:to], "\n")
	after := slices.Concat(before[:at], fresh, before[at+removed:])
	now := strings.Join(slices.Concat(before[from:at], fresh, before[at+removed:to]), "\n")
	if inPlace {
		s.w.put(path, after)
	}
	whole := strings.Join(before, "\n") + "\n"
	if strings.Count(whole, old) != 1 {
		s.write(path, after, before, false)
		return
	}
	full := s.root + "/" + path
	if f := pastForms[s.agent]; f != nil {
		f.edit(s, pastEdit{path: path, old: old, now: now, before: before, after: after})
		return
	}
	if s.agent == "pi" {
		s.call("edit", map[string]any{"path": path, "oldText": old, "newText": now}, nil)
		return
	}
	var result any
	switch s.form {
	case 0:
		var lines []string
		for _, l := range before[at : at+removed] {
			lines = append(lines, "-"+l)
		}
		for _, l := range fresh {
			lines = append(lines, "+"+strings.ReplaceAll(l, "\t", "  "))
		}
		result = map[string]any{
			"filePath": full, "oldString": old, "newString": now, "originalFile": whole, "replaceAll": false, "userModified": false,
			"structuredPatch": []any{map[string]any{
				"oldStart": at + 1, "oldLines": removed, "newStart": at + 1, "newLines": len(fresh), "lines": lines,
			}},
		}
	case 1:
		result = map[string]any{"filePath": full, "oldString": old, "newString": now, "originalFile": nil, "replaceAll": false, "structuredPatch": []any{}}
	}
	s.call("Edit", map[string]any{"file_path": full, "old_string": old, "new_string": now}, result)
}

// write writes a whole file.
func (s *pastSession) write(path string, lines, before []string, inPlace bool) {
	if inPlace {
		s.w.put(path, lines)
	}
	content := strings.Join(lines, "\n") + "\n"
	if f := pastForms[s.agent]; f != nil {
		f.edit(s, pastEdit{path: path, now: content, before: before})
		return
	}
	if s.agent == "pi" {
		s.call("write", map[string]any{"path": path, "content": content}, nil)
		return
	}
	full := s.root + "/" + path
	var result any
	if s.form < 2 {
		kind, original, patch := "create", any(nil), []any{}
		if before != nil {
			at, _, gone, fresh, _ := apart(before, lines)
			kind, original = "update", strings.Join(before, "\n")+"\n"
			patch = []any{map[string]any{
				"oldStart": at + 1, "oldLines": len(gone), "newStart": at + 1, "newLines": len(fresh), "lines": prefixed(prefixed(nil, "-", gone), "+", fresh),
			}}
		}
		result = map[string]any{"type": kind, "filePath": full, "content": content, "structuredPatch": patch, "originalFile": original}
	}
	s.call("Write", map[string]any{"file_path": full, "content": content}, result)
}

// file is the name of the transcript.
func (s *pastSession) file() string {
	if f := pastForms[s.agent]; f != nil {
		return f.file(s)
	}
	if s.agent == "pi" {
		return "2026-03-02T09-00-00-000Z_" + s.id + ".jsonl"
	}
	return s.id + ".jsonl"
}

// end saves the transcript.
func (s *pastSession) end() {
	content := strings.Join(s.lines, "\n") + "\n"
	if s.agent == "opencode" { // one document
		info := string(mustJSON(jsonObject{"id": s.id, "slug": "x", "directory": s.root, "title": "go on", "version": "1.18.33", "time": jsonObject{"created": s.first.UnixMilli(), "updated": s.w.clock.UnixMilli()}}))
		content = `{"info":` + info + `,"messages":[` + strings.Join(s.lines, ",") + "]}\n"
	}
	s.w.keep(filepath.Join(s.w.folder, s.agent, s.file()), content)
}

// act is one edit of a session, somewhere.
func (s *pastSession) act(prefix string) {
	w := s.w
	var files []string
	for _, path := range w.files() {
		if strings.HasPrefix(path, prefix) {
			files = append(files, path)
		}
	}
	if len(files) == 0 || w.rng.Intn(5) == 0 {
		s.write(fmt.Sprintf("%snew/made%d.go", prefix, w.count), w.block(s.id, 3+w.rng.Intn(12)), nil, true)
		return
	}
	path := files[w.rng.Intn(len(files))]
	before := w.get(path)
	at := w.rng.Intn(len(before))
	switch w.rng.Intn(6) {
	case 0: // over other lines
		s.edit(path, at, min(1+w.rng.Intn(3), len(before)-at), w.block(s.id, 1+w.rng.Intn(4)), true)
	case 1: // the whole file, one part of it new
		s.write(path, slices.Concat(before[:at], w.block(s.id, 2), before[at:]), before, true)
	case 2: // one line
		s.edit(path, at, 1, []string{w.line(s.id)}, true)
	default:
		s.edit(path, at, 0, w.block(s.id, 1+w.rng.Intn(6)), true)
	}
}
