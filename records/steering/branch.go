package steering

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// branches are the parts of a conversation that the person took back.
type branches struct {
	list     []records.Branch
	branchOf map[int]int // the number of the branch of each step, from 1; 0 for kept steps
}

func (b *branches) read(r *records.Record) {
	b.list, b.branchOf = r.Branches(), map[int]int{}
	for i := range b.list {
		for _, step := range b.list[i].Steps {
			b.branchOf[step] = i + 1
		}
	}
}

// metadata are the other members of a record's metadata that steering asks about.
type metadata struct {
	interrupted map[int]*string // the time, by the step after which the person interrupted
	rolledBack  map[int]*string // the time, by the step after which a command of the person undid turns
	stops       map[int]string
	ids         map[int][]string
}

func (m *metadata) read(r *records.Record) {
	*m = metadata{afterSteps(r, "interruptions"), afterSteps(r, "rollbacks"), r.Stops(), r.Sources()}
}

// afterSteps returns the times of a list of remarks by their steps; nil for a missing list, or one in another form.
func afterSteps(r *records.Record, name string) map[int]*string {
	var list []struct {
		After int    `json:"after_step"`
		Time  string `json:"timestamp"`
	}
	_ = json.Unmarshal(r.Metadata[name], &list)
	out := map[int]*string{}
	for _, one := range list {
		if out[one.After] == nil {
			out[one.After] = records.Text(one.Time)
		}
	}
	return out
}
