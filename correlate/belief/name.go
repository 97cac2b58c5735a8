package belief

import "github.com/git-trace/git-trace/events"

// Namer has the names of conversations. If a Log is a Namer, owners get its names. So a line has the same agent,
// session and model as its conversation elsewhere.
type Namer interface {
	Name(owner *events.AnchorOwner)
}

// Named returns an owner with the names of its conversation.
func Named(log Log, owner events.AnchorOwner) events.AnchorOwner {
	if n, ok := log.(Namer); ok && owner.Trace != "" {
		n.Name(&owner)
	}
	return owner
}

// name gives the owners of all runs the names of their conversations. Runs with one owner share it afterwards.
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
