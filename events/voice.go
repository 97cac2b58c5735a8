package events

// Voice says whose statement an event is. A writer's id alone is weak evidence: anybody who may push to a remote can
// publish under any id. So a voice is a remote and an id; a signature joins the statements of one id on several
// remotes.
type Voice struct {
	Name     string   // one for each voice
	Remote   string   // the remote that it came from; the first of several
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
	Unproved                 // its real writer cannot be known
)

// Mine reports whether this clone wrote an event; own is its writer id. The id decides for events that were not read
// beside other logs.
func (e *Event) Mine(own string) bool {
	if e.From != nil {
		return e.From.Aside
	}
	return e.Writer == own
}

// Voice returns the name of the event's voice.
func (e *Event) Voice() string {
	if e.From != nil {
		return e.From.Name
	}
	return e.Writer
}
