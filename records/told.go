package records

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Lists of the metadata hold data of session files about steps that a step has no members for.
const (
	metaSources  = "sources"
	metaBranches = "branches"
	metaStops    = "stop_reasons"
	metaHooks    = "hooks"
	metaSkills   = "skill_invocations"
)

// MetaDirectory is the member of the metadata with the directory of the work tree in which a conversation began.
const MetaDirectory = "working_directory"

// Source has the agent's own ids of the lines of a step: the lines with text or calls, if there are any.
type Source struct {
	Step int      `json:"step"`
	IDs  []string `json:"ids"`
}

// Branch are steps of the main conversation that the user took back, one after the other. They hang on the step From, 0
// for the beginning, which can itself be one of another branch.
type Branch struct {
	From  int   `json:"from_step"`
	Steps []int `json:"steps"`
}

// Stop is the reason why an answer ended, if it is not UsualStop.
type Stop struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"`
}

// HookRun describes a run of a client's hook, by the session file.
type HookRun struct {
	After    int    `json:"after_step"`
	Event    string `json:"event"`
	Name     string `json:"name,omitempty"` // with its trigger: PreToolUse:Bash
	Outcome  string `json:"outcome"`        // started, success, blocking_error, …
	Call     string `json:"tool_call_id,omitempty"`
	ExitCode *int64 `json:"exit_code,omitempty"`
	Output   string `json:"output,omitempty"` // the beginning of its output
}

// Sources returns the agent's own ids of the lines of each step, if they are known.
func (r *Record) Sources() map[int][]string {
	out := map[int][]string{}
	for _, one := range metaList[Source](r, metaSources) {
		if _, known := out[one.Step]; !known { // of copies of a step the first counts
			out[one.Step] = one.IDs
		}
	}
	return out
}

// Branches returns the steps that the user took back.
func (r *Record) Branches() []Branch {
	return slices.DeleteFunc(metaList[Branch](r, metaBranches), func(b Branch) bool { return len(b.Steps) == 0 })
}

// Hooks returns the hooks that the client ran.
func (r *Record) Hooks() []HookRun { return metaList[HookRun](r, metaHooks) }

// SkillUse is a use of a skill, by the session file.
type SkillUse struct {
	Step   int // that it belongs to, or follows
	Name   string
	Source string // who chose it; "" if unknown
}

func (r *Record) Skills() []SkillUse {
	type use struct {
		Name   string `json:"name"`
		Skill  string `json:"skill"`
		Source string `json:"source"`
		Step   int    `json:"step"`
		After  int    `json:"after_step"`
	}
	var out []SkillUse
	for _, one := range metaList[use](r, metaSkills) {
		if name := cmp.Or(one.Name, one.Skill); name != "" {
			out = append(out, SkillUse{max(one.Step, one.After), name, one.Source})
		}
	}
	return out
}

// Summaries returns the texts that replaced the history of the main agent, by the previous step; "" for a compaction
// without a summary.
func (r *Record) Summaries() map[int]string {
	type summary struct {
		After    int     `json:"after_step"`
		Text     string  `json:"text"`
		Subagent *string `json:"subagent"`
	}
	out := map[int]string{}
	for _, name := range []string{"compactions", "summaries"} {
		for _, one := range metaList[summary](r, name) {
			if one.Subagent != nil || one.After == 0 { // nothing was said before
				continue
			}
			if _, told := out[one.After]; !told || name == "summaries" {
				out[one.After] = ""
			}
			if text := strings.TrimSpace(one.Text); text != "" {
				out[one.After] = text
			}
		}
	}
	return out
}

// Stops returns the reasons why answers ended, by step, if they are not UsualStop.
func (r *Record) Stops() map[int]string {
	out := map[int]string{}
	for _, one := range metaList[Stop](r, metaStops) {
		out[one.Step] = one.Reason
	}
	return out
}

// UsualStop is the usual end of an answer with this many calls.
func UsualStop(calls int) string {
	if calls > 0 {
		return "tool_use"
	}
	return "end_turn"
}

// metaList reads a list of the metadata. Elements of another form, from other programs, are left out.
func metaList[T any](r *Record, name string) []T {
	var raw []json.RawMessage
	if json.Unmarshal(r.Metadata[name], &raw) != nil {
		return nil
	}
	var out []T
	for _, one := range raw {
		var value T
		if json.Unmarshal(one, &value) == nil {
			out = append(out, value)
		}
	}
	return out
}
