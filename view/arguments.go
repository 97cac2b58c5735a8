package view

import (
	"encoding/json"
	"strings"
)

// pathArguments are the names under which agents' tools take a file.
var pathArguments = [...]string{"file_path", "path", "filePath", "notebook_path"}

// MainArgument is what says most of a call: the file, the command, the pattern, otherwise the first text; and whether
// it is a file.
func MainArgument(input json.RawMessage) (text string, path bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return "", false
	}
	for _, name := range pathArguments {
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text, true
		}
	}
	for _, name := range [...]string{"command", "cmd", "pattern", "query", "url", "description", "prompt", "input",
		"patch"} {
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text, false
		}
		var words []string
		if json.Unmarshal(fields[name], &words) == nil && len(words) > 0 {
			return strings.Join(words, " "), false
		}
	}
	return string(input), false
}
