package sessionfile

import (
	"errors"
	"os"

	"github.com/git-trace/git-trace/records/assemble"
)

// maxDepth is how deep subagents may start subagents, maxSubagents how many of them are read.
const (
	maxDepth     = 10
	maxSubagents = 5000
)

// subagents are the files of subagents that have been read, with the sizes they had.
type subagents map[string]int64

// errGrown reports a subagent that has gone on since a cursor was made: its steps stand in the middle of the record.
var errGrown = errors.New("a subagent's file has changed")

func (s subagents) sizes() map[string]int64 { return s }

func (s subagents) resume(sizes map[string]int64) error {
	for path, size := range sizes {
		info, err := os.Stat(path)
		if err != nil || info.Size() != size {
			return errGrown
		}
		s[path] = size
	}
	return nil
}

// subagent reads the file of the subagent that a call started, after the step with the call. One that cannot be read is
// counted and does no harm.
func (r *reading) subagent(parent *assemble.Conversation, step int, call *assemble.Call, id string) error {
	if r.Subagent == nil || id == "" {
		return nil
	}
	place := r.Subagent(r.main.place, call, id)
	if place.Path == "" || place.Path == r.main.place.Path {
		return nil
	}
	if _, before := r.agents[place.Path]; before || len(r.agents) >= maxSubagents {
		return nil
	}
	r.agents[place.Path] = 0
	if r.depth >= maxDepth {
		parent.Drop("subagent_too_deep")
		return nil
	}
	file, err := r.Open(place.Path, place.Session)
	if err != nil {
		parent.Drop("subagent_unreadable")
		return nil
	}
	defer func() { _ = file.Close() }()
	r.agents[place.Path] = file.Size()
	r.depth++
	defer func() { r.depth-- }()
	place.Main = r.main.place.Path
	c := parent.Child(step, id, place.Role)
	child := &conversation{Format: r.Format(c, place), c: c, place: place}
	in := file.From(0, 0)
	if err := r.read(child, in); err != nil {
		return err
	}
	r.below.Add(in.Faults())
	if err := child.End(); err != nil {
		return err
	}
	return c.Settle()
}
