package spool

import (
	"encoding/json"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Boundary is a boundary in the form in which it is spooled.
type Boundary struct {
	events.Boundary
	Glance *Glance `json:"glance,omitempty"`
}

// Host returns the agent's process if it is known, otherwise the parent of the hook.
func (b *Boundary) Host() int {
	if b.Process != 0 {
		return b.Process
	}
	return b.Parent
}

// Glance holds the sights of paths from a hook that stored its boundary for later.
type Glance struct {
	Paths map[string]snapshot.Sight `json:"paths"` // sights by path, as in events
	// `Left` lists the processes that the ending call leaves running, and Printed the files to which they print.
	Left    []process.Process `json:"left,omitempty"`
	Printed []process.Output  `json:"printed,omitempty"`
}

// DecodeLate decodes a boundary that was stored for later.
func DecodeLate(raw []byte) (b Boundary, err error) {
	err = json.Unmarshal(raw, &b)
	return b, err
}
