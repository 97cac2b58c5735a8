package capability

import (
	"context"
	"encoding/json"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

// SessionParser reads the session files that an agent keeps.
type SessionParser interface {
	// Parse reads a session file and gives its steps to the sink. A file without a conversation of the agent gives a
	// record without steps. Errors come from reading, from the sink or from the context, never from the content of the
	// file.
	Parse(ctx context.Context, path string, options ParseOptions, sink records.Sink) (*Parsed, error)
}

// SessionDiscoverer finds the sessions that an agent keeps of a project.
type SessionDiscoverer interface {
	// ProjectSessions lists the sessions in a directory or below it, oldest first; "" lists all. It reads only files
	// that were written to at since or later; a zero time means all files. An agent that was never used has none,
	// without an error.
	ProjectSessions(dir string, since time.Time) ([]Session, error)
}

// SessionLister is a discoverer of an agent whose files can hold several sessions.
type SessionLister interface {
	// SessionsIn lists the sessions of a file; none if the file has another form.
	SessionsIn(path string) ([]Session, error)
}

// SessionIdentifier identifies a file by its beginning.
type SessionIdentifier interface {
	// SessionID returns the agent's own id of the conversation in a session file, "" if the file's name does not have
	// it.
	SessionID(path string) string
	// Recognises reports whether a file is a session file of the agent, by its first bytes: at least 64 KiB, or the
	// whole file.
	Recognises(path string, head []byte) bool
}

// Session is one session that an agent keeps.
type Session struct {
	Path    string    // of its file, or of the database that holds it
	ID      string    // the agent's own id; ParseOptions.Session for a file that holds several
	Dir     string    // its directory; "" unless it was searched
	Changed time.Time // of the file
}

// ParseOptions say how a session file is read.
type ParseOptions struct {
	Session string // the agent's id of the session, if the caller knows it; otherwise the file has it
	// Cursor is the cursor of an earlier reading: only new lines are read. A cursor that no longer fits the file is
	// not used.
	Cursor json.RawMessage
	Prices *prices.Table // nil for git-trace's own table
	// Relative gives the path of a file within the repository; false for one outside. nil for the path below the
	// directory in which the conversation began.
	Relative func(path string) (string, bool)
}

// Parsed holds the facts of a session file apart from its steps.
type Parsed struct {
	Head *records.Record // the record without its steps
	// FirstStep is the number of the first step that was read. It is 1 unless a cursor was used: then the steps before
	// it come from the cursor's reading, whose later steps are void. A sink with the steps of that reading gets the
	// new steps in their places, and late results.
	FirstStep int
	Cursor    json.RawMessage // for the next reading; nil if the file must be read from its beginning
	Lines     int             // objects that were read this time
	Lost      int             // lines and pieces of lines, of the whole file, that could not be read
	LostAt    Place           // the first that this reading lost; zero where it is not known
}

// Place is a place in a session file.
type Place struct{ Line, Offset int64 } // from 1, and in bytes; in a database or a directory both count its parts

// maxLost is the share of lines that may be lost before a record counts as broken: one in twenty.
const maxLost = 20

// Blocked reports whether so much of the file could not be read that a person must look at its record before it is
// shared.
func (p *Parsed) Blocked() bool { return p.Lost > 1 && p.Lost*maxLost > p.Lines }
