package events

// Voice is whose word an event is. A writer's id alone says little: whoever may push to a remote can publish under any
// id. So a voice is a remote and an id; a signature joins what one id says on several remotes.
type Voice struct {
	Name     string   // one for each voice
	Remote   string   // from which it came; of several, the first
	Aside    bool     // this clone wrote it, under an id that it gave up
	Standing Standing // among the voices of one id
}

// String returns the name; "" for this clone's log.
func (v *Voice) String() string {
	if v == nil {
		return ""
	}
	return v.Name
}

// Standing is the order between voices that have the same id on several remotes.
type Standing int

// The standings, the best first.
const (
	Signed   Standing = iota // by a key that git trusts
	Trusted                  // of the remote that trace.remote names
	Unproved                 // nobody can tell whose it is
)

// Mine reports whether this clone, whose writer is given, wrote an event. Of events that were not read as one log
// beside others, the id says it.
func (e *Event) Mine(own string) bool {
	if e.From != nil {
		return e.From.Aside
	}
	return e.Writer == own
}

// Voice names whose word an event is.
func (e *Event) Voice() string {
	if e.From != nil {
		return e.From.Name
	}
	return e.Writer
}
