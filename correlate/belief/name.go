package belief

import "github.com/git-trace/git-trace/events"

// Namer knows what is known of conversations. A Log that is one says what the owners of lines are called. So a line has
// the agent, the session and the model that its conversation has everywhere else.
type Namer interface {
	Name(owner *events.AnchorOwner)
}

// Named returns an owner as its conversation is called.
func Named(log Log, owner events.AnchorOwner) events.AnchorOwner {
	if n, ok := log.(Namer); ok && owner.Trace != "" {
		n.Name(&owner)
	}
	return owner
}

// name gives the owners of all runs the names of their conversations. Runs of one owner have one owner afterwards.
func (c *Commit) name() {
	if c.namer == nil {
		return
	}
	if c.named == nil {
		c.named = map[*events.AnchorOwner]*events.AnchorOwner{}
	}
	for i := range c.Files {
		for k := range c.Files[i].Runs {
			r := &c.Files[i].Runs[k]
			if r.Owner.Trace == "" {
				continue
			}
			named, done := c.named[r.Owner]
			if !done {
				owner := *r.Owner
				named = &owner
				c.namer.Name(named)
				c.named[r.Owner], c.named[named] = named, named
			}
			r.Owner = named
		}
	}
}
