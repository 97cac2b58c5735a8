package view

import (
	"github.com/git-trace/git-trace/events"
)

// Output is a patch of an agent that hooks saw.
type Output struct {
	Patch events.PatchID
	Trace events.TraceID
	Agent string
	Model string // empty if unknown
	Lines int    // number of new lines, except lines that kept an older owner
}

// Outputs yields the patches of all agents in the logs, each once, committed or not. Lines that an agent writes again
// count again.
func (r *Reader) Outputs(yield func(*Output)) error {
	all, err := r.log.Sums()
	if err != nil {
		return err
	}
	for _, sum := range all {
		if sum.Patches == 0 {
			continue
		}
		told, err := r.log.Told(sum.ID)
		if err != nil {
			return err
		}
		for i := range told {
			if told[i].Type != events.PatchRecorded {
				continue
			}
			d := events.DataOf[events.PatchData](told[i])
			if d.Owner != events.OwnerAI && d.Owner != events.OwnerMixed {
				continue
			}
			out := Output{d.Patch, sum.ID, sum.Agent, SharedModel(d.Model), d.NewCount}
			for _, kept := range d.Kept {
				out.Lines -= kept.Count
			}
			out.Lines = max(out.Lines, 0)
			yield(&out)
		}
	}
	return nil
}
