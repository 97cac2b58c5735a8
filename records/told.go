package records

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// The metadata lists with data from session files about steps for which a step has no member.
const (
	metaSources  = "sources"
	metaBranches = "branches"
	metaStops    = "stop_reasons"
	metaHooks    = "hooks"
	metaSkills   = "skill_invocations"
)

// MetaDirectory is the metadata member with the directory in the work tree in which a conversation began.
const MetaDirectory = "working_directory"

// Source has the agent's own ids of the lines of a step. If some of the lines have text or calls, only their ids are
// listed.
type Source struct {
	Step int      `json:"step"`
	IDs  []string `json:"ids"`
}

// Branch is a sequence of steps of the main conversation that the user undid. It begins after the step From, which may
// itself be in another branch; 0 means the start of the conversation.
type Branch struct {
	From  int   `json:"from_step"`
	Steps []int `json:"steps"`
}

// Stop is the reason why an answer ended, if it differs from UsualStop.
type Stop struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"`
}

// HookRun describes a run of a client's hook, according to the session file.
type HookRun struct {
	After    int    `json:"after_step"`
	Event    string `json:"event"`
	Name     string `json:"name,omitempty"` // name of the hook with its trigger, as in PreToolUse:Bash
	Outcome  string `json:"outcome"`        // started, success, blocking_error, …
	Call     string `json:"tool_call_id,omitempty"`
	ExitCode *int64 `json:"exit_code,omitempty"`
	Output   string `json:"output,omitempty"` // the beginning of the hook's output
}

// Sources returns the agent's own ids of the lines of each step, if they are known.
func (r *Record) Sources() map[int][]string {
	out := map[int][]string{}
	for _, one := range metaList[Source](r, metaSources) {
		if _, known := out[one.Step]; !known { // if several entries have the same step, the first counts
			out[one.Step] = one.IDs
		}
	}
	return out
}

// Branches returns the steps that the user undid.
func (r *Record) Branches() []Branch {
	return slices.DeleteFunc(metaList[Branch](r, metaBranches), func(b Branch) bool { return len(b.Steps) == 0 })
}

// Hooks returns the runs of hooks by the client.
func (r *Record) Hooks() []HookRun { return metaList[HookRun](r, metaHooks) }

// SkillUse is a use of a skill, according to the session file.
type SkillUse struct {
	Step   int // the step that used the skill, or the step before the use
	Name   string
	Source string // who chose the skill; "" if unknown
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

// Summaries returns the texts that replaced the history of the main agent, by the step before the replacement; "" for a
// compaction without a summary.
func (r *Record) Summaries() map[int]string {
	type summary struct {
		After    int     `json:"after_step"`
		Text     string  `json:"text"`
		Subagent *string `json:"subagent"`
	}
	out := map[int]string{}
	for _, name := range []string{"compactions", "summaries"} {
		for _, one := range metaList[summary](r, name) {
			if one.Subagent != nil || one.After == 0 { // there was no history to replace
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

// Stops returns the reason why each answer ended, by step, if the reason differs from UsualStop.
func (r *Record) Stops() map[int]string {
	out := map[int]string{}
	for _, one := range metaList[Stop](r, metaStops) {
		out[one.Step] = one.Reason
	}
	return out
}

// UsualStop returns the usual reason of an answer with this number of calls.
func UsualStop(calls int) string {
	if calls > 0 {
		return "tool_use"
	}
	return "end_turn"
}

// metaList reads a list of the metadata. Elements in another form, written by other programs, are skipped.
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
