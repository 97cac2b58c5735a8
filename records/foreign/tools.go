package foreign

import (
	"strings"

	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// tool describes the input members of a tool. A member with the name "" does not exist.
type tool struct {
	names   string // names of tools, separated by spaces
	command string // a command line
	path    string // the file
	whole   string // the whole new text of the file
	text    string // the new text of a part of the file
	verb    string // the member that names the action: see verbs
}

// tools lists the common tools of agents in benchmarks and data sets.
var tools = []tool{
	{names: "bash shell execute_bash terminal run command execute_command run_command", command: "command"},
	{names: "shell bash", command: "cmd"},
	{names: "str_replace_editor str_replace_based_edit_tool file_editor", path: "path", whole: "file_text",
		text: "new_str", verb: "command"},
	{names: "write write_file create_file create", path: "path", whole: "content"},
	{names: "write write_file", path: "file_path", whole: "content"},
	{names: "edit edit_file str_replace replace", path: "path", text: "new_str"},
	{names: "edit edit_file replace", path: "path", text: "new_text"},
	{names: "edit patch replace", path: "path", text: "new_string"},
	{names: "edit multiedit replace", path: "file_path", text: "new_string"},
	{names: "read read_file view view_file open", path: "path"},
	{names: "read view", path: "file_path"},
}

// viewing is the verb that only reads.
const viewing = "view"

// `describe` sets what a call reads, writes and runs; the edit counts once the call has succeeded.
func describe(c *assemble.Call) (edit assemble.Edit, writes bool) {
	name := strings.ToLower(c.Name)
	for i := range tools {
		one := &tools[i]
		if !holds(one.names, name) {
			continue
		}
		if one.command != "" {
			if c.Command = rawjson.MemberText(c.Input, one.command); c.Command != "" {
				return edit, false
			}
			continue
		}
		path := rawjson.MemberText(c.Input, one.path)
		if path == "" {
			continue
		}
		whole, text := member(c.Input, one.whole), member(c.Input, one.text)
		switch reads := one.whole+one.text == "" || one.verb != "" && rawjson.MemberText(c.Input, one.verb) == viewing; {
		case reads:
			c.Reads = append(c.Reads, path)
			return edit, false
		case whole != nil:
			content := rawjson.Unquote(whole)
			lines := strings.SplitAfter(content, "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			for i := range lines {
				lines[i] = strings.TrimSuffix(lines[i], "\n")
			}
			edit = assemble.Edit{Path: path, Text: content,
				Hunks: []assemble.Hunk{{At: 1, Removed: assemble.Whatever, Added: len(lines), Lines: lines}}}
		case text != nil:
			edit = assemble.Edit{Path: path, Text: rawjson.Unquote(text)}
		default:
			continue
		}
		c.Writes = append(c.Writes, path)
		return edit, true
	}
	return edit, false
}

func holds(names, name string) bool {
	return strings.Contains(" "+names+" ", " "+name+" ")
}

func member(raw []byte, name string) []byte {
	if name == "" {
		return nil
	}
	return rawjson.Member(raw, name)
}
