package backward

import (
	"slices"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/upkeep/restore/weave"
)

// Owners finds the lines that are known to belong to the work.
type Owners struct {
	Work Work
	Repo *refs.Repo
	// Lines blames the present content of a path.
	Lines func(path string) ([]blame.Annotated, error)
	// `Before` returns the tree before a call; zero without a snapshot.
	Before func(call string) refs.OID
}

// `then` returns a function with the owner of each line, for a former content of a path.
func (o *Owners) then(path string, content []byte) func(int) weave.Whose {
	lines := trails.Remembered(o.Repo, path, content)
	return func(i int) weave.Whose {
		if i >= lines.Vector.Len() {
			return weave.NotKnown
		}
		owner := lines.Describe(lines.Vector.At(i))
		if len(owner.Candidates) > 0 {
			return weave.NotKnown
		}
		return o.whose(&owner)
	}
}

// `now` returns a function with the owner of each line, for the present content of a path.
func (o *Owners) now(path string) (func(int) weave.Whose, error) {
	lines, err := o.Lines(path)
	if err != nil {
		return nil, err
	}
	return func(i int) weave.Whose {
		if i >= len(lines) || lines[i].Owner == nil || len(lines[i].Owner.Candidates)+len(lines[i].Owner.Disputed) > 0 {
			return weave.NotKnown
		}
		owner := lines[i].Owner.AnchorOwner()
		whose, commit := o.whose(&owner), lines[i].Commit
		if whose == weave.Mine && lines[i].Owner.Writer != "" && lines[i].Owner.Signer == "" {
			return weave.NotKnown // only another clone, without a signature, says so
		}
		if whose == weave.Mine && !o.Work.Commit.IsZero() && (commit == nil || commit.ID != o.Work.Commit) {
			return weave.Anothers
		}
		return whose
	}, nil
}

func (o *Owners) whose(owner *events.AnchorOwner) weave.Whose {
	switch {
	case owner.Kind == events.OwnerHuman:
		return weave.Anothers
	case owner.Kind != events.OwnerAI:
		return weave.NotKnown
	case o.Work.Owns(owner):
		return weave.Mine
	}
	return weave.Anothers
}

// Owns reports whether lines with this owner belong to the work.
func (w *Work) Owns(owner *events.AnchorOwner) bool {
	return owner.Kind == events.OwnerAI && (w.Trace == "" || owner.Trace == w.Trace) &&
		(w.Prompt == 0 || owner.Prompt == w.Prompt) && (len(w.Calls) == 0 || slices.Contains(w.Calls, owner.ToolCall)) &&
		(w.Patch == "" || owner.Patch == w.Patch)
}

func (o *Owners) before(call string) refs.OID {
	if call == "" || o.Before == nil {
		return refs.OID{}
	}
	return o.Before(call)
}
