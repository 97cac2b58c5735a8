package steering

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// call is a call of a tool, as far as steering asks about it.
type call struct {
	id, tool string
	model    *string
	at       *string // the time of its answer
	step     int
	declined bool   // it never ran
	failure  string // the error of the observation, "" for none
	output   string // what the model was told
	command  string // of a shell
	path     string // declared, as the agent wrote it
	file     string // path, relative to the repository where that is known
	edits    []edit
	changes  []*change
}

// edit is what the input of a call says it writes to a file.
type edit struct {
	path     string
	old, new string
	whole    bool // new is the whole file
	deletes  bool
}

// maxCommand is how much of a command leaves, in bytes.
const maxCommand = 2000

// input are the members of inputs that agents' tools share.
type input struct {
	FilePath     string          `json:"file_path"`
	Path         string          `json:"path"`
	FilePathJS   string          `json:"filePath"`
	AbsolutePath string          `json:"absolute_path"`
	Notebook     string          `json:"notebook_path"`
	Command      json.RawMessage `json:"command"`
	Cmd          json.RawMessage `json:"cmd"`
	Script       json.RawMessage `json:"script"`
	Content      *string         `json:"content"`
	FileText     *string         `json:"file_text"`
	NewSource    *string         `json:"new_source"`
	texts
	Edits []texts         `json:"edits"`
	Input json.RawMessage `json:"input"`
	Patch json.RawMessage `json:"patch"`
}

// texts are the two sides of an edit under the names that tools give them.
type texts struct {
	OldString *string `json:"old_string"`
	NewString *string `json:"new_string"`
	OldStr    *string `json:"old_str"`
	NewStr    *string `json:"new_str"`
	OldText   *string `json:"oldText"`
	NewText   *string `json:"newText"`
	OldJS     *string `json:"oldString"`
	NewJS     *string `json:"newString"`
}

func first(list ...*string) (string, bool) {
	for _, text := range list {
		if text != nil {
			return *text, true
		}
	}
	return "", false
}

func (t *texts) edit(path string) (edit, bool) {
	before, has := first(t.OldString, t.OldStr, t.OldText, t.OldJS)
	after, writes := first(t.NewString, t.NewStr, t.NewText, t.NewJS)
	return edit{path: path, old: before, new: after}, has || writes
}

// newCall reads a call and what came of it.
func newCall(s *records.Step, c *records.ToolCall) *call {
	out := &call{id: c.ToolCallID, tool: c.ToolName, model: modelName(s.Model), at: s.Timestamp, step: s.StepIndex}
	for i := range s.Observations {
		if o := &s.Observations[i]; o.SourceCallID == c.ToolCallID {
			out.failure, out.output = text(o.Error), text(o.Content)
			if out.output == "" {
				out.output = text(o.OutputSummary)
			}
		}
	}
	out.declined = out.failure == records.ErrorRejected
	var in input
	if json.Unmarshal(c.Input, &in) != nil { // a member of another kind: what could be read counts
		var members map[string]json.RawMessage
		if json.Unmarshal(c.Input, &members) == nil {
			in = input{Command: members["command"], Cmd: members["cmd"]}
		}
	}
	for _, path := range [...]string{in.FilePath, in.Path, in.FilePathJS, in.AbsolutePath, in.Notebook} {
		if out.path == "" {
			out.path = path
		}
	}
	out.readEdits(&in)
	for _, raw := range [...]json.RawMessage{in.Command, in.Cmd, in.Script} {
		if out.command == "" && len(out.edits) == 0 {
			out.command = commandLine(raw)
		}
	}
	if patch, found := strings.CutPrefix(strings.TrimLeft(out.command, " \n"), "apply_patch"); found {
		out.edits = append(out.edits, patchEdits(patch)...)
	}
	return out
}

func (c *call) readEdits(in *input) {
	if c.path != "" {
		if content, found := first(in.Content, in.FileText); found {
			c.edits = append(c.edits, edit{path: c.path, new: content, whole: true})
		}
		if cell, found := first(in.NewSource); found {
			c.edits = append(c.edits, edit{path: c.path, new: cell})
		}
		for _, one := range append([]texts{in.texts}, in.Edits...) {
			if e, found := one.edit(c.path); found {
				c.edits = append(c.edits, e)
			}
		}
	}
	for _, raw := range [...]json.RawMessage{in.Input, in.Patch} {
		var patch string
		if json.Unmarshal(raw, &patch) == nil {
			c.edits = append(c.edits, patchEdits(patch)...)
		}
	}
	if c.path == "" && len(c.edits) > 0 {
		c.path = c.edits[0].path
	}
}

// patchEdits reads a patch in the form of apply_patch.
func patchEdits(patch string) []edit {
	var out []edit
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if path, found := strings.CutPrefix(line, "*** Add File: "); found {
			out = append(out, edit{path: path, whole: true})
		} else if path, found := strings.CutPrefix(line, "*** Update File: "); found {
			out = append(out, edit{path: path})
		} else if path, found := strings.CutPrefix(line, "*** Delete File: "); found {
			out = append(out, edit{path: path, deletes: true})
		} else if len(out) > 0 && line != "" {
			switch last := &out[len(out)-1]; line[0] {
			case '+':
				last.new += line[1:] + "\n"
			case '-':
				last.old += line[1:] + "\n"
			}
		}
	}
	return out
}

// commandLine is a command that is a text, or a list of arguments; of a shell's -c the script.
func commandLine(raw json.RawMessage) string {
	var command string
	if json.Unmarshal(raw, &command) == nil {
		return command
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// failed tells whether the call ran and failed. A search that finds nothing has not failed.
func (c *call) failed() bool {
	if c.failure != records.ErrorTool && !strings.HasPrefix(c.failure, "exit_code:") || c.calledOff() {
		return false
	}
	return !c.foundNothing()
}

// foundNothing tells whether the call only looked for something that is not there: a search without a hit, or a look
// whose errors were thrown away.
func (c *call) foundNothing() bool {
	if c.said() != "" {
		return false
	}
	list := simpleCommands(c.command)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return c.failure == "exit_code:1" && searches(last) ||
		(last[0] == "ls" || last[0] == "stat") && slices.Contains(last, "2>/dev/null")
}

// calledOff tells whether the client gave the call up because another one of the same answer failed.
func (c *call) calledOff() bool {
	return strings.Contains(firstLines(c.output, 1), "Sibling tool call errored")
}

// succeeded tells whether the call ran, came to its end and did not fail.
func (c *call) succeeded() bool {
	return c.failure == "" || strings.HasPrefix(c.failure, "exit_code:") && !c.failed()
}

// said is the output without what the client puts around it: the exit code, with Codex up to the line "Output:", with
// Pi at the end.
func (c *call) said() string {
	if i := strings.LastIndex(c.output, "Command exited with code "); i >= 0 && !strings.Contains(c.output[i:], "\n") {
		return strings.TrimSpace(strings.TrimPrefix(c.output[:i], "(no output)"))
	}
	if head, rest, _ := strings.Cut(c.output, "\n"); strings.HasPrefix(head, "Exit code ") {
		return strings.TrimSpace(rest)
	}
	if strings.HasPrefix(c.output, "Exit code: ") {
		if head, rest, found := strings.Cut(c.output, "\nOutput:"); found && strings.Count(head, "\n") < 5 {
			return strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(c.output)
}

// searches tells whether a command is one whose exit status 1 says that nothing was found.
func searches(command []string) bool {
	switch command[0] {
	case "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "pgrep", "which", "command", "type":
		return true
	case "git":
		return slices.Contains([]string{"grep", "diff", "config"}, gitVerb(command[1:]))
	}
	return false
}

// what names the call: its command, otherwise its tool and file.
func (c *call) what() string {
	switch {
	case c.command != "":
		return oneLine(c.command, 80)
	case c.file != "":
		return c.tool + " " + c.file
	}
	return c.tool
}
