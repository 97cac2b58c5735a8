package sessionfile

import (
	"errors"
	"strings"

	"github.com/git-trace/git-trace/records/assemble"
)

// maxDepth is the greatest depth of nested subagents, maxSubagents the greatest number of subagents.
const (
	maxDepth     = 10
	maxSubagents = 5000
)

// subagents holds the sessions of subagents that were read, by path and id, with their sizes at that time.
type subagents map[string]int64

func (p Place) key() string { return p.Path + "#" + p.Session }

// errGrown reports that a subagent's file has grown since the cursor was made: its steps are in the middle of the
// record.
var errGrown = errors.New("a subagent's file has changed")

func (s subagents) sizes() map[string]int64 { return s }

func (r *reading) resumeAgents(sizes map[string]int64) error {
	for key, size := range sizes {
		at := strings.LastIndexByte(key, '#')
		if at < 0 {
			return errGrown
		}
		file, err := r.Open(key[:at], key[at+1:])
		if err != nil {
			return errGrown
		}
		now := file.Size()
		_ = file.Close()
		if now != size {
			return errGrown
		}
		r.agents[key] = size
	}
	return nil
}

// subagent reads the file of the subagent that a call started, after the step with the call. An unreadable file is only
// counted.
func (r *reading) subagent(parent *assemble.Conversation, step int, call *assemble.Call, id string) error {
	if r.Subagent == nil || id == "" {
		return nil
	}
	place := r.Subagent(r.main.place, call, id)
	key := place.key()
	if place.Path == "" || key == r.main.place.key() {
		return nil
	}
	if _, before := r.agents[key]; before || len(r.agents) >= maxSubagents {
		return nil
	}
	r.agents[key] = 0
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
	r.agents[key] = file.Size()
	r.depth++
	defer func() { r.depth-- }()
	place.Main = r.main.place.Path
	c := parent.Child(step, id, place.Role)
	child := &conversation{Format: r.Format(c, place), c: c, place: place}
	if err := r.read(child, file.From(0, 0)); err != nil {
		return err
	}
	if err := child.End(); err != nil {
		return err
	}
	return c.Settle()
}
