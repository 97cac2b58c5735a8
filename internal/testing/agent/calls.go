package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-trace/git-trace/trails/linediff"
)

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
		if !p.serving { // a process left in the background would keep the pipe open
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
				"type": kind, "filePath": path, "content": args[1], "structuredPatch": p.patch(before, args[1]),
				"originalFile": before,
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
			patch := []any{}
			if before != nil {
				patch = p.patch(before, strings.Replace(*before, args[1], args[2], 1))
			}
			// The client leaves out the text of a long file.
			if before != nil && (len(*before) > 10_000 || os.Getenv("CLIENT") == "untimed") {
				before = nil
			}
			return map[string]any{
				"filePath": path, "oldString": args[1], "newString": args[2], "originalFile": before,
				"structuredPatch": patch, "userModified": false, "replaceAll": false,
			}
		}
	}
	return c
}

// patch returns a change in the form of current session files: hunks for display, with two spaces for each leading tab.
// A new file has none.
func (p *player) patch(before *string, after string) []any {
	hunks := []any{}
	if before == nil || os.Getenv("TRANSCRIPTS") != "now" {
		return hunks
	}
	shown := func(lines [][]byte, kind string) (out []string) {
		for _, line := range lines {
			text := strings.TrimRight(string(line), "\r\n")
			bare := strings.TrimLeft(text, "\t")
			out = append(out, kind+strings.Repeat("  ", len(text)-len(bare))+bare)
		}
		return out
	}
	old, now := linediff.Split([]byte(*before)), linediff.Split([]byte(after))
	for _, h := range linediff.Diff(old, now, linediff.Options{}).Hunks {
		lines := shown(old[h.OldStart:h.OldStart+h.OldCount], "-")
		hunks = append(hunks, map[string]any{
			"oldStart": h.OldStart + 1, "oldLines": h.OldCount, "newStart": h.NewStart + 1, "newLines": h.NewCount,
			"lines": append(lines, shown(now[h.NewStart:h.NewStart+h.NewCount], "+")...),
		})
	}
	return hunks
}

// reportedBy returns a file as a client reports it: UTF-16 decoded, without a byte order mark and carriage returns.
// Other text is decoded as Latin-1 or, for a client that does not know Latin-1, with replacement characters.
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

// writtenLike returns a text in the encoding and with the line ends of a former content.
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
