package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-trace/git-trace/internal/cells"
)

// JSON makes JSON safe for a terminal without changing its meaning. It escapes characters that control a
// terminal, or change the order of the text beside them. They occur only in strings. It changes nothing in output to a
// program or a file.
type JSON struct {
	To    io.Writer
	carry []byte // an incomplete character; the rest has not been written yet
}

// Write implements io.Writer.
func (j *JSON) Write(p []byte) (int, error) {
	text := slices.Concat(j.carry, p)
	j.carry = nil
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			j.carry = slices.Clone(text)
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t' || r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
			out = append(out, byte(r))
		case cells.Safe(string(text[:size])) == string(text[:size]):
			out = append(out, text[:size]...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		text = text[size:]
	}
	if _, err := j.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSONLine is json.Marshal without escapes for HTML.
func JSONLine(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
