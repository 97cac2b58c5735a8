package web

// branch is the work of one subagent: its task, its steps, and the subagents that it started.
type branch struct {
	Who, Task    string
	Anchor       string
	At           int // number of steps before it in its turn
	Steps, Calls int
	Added        int
	Tokens       int64 // output tokens
	Cost         float64
	Branches     []*branch
}

// branchesOf returns the subagents of a turn as a tree. A task begins a branch below the branch whose step started the
// task. For a client without tasks, the steps of one subagent after a call form a branch.
func branchesOf(t *turnBlock) []*branch {
	type key struct {
		parent int
		who    string
	}
	var top []*branch
	open := map[key]*branch{}
	holds := map[int]*branch{} // the branch of each step
	var task *branch
	for i, s := range t.Steps {
		if s.Depth == 0 || s.Who == "" && !s.task {
			task = nil
			continue
		}
		k := key{s.parent, s.Who}
		var b *branch
		switch {
		case s.task:
			b = &branch{Who: s.Who, Task: s.Text, Anchor: s.Anchor(), At: i}
			task = b
		case task != nil && task.Steps <= 1:
			b, open[k] = task, task
			b.Who, task = s.Who, nil
		default:
			b = open[k]
		}
		if b == nil {
			b = &branch{Who: s.Who, Anchor: s.Anchor(), At: i}
			open[k] = b
		}
		if b.Steps == 0 {
			if above := holds[s.parent]; s.parent > 0 && above != nil && above != b {
				above.Branches = append(above.Branches, b)
			} else {
				top = append(top, b)
			}
		}
		b.Steps++
		b.Calls += len(s.Calls)
		b.Added += s.Wrote().Added
		b.Tokens += s.Usage.OutputTokens
		b.Cost += s.Cost
		if s.Number > 0 {
			holds[s.Number] = b
		}
	}
	return top
}
