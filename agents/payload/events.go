package payload

import "github.com/git-trace/git-trace/events"

// Event is a hook event of an agent, by the agent's own name, and the boundary that it carries.
type Event struct {
	Name string
	Kind events.BoundaryKind
}

// Events are the hook events of an agent that carry a boundary, in the order in which they happen.
type Events []Event

func (e Events) Names() []string {
	names := make([]string, len(e))
	for i, one := range e {
		names[i] = one.Name
	}
	return names
}

// Kind returns the boundary of an event, "" if it has none.
func (e Events) Kind(name string) events.BoundaryKind {
	for _, one := range e {
		if one.Name == name {
			return one.Kind
		}
	}
	return ""
}
