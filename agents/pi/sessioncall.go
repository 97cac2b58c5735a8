package pi

import (
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// result handles the result of a call.
func (s *session) result(e *entry, m *message, at records.Locator) error {
	s.state.Open--
	content := sessionfile.Blocks(m.content)
	result := assemble.Result{Time: e.time, Content: &content}
	call := s.c.Waiting(m.callID)
	if m.failed {
		result.Error = errorOf(content)
	}
	tools.Result(call, &result, s.state.Cwd)
	if call != nil && result.Error == "" && call.Name == "edit" {
		result.Edits = s.edits(call, m.details)
	}
	s.c.Take()
	return s.c.Result(at, m.callID, result)
}

// errorOf returns the error that a result reports.
func errorOf(content string) string {
	_, code, found := strings.Cut(content, "Command exited with code ")
	for found {
		var rest string
		if code, rest, _ = strings.Cut(code, "\n"); rest == "" {
			if n, err := strconv.ParseInt(strings.TrimSpace(code), 10, 64); err == nil && n != 0 {
				return sessionfile.ExitCode(n)
			}
		}
		_, code, found = strings.Cut(rest, "Command exited with code ")
	}
	switch {
	case strings.HasSuffix(content, "Command aborted"), content == "Operation aborted",
		strings.HasPrefix(content, "Skipped due to queued user message"):
		return records.ErrorInterrupted
	}
	return records.ErrorTool
}

// edits returns the changes that an edit made to its file. In newer versions, they are in a patch. Otherwise they come
// from the displayed diff, which has exact line numbers and the model's text.
func (s *session) edits(call *assemble.Call, details []byte) []assemble.Edit {
	if len(call.Writes) == 0 {
		return nil
	}
	edit := assemble.Edit{Path: call.Writes[0], Text: toolcall.NewText(call.Input)}
	if patch := rawjson.MemberText(details, "patch"); patch != "" {
		edit.Hunks = sessionfile.Hunks(patch)
	} else {
		edit.Hunks = pictured(rawjson.MemberText(details, "diff"), assemble.SplitLines(edit.Text))
	}
	return []assemble.Edit{edit}
}

// `pictured` returns the hunks of a diff that is made for display: each line has its sign, its number and its text.
//
//	 12 kept
//	-13 removed
//	+13 added
func pictured(diff string, written []string) []assemble.Hunk {
	known := map[string]bool{}
	for _, line := range written {
		known[line] = true
	}
	var hunks []assemble.Hunk
	open, shift := false, 0
	for line := range strings.Lines(diff) {
		sign, number, text, found := picturedLine(strings.TrimSuffix(line, "\n"))
		if !found || sign == ' ' {
			open = false
			continue
		}
		if !open {
			at := number
			if sign == '+' {
				at -= shift
			}
			hunks = append(hunks, assemble.Hunk{At: max(at, 1)})
			open = true
		}
		hunk := &hunks[len(hunks)-1]
		if sign == '-' {
			hunk.Removed++
			shift--
			continue
		}
		shift++
		hunk.Added++
		if known[text] {
			hunk.Lines = append(hunk.Lines, text)
		}
	}
	for i := range hunks {
		if len(hunks[i].Lines) != hunks[i].Added { // not all of its text is certain
			hunks[i].Lines = nil
		}
	}
	return hunks
}

func picturedLine(line string) (sign byte, number int, text string, found bool) {
	if line == "" || line[0] != ' ' && line[0] != '+' && line[0] != '-' {
		return 0, 0, "", false
	}
	digits := strings.TrimLeft(line[1:], " ")
	end := 0
	for end < len(digits) && '0' <= digits[end] && digits[end] <= '9' {
		end++
	}
	number, err := strconv.Atoi(digits[:end])
	if err != nil {
		return 0, 0, "", false
	}
	return line[0], number, strings.TrimPrefix(digits[end:], " "), true
}
