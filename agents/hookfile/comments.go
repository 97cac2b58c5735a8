package hookfile

import (
	"bytes"
	"encoding/json"
)

// Strict returns an error if a document is not JSON; nil if it is JSON or empty. Some agents accept comments in their
// settings, others do not.
func Strict(doc []byte) error {
	body := bytes.TrimPrefix(doc, byteOrderMark)
	if len(bytes.Trim(body, " \t\r\n")) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		return syntaxError(body, err)
	}
	return nil
}

// withoutComments replaces the comments of a document with spaces, so that every value keeps its position.
func withoutComments(doc []byte) []byte {
	if !bytes.Contains(doc, []byte("//")) && !bytes.Contains(doc, []byte("/*")) {
		return doc
	}
	out := bytes.Clone(doc)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(out[i:], []byte("//")):
			i = blank(out, i, "\n")
		case bytes.HasPrefix(out[i:], []byte("/*")):
			i = blank(out, i, "*/")
		}
	}
	return out
}

// blank overwrites a comment except its line ends, and returns the position of the comment's last byte.
func blank(doc []byte, from int, end string) int {
	to := len(doc)
	if n := bytes.Index(doc[from+2:], []byte(end)); n >= 0 {
		to = from + 2 + n + len(end)
	}
	for i := from; i < to; i++ {
		if doc[i] != '\n' && doc[i] != '\r' {
			doc[i] = ' '
		}
	}
	return to - 1
}
