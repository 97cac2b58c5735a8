package tracestate

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// Stats counts the states, and the parts of records that did not become states.
type Stats struct {
	Records     int            `json:"records"`
	Steps       int            `json:"steps"`
	States      int            `json:"states"`
	ByKind      map[Kind]int   `json:"by_kind"`
	Skipped     map[string]int `json:"skipped"`      // answers that did not become a state, by reason
	Joined      int            `json:"joined"`       // prompts that follow another prompt without an answer in between
	NotRecorded int            `json:"not_recorded"` // answers that have no message of the user before them
	Dropped     int            `json:"dropped"`      // messages that were left out because of a token limit
	Pairs       map[Origin]int `json:"pairs,omitempty"`
	Unreadable  int            `json:"unreadable_lines"`
	Unknown     int            `json:"unknown_lines"` // lines of a kind that is unknown to the parser
	Versions    map[string]int `json:"versions"`      // the number of records by agent and version
}

// Kind is the kind of an answer.
type Kind string

// The kinds.
const (
	ToolUse Kind = "tool_use"
	Text    Kind = "text"
)

func (s *Stats) add(r *records.Record) {
	if s.ByKind == nil {
		*s = Stats{ByKind: map[Kind]int{}, Skipped: map[string]int{}, Versions: map[string]int{}, Pairs: map[Origin]int{}}
	}
	s.Records++
	s.Steps += len(r.Steps)
	version := r.Agent.Name
	if r.Agent.Version != nil {
		version += " " + *r.Agent.Version
	}
	s.Versions[version]++
	var capture struct {
		Skipped map[string]int `json:"skipped_lines"`
	}
	if json.Unmarshal(r.Metadata["capture"], &capture) == nil {
		s.Unknown += capture.Skipped["unknown"]
	}
	var lost map[string]int
	if json.Unmarshal(r.Metadata["unreadable"], &lost) == nil {
		for _, n := range lost {
			s.Unreadable += n
		}
	}
}

func (s *Stats) skip(reason string) { s.Skipped[reason]++ }

func (s *Stats) take(st *state) {
	s.States++
	s.ByKind[kindOf(st.step)]++
}

func kindOf(s *records.Step) Kind {
	if len(s.ToolCalls) > 0 {
		return ToolUse
	}
	return Text
}
