package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// mainArguments are the names of the main arguments of agents' tools, files first.
var mainArguments = [...]string{"file_path", "path", "filePath", "notebook_path", "command", "cmd", "pattern", "query",
	"url", "description", "prompt", "input", "patch"}

// pathArguments is the number of names of files among them.
const pathArguments = 4

// IsCommand reports whether a call was asked to run a command.
func IsCommand(input json.RawMessage) bool {
	return rawjson.MemberText(input, "command") != "" || rawjson.MemberText(input, "cmd") != ""
}

// MainArgument returns the most telling argument of a call: the file, the command, the pattern, otherwise the first
// text. It also reports whether that is a file.
func MainArgument(input json.RawMessage) (text string, path bool) {
	d := rawjson.NewDecoder(input)
	if d.Kind() != rawjson.Object {
		return "", false
	}
	var values [len(mainArguments)][]byte
	for d.Open(); d.Member(); {
		if i := slices.Index(mainArguments[:], string(d.Key())); i >= 0 {
			values[i] = d.Raw()
		}
	}
	if d.Err() != nil {
		return "", false
	}
	for i, value := range values {
		if value == nil {
			continue
		}
		if json.Unmarshal(value, &text) == nil && text != "" {
			return text, i < pathArguments
		}
		var words []string
		if i >= pathArguments && json.Unmarshal(value, &words) == nil && len(words) > 0 {
			return strings.Join(words, " "), false
		}
	}
	return string(input), false
}
