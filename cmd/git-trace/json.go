package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/git-trace/git-trace/view"
)

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
