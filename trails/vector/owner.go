package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/events"
)

// Owner is the owner of a line. Owners are comparable with ==.
type Owner struct {
	Kind  events.OwnerKind
	Patch events.PatchID // the patch that wrote the line; empty if unknown
	// Previous is the agent's patch whose line this line replaced; empty if it replaced none.
	Previous events.PatchID
	// Reformatted says that the line has the words that its owner wrote, in another form.
	Reformatted bool
}

// Unknown is the owner of a line without evidence.
var Unknown = Owner{Kind: events.OwnerUnknown}

// `normal` returns the owner with the kind unknown, if it has no kind or a kind that this version does not know.
func (o Owner) normal() Owner {
	switch o.Kind {
	case events.OwnerHuman, events.OwnerAI, events.OwnerMixed, events.OwnerUnknown:
	default:
		o.Kind = events.OwnerUnknown
	}
	o.Reformatted = o.Reformatted && o.Kind != events.OwnerUnknown
	return o
}

// `of` returns the owner of a new line that keeps an old line of this owner. The parameter `why` is the reason.
func (o Owner) of(was, is []byte, why Why) Owner {
	o.Reformatted = o.Reformatted || why.OtherForm() && !bytes.Equal(was, is)
	return o.normal()
}

// `is` reports whether two owners are the same, apart from the form of their lines.
func (o Owner) is(other Owner) bool {
	other.Reformatted = o.Reformatted
	return o == other
}

// String returns the owner as text for people and tests: KIND[:PATCH][~][<PREVIOUS]. An agent's owner has no kind, and
// ~ marks another form. Examples: "a1", "human", "human:b2<a1", "a1~", "unknown".
func (o Owner) String() string {
	o = o.normal()
	text := string(o.Kind)
	switch {
	case o.Patch != "" && o.Kind == events.OwnerAI:
		text = string(o.Patch)
	case o.Patch != "":
		text += ":" + string(o.Patch)
	}
	if o.Reformatted {
		text += "~"
	}
	if o.Previous != "" {
		text += "<" + string(o.Previous)
	}
	return text
}
