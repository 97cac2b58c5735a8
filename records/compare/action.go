package compare

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
)

// Action is something that a conversation did.
type Action struct {
	Of     Sort   `json:"of"`
	Step   int    `json:"step"`
	Call   string `json:"call,omitempty"` // the agent's id of the call
	Name   string `json:"name"`           // name of the tool, the skill or the hook
	What   string `json:"what"`           // the effect, shortened
	Failed bool   `json:"failed"`

	tool  string // the same name for equivalent tools of all agents
	key   string // the same for equivalent actions
	edits []declared.Edit
}

// Sort is the kind of an action.
type Sort string

// The kinds of actions.
const (
	Call  Sort = "call"
	Skill Sort = "skill"
	Hook  Sort = "hook"
)

// mostWhat is the greatest length of an action's shown text, in characters.
const mostWhat = 120

// readActions returns the actions of a conversation by prompt; the first list has the actions before the first prompt.
// Paths below root become relative.
func readActions(r *records.Record, root string) [][]*Action {
	out := make([][]*Action, 1)
	skills, hooks := map[int][]records.SkillUse{}, map[int][]records.HookRun{}
	for _, one := range r.Skills() {
		skills[one.Step] = append(skills[one.Step], one)
	}
	for _, one := range r.Hooks() {
		if one.Outcome != "started" {
			hooks[one.After] = append(hooks[one.After], one)
		}
	}
	taken := takenBack(r)
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Asks() && !taken[s.StepIndex] {
			out = append(out, nil)
		}
		last := &out[len(out)-1]
		if s.CallType == nil || *s.CallType == records.CallMain {
			for k := range s.ToolCalls {
				if !taken[s.StepIndex] {
					*last = append(*last, newCall(s, &s.ToolCalls[k], root))
				}
			}
		}
		for _, one := range skills[s.StepIndex] {
			*last = append(*last, named(Skill, s.StepIndex, one.Name, one.Source))
		}
		for _, one := range hooks[s.StepIndex] {
			*last = append(*last, named(Hook, s.StepIndex, one.Event, strings.TrimSpace(one.Name+" "+one.Outcome)))
		}
	}
	return out
}

// Calls returns the tool calls of the main conversation, in order.
func Calls(r *records.Record) []*Action {
	return slices.DeleteFunc(flat(readActions(r, "")), func(a *Action) bool { return a.Of != Call })
}

// `Does` returns the same name for equivalent tools of all agents: edit, write, shell, read, search, glob, agent. For
// any other tool, it returns the tool's own name in lower case.
func (a *Action) Does() string { return a.tool }

// Key returns a text that is the same for equivalent actions.
func (a *Action) Key() string { return a.key }

// takenBack returns the steps that the user undid, which are no longer part of the conversation.
func takenBack(r *records.Record) map[int]bool {
	out := map[int]bool{}
	for _, branch := range r.Branches() {
		for _, step := range branch.Steps {
			out[step] = true
		}
	}
	return out
}

func named(of Sort, step int, name, what string) *Action {
	return &Action{Of: of, Step: step, Name: name, What: what, tool: name, key: keyOf(string(of), name, what)}
}

// newCall reads a tool call; paths below root become relative.
func newCall(s *records.Step, c *records.ToolCall, root string) *Action {
	a := &Action{Of: Call, Step: s.StepIndex, Call: c.ToolCallID, Name: c.ToolName}
	if result := s.Result(c.ToolCallID); result != nil {
		a.Failed = records.Value(result.Error) != ""
	}
	said := declared.Of(c.Input)
	var in struct {
		Pattern, Query, Glob *string
		Offset, Limit        json.Number
		Subagent             *string `json:"subagent_type"`
		Prompt               *string
		Type                 *string
	}
	_ = json.Unmarshal(c.Input, &in) // members in another form are ignored
	command, patch := declared.Run(c.Input)
	said.Edits = append(said.Edits, patch...)
	file := relative(said.Path, root)
	switch {
	case len(said.Edits) > 0:
		a.edits = net(said.Edits, root)
		a.tool, a.What = "edit", pathsOf(a.edits)
		if len(a.edits) == 1 && a.edits[0].Whole {
			a.tool = "write"
		}
		a.key = keyOf(a.tool, editKeys(a.edits)...)
	case command != "":
		a.tool, a.What = "shell", tidy(command, root)
		a.key = keyOf(a.tool, a.What)
	case in.Subagent != nil && in.Prompt != nil:
		a.tool, a.What = "agent", *in.Subagent+": "+*in.Prompt
		a.key = keyOf(a.tool, *in.Subagent, *in.Prompt)
	case in.Pattern != nil && strings.EqualFold(c.ToolName, "glob"):
		a.tool, a.What = "glob", *in.Pattern
		a.key = keyOf(a.tool, *in.Pattern, file)
	case in.Pattern != nil:
		pattern := strings.TrimSpace(*in.Pattern)
		a.tool, a.What = "search", strings.TrimSpace(pattern+" "+file)
		a.key = keyOf(a.tool, pattern, file, records.Value(in.Glob), records.Value(in.Type))
	case file != "" && reads(c.ToolName):
		a.tool, a.What = "read", file
		a.key = keyOf(a.tool, file, number(in.Offset, "0"), number(in.Limit, ""))
	default:
		a.tool, a.What = strings.ToLower(c.ToolName), canonical(c.Input)
		a.key = keyOf(a.tool, a.What)
	}
	if runes := []rune(a.What); len(runes) > mostWhat {
		a.What = string(runes[:mostWhat-1]) + "…"
	}
	return a
}

// KeyOfAnswer returns a text that is the same for equivalent answers, whatever their form.
func KeyOfAnswer(s *records.Step) string {
	if len(s.ToolCalls) == 0 {
		return keyOf("text", strings.Join(strings.Fields(records.Value(s.Content)), " "))
	}
	var out string
	for i := range s.ToolCalls {
		out += keyOf(newCall(s, &s.ToolCalls[i], "").key)
	}
	return out
}

// `reads` reports whether a tool that names a file reads it, like Read, read_file or view.
func reads(tool string) bool {
	name := strings.ToLower(tool)
	return strings.Contains(name, "read") || name == "view" || name == "view_file" || name == "cat"
}

func number(n json.Number, otherwise string) string {
	if n == "" || n == "0" {
		return otherwise
	}
	return n.String()
}

// tidy returns a command with single spaces, without a final semicolon, and with paths below root made relative.
func tidy(command, root string) string {
	if root != "" {
		command = strings.ReplaceAll(command, root+"/", "")
	}
	return strings.TrimRight(strings.Join(strings.Fields(command), " "), "; ")
}

// `relative` returns a cleaned path, relative to root if it is below root.
func relative(name, root string) string {
	if name == "" {
		return ""
	}
	if name = slashed(name); root != "" {
		name = strings.TrimPrefix(name, root+"/")
	}
	return name
}

func slashed(name string) string { return path.Clean(strings.ReplaceAll(name, `\`, "/")) }

// net returns the edits of a call, each with only the lines that change, without equal lines at the start and end.
func net(edits []declared.Edit, root string) []declared.Edit {
	var out []declared.Edit
	for _, e := range edits {
		e.Path = relative(e.Path, root)
		if !e.Whole && !e.Deletes {
			before, after := strings.SplitAfter(e.Old, "\n"), strings.SplitAfter(e.New, "\n")
			for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
				before, after = before[1:], after[1:]
			}
			for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
				before, after = before[:len(before)-1], after[:len(after)-1]
			}
			e.Old, e.New = strings.Join(before, ""), strings.Join(after, "")
		}
		out = append(out, e)
	}
	return out
}

func pathsOf(edits []declared.Edit) string {
	var out []string
	for _, e := range edits {
		if !slices.Contains(out, e.Path) {
			out = append(out, e.Path)
		}
	}
	return strings.Join(out, ", ")
}

func editKeys(edits []declared.Edit) []string {
	var out []string
	for _, e := range edits {
		out = append(out, e.Path, e.Old, e.New, strconv.FormatBool(e.Deletes))
	}
	return out
}

// `canonical` returns an input with its members sorted.
func canonical(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// keyOf joins parts in such a way that different lists of parts have different keys.
func keyOf(tool string, parts ...string) string {
	out := strconv.Quote(tool)
	for _, part := range parts {
		out += strconv.Quote(part)
	}
	return out
}
