package capability

import "slices"

// Resumer goes on with a session in the agent itself.
type Resumer interface {
	// Resume returns the command line that goes on with a session: the name of the agent's program, and its arguments.
	Resume(session string) []string
}

// ResumeBy is a command line that a session's id is added to.
type ResumeBy []string

// Resume adds the id: to the last argument if that ends in "=", otherwise behind it.
func (r ResumeBy) Resume(session string) []string {
	line := slices.Clone([]string(r))
	if last := len(line) - 1; line[last][len(line[last])-1] == '=' {
		line[last] += session
		return line
	}
	return append(line, session)
}

// Copier writes the beginning of a session as a session of its own, where the client looks for its sessions.
type Copier interface {
	// Copy returns the new session. Its id is new, and its file replaces nothing.
	Copy(from Beginning) (Session, error)
}

// Beginning is the beginning of a session file, and where the copy will go on.
type Beginning struct {
	Path    string // of the session file
	Session string // the agent's id
	Until   int64  // its length in bytes; it ends with a line
	// Dirs are the names of the work tree in which the session was held, Dir is the one in which the copy goes on. Start
	// is the directory, in Dir or below it, in which the client is started.
	Dirs       []string
	Dir, Start string
}
