package blame

import "github.com/git-trace/git-trace/events"

// OwnerJSON is the owner of a line in the JSON of commands: null stands for an unknown value.
type OwnerJSON struct {
	Contributor events.OwnerKind `json:"contributor"`
	Older       bool             `json:"older,omitempty"` // one of the unknown, older than the recording
	Trace       *events.TraceID  `json:"trace"`
	Agent       *string          `json:"agent"`
	Model       *string          `json:"model"`
	Session     *string          `json:"session"`
	Subagent    string           `json:"subagent,omitempty"`
}

// EvidenceJSON is the evidence for an owner.
type EvidenceJSON struct {
	Evidence   *string                `json:"evidence"`
	Confidence *string                `json:"confidence"`
	Candidates []events.CandidateData `json:"candidates,omitempty"`
	Source     *SourceJSON            `json:"source,omitempty"`   // absent for what was seen or found here
	Disputed   []string               `json:"disputed,omitempty"` // writers of other clones who say otherwise
}

// SourceJSON names the other clone that claims an owner.
type SourceJSON struct {
	Writer string  `json:"writer"`
	Signer *string `json:"signer"`
}

func (a *Attribution) source() *SourceJSON {
	if a.Writer == "" {
		return nil
	}
	return &SourceJSON{a.Writer, events.OrNull(a.Signer)}
}

func (a *Attribution) JSON() (OwnerJSON, EvidenceJSON) {
	return OwnerJSON{a.Kind.Stored(), a.Kind == events.OwnerOlder, events.OrNull(a.Trace), events.OrNull(a.Agent),
			events.OrNull(a.Model), events.OrNull(a.Session), a.Subagent},
		EvidenceJSON{events.OrNull(a.Evidence), events.OrNull(a.Confidence), a.Candidates, a.source(), a.Disputed}
}
