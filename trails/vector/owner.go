package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/events"
)

// Owner is the owner of a line. Owners compare with ==.
type Owner struct {
	Kind  events.OwnerKind
	Patch events.PatchID // the patch that wrote the line; empty when none is known
	// Previous is the agent's patch whose line this one replaced; empty for a line that replaced none.
	Previous events.PatchID
	// Reformatted says that the line has its owner's words in other signs.
	Reformatted bool
}

// Unknown is the owner of lines without evidence.
var Unknown = Owner{Kind: events.OwnerUnknown}

// normal returns an owner of no kind, or of a kind this version does not know, the kind unknown.
func (o Owner) normal() Owner {
	switch o.Kind {
	case events.OwnerHuman, events.OwnerAI, events.OwnerMixed, events.OwnerUnknown:
	default:
		o.Kind = events.OwnerUnknown
	}
	o.Reformatted = o.Reformatted && o.Kind != events.OwnerUnknown
	return o
}

// of returns this owner for a line that replaced one of its own lines.
func (o Owner) of(was, is []byte, why Why) Owner {
	o.Reformatted = o.Reformatted || why.OtherForm() && !bytes.Equal(was, is)
	return o.normal()
}

// is reports whether two owners are the same, in any form of their lines.
func (o Owner) is(other Owner) bool {
	other.Reformatted = o.Reformatted
	return o == other
}

// String returns the owner in a form for people and tests: KIND[:PATCH][~][<PREVIOUS]. An agent's patch has no kind,
// and ~ marks another form: "a1", "human", "human:b2<a1", "a1~", "unknown".
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
