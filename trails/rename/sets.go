package rename

// Moment is the moment of a question for an older name.
type Moment int

// The moments.
const (
	Boundary  Moment = iota // a look at the work tree
	Stash                   // a stash that took what nobody had seen
	Commit                  // the look that a commit makes necessary
	Rewrite                 // a commit that git made anew of an unreported one
	BlameNow                // somebody asks for the blame of a file that no look has seen
	LongAfter               // the same, of a commit that no hook reported
	moments
)

// cell reports whether a set is asked at a moment, and why.
type cell struct {
	asked bool
	why   string
}

func yes(why string) cell { return cell{true, why} }
func no(why string) cell  { return cell{false, why} }

// Set is a set of contents that lost their name. Those that stand beside each other with the same rank are compared
// together.
type Set struct {
	name string
	rank int
	find func(q *Query, born []*File, try func(old []*File)) error
	at   [moments]cell
}

// Reasons that several cells have.
const (
	looked    = "the look tells it"
	asBefore  = "as the next boundary would"
	stashGone = "what a stash took is not in the work tree any more"
	movedOn   = "git went on since the commit was made: what HEAD has now tells of another moment"
)

// sets is the one ordered list.
var sets = []Set{
	{"deleted", 1, deleted, [moments]cell{
		Boundary: yes("a file that is gone in the same look"), Stash: yes("a file that the stash deleted"),
		Commit:  yes(looked),
		Rewrite: yes("a file that was seen last and is gone"), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"untold", 2, untold, [moments]cell{
		Boundary: no("deleted has it"),
		Stash:    yes("a file that is gone and that git did not track: the stash tells nothing of it"),
		Commit:   no("deleted has it"), Rewrite: no("deleted has it"), BlameNow: no("deleted has it"),
		LongAfter: no("deleted has it"),
	}},
	{"vanished", 2, vanished, [moments]cell{
		Boundary: no("deleted has it"),
		Stash:    yes("a file that the stash deleted, and that git took away before everything was looked at"),
		Commit:   no("deleted has it"), Rewrite: no("deleted has it"), BlameNow: no("deleted has it"),
		LongAfter: no("deleted has it"),
	}},
	{"index", 3, inIndex, [moments]cell{
		Boundary: yes("git mv gave the new name, and somebody wrote a new file under the old one"), Stash: no(stashGone),
		Commit:  yes(looked),
		Rewrite: no("it was committed: the index has no older name"), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"moved", 3, movedInIndex, [moments]cell{
		Boundary: yes("git mv gave the new name, and somebody rewrote most of it there"), Stash: no(stashGone),
		Commit:  yes(looked),
		Rewrite: no("it was committed: the index has no older name"), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"inode", 4, sameInode, [moments]cell{
		Boundary: yes("it is the very file that the old name was seen with, and git brought the old name back with what " +
			"it had"),
		Stash: no(stashGone), Commit: yes(looked), Rewrite: yes("the file is still there"), BlameNow: yes(asBefore),
		LongAfter: yes(asBefore),
	}},
	{"former", 5, former, [moments]cell{
		Boundary: yes("a file that is gone in the same look, by a content that it had earlier"), Stash: no(stashGone),
		Commit:  yes(looked),
		Rewrite: yes("a file that was seen last and is gone"), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"overwritten", 6, overwritten, [moments]cell{
		Boundary: yes("git put another content under the old name"), Stash: no("replaced has it"), Commit: yes(looked),
		Rewrite: yes("the old name was seen with it last"), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"stashed", 6, inStash, [moments]cell{
		Boundary: yes("a new stash says that the old name was gone, and git brought it back"),
		Stash:    no("it is the stash that is asked"), Commit: yes(looked),
		Rewrite: no(movedOn), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"returned", 6, returned, [moments]cell{
		Boundary: yes("a commit of the new name had not the old one, and git brought that back since, as by a merge"),
		Stash:    no(stashGone),
		Commit:   yes(looked), Rewrite: no(movedOn), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"missing", 6, missingOf, [moments]cell{
		Boundary: yes("a commit that HEAD was at has it, and the work tree has not"),
		Stash:    no("the work tree lacks what the stash took"),
		Commit:   yes(looked), Rewrite: no(movedOn), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
	{"replaced", 7, replaced, [moments]cell{
		Boundary: no("overwritten has it"),
		Stash:    yes("a checkout put another content under the old name before the stash was made"),
		Commit:   no("overwritten has it"), Rewrite: no("overwritten has it"), BlameNow: no("overwritten has it"),
		LongAfter: no("overwritten has it"),
	}},
	{"along", 8, takenAlong, [moments]cell{
		Boundary: yes("git moved it into the directory that those beside it were renamed to"),
		Stash:    no("git stashes nothing while it merges"),
		Commit:   yes(looked), Rewrite: no("the commit that was picked has it under its name there"), BlameNow: yes(asBefore),
		LongAfter: yes(asBefore),
	}},
	{"onTheWay", 9, onTheWay, [moments]cell{
		Boundary: yes("a commit had under the new name what the old one was seen with, and git wrote over it since"),
		Stash:    no("the stash has what was there when it was made"),
		Commit:   yes(looked), Rewrite: no(movedOn), BlameNow: yes(asBefore), LongAfter: yes(asBefore),
	}},
}

// Pair finds the older names of new files. It asks the sets in order, as long as there are files without one.
func Pair(q *Query, born []*File) ([]Pairing, error) {
	var out []Pairing
	left := born
	try := func(name string, old []*File) {
		found := match(name, old, left)
		out = append(out, found...)
		left = without(left, found)
	}
	q.begin(born)
	for i := 0; i < len(sets) && len(left) > 0; {
		rank := sets[i].rank
		var together []*File
		names := ""
		for ; i < len(sets) && sets[i].rank == rank; i++ {
			set := &sets[i]
			if !set.at[q.Moment].asked {
				continue
			}
			alone := (i == 0 || sets[i-1].rank != rank) && (i+1 == len(sets) || sets[i+1].rank != rank)
			err := set.find(q, left, func(old []*File) {
				if alone {
					try(set.name, old)
					return
				}
				together, names = append(together, old...), set.name
			})
			if err != nil {
				return nil, err
			}
		}
		try(names, together)
	}
	return out, nil
}

// without lists the files that have no pairing.
func without(born []*File, found []Pairing) []*File {
	paired := map[*File]bool{}
	for _, p := range found {
		paired[p.New] = true
	}
	var out []*File
	for _, b := range born {
		if !paired[b] {
			out = append(out, b)
		}
	}
	return out
}
