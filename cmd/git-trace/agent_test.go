package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/trails/process"
)

// playAgent is the script command
//
//	agent SESSION[/SUBAGENT] VERB ARGS
//
// which plays Claude Code: it does what the tool does and calls the real hook process with the payload that the client
// sends. Texts are read as Go strings without their quotes, so that \n is a line feed. The verbs:
//
//	start [SOURCE] · prompt TEXT · stop [RUNNING…] · end · substart · subend
//	edit FILE OLD NEW · write FILE TEXT · bash COMMAND · fail COMMAND · read FILE
//	pre edit … , post edit … (and write, bash, fail): one half of a call; `post` does the tool's work first
//	did edit … : only the after-boundary, the work is done already; bg COMMAND: a call left running in the background
//	ask bash COMMAND: a dialog opens, in which the person is asked whether the call may run
//	batch FILE…: all calls of the answer, which edited those files, have ended, and so have the hooks of others
//	say TEXT: an answer of the model, which only the session file holds
//	serve: one process for the whole conversation, whose shells are its children; verbs come line by line, with tabs
//
// With the environment variable TRANSCRIPTS the session file is written too, as the client writes it; its times are
// those of the moment if it is "now". UNHOOKED names tools, or events, of which no hook tells.
func playAgent(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: agent SESSION[/SUBAGENT] VERB ARGS")
		return 2
	}
	p, err := newPlayer(args[0])
	if err == nil {
		err = p.play(args[1], args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		return 1
	}
	return 0
}

// player is one conversation, whose counters are kept beside the home directory between calls.
type player struct {
	session, sub string
	dir          string
	counters     string
	serving      bool
}

func newPlayer(name string) (*player, error) {
	session, sub, _ := strings.Cut(name, "/")
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	counters := filepath.Join(os.Getenv("HOME"), ".agent-"+session)
	return &player{session: session, sub: sub, dir: dir, counters: counters}, os.MkdirAll(counters, 0o755)
}

// count numbers what a conversation does; keep gives the last number again.
func (p *player) count(what string, keep bool) int {
	name := filepath.Join(p.counters, what)
	raw, _ := os.ReadFile(name)
	n, _ := strconv.Atoi(string(raw))
	if !keep {
		n++
		_ = os.WriteFile(name, []byte(strconv.Itoa(n)), 0o644)
	}
	return n
}

func (p *player) play(verb string, args []string) error {
	unquoted := make([]string, len(args))
	for i, a := range args {
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(a, `"`, `\"`) + `"`)
		if err != nil {
			return fmt.Errorf("argument %q: %w", a, err)
		}
		unquoted[i] = text
	}
	switch verb {
	case "serve":
		return p.serve(os.Stdin, os.Stdout)
	case "start":
		source := "startup"
		if len(args) > 0 {
			source = args[0]
		}
		return p.hook("SessionStart", map[string]any{"source": source, "model": "claude-opus-4-5"})
	case "prompt":
		p.count("prompt", false)
		if err := p.transcript("prompt", nil, unquoted[0]); err != nil {
			return err
		}
		return p.hook("UserPromptSubmit", p.turn(map[string]any{"prompt": unquoted[0]}))
	case "say":
		return p.transcript("answer", nil, unquoted[0])
	case "stop":
		running := []any{}
		for _, id := range args {
			running = append(running, map[string]any{"id": id, "type": "shell", "status": "running"})
		}
		return p.hook("Stop", p.turn(map[string]any{"stop_hook_active": false, "background_tasks": running}))
	case "end":
		return p.hook("SessionEnd", map[string]any{"reason": "other"})
	case "batch":
		calls := []any{}
		for _, file := range unquoted {
			calls = append(calls, map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": file}})
		}
		return p.hook("PostToolBatch", p.turn(map[string]any{"tool_calls": calls}))
	case "substart":
		return p.hook("SubagentStart", p.turn(nil))
	case "subend":
		return p.hook("SubagentStop", p.turn(map[string]any{"background_tasks": []any{}}))
	case "ask":
		call, err := p.call(unquoted[0], unquoted[1:])
		if err != nil {
			return err
		}
		return p.hook("PermissionRequest", p.turn(map[string]any{"tool_name": call.name, "tool_input": call.input}))
	case "pre", "post", "did":
		return p.half(verb, unquoted[0], unquoted[1:])
	default:
		if err := p.half("pre", verb, unquoted); err != nil {
			return err
		}
		return p.half("post", verb, unquoted)
	}
}

// serve plays what it is told, one verb a line, and says so each time.
func (p *player) serve(in io.Reader, out io.Writer) error {
	p.serving = true
	if err := os.Setenv("CLAUDE_PID", strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		answer := "ok"
		if err := p.play(words[0], words[1:]); err != nil {
			answer = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (p *player) turn(fields map[string]any) map[string]any {
	out := map[string]any{
		"prompt_id": fmt.Sprintf("00000000-0000-4000-8000-%012d", p.count("prompt", true)), "permission_mode": "acceptEdits",
	}
	for k, v := range fields {
		out[k] = v
	}
	return out
}

// half plays one side of a tool call.
func (p *player) half(side, verb string, args []string) error {
	call, err := p.call(verb, args)
	if err != nil {
		return err
	}
	key := "call-" + strings.ReplaceAll(p.sub+verb+strings.Join(args, "\x00"), "/", "_")
	key = fmt.Sprintf("call-%x", fnvSum(key))
	if side == "pre" {
		n := p.count("calls", false)
		_ = os.WriteFile(filepath.Join(p.counters, key), []byte(strconv.Itoa(n)), 0o644)
		if before := call.read(); before != nil {
			_ = os.WriteFile(filepath.Join(p.counters, key+".before"), []byte(*before), 0o644)
		}
	}
	raw, _ := os.ReadFile(filepath.Join(p.counters, key))
	n, _ := strconv.Atoi(string(raw))
	if n == 0 {
		n = p.count("calls", false)
	}
	fields := p.turn(map[string]any{
		"tool_name": call.name, "tool_input": call.input, "tool_use_id": fmt.Sprintf("toolu_%s_%03d", p.session, n),
	})
	if side == "pre" {
		if err := p.transcript("call", fields, ""); err != nil {
			return err
		}
		return p.hook("PreToolUse", fields)
	}
	event := "PostToolUse"
	var response any
	began := time.Now()
	if side == "did" { // it was at work since its before-boundary
		if info, err := os.Stat(filepath.Join(p.counters, key)); err == nil {
			began = info.ModTime()
		}
		var before *string // the tool found the file as it was at the before-boundary
		if raw, err := os.ReadFile(filepath.Join(p.counters, key+".before")); err == nil {
			text := string(raw)
			before = &text
		} else if now := call.read(); now != nil && verb == "edit" {
			text := strings.Replace(*now, args[2], args[1], 1)
			before = &text
		}
		response = call.response(before)
	} else {
		before := call.read()
		if err := call.work(); err != nil && verb != "fail" {
			return err
		}
		response = call.response(before)
	}
	if verb == "fail" {
		event = "PostToolUseFailure"
		fields["error"], fields["is_interrupt"] = "Exit code 1", false
	} else {
		fields["tool_response"] = response
	}
	if verb != "bg" && os.Getenv("CLIENT") != "untimed" {
		fields["duration_ms"] = max(time.Since(began).Milliseconds(), 1)
	}
	if err := p.transcript("result", fields, ""); err != nil {
		return err
	}
	return p.hook(event, fields)
}

func fnvSum(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// toolCall is a tool, its input, what it does, and what it reports.
type toolCall struct {
	name     string
	input    map[string]any
	work     func() error
	read     func() *string
	response func(before *string) any
}

func (p *player) call(verb string, args []string) (*toolCall, error) {
	need := map[string]int{"edit": 3, "write": 2, "bash": 1, "fail": 1, "bg": 1, "read": 1}
	if want, ok := need[verb]; !ok || len(args) != want {
		return nil, fmt.Errorf("%s takes %d arguments, got %d", verb, need[verb], len(args))
	}
	switch verb {
	case "edit", "write", "read":
		return p.fileCall(verb, args), nil
	}
	c := &toolCall{name: "Bash", input: map[string]any{"command": args[0], "description": "run"}}
	c.read = func() *string { return nil }
	c.work = func() error {
		cmd := exec.Command("sh", "-c", args[0])
		cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "CLAUDE_CODE_SESSION_ID="+p.session)
		if p.serving && verb == "bg" {
			if err := cmd.Start(); err != nil {
				return err
			}
			go func() { _ = cmd.Wait() }()
			return nil
		}
		var complaint bytes.Buffer
		if !p.serving { // what is left behind would keep the pipe open
			cmd.Stderr = &complaint
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w: %s", err, complaint.String())
		}
		return nil
	}
	if verb == "bg" {
		c.input["run_in_background"] = true
	}
	if verb == "bg" && !p.serving {
		c.work = func() error { return nil }
	}
	c.response = func(*string) any {
		out := map[string]any{"stdout": "", "stderr": "", "interrupted": false, "isImage": false}
		if verb == "bg" {
			out["backgroundTaskId"] = "task-" + p.session
		}
		return out
	}
	return c, nil
}

func (p *player) fileCall(verb string, args []string) *toolCall {
	path := args[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	c := &toolCall{input: map[string]any{"file_path": path}}
	c.read = func() *string {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		text := reportedBy(os.Getenv("CLIENT"), raw)
		return &text
	}
	switch verb {
	case "read":
		c.name, c.work = "Read", func() error { return nil }
		c.response = func(*string) any { return map[string]any{"type": "text"} }
	case "write":
		c.name = "Write"
		c.input["content"] = args[1]
		c.work = func() error {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(args[1]), 0o644)
		}
		c.response = func(before *string) any {
			kind := "update"
			if before == nil {
				kind = "create"
			}
			return map[string]any{
				"type": kind, "filePath": path, "content": args[1], "structuredPatch": []any{}, "originalFile": before,
			}
		}
	case "edit":
		c.name = "Edit"
		c.input["old_string"], c.input["new_string"], c.input["replace_all"] = args[1], args[2], false
		c.work = func() error {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if bytes.Contains(raw, []byte(args[1])) && (utf8.Valid(raw) || os.Getenv("CLIENT") == "utf8") {
				return os.WriteFile(path, bytes.Replace(raw, []byte(args[1]), []byte(args[2]), 1), 0o644)
			}
			text := reportedBy(os.Getenv("CLIENT"), raw)
			if !strings.Contains(text, args[1]) {
				return fmt.Errorf("%s: old text not found", path)
			}
			return os.WriteFile(path, writtenLike(raw, strings.Replace(text, args[1], args[2], 1)), 0o644)
		}
		c.response = func(before *string) any {
			if before != nil && (len(*before) > 10_000 || os.Getenv("CLIENT") == "untimed") { // the client tells no more of a long file
				before = nil
			}
			return map[string]any{
				"filePath": path, "oldString": args[1], "newString": args[2], "originalFile": before,
				"structuredPatch": []any{}, "userModified": false, "replaceAll": false,
			}
		}
	}
	return c
}

// reportedBy is a file as a client reports it: without a byte order mark and carriage returns, from UTF-16; what is not
// UTF-8 either as Latin-1 or, of a client that knows no other encoding, with marks in the place of what it could not
// read.
func reportedBy(client string, raw []byte) string {
	text := strings.TrimPrefix(string(raw), "\uFEFF")
	switch {
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		var units []uint16
		for i := 2; i+1 < len(raw); i += 2 {
			units = append(units, uint16(raw[i])|uint16(raw[i+1])<<8)
		}
		text = string(utf16.Decode(units))
	case !utf8.Valid(raw) && client == "utf8":
		var out []rune
		for _, r := range string(raw) {
			out = append(out, r)
		}
		text = string(out)
	case !utf8.Valid(raw):
		runes := make([]rune, len(raw))
		for i, c := range raw {
			runes[i] = rune(c)
		}
		text = string(runes)
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// writtenLike gives a text the encoding and the line ends that a file had.
func writtenLike(raw []byte, text string) []byte {
	if bytes.Contains(raw, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	switch {
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		out := []byte{0xFF, 0xFE}
		for _, unit := range utf16.Encode([]rune(text)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	case bytes.HasPrefix(raw, []byte("\uFEFF")):
		return []byte("\uFEFF" + text)
	case !utf8.Valid(raw):
		var out []byte
		for _, r := range text {
			out = append(out, byte(r))
		}
		return out
	}
	return []byte(text)
}

// hook calls the real hook process. It must print nothing and end well.
func (p *player) hook(event string, fields map[string]any) error {
	unhooked := strings.Split(os.Getenv("UNHOOKED"), ",")
	if tool, _ := fields["tool_name"].(string); slices.Contains(unhooked, event) || tool != "" && slices.Contains(unhooked, tool) {
		return nil
	}
	payload := map[string]any{
		"session_id": p.session, "transcript_path": p.transcriptPath(),
		"cwd": p.dir, "hook_event_name": event,
	}
	if p.sub != "" {
		payload["agent_id"], payload["agent_type"] = p.sub, "general-purpose"
	}
	for k, v := range fields {
		payload[k] = v
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	cmd := exec.Command(hookProgram(), "hook", "claude-code", event)
	cmd.Dir = p.dir
	cmd.Stdin = bytes.NewReader(raw)
	if os.Getenv("CLAUDE_PID") == "" { // this process plays one moment of an agent; what started it lives as long as that
		cmd.Env = append(os.Environ(), "CLAUDE_PID="+strconv.Itoa(process.Starter()))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("hook %s: %w", event, err)
	}
	if len(out) > 0 {
		return fmt.Errorf("hook %s printed %q", event, out)
	}
	return nil
}

// printOwners is the script command `owners [BLAME OPTIONS] FILE`: one line a line, "OWNER | content", where OWNER is
// the session (and sub-agent) of an agent's line, or human or unknown.
func printOwners(args []string) int {
	cmd := exec.Command("git-trace", append([]string{"blame", "--json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "owners:", err)
		return 1
	}
	var blame struct {
		Lines []ownedLine `json:"lines"`
	}
	if err := json.Unmarshal(out, &blame); err != nil {
		fmt.Fprintln(os.Stderr, "owners:", err)
		return 1
	}
	if err := noteEvidence(args, blame.Lines); err != nil {
		fmt.Fprintln(os.Stderr, "owners:", err)
		return 1
	}
	for _, l := range blame.Lines {
		fmt.Printf("%s | %s\n", l.owner(), l.Content)
	}
	return 0
}

// hookProgram is what the hooks of the git-trace in PATH call: the program beside it, where there is one.
func hookProgram() string {
	program, err := exec.LookPath("git-trace")
	if err != nil {
		return "git-trace"
	}
	beside := filepath.Join(filepath.Dir(program), capability.HookProgram)
	if _, err := os.Stat(beside); err != nil {
		return program
	}
	return beside
}
