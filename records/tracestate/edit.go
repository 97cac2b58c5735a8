package tracestate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `Told` holds the log's facts about a conversation.
type Told struct {
	Edits []Edit
	Fates map[string]Fate // fates by call, for calls that wrote lines
}

// Fate tells what happened to the lines that an answer's calls wrote.
type Fate struct {
	Alive          int `json:"alive"`
	Human          int `json:"changed_by_human"`
	Reverted       int `json:"reverted"`
	NeverCommitted int `json:"never_committed"` // removed before any commit
	Other          int `json:"other"`           // replaced by other lines, or removed by a commit

	Thrown int      `json:"-"` // the lines of NeverCommitted that a person removed
	Paths  []string `json:"-"` // the files of the lines
}

// Edit is a person's change of lines that a call wrote.
type Edit struct {
	Later  bool                 // a commit had the lines unchanged before
	Call   string               // the id of the call, which wrote only these lines
	Wrote  []events.Fingerprint // the fingerprints of the lines that the call wrote
	Lines  []string             // the lines in the commit that replaced them, redacted
	Human  int                  // the number of Lines that the person wrote
	Commit string
	Path   string
}

// `edited` pairs a call with people's version of its lines. It finds the lines by their fingerprints. There is no pair
// if the call's input does not contain them exactly once and consecutively.
func edited(st *state, edits []Edit) []*pair {
	if len(st.step.ToolCalls) != 1 {
		return nil
	}
	call := &st.step.ToolCalls[0]
	var out []*pair
	made := map[Origin]bool{}
	for i := range edits {
		e := &edits[i]
		origin := HumanEdit
		if e.Later {
			origin = UserModified
		}
		if e.Call != call.ToolCallID || made[origin] {
			continue
		}
		input, found := replaced(call.Input, e)
		if !found {
			continue
		}
		step := *st.step
		step.ToolCalls = slices.Clone(step.ToolCalls)
		step.ToolCalls[0].Input = input
		if chosen, rejected := action(&step), action(st.step); chosen != rejected {
			made[origin] = true
			out = append(out, &pair{
				state: st, origin: origin, chosen: chosen, rejected: rejected,
				evidence: map[string]any{"commit": e.Commit, "path": e.Path, "lines": len(e.Lines), "human_lines": e.Human},
			})
		}
	}
	return out
}

// `replaced` returns the input of a call with its lines replaced by the lines of a commit.
func replaced(input json.RawMessage, e *Edit) (json.RawMessage, bool) {
	o := &rawjson.Members{}
	found := 0
	d := rawjson.NewDecoder(input)
	for d.Open(); d.Member(); {
		name := string(d.Key())
		if d.Kind() != rawjson.String {
			o.Raw(name, d.Raw())
			continue
		}
		text := d.Text()
		if in, ok := within(text, e); ok {
			found++
			text = in
		}
		o.Text(name, text)
	}
	return json.RawMessage(o.String()), found == 1 && d.Err() == nil
}

// `within` replaces the lines with the edit's fingerprints.
func within(text string, e *Edit) (string, bool) {
	lines := strings.Split(text, "\n")
	if len(e.Wrote) == 0 || len(e.Wrote) > len(lines) {
		return "", false
	}
	prints := make([]events.Fingerprint, len(lines))
	for i, line := range lines {
		prints[i] = events.FingerprintOf([]byte(line))
	}
	at := -1
	for i := 0; i+len(e.Wrote) <= len(prints); i++ {
		if slices.Equal(prints[i:i+len(e.Wrote)], e.Wrote) {
			if at >= 0 {
				return "", false
			}
			at = i
		}
	}
	if at < 0 {
		return "", false
	}
	return strings.Join(slices.Concat(lines[:at], e.Lines, lines[at+len(e.Wrote):]), "\n"), true
}
