package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/trails/process"
)

// player is one conversation. Its counters are kept in files beside the home directory between calls.
type player struct {
	session, sub string
	dir          string
	counters     string
	serving      bool
	shell        *shell // shell of the running command; nil if none runs
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

// count returns the next number of a counter; if `keep` is set, the last one again.
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
	case "as":
		p.sub = strings.Join(args, "")
		return nil
	case "unhooked":
		return os.Setenv("UNHOOKED", strings.Join(args, ","))
	case "run":
		return p.run(unquoted[0])
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

// serve plays the verbs from `in`, one on each line, and confirms each.
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
	maps.Copy(out, fields)
	return out
}

// `half` plays the before or the after side of a tool call.
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
	p.endShell()
	if side == "did" { // it has been running since its before-boundary
		if info, err := os.Stat(filepath.Join(p.counters, key)); err == nil {
			began = info.ModTime()
		}
		var before *string // content of the file at the before-boundary; nil if the file did not exist
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
		fields["error"] = strings.TrimSpace("Exit code 1\n" + os.Getenv("SAYS"))
		fields["is_interrupt"] = false
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

// hook runs the real hook process. The process must print nothing and succeed.
func (p *player) hook(event string, fields map[string]any) error {
	unhooked := strings.Split(os.Getenv("UNHOOKED"), ",")
	tool, _ := fields["tool_name"].(string)
	if slices.Contains(unhooked, event) || tool != "" && slices.Contains(unhooked, tool) {
		return nil
	}
	payload := map[string]any{
		"session_id": p.session, "transcript_path": p.transcriptPath(),
		"cwd": p.dir, "hook_event_name": event,
	}
	if p.sub != "" {
		payload["agent_id"], payload["agent_type"] = p.sub, "general-purpose"
	}
	maps.Copy(payload, fields)
	raw, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	cmd := exec.Command(hookProgram(), "hook", "claude-code", event)
	cmd.Dir = p.dir
	cmd.Stdin = bytes.NewReader(raw)
	if os.Getenv("CLAUDE_PID") == "" { // the process that started this one plays the agent
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

// hookProgram returns git-trace-hook beside the git-trace in PATH, or git-trace itself.
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

// shell is the agent's child process while a command runs.
type shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// `run` runs a further command in the shell of the present one.
func (p *player) run(command string) error {
	if p.shell == nil {
		s := &shell{cmd: exec.Command("sh")}
		s.cmd.Dir = p.dir
		in, err := s.cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := s.cmd.StdoutPipe()
		if err != nil {
			return err
		}
		s.in, s.out = in, bufio.NewReader(out)
		if err := s.cmd.Start(); err != nil {
			return err
		}
		p.shell = s
	}
	if _, err := fmt.Fprintf(p.shell.in, "(\n%s\n) </dev/null >/dev/null 2>&1; echo $?\n", command); err != nil {
		return err
	}
	status, err := p.shell.out.ReadString('\n')
	if status = strings.TrimSpace(status); err == nil && status != "0" {
		return fmt.Errorf("status %s", status)
	}
	return err
}

// endShell ends the shell after its last command.
func (p *player) endShell() {
	if p.shell == nil {
		return
	}
	_ = p.shell.in.Close()
	_ = p.shell.cmd.Wait()
	p.shell = nil
}
