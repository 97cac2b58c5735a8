package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Converted session files contain this many bytes of results of calls. With the rest they have 24 to 26 MB; the limit
// is the time at 50 MB a second.
const (
	convertedSize   = 20 << 20
	convertedPiece  = 8 << 10 // bytes of a call's result
	convertLimit    = 500
	convertedMemory = 120
)

// converting measures how long it takes to turn a session file of lines into a record, with redaction and without.
// Results of calls are pieces of Go's own sources. No piece is repeated.
func converting() scenario {
	agents := []string{"claude-code", "codex-cli"}
	lines := map[string]func(i int, text string) []any{"claude-code": claudeLines, "codex-cli": codexLines}
	var rows []row
	for _, agent := range agents {
		rows = append(rows,
			row{"convert, 25 MB of " + agent, agent, "", limit, convertLimit},
			row{"convert --no-redact, 25 MB of " + agent, agent + " as it is", "", limit, convertLimit})
	}
	rows = append(rows, row{"memory of convert, 25 MB", agents[0], "", memory, convertedMemory})
	return scenario{name: "converting", rows: rows, prepare: func(b *bench) (func(int, *recorder) error, error) {
		dir, err := b.place("converting", func(dir string) error {
			root, err := b.output(b.command(dir, "go", "env", "GOROOT"))
			if err != nil {
				return err
			}
			sources := filepath.Join(strings.TrimSpace(root), "src")
			for agent, of := range lines {
				if err := writeSession(filepath.Join(dir, agent+".jsonl"), sources, of); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return func(round int, r *recorder) error {
			for _, agent := range agents {
				args := []string{"convert", "--format", "opentraces", agent + ".jsonl"}
				if err := r.run(agent, b.trace(dir, args...)); err != nil {
					return err
				}
				if err := r.run(agent+" as it is", b.trace(dir, append(args, "--no-redact")...)); err != nil {
					return err
				}
				if round == 0 {
					if err := r.peak(agent, b.trace(dir, args...)); err != nil {
						return err
					}
				}
			}
			return nil
		}, nil
	}}
}

// writeSession writes a session file. Each piece of the sources is the result of a call.
func writeSession(name, sources string, lines func(i int, text string) []any) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	size, i := 0, 0
	err = filepath.WalkDir(sources, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for ; len(text) > 0 && err == nil; text = text[min(len(text), convertedPiece):] {
			piece := strings.ToValidUTF8(string(text[:min(len(text), convertedPiece)]), "?")
			for _, line := range lines(i, piece) {
				if err = encoder.Encode(line); err != nil {
					return err
				}
			}
			i++
			if size += len(piece); size > convertedSize {
				return fs.SkipAll
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write a session of Go's sources: %w", err)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

type object = map[string]any

// claudeLines returns the lines of Claude Code for an answer that reads a file, and for the result.
func claudeLines(i int, text string) []any {
	id, call := fmt.Sprintf("u%d", i), fmt.Sprintf("toolu_%d", i)
	line := func(kind, uuid, parent string, message object) object {
		return object{"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "0b1c2d3e-0000-4000-8000-000000000001",
			"cwd": "/src/go", "version": "2.1.0", "timestamp": moment(i), "message": message}
	}
	input := object{"command": fmt.Sprintf("sed -n %dp all.go", i)}
	return []any{
		line("assistant", id+"a", fmt.Sprintf("u%dr", i-1), object{
			"id": "msg_" + id, "role": "assistant", "model": benchModel,
			"content": []any{object{"type": "tool_use", "id": call, "name": "Bash", "input": input}},
			"usage":   object{"input_tokens": 10, "output_tokens": 20},
		}),
		line("user", id+"r", id+"a", object{
			"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": call, "content": text}},
		}),
	}
}

// codexLines returns the lines of Codex for the same answer and result.
func codexLines(i int, text string) []any {
	line := func(kind string, payload object) object {
		return object{"timestamp": moment(i), "type": kind, "payload": payload}
	}
	call := fmt.Sprintf("call_%d", i)
	arguments := fmt.Sprintf(`{"command":["sed","-n","%dp","all.go"]}`, i)
	lines := []any{
		line("response_item", object{"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}),
		line("response_item", object{"type": "function_call_output", "call_id": call, "output": text}),
	}
	if i == 0 {
		meta := object{"id": "0b1c2d3e-0000-4000-8000-000000000002", "timestamp": moment(0), "cwd": "/src/go",
			"originator": "codex_cli_rs", "cli_version": "0.60.0"}
		lines = append([]any{line("session_meta", meta)}, lines...)
	}
	return lines
}

// moment returns the time of a line.
func moment(i int) string {
	return fmt.Sprintf("2026-05-16T%02d:%02d:%02d.000Z", i/3600%24, i/60%60, i%60)
}
