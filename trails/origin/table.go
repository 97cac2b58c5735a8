package origin

import "github.com/git-trace/git-trace/trails/moment"

// Finder finds candidates by one kind of trace.
type Finder struct {
	name string
	find func(q *Query) ([]Candidate, error)
	at   moment.Row
}

// Reasons that several cells share.
const (
	parent   = "the parent's content is what the commit changed"
	fromHead = "what the work tree holds began with it"
)

// `otherwise` is the default row: a finder is called only if its row says so.
var otherwise = moment.Row{
	moment.GitWrote:   moment.No("another finder has it, or only a commit has it"),
	moment.OtherTree:  moment.No("only what the other work trees have is in question"),
	moment.CommitLook: moment.No("git is not known to have written"),
	moment.Stashed:    moment.No("a stash takes what is here, and a look would have found the rest"),
	moment.Committed:  moment.No("the look before has asked"),
	moment.Rewritten:  moment.No("carried has it, and the work tree has no part in it"),
	moment.LongAfter:  moment.No("what git did up to then is not known any more"),
	moment.Unlooked:   moment.No("nothing was seen here, and what git did is not known"),
	moment.OnTheWay:   moment.No("it is a commit's content already"),
	moment.Popped:     moment.No("what was there and what the stash has is all that git merges"),
	moment.Returned:   moment.No("git is not known to have written, and left has the rest"),
}

// finders is the only list of finders, in order: the nearest come first, and for equal lines the first one counts.
var finders = []Finder{
	{"latest", latest, moment.Row{
		moment.Committed: moment.Yes("the work tree as it was seen last: what is committed was cut out of it"),
		moment.LongAfter: moment.Yes("the remembered content that is most like it"),
	}},
	{"carried", carried, moment.Row{
		moment.Rewritten: moment.Yes("what the commit has whose place it took"),
	}},
	{"before", before, moment.Row{
		moment.GitWrote:   moment.Yes("what the path was seen with last"),
		moment.OtherTree:  moment.Yes("what the path was seen with last"),
		moment.CommitLook: moment.Yes("what the path was seen with last"),
		moment.Stashed:    moment.Yes("what the path was seen with last, before the stash took it"),
		moment.Committed:  moment.Yes(parent),
		moment.Rewritten:  moment.Yes(parent),
		moment.LongAfter:  moment.Yes(parent),
		moment.Popped:     moment.Yes("what git applied the stash to"),
	}},
	{"amended", amended, moment.Row{
		moment.Committed: moment.Yes("the index had what the amended commit has, of which the parent tells nothing"),
	}},
	{"autostash", autostash, moment.Row{
		moment.GitWrote:  moment.Yes("git brings it back when a rebase or a merge is done"),
		moment.Stashed:   moment.Yes("git brought it back before the stash was made"),
		moment.Committed: moment.Yes("git brought it back before the commit was made"),
	}},
	{"operands", operands, moment.Row{
		moment.GitWrote:  moment.Yes("a commit that git merged, picked, took back or applied"),
		moment.Stashed:   moment.Yes("what git wrote before the stash was made"),
		moment.Committed: moment.Yes("what git wrote before the commit was made"),
	}},
	{"elsewhere", elsewhere, moment.Row{
		moment.GitWrote:  moment.Yes("a stash that was made in another work tree"),
		moment.OtherTree: moment.Yes("a stash that was made in another work tree"),
	}},
	{"head", head, moment.Row{
		moment.GitWrote: moment.Yes("git put it there, unless somebody made the commit of what they had"),
		moment.Unlooked: moment.Yes(fromHead),
		moment.OnTheWay: moment.Yes(fromHead),
	}},
	{"stash", stash, moment.Row{
		moment.Popped: moment.Yes("what the stash has of it"),
	}},
	{"brought", brought, moment.Row{
		moment.GitWrote: moment.Yes("git restore --source REV tells nowhere what REV was: a commit of any ref that " +
			"has the very content"),
	}},
	{"repeated", repeated, moment.Row{
		moment.CommitLook: moment.Yes("git cherry-pick --no-commit leaves no trace: the commit changes what another one " +
			"changed, and no more"),
	}},
	{"marked", marked, moment.Row{
		moment.GitWrote:   moment.Yes("git left a conflict: its marker names the commit that a side is from"),
		moment.CommitLook: moment.Yes("the marker of a conflict is committed, and nothing else is left of it"),
		moment.Stashed:    moment.Yes("the stash took the conflict along"),
		moment.LongAfter:  moment.Yes("the marker stands there as ever"),
		moment.Unlooked:   moment.Yes("the marker stands there as ever"),
	}},
	{"earlier", earlier, moment.Row{
		moment.GitWrote:   moment.Yes("git may bring back anything"),
		moment.CommitLook: moment.Yes("the other commit had it"),
		moment.Stashed:    moment.Yes("git may have brought it back before"),
		moment.Committed:  moment.Yes("a line was there when it was staged"),
		moment.Rewritten:  moment.Yes("the picked commit had it from there"),
		moment.LongAfter:  moment.Yes("a line was there when it was staged"),
		moment.Unlooked:   moment.Yes("other work trees have looked at it"),
		moment.OnTheWay:   moment.Yes("git may bring back anything"),
		moment.Popped:     moment.Yes("git may bring back anything"),
	}},
	{"staged", staged, moment.Row{
		moment.Committed: moment.Yes("git reset puts an earlier content into the index"),
		moment.Unlooked:  moment.Yes("as the commit hook would"),
	}},
	{"left", left, moment.Row{
		moment.Returned: moment.Yes("an undo, a hook manager or a copy from aside brings back what the path had"),
	}},
}

// Gather lists the candidates for the new content of a query. Candidates are gathered only here.
func Gather(q *Query) ([]Candidate, error) {
	q.found = nil
	for i := range finders {
		if !finders[i].at.At(q.Moment, otherwise).Asked {
			continue
		}
		found, err := finders[i].find(q)
		if err != nil {
			return nil, err
		}
		q.found = append(q.found, found...)
	}
	return q.found, nil
}
