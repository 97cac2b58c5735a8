package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// mainArguments are the names under which agents' tools take what says most of a call, first those of files.
var mainArguments = [...]string{"file_path", "path", "filePath", "notebook_path", "command", "cmd", "pattern", "query",
	"url", "description", "prompt", "input", "patch"}

// pathArguments is how many of them name a file.
const pathArguments = 4

// IsCommand tells whether a call was given a command to run.
func IsCommand(input json.RawMessage) bool {
	return rawjson.MemberText(input, "command") != "" || rawjson.MemberText(input, "cmd") != ""
}

// MainArgument is what says most of a call: the file, the command, the pattern, otherwise the first text; and whether
// it is a file.
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
