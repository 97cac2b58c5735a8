package page

import (
	"html"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
)

// Code returns foreign text, a path for example, as a code span of one line; "" for an empty text.
func Code(text string) string {
	if text = tame(cells.Safe(text)); text == "" {
		return ""
	}
	marks := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") ||
		strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " " // CommonMark removes one space on each side
	}
	return marks + text + marks
}

// Cell returns foreign text as a code span for a cell of a table.
func Cell(text string) string { return strings.ReplaceAll(Code(text), "|", "¦") }

// HTML returns foreign text of one line for use inside our HTML.
func HTML(text string) string {
	return "<code>" + html.EscapeString(tame(cells.Safe(text))) + "</code>"
}

// Fence returns foreign text of several lines between fences. Each line begins with a bar.
func Fence(text string) string {
	marks := strings.Repeat("`", max(longestRun(text)+1, len("```")))
	var out strings.Builder
	out.WriteString(marks + "\n")
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		out.WriteString(strings.TrimRight("│ "+tame(cells.Expand(cells.SafeTabs(strings.TrimRight(line, "\r")))), " ") + "\n")
	}
	out.WriteString(marks + "\n")
	return out.String()
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

const (
	noBreak = "\u00a0"
	joiner  = "\u2060"
)

// closing lists the words that close an issue on some forge, without their endings.
var closing = []string{"clos", "fix", "resolv", "implement"}

// tame changes text so that programs that read the source ignore it: mentions, words that close issues, and commands of
// CI runners.
func tame(text string) string {
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && closes(text[:i]):
			out.WriteString(noBreak)
			continue
		case c != '@' && c != '#' || i+1 == len(text):
		case c == '@' && (isWord(text[i+1]) || text[i+1] == '-') && (i == 0 || !isWord(text[i-1]) && text[i-1] != '/'):
			out.WriteString("@" + joiner)
			continue
		case c == '#' && i > 0 && text[i-1] == '#' && (text[i+1] == '[' || isWord(text[i+1])):
			out.WriteString("#" + noBreak)
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// `closes` reports whether a text ends in a word that closes an issue.
func closes(text string) bool {
	text = strings.TrimSuffix(text, ":")
	start := len(text)
	for start > 0 && isWord(text[start-1]) && text[start-1] < 0x80 {
		start--
	}
	word := strings.ToLower(text[start:])
	for _, stem := range closing {
		switch rest, found := strings.CutPrefix(word, stem); {
		case !found:
		case rest == "" || rest == "e" || rest == "s" || rest == "es" || rest == "d" || rest == "ed" || rest == "ing":
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
