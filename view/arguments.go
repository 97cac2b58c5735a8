package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/records/rawjson"
)

// mainArguments lists the names of the main arguments of agents' tools, files first.
var mainArguments = [...]string{"file_path", "path", "filePath", "notebook_path", "command", "cmd", "pattern", "query",
	"url", "description", "prompt", "input", "patch"}

// pathArguments is the number of names at the beginning of mainArguments that name files.
const pathArguments = 4

// IsCommand reports whether a call runs a command.
func IsCommand(input json.RawMessage) bool {
	return rawjson.MemberText(input, "command") != "" || rawjson.MemberText(input, "cmd") != ""
}

// `patched` returns the files of a patch in the form that models write; nil if the text is not such a patch.
func patched(text string) (files []string) {
	if _, patch, is := strings.Cut(text, applypatch.Begin); is {
		for _, f := range applypatch.Files(patch) {
			files = append(files, f.Path)
		}
	}
	return files
}

// MainArgument returns the most useful argument of a call: the file or the files of a patch, the command, the pattern,
// or else the first text. It also reports whether that is a file.
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
		var words []string
		if json.Unmarshal(value, &text) != nil && i >= pathArguments && json.Unmarshal(value, &words) == nil {
			text = strings.Join(words, " ")
		}
		if files := patched(text); files != nil {
			return strings.Join(files, ", "), len(files) == 1
		}
		if text != "" {
			return text, i < pathArguments
		}
	}
	return string(input), false
}
