package transcripts

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/records/assemble"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// patchReplacements returns the changes of one file of a patch in the form that models write, "*** Begin Patch": each
// section as a replacement of its context and removed lines by its context and added lines. The parameter `path` must
// end in the path that the patch names.
func patchReplacements(input []byte, path string) []backfill.Replacement {
	text := commandOf(input)
	for _, member := range []string{"input", "patch"} {
		if text == "" {
			text = rawjson.MemberText(input, member)
		}
	}
	if !strings.Contains(text, applypatch.Begin) {
		return nil
	}
	var out []backfill.Replacement
	for _, f := range applypatch.Files(text) {
		if sameFile(path, f.Path) || sameFile(path, f.To) {
			out = append(out, changedTexts(f)...)
		}
	}
	return out
}

// changedTexts returns the hunks of a file with the texts that they replace.
func changedTexts(f applypatch.File) (out []backfill.Replacement) {
	for _, h := range f.Hunks {
		if h.Old != "" && h.Old != h.New {
			out = append(out, backfill.Replacement{Old: h.Old, New: h.New})
		}
	}
	return out
}

// sameFile reports whether a path ends with the path that a patch names.
func sameFile(path, named string) bool {
	named = strings.TrimPrefix(strings.TrimSpace(named), "./")
	return named != "" && (path == named || strings.HasSuffix(path, "/"+strings.TrimPrefix(named, "/")))
}

// programPatches returns the edits of patches that a program of the model applies (Codex in code mode). They count if
// the session file has no event for them: some versions write none. A patch that the program builds at run time is not
// read.
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

// literalText reads the string at the beginning of a JavaScript text; false for none, and for a template with
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

// patchedFiles returns the files of a patch in the form that models write.
func patchedFiles(patch string) (out []backfill.Edit) {
	for _, f := range applypatch.Files(patch) {
		e := backfill.Edit{Path: f.Path}
		if !f.Added {
			e.Replaces = changedTexts(f)
		} else if len(f.Hunks) > 0 {
			e.Whole = assemble.SplitLines(f.Hunks[0].New)
		}
		if len(e.Whole)+len(e.Replaces) > 0 {
			out = append(out, e)
		}
	}
	return out
}
