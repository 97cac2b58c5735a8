package capability

import "slices"

// Resumer continues a session in the agent itself.
type Resumer interface {
	// Resume returns the command line that continues a session: the name of the agent's program and its arguments.
	Resume(session string) []string
}

// ResumeBy is a command line to which a session's id is added.
type ResumeBy []string

// Resume adds the id to the last argument if that ends in "=", otherwise as another argument.
func (r ResumeBy) Resume(session string) []string {
	line := slices.Clone([]string(r))
	if last := len(line) - 1; line[last][len(line[last])-1] == '=' {
		line[last] += session
		return line
	}
	return append(line, session)
}

// Copier writes the beginning of a session as a new session, where the client stores its sessions.
type Copier interface {
	// Copy returns the new session. It has a new id and a new file.
	Copy(from Beginning) (Session, error)
}

// Beginning is the beginning of a session file, and the place at which the copy continues.
type Beginning struct {
	Path    string // path of the session file
	Session string // the agent's id
	Until   int64  // the length of the beginning in bytes; it ends at the end of a line
	// Dirs holds the paths of the session's work tree, Dir is the work tree of the copy. Start is the directory, in Dir or
	// below it, in which the client is started.
	Dirs       []string
	Dir, Start string
}
