package recorder

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
)

// describedMember is the metadata member that names the author of the outcome's description, if that is not the agent.
const describedMember = "described"

// described names the author of a description.
type described struct {
	By    string     `json:"by"`              // note or log
	Note  *time.Time `json:"note,omitempty"`  // the time of the note's event
	Agent *string    `json:"agent,omitempty"` // the agent's own text
}

// The authors of a description, except the agent.
const (
	byNote = "note"
	byLog  = "log"
)

// Said returns what a person (in a note) or the agent said about the end of the conversation; "" if the description was
// made from known facts.
func Said(r *records.Record) string {
	var by described
	_ = json.Unmarshal(r.Metadata[describedMember], &by)
	if r.Outcome.Description == nil || by.By == byLog {
		return ""
	}
	return *r.Outcome.Description
}

// `describe` sets the description of the outcome: the text of the newest note, otherwise the agent's text, otherwise a
// text made from known facts. The log does not contain the text of a note. Only the record has it, and a purge removes
// it there.
func (f *Facts) describe(head, prior *records.Record, said string, calls *callBook) {
	agent := head.Outcome.Description
	var was described
	if raw := head.Metadata[describedMember]; raw != nil && json.Unmarshal(raw, &was) == nil { // from the stored version
		agent = was.Agent
	}
	was = described{}
	_ = json.Unmarshal(prior.Metadata[describedMember], &was)
	if f.Note != nil && was.Note != nil && was.Note.Equal(f.Note.At) && prior.Outcome.Description != nil && said == "" {
		said = *prior.Outcome.Description
	}
	is := described{Agent: agent}
	switch text := f.words(head, calls); {
	case f.Note != nil && said != "":
		is.By, is.Note, head.Outcome.Description = byNote, &f.Note.At, &said
	case agent == nil && text != "":
		is.By, head.Outcome.Description = byLog, &text
	default:
		head.Outcome.Description = agent
	}
	head.Metadata = maps.Clone(head.Metadata) // relinked heads share the metadata with the stored version
	if delete(head.Metadata, describedMember); is.By != "" {
		head.SetMeta(describedMember, is)
	}
}

// words describes the end of the conversation from facts: its state, its commits, and a command that still failed at
// the end.
func (f *Facts) words(head *records.Record, calls *callBook) string {
	var parts []string
	if state := head.Outcome.TerminalState; state != nil {
		parts = append(parts, map[records.TerminalState]string{
			records.GoalReached: "goal reached", records.Abandoned: "abandoned: none of its lines is left",
			records.Interrupted: "interrupted", records.Failed: "ended with an error",
		}[*state])
	}
	commits := 0
	for i := range f.Links {
		if f.Links[i].Tier.Holds() {
			commits++
		}
	}
	switch {
	case f.Revision == "":
	case commits > 1:
		parts = append(parts, fmt.Sprintf("%d commits hold lines of it, the newest is %.12s", commits, f.Revision))
	default:
		parts = append(parts, fmt.Sprintf("commit %.12s holds lines of it", f.Revision))
	}
	if command, failure := calls.lastFailing(); command != "" {
		parts = append(parts, fmt.Sprintf("a command failed and was not seen to succeed afterwards: %s (%s)",
			short(command), failure))
	}
	return strings.Join(parts, "; ")
}

// `short` returns the beginning of a command on one line.
func short(command string) string {
	const most = 120
	text := []rune(strings.Join(strings.Fields(command), " "))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
