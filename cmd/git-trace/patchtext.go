package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// patchReplacements are the changes of one file of a patch in the form that models write, "*** Begin Patch": each
// section as a replacement of its context and removed lines by its context and added lines. The path is one that ends
// in the patch's.
func patchReplacements(input []byte, path string) []backfill.Replacement {
	text := commandOf(input)
	for _, member := range []string{"input", "patch"} {
		if text == "" {
			text = rawjson.MemberText(input, member)
		}
	}
	_, patch, found := strings.Cut(text, "*** Begin Patch")
	if !found {
		return nil
	}
	var out []backfill.Replacement
	var old, now []string
	changed := false
	flush := func() {
		if changed && len(old) > 0 {
			out = append(out, backfill.Replacement{Old: strings.Join(old, "\n") + "\n", New: closedLines(now)})
		}
		old, now, changed = nil, nil, false
	}
	ours := false
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "*** Update File: "):
			flush()
			ours = sameFile(path, strings.TrimPrefix(line, "*** Update File: "))
		case strings.HasPrefix(line, "*** Move to: "):
			ours = ours || sameFile(path, strings.TrimPrefix(line, "*** Move to: "))
		case strings.HasPrefix(line, "*** End of File"):
		case strings.HasPrefix(line, "*** "):
			flush()
			ours = false
		case !ours:
		case strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "+"):
			now, changed = append(now, line[1:]), true
		case strings.HasPrefix(line, "-"):
			old, changed = append(old, line[1:]), true
		case line == "" || line[0] == ' ':
			line = strings.TrimPrefix(line, " ")
			old, now = append(old, line), append(now, line)
		}
	}
	flush()
	return out
}

func closedLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// sameFile tells whether a path ends in that of a patch.
func sameFile(path, named string) bool {
	named = strings.TrimPrefix(strings.TrimSpace(named), "./")
	return named != "" && (path == named || strings.HasSuffix(path, "/"+strings.TrimPrefix(named, "/")))
}

// programPatches are the edits of patches that a program of the model applies (Codex in code mode), where no event of
// the session file tells them: some versions write none. A patch that the program puts together is not read.
func programPatches(step *records.Step) []backfill.Edit {
	var out []backfill.Edit
	for _, call := range step.ToolCalls {
		switch {
		case call.ToolName == "apply_patch": // the event
			return nil
		case call.ToolName != "exec" || failedCall(step, call.ToolCallID):
			continue
		}
		program := cmp.Or(commandOf(call.Input), rawjson.MemberText(call.Input, "input"),
			rawjson.MemberText(call.Input, "code"))
		for rest := program; ; {
			_, after, found := strings.Cut(rest, "apply_patch(")
			if !found {
				break
			}
			rest = strings.TrimLeft(after, " \n\t")
			patch, ok := literalText(rest)
			if !ok {
				continue
			}
			for _, e := range patchedFiles(patch) {
				e.Step, e.Call, e.Tool = step.StepIndex, call.ToolCallID, "apply_patch"
				out = append(out, e)
			}
		}
	}
	return out
}

// literalText reads the string that a program of JavaScript goes on with; false for none, and for a template that has
// expressions.
func literalText(program string) (string, bool) {
	if program == "" || strings.IndexByte("`'\"", program[0]) < 0 {
		return "", false
	}
	var out strings.Builder
	for i := 1; i < len(program); i++ {
		switch c := program[i]; {
		case c == program[0]:
			return out.String(), true
		case c == '$' && program[0] == '`' && strings.HasPrefix(program[i:], "${"):
			return "", false
		case c == '\\' && i+1 < len(program):
			i++
			if at := strings.IndexByte("nrt", program[i]); at >= 0 {
				out.WriteByte("\n\r\t"[at])
			} else if strings.IndexByte("ux0b", program[i]) >= 0 {
				return "", false
			} else {
				out.WriteByte(program[i])
			}
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// patchedFiles are the files of a patch in the form that models write.
func patchedFiles(patch string) []backfill.Edit {
	input, err := json.Marshal(map[string]string{"patch": patch})
	if err != nil {
		return nil
	}
	var out []backfill.Edit
	adding := false
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if name, found := strings.CutPrefix(line, "*** Add File: "); found {
			out = append(out, backfill.Edit{Path: strings.TrimSpace(name)})
			adding = true
		} else if name, found := strings.CutPrefix(line, "*** Update File: "); found {
			name = strings.TrimSpace(name)
			out = append(out, backfill.Edit{Path: name, Replaces: patchReplacements(input, name)})
			adding = false
		} else if text, found := strings.CutPrefix(line, "+"); found && adding {
			e := &out[len(out)-1]
			e.Whole = append(e.Whole, text)
		} else {
			adding = false
		}
	}
	return slices.DeleteFunc(out, func(e backfill.Edit) bool { return len(e.Whole)+len(e.Replaces) == 0 })
}
