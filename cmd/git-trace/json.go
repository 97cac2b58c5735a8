package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/git-trace/git-trace/view"
)

// marshal is json.Marshal without escapes for HTML.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// writeJSON writes a value as readable JSON, without escapes for HTML. For git-trace-serve it writes one line: white
// space would be two fifths of a long conversation.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if os.Getenv(view.OneLine) == "" {
		encoder.SetIndent("", "  ")
	}
	return encoder.Encode(value)
}
