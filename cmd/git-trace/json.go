package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/git-trace/git-trace/view"
)

// marshal is json.Marshal without escapes that only HTML needs.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// writeJSON writes one value on lines of its own, readable, without escapes that only HTML needs. For
// git-trace-serve it is one line: of a long conversation the spaces are two fifths.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if os.Getenv(view.OneLine) == "" {
		encoder.SetIndent("", "  ")
	}
	return encoder.Encode(value)
}
