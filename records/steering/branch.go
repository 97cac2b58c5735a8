package steering

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// branches holds the abandoned branches of a conversation: steps that the person undid.
type branches struct {
	list     []records.Branch
	branchOf map[int]int // the number of the branch of each step, from 1; 0 for steps on the main line
}

func (b *branches) read(r *records.Record) {
	b.list, b.branchOf = r.Branches(), map[int]int{}
	for i := range b.list {
		for _, step := range b.list[i].Steps {
			b.branchOf[step] = i + 1
		}
	}
}

// metadata holds the other members of a record's metadata that steering needs.
type metadata struct {
	interrupted map[int]*string // time of the interruption after a step, by step
	rolledBack  map[int]*string // time of the command after a step with which the person undid turns, by step
	stops       map[int]string
	ids         map[int][]string
}

func (m *metadata) read(r *records.Record) {
	*m = metadata{afterSteps(r, "interruptions"), afterSteps(r, "rollbacks"), r.Stops(), r.Sources()}
}

// afterSteps returns the times in a metadata list, by step; nil if the list is missing or has another form.
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
