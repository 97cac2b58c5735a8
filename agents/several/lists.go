package several

import (
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/records"
)

// lists holds the metadata lists whose entries refer to steps. The step numbers in them count the steps of all files.
type lists struct {
	of    map[string][]json.RawMessage
	known map[string]bool
}

// naming lists the members of an entry with the number of a step. The variable namingSteps is the member with several
// numbers.
var naming = []string{"step", "after_step", "at_step", "from_step"}

const namingSteps = "steps"

// add adds the lists of a file; the parameter `place` has the overall number of each of the file's steps. An entry that
// an earlier file had for the same step is added only once.
func (l *lists) add(head *records.Record, place []int) {
	for name, raw := range head.Metadata {
		var entries []map[string]json.RawMessage
		if json.Unmarshal(raw, &entries) != nil || len(entries) == 0 || !namesSteps(entries[0]) {
			continue
		}
		for _, entry := range entries {
			for _, member := range naming {
				if n, found := number(entry[member], place); found {
					entry[member] = n
				}
			}
			if steps := numbers(entry[namingSteps], place); steps != nil {
				entry[namingSteps] = steps
			}
			one, err := json.Marshal(entry)
			if key := name + " " + string(one); err == nil && !l.known[key] {
				l.known[key] = true
				l.of[name] = append(l.of[name], one)
			}
		}
	}
}

func namesSteps(entry map[string]json.RawMessage) bool {
	return slices.ContainsFunc(naming, func(name string) bool { return entry[name] != nil })
}

// number returns the overall number of a step of this file; 0, the place before the first step, stays 0.
func number(raw json.RawMessage, place []int) (json.RawMessage, bool) {
	var n int
	if raw == nil || json.Unmarshal(raw, &n) != nil || n < 1 || n > len(place) {
		return nil, false
	}
	out, err := json.Marshal(place[n-1])
	return out, err == nil
}

func numbers(raw json.RawMessage, place []int) json.RawMessage {
	var steps []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &steps) != nil {
		return nil
	}
	for i := range steps {
		if n, found := number(steps[i], place); found {
			steps[i] = n
		}
	}
	out, err := json.Marshal(steps)
	if err != nil {
		return nil
	}
	return out
}

// `set` sets the lists in a record's metadata.
func (l *lists) set(head *records.Record) {
	for name, entries := range l.of {
		head.SetMeta(name, entries)
	}
}
