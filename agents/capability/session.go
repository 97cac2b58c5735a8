package capability

import (
	"context"
	"encoding/json"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

// SessionParser reads the session files of an agent.
type SessionParser interface {
	// Parse reads a session file and passes its steps to the sink. A file without a conversation of the agent gives a
	// record without steps. Errors come from reading, from the sink or from the context, and never from the content of the
	// file.
	Parse(ctx context.Context, path string, options ParseOptions, sink records.Sink) (*Parsed, error)
}

// SessionDiscoverer finds the sessions of a project that an agent stores.
type SessionDiscoverer interface {
	// ProjectSessions lists the sessions in a directory or below it, oldest first; "" lists all. It reads only files that
	// were changed at the time `since` or later; a zero time means all files. If the agent was never used, it returns none
	// and no error.
	ProjectSessions(dir string, since time.Time) ([]Session, error)
}

// SessionLister is a discoverer for an agent whose files can contain several sessions.
type SessionLister interface {
	// SessionsIn lists the sessions in a file; none if the file has another form.
	SessionsIn(path string) ([]Session, error)
}

// SessionIdentifier identifies a session file.
type SessionIdentifier interface {
	// SessionID returns the agent's own id of the conversation from the path of a session file; "" if the path does not
	// contain it.
	SessionID(path string) string
	// Recognises reports whether a file is a session file of the agent, from its first bytes: at least 64 KiB, or the
	// whole file.
	Recognises(path string, head []byte) bool
}

// Session is a session that an agent stores.
type Session struct {
	Path    string    // path of the session's file, or of the database that contains it
	ID      string    // the agent's own id; for a file with several sessions, the value of ParseOptions.Session
	Dir     string    // directory of the session; "" if it was not determined
	Changed time.Time // the time of the file's last change
}

// ParseOptions say how a session file is read.
type ParseOptions struct {
	Session string // the agent's id of the session, if the caller knows it; otherwise it is read from the file
	// Cursor is the cursor of an earlier reading: then only new lines are read. A cursor that no longer matches the file
	// is ignored.
	Cursor json.RawMessage
	Prices *prices.Table // nil for git-trace's own table
	// Relative returns the path of a file relative to the repository; false for a file outside. Without it, paths are
	// relative to the directory in which the conversation began.
	Relative func(path string) (string, bool)
}

// Parsed is the data of a session file apart from its steps.
type Parsed struct {
	Head *records.Record // the record without its steps
	// FirstStep is the number of the first step that was read. It is 1 unless a cursor was used. With a cursor, the
	// earlier steps are those of the cursor's reading, and later steps of that reading are invalid. If a sink still has
	// the steps of that reading, the new steps replace the invalid ones, and late results are added.
	FirstStep int
	Cursor    json.RawMessage // cursor for the next reading; nil if the file must be read from its beginning
	Lines     int             // the number of objects that were read this time
	Lost      int             // the number of unreadable lines and parts of lines in the whole file
	LostAt    Place           // the first loss in this reading; zero if unknown
}

// Place is a place in a session file.
type Place struct{ Line, Offset int64 } // Line is from 1, Offset in bytes; for a database or directory both count parts

// maxLost sets the share of lines that may be lost before a record counts as broken: one line in maxLost.
const maxLost = 20

// Blocked reports whether so much of the file was unreadable that a person must check its record before it is shared.
func (p *Parsed) Blocked() bool { return p.Lost > 1 && p.Lost*maxLost > p.Lines }
