package assemble

import (
	"github.com/git-trace/git-trace/records"
)

// Place reserves a place in the queue for a text that a later line may turn into a prompt.
type Place struct{ it *item }

// Keep reserves a place for a prompt.
func (c *Conversation) Keep(at records.Locator) *Place {
	it := &item{at: at, kept: true}
	c.push(it)
	c.plant(it)
	return &Place{it}
}

// Release gives up a place and adds a value to a metadata list instead. The value contains the number of the step
// before the place.
func (c *Conversation) Release(place *Place, list string, value map[string]any) {
	note := func(s *state) {
		value["after_step"] = s.Next
		s.appendTo(list, value)
	}
	if place.it.gone {
		c.remark(note)
		return
	}
	place.it.kept = false
	place.it.remarks = append(place.it.remarks, note)
}

// Fill puts a prompt into its place. The steps before it are passed on, because a turn has ended.
func (c *Conversation) Fill(place *Place, p Prompt) error {
	if place.it.gone {
		return c.Prompt(p)
	}
	for !c.held && c.queue[0] != place.it {
		if err := c.leave(); err != nil {
			return err
		}
	}
	return c.prompt(place.it, p)
}
