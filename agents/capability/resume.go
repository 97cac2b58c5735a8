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
