package events

import "time"

// CallOutcome is the fate of a tool call whose end no hook reported. The zero value is OutcomeUnknown.
type CallOutcome string

// The outcomes of a tool call. A call that was interrupted has run: its changes stay.
const (
	OutcomeUnknown  CallOutcome = ""         // no evidence, or evidence for both: the call may still run
	OutcomeRan      CallOutcome = "ran"      // the call ran, in full or in part
	OutcomeRejected CallOutcome = "rejected" // the call never ran: the user, a rule or another hook refused it
)

// CallEnd describes the end of a call in an agent's own record.
type CallEnd struct {
	Outcome CallOutcome
	At      time.Time // the time of that record, by the clock of the machine; zero if unknown
	Unbegun bool      // the record would be the same for a refused call: it may never have begun
	// Finished is true if a command ended without being stopped: its last write and its end are one moment.
	Finished bool
	// Answered is the time at which the model got the result, after all hooks of the call; zero if unknown.
	Answered time.Time
}
