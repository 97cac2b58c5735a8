package origin

// Moment is the moment of a question for the source of a content.
type Moment int

// The moments.
const (
	GitWrote  Moment = iota // a look, after git wrote to the work tree
	OtherTree               // a look, after git may have applied a stash of another work tree
	Again                   // the look of a commit, with no trace that git was at work
	Stashed                 // what a stash took before anybody saw it
	Committed               // a commit, when its hook is heard
	Rewritten               // a commit that git made of another one
	LongAfter               // a commit that is long made
	Unlooked                // the blame of a work tree that nobody has looked at
	OnTheWay                // a content that git put there between two looks
	Popped                  // what git makes of a file with a stash
	Returned                // a look, with no trace that git was at work
	moments
)

// cell reports whether a finder is asked at a moment, and why.
type cell struct {
	asked bool
	why   string
}

func yes(why string) cell { return cell{true, why} }
func no(why string) cell  { return cell{false, why} }

// Finder finds candidates by one kind of trace.
type Finder struct {
	name string
	find func(q *Query) ([]Candidate, error)
	at   [moments]cell
}

// Reasons that several cells have.
const (
	noGit     = "git is not known to have written"
	pastWork  = "what git did up to then is not known any more"
	ofLook    = "only a look finds it"
	ofCommit  = "only commits have it"
	parent    = "the parent's content is what the commit changed"
	tooEarly  = "it is asked for what a commit has only"
	otherOnly = "only what the other work trees have is in question"
	twoSides  = "what was there and what the stash has is all that git merges"
	fromHead  = "what the work tree holds began with it"
	anyLook   = "earlier has it"
)

// finders is the one ordered list: the nearest come first, and of equal lines the first one counts.
var finders = []Finder{
	{"latest", latest, [moments]cell{
		GitWrote: no(ofCommit), OtherTree: no(ofCommit), Again: no(ofCommit), Stashed: no(ofCommit),
		Committed: yes("the work tree as it was seen last: what is committed was cut out of it"),
		Rewritten: no("the work tree has no part in it"),
		LongAfter: yes("the remembered content that is most like it"),
		Unlooked:  no("nothing was seen here"), OnTheWay: no(ofCommit), Popped: no(ofCommit),
		Returned: no(ofCommit),
	}},
	{"carried", carried, [moments]cell{
		GitWrote: no(ofCommit), OtherTree: no(ofCommit), Again: no(ofCommit), Stashed: no(ofCommit),
		Committed: no("it took no commit's place"), Rewritten: yes("what the commit has whose place it took"),
		LongAfter: no("which commit that was is not known any more"), Unlooked: no(ofCommit), OnTheWay: no(ofCommit),
		Popped:   no(ofCommit),
		Returned: no(noGit),
	}},
	{"before", before, [moments]cell{
		GitWrote:  yes("what the path was seen with last"),
		OtherTree: yes("what the path was seen with last"),
		Again:     yes("what the path was seen with last"),
		Stashed:   yes("what the path was seen with last, before the stash took it"),
		Committed: yes(parent), Rewritten: yes(parent), LongAfter: yes(parent),
		Unlooked: no("nothing was seen here"), OnTheWay: no("it may be what git had taken away before"),
		Popped:   yes("what git applied the stash to"),
		Returned: no("what comes back is not of it"),
	}},
	{"amended", amended, [moments]cell{
		GitWrote: no(tooEarly), OtherTree: no(tooEarly), Again: no(tooEarly), Stashed: no(tooEarly),
		Committed: yes("the index had what the amended commit has, of which the parent tells nothing"),
		Rewritten: no("carried has it"), LongAfter: no(pastWork), Unlooked: no(tooEarly), OnTheWay: no(tooEarly),
		Popped:   no(twoSides),
		Returned: no(ofCommit),
	}},
	{"autostash", autostash, [moments]cell{
		GitWrote: yes("git brings it back when a rebase or a merge is done"), OtherTree: no(otherOnly), Again: no(noGit),
		Stashed:   yes("git brought it back before the stash was made"),
		Committed: yes("git brought it back before the commit was made"),
		Rewritten: no("it is brought back when the rebase is done"), LongAfter: no(pastWork), Unlooked: no(pastWork),
		OnTheWay: no("the path's own contents tell it"), Popped: no(twoSides),
		Returned: no(noGit),
	}},
	{"operands", operands, [moments]cell{
		GitWrote: yes("a commit that git merged, picked, took back or applied"), OtherTree: no(otherOnly), Again: no(noGit),
		Stashed:   yes("what git wrote before the stash was made"),
		Committed: yes("what git wrote before the commit was made"),
		Rewritten: no("carried has the one that was picked"), LongAfter: no(pastWork), Unlooked: no(pastWork),
		OnTheWay: no("the path's own contents tell it"), Popped: no(twoSides),
		Returned: no(noGit),
	}},
	{"elsewhere", elsewhere, [moments]cell{
		GitWrote:  yes("a stash that was made in another work tree"),
		OtherTree: yes("a stash that was made in another work tree"),
		Again:     no("other trees have been asked"), Stashed: no("a stash takes what is here"),
		Committed: no("the look before has asked"), Rewritten: no("the work tree has no part in it"), LongAfter: no(pastWork),
		Unlooked: no("nobody looked, so no stash is missed"), OnTheWay: no(ofLook), Popped: no(twoSides),
		Returned: no(noGit),
	}},
	{"head", head, [moments]cell{
		GitWrote: yes("git put it there, unless somebody made the commit of what they had"), OtherTree: no(otherOnly),
		Again: no(noGit), Stashed: no("what was seen last is nearer, and a stash may have been made of another commit"),
		Committed: no("before has it"), Rewritten: no("before has it"), LongAfter: no("before has it"),
		Unlooked: yes(fromHead), OnTheWay: yes(fromHead), Popped: no(twoSides),
		Returned: no(noGit),
	}},
	{"stash", stash, [moments]cell{
		GitWrote: no("operands has it"), OtherTree: no("elsewhere has it"), Again: no(noGit), Stashed: no("operands has it"),
		Committed: no("operands has it"), Rewritten: no("the work tree has no part in it"), LongAfter: no(pastWork),
		Unlooked: no(pastWork), OnTheWay: no("popped asks"), Popped: yes("what the stash has of it"),
		Returned: no(noGit),
	}},
	{"brought", brought, [moments]cell{
		GitWrote:  yes("git restore --source REV tells nowhere what REV was: a commit of any ref that has the very content"),
		OtherTree: no(otherOnly), Again: no(noGit), Stashed: no("a look would have found it first"),
		Committed: no("a whole content is found by the look"), Rewritten: no("carried has it"),
		LongAfter: no("what a commit has need not have been taken from another"), Unlooked: no(pastWork),
		OnTheWay: no("it is a commit's content already"), Popped: no(twoSides),
		Returned: no(noGit),
	}},
	{"repeated", repeated, [moments]cell{
		GitWrote: no("operands has it"), OtherTree: no(otherOnly),
		Again:   yes("git cherry-pick --no-commit leaves no trace: the commit changes what another one changed, and no more"),
		Stashed: no("no commit is asked about"), Committed: no("the look before has asked"), Rewritten: no("carried has it"),
		LongAfter: no(pastWork), Unlooked: no("no commit is asked about"), OnTheWay: no("no commit is asked about"),
		Popped:   no(twoSides),
		Returned: no("the look of a commit asks"),
	}},
	{"marked", marked, [moments]cell{
		GitWrote:  yes("git left a conflict: its marker names the commit that a side is from"),
		OtherTree: no(otherOnly), Again: yes("the marker of a conflict is committed, and nothing else is left of it"),
		Stashed: yes("the stash took the conflict along"), Committed: no("the look before has asked"),
		Rewritten: no("carried has it"), LongAfter: yes("the marker stands there as ever"),
		Unlooked: yes("the marker stands there as ever"), OnTheWay: no("it is a commit's content already"),
		Popped:   no(twoSides),
		Returned: no("git left no conflict"),
	}},
	{"earlier", earlier, [moments]cell{
		GitWrote: yes("git may bring back anything"), OtherTree: no(otherOnly), Again: yes("the other commit had it"),
		Stashed: yes("git may have brought it back before"), Committed: yes("a line was there when it was staged"),
		Rewritten: yes("the picked commit had it from there"), LongAfter: yes("a line was there when it was staged"),
		Unlooked: yes("other work trees have looked at it"), OnTheWay: yes("git may bring back anything"),
		Popped:   yes("git may bring back anything"),
		Returned: no("what nothing left is there, or never was"),
	}},
	{"staged", staged, [moments]cell{
		GitWrote: no("the index is no source of the work tree"), OtherTree: no(otherOnly), Again: no(noGit),
		Stashed:   no("what a stash has was in the work tree"),
		Committed: yes("git reset puts an earlier content into the index"),
		Rewritten: no("the index had what git put together"), LongAfter: no("too little speaks for it so late"),
		Unlooked: yes("as the commit hook would"), OnTheWay: no("it is a commit's content already"), Popped: no(twoSides),
		Returned: no(ofCommit),
	}},
	{"left", left, [moments]cell{
		GitWrote: no(anyLook), OtherTree: no(otherOnly), Again: no(anyLook), Stashed: no(anyLook), Committed: no(anyLook),
		Rewritten: no(anyLook), LongAfter: no(anyLook), Unlooked: no(anyLook), OnTheWay: no(anyLook), Popped: no(anyLook),
		Returned: yes("an undo, a hook manager or a copy from aside brings back what the path had"),
	}},
}

// Gather lists the candidates for the new content of a query. It is the one place where that is done.
func Gather(q *Query) ([]Candidate, error) {
	q.found = nil
	for i := range finders {
		if !finders[i].at[q.Moment].asked {
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
