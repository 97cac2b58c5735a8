package blame

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
)

// JSONSchema names the schema of the JSON output; docs/schema/blame-1.schema.json describes it.
const JSONSchema = "git-trace.blame/1"

// writeJSON writes the lines as one JSON object, one line of text for each, keys always in the same order. An unknown
// value is null; only keys that are optional in the schema can be absent. A text that is not UTF-8 is written with
// replacement characters, and exactly in a second key whose name ends in _base64.
func writeJSON(out io.Writer, path, revision string, lines []Annotated) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	j := jsonBuffer{}
	j.open('{')
	j.text("schema", JSONSchema)
	j.bytes("path", path)
	j.textOrNull("revision", revision)
	j.key("lines")
	j.open('[')
	for i := range lines {
		j.item()
		j.raw("\n")
		j.line(&lines[i])
		if _, err := w.Write(j.buf); err != nil {
			return fmt.Errorf("write blame: %w", err)
		}
		j.buf = j.buf[:0]
	}
	if len(lines) > 0 {
		j.raw("\n")
	}
	j.close(']')
	j.close('}')
	j.raw("\n")
	_, _ = w.Write(j.buf)
	return flush(w)
}

func (j *jsonBuffer) line(l *Annotated) {
	c, a := l.Commit, l.Owner
	j.open('{')
	j.number("line", l.FinalLine)
	j.origin(&l.Line)
	if c.Committed() {
		j.bytes("author", c.Author.Name)
		j.bytes("author_mail", c.Author.BareMail())
		j.text("author_time", c.Author.When().Format(time.RFC3339))
	} else { // git has a placeholder and the present moment here
		j.null("author")
		j.null("author_mail")
		j.null("author_time")
	}
	j.bytes("content", string(l.Content))
	j.contributor(a.Kind)
	j.textOrNull("trace", string(a.Trace))
	j.textOrNull("agent", a.Agent)
	j.textOrNull("model", a.Model)
	j.textOrNull("session", a.Session)
	if a.Subagent != "" {
		j.text("subagent", a.Subagent)
	}
	j.numberOrNull("step", a.Step)
	j.textOrNull("tool_call", a.ToolCall)
	j.prompt(a)
	j.evidence(a)
	j.close('}')
}

// contributor writes the kind of an owner. A line older than the recording counts as unknown, too.
func (j *jsonBuffer) contributor(kind events.OwnerKind) {
	j.text("contributor", string(kind.Stored()))
	if kind == events.OwnerOlder {
		j.key("older")
		j.raw("true")
	}
}

// origin writes the commit, path and line that git credits.
func (j *jsonBuffer) origin(l *gitblame.Line) {
	if l.Commit.Committed() {
		j.text("commit", l.Commit.ID.String())
	} else {
		j.null("commit")
	}
	j.number("original_line", l.OrigLine)
	j.bytes("original_path", l.OrigPath)
}

// evidence writes the evidence for the owner of a line.
func (j *jsonBuffer) evidence(a *Attribution) {
	j.textOrNull("patch", string(a.Patch))
	j.textOrNull("evidence", a.Evidence)
	j.textOrNull("confidence", a.Confidence)
	j.candidates(a.Candidates)
	j.source(a)
	if a.Previous != "" {
		j.text("previous", string(a.Previous))
	}
}

// source writes the other clone that names the owner, and the clones that disagree.
func (j *jsonBuffer) source(a *Attribution) {
	if a.Writer != "" {
		j.key("source")
		j.open('{')
		j.text("writer", a.Writer)
		j.textOrNull("signer", a.Signer)
		j.close('}')
	}
	if len(a.Disputed) == 0 {
		return
	}
	j.key("disputed")
	j.open('[')
	for _, w := range a.Disputed {
		j.item()
		j.buf = strconv.AppendQuote(j.buf, w) // 16 hexadecimal digits
	}
	j.close(']')
}

func (j *jsonBuffer) prompt(a *Attribution) {
	if a.PromptIndex <= 0 {
		j.null("prompt")
		return
	}
	j.key("prompt")
	j.open('{')
	j.number("index", a.PromptIndex)
	if a.PromptText != "" {
		j.text("text", a.PromptText)
	}
	j.close('}')
}

func (j *jsonBuffer) candidates(all []events.CandidateData) {
	if len(all) == 0 {
		return
	}
	j.key("candidates")
	j.open('[')
	for i := range all {
		c := &all[i]
		j.item()
		j.open('{')
		j.text("trace", string(c.Trace))
		j.text("agent", c.Agent)
		j.text("session", c.Session)
		if c.Subagent != "" {
			j.text("subagent", c.Subagent)
		}
		j.text("tool_call", c.ToolCall)
		j.close('}')
	}
	j.close(']')
}

// jsonBuffer appends JSON. It exists for two reasons. It keeps the order of the keys, which a map would lose. It also
// escapes the control characters of the second set (U+0080 to U+009F), since a terminal may act upon them.
type jsonBuffer struct {
	buf   []byte
	comma bool
}

func (j *jsonBuffer) raw(text string) { j.buf = append(j.buf, text...) }

func (j *jsonBuffer) open(bracket byte) {
	j.buf = append(j.buf, bracket)
	j.comma = false
}

func (j *jsonBuffer) close(bracket byte) {
	j.buf = append(j.buf, bracket)
	j.comma = true
}

// item separates the next item from the one before in the same object or array.
func (j *jsonBuffer) item() {
	if j.comma {
		j.buf = append(j.buf, ',')
	}
	j.comma = true
}

func (j *jsonBuffer) key(name string) {
	j.item()
	j.buf = append(append(append(j.buf, '"'), name...), '"', ':')
}

func (j *jsonBuffer) null(name string) {
	j.key(name)
	j.raw("null")
}

func (j *jsonBuffer) number(name string, n int) {
	j.key(name)
	j.buf = strconv.AppendInt(j.buf, int64(n), 10)
}

func (j *jsonBuffer) numberOrNull(name string, n int) {
	if n <= 0 {
		j.null(name)
		return
	}
	j.number(name, n)
}

func (j *jsonBuffer) text(name, value string) {
	j.key(name)
	j.buf = appendJSONString(j.buf, value)
}

func (j *jsonBuffer) textOrNull(name, value string) {
	if value == "" {
		j.null(name)
		return
	}
	j.text(name, value)
}

// bytes writes a text that may not be UTF-8.
func (j *jsonBuffer) bytes(name, value string) {
	j.text(name, value)
	if !utf8.ValidString(value) {
		j.text(name+"_base64", base64.StdEncoding.EncodeToString([]byte(value)))
	}
}

func appendJSONString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if invalid := r == utf8.RuneError && size == 1; r >= 0xa0 && r != 0x2028 && r != 0x2029 && !invalid {
			i += size
			continue
		}
		buf = append(buf, s[from:i]...)
		switch r {
		case '"', '\\':
			buf = append(buf, '\\', byte(r))
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\t':
			buf = append(buf, '\\', 't')
		default:
			buf = fmt.Appendf(buf, `\u%04x`, r)
		}
		i += size
		from = i
	}
	return append(append(buf, s[from:]...), '"')
}
