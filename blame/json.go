package blame

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
)

// JSONSchema is the schema id of the JSON output; docs/schema/blame-1.schema.json describes it.
const JSONSchema = "git-trace.blame/1"

// writeJSON writes the lines as [LinesJSON]. Each line of the file takes one line of text.
func writeJSON(out io.Writer, path, revision string, lines []Annotated) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	head, err := encode(LinesJSON{JSONSchema, path, events.EncodeBytes(path), events.OrNull(revision), []LineJSON{}})
	if err != nil {
		return err
	}
	_, _ = w.Write(bytes.TrimSuffix(head, []byte("]}")))
	separator := "\n"
	for i := range lines {
		line, err := encode(lines[i].json())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", separator, line); err != nil {
			return fmt.Errorf("write blame: %w", err)
		}
		separator = ",\n"
	}
	if len(lines) > 0 {
		_ = w.WriteByte('\n')
	}
	_, _ = w.WriteString("]}\n")
	return flush(w)
}

func (l *Annotated) json() LineJSON {
	a := l.Owner
	j := LineJSON{
		Line: l.FinalLine, PlaceJSON: l.place(), Content: string(l.Content),
		ContentBase64: events.EncodeBytes(string(l.Content)), Step: known(a.Step), ToolCall: events.OrNull(a.ToolCall),
		Patch: events.OrNull(string(a.Patch)), Previous: string(a.Previous),
	}
	if c := l.Commit; c.Committed() { // for an uncommitted line git has only a placeholder and the present time
		name, mail, at := c.Author.Name, c.Author.BareMail(), c.Author.When().Format(time.RFC3339)
		j.Author, j.AuthorMail, j.AuthorTime = &name, &mail, &at
		j.AuthorBase64, j.AuthorMailBase64 = events.EncodeBytes(name), events.EncodeBytes(mail)
	}
	if a.PromptIndex > 0 {
		j.Prompt = &LinePrompt{a.PromptIndex, a.PromptText}
	}
	j.OwnerJSON, j.EvidenceJSON = a.JSON()
	return j
}

// place returns the commit, path and line that git credits with the line.
func (l *Annotated) place() PlaceJSON {
	p := PlaceJSON{OriginalLine: l.OrigLine, OriginalPath: l.OrigPath, OriginalPathBase64: events.EncodeBytes(l.OrigPath)}
	if l.Commit.Committed() {
		p.Commit = events.OrNull(l.Commit.ID.String())
	}
	return p
}

// `known` returns a pointer to a number that counts from 1, or nil for 0.
func known(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// members holds the members of a JSON object. Unlike a map, they keep their order.
type members []member

type member struct {
	name  string // only letters and digits
	value any
}

// MarshalJSON implements json.Marshaler.
func (m members) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, one := range m {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := encode(one.value)
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, "%q:%s", one.name, value)
	}
	return append(out, '}'), nil
}

// `exact` adds a text. If the text is not UTF-8, its bytes follow in base64.
func (m members) exact(name, text string) members {
	m = append(m, member{name, text})
	if encoded := events.EncodeBytes(text); encoded != "" {
		m = append(m, member{name + "_base64", encoded})
	}
	return m
}

// encode does the same as json.Marshal, without escapes for HTML. It also escapes the control characters U+007F to
// U+009F, because a terminal may interpret them.
func encode(value any) ([]byte, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write blame: %w", err)
	}
	return []byte(escapes().Replace(strings.TrimSuffix(out.String(), "\n"))), nil
}

var escapes = sync.OnceValue(func() *strings.Replacer {
	pairs := []string{`\\`, `\\`, `\b`, `\u0008`, `\f`, `\u000c`, `\r`, `\u000d`}
	for r := rune(0x7f); r < 0xa0; r++ {
		pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return strings.NewReplacer(pairs...)
})
