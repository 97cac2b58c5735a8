package events

// Voice names the source of an event. A writer's id alone is weak evidence: anybody who may push to a remote can
// publish under any id. So a voice is a remote and an id; a signature joins the voices of one id on several remotes.
type Voice struct {
	Name     string   // unique among the voices
	Remote   string   // the remote that it came from; the first of several
	Aside    bool     // this clone wrote the log, under an id that it has given up
	Standing Standing // rank among the voices of one id
}

// String returns the name; "" for this clone's log.
func (v *Voice) String() string {
	if v == nil {
		return ""
	}
	return v.Name
}

// Standing is the rank of a voice among voices with the same id on several remotes.
type Standing int

// The ranks, the best first.
const (
	Signed   Standing = iota // signed by a key that git trusts
	Trusted                  // the voice comes from the remote that trace.remote names
	Unproved                 // the real writer is unknown
)

// Mine reports whether this clone wrote an event; the parameter `own` is its writer id. For events that were read
// without other logs, the id decides.
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
