package blame

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
)

// appendHeaders appends the header lines of one owner, in a fixed order. Only trace-contributor is always present.
// Names are lower-case letters and dashes, and every line has a value, because readers of git's format expect "name
// value".
func appendHeaders(buf []byte, a *Attribution, prompts bool) []byte {
	buf = appendHeader(buf, "trace-contributor", string(a.Kind.Stored()))
	if a.Kind == events.OwnerOlder {
		buf = appendHeader(buf, "trace-older", "true")
	}
	buf = appendHeader(buf, "trace-id", string(a.Trace))
	buf = appendHeader(buf, "trace-agent", a.Agent)
	buf = appendHeader(buf, "trace-model", a.Model)
	buf = appendHeader(buf, "trace-session", a.Session)
	buf = appendHeader(buf, "trace-subagent", a.Subagent)
	buf = appendHeader(buf, "trace-step", number(a.Step))
	buf = appendHeader(buf, "trace-tool", a.Tool)
	buf = appendHeader(buf, "trace-tool-call", a.ToolCall)
	buf = appendHeader(buf, "trace-prompt", number(a.PromptIndex))
	if prompts {
		buf = appendHeader(buf, "trace-prompt-text", a.PromptText)
	}
	buf = appendHeader(buf, "trace-patch", string(a.Patch))
	buf = appendHeader(buf, "trace-evidence", a.Evidence)
	buf = appendHeader(buf, "trace-confidence", a.Confidence)
	buf = appendHeader(buf, "trace-previous", string(a.Previous))
	for i := range a.Candidates {
		c := &a.Candidates[i]
		buf = appendHeader(buf, "trace-candidate", string(c.Trace)+" "+c.ToolCall)
	}
	for _, limit := range a.Limits {
		buf = appendHeader(buf, "trace-limit", string(limit))
	}
	return buf
}

// number returns n in digits, or "" if n is 0.
func number(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func appendHeader(buf []byte, name, value string) []byte {
	if value = oneLine(value); value == "" {
		return buf
	}
	buf = append(append(buf, name...), ' ')
	return append(append(buf, value...), '\n')
}

// oneLine makes foreign text safe for one header line. Each run of white space and control characters becomes one
// space, and invalid UTF-8 becomes the replacement character.
func oneLine(text string) string {
	clean := true
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return strings.TrimSpace(text)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !cells.Printable(r) })
	return strings.ToValidUTF8(strings.Join(words, " "), string(utf8.RuneError))
}
