package lookup

import (
	"errors"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
)

// NoRecord is the error for a conversation that is in the log, but has no record.
func NoRecord(trace events.TraceID) error {
	return exit.Fail(exit.Finding, errors.New("there is no record of conversation "+string(trace)),
		"git trace record "+string(trace)+" reads its session file")
}

// NoneStored is the hint if no record is stored.
const NoneStored = "git-trace: hint: no conversation has a stored record (git trace record stores those that wait)"
