package rename

import "github.com/git-trace/git-trace/trails/moment"

// Set is a set of contents that lost their name. Neighbours with the same rank are compared together.
type Set struct {
	name string
	rank int
	find func(q *Query, born []*File, try func(old []*File)) error
	at   moment.Row
}

// `otherwise` is the default row: a set is searched at every look, and by a reader that predicts the next look.
var otherwise = moment.Row{
	moment.Look:       moment.Yes("the work tree is looked at"),
	moment.CommitLook: moment.Yes("the look tells it"),
	moment.Unlooked:   moment.Yes("as the next look would"),
	moment.LongAfter:  moment.Yes("as the next look would"),
	moment.Stashed:    moment.No("what a stash took is not in the work tree any more"),
	moment.Rewritten:  moment.No("git went on since the commit was made, so HEAD and the index tell of another moment"),
}

// ofStash is the row of a set that is used only for a stash.
func ofStash(why, has string) moment.Row {
	return moment.Row{
		moment.Look: moment.No(has), moment.CommitLook: moment.No(has), moment.Unlooked: moment.No(has),
		moment.LongAfter: moment.No(has), moment.Stashed: moment.Yes(why),
	}
}

// sets is the only list of sets, in order.
var sets = []Set{
	{"deleted", 1, deleted, moment.Row{
		moment.Look:      moment.Yes("a file that is gone in the same look"),
		moment.Stashed:   moment.Yes("a file that the stash deleted"),
		moment.Rewritten: moment.Yes("a file that was seen last and is gone"),
	}},
	{"untold", 2, untold, ofStash("a file that is gone and that git did not track, or that git took away before "+
		"everything was looked at: the stash tells nothing of it", "deleted has it")},
	{"index", 3, inIndex, moment.Row{
		moment.Look: moment.Yes("git mv gave the new name, and somebody wrote a new file under the old one"),
	}},
	{"moved", 3, movedInIndex, moment.Row{
		moment.Look: moment.Yes("git mv gave the new name, and somebody rewrote most of it there"),
	}},
	{"inode", 4, sameInode, moment.Row{
		moment.Look: moment.Yes("it is the very file that the old name was seen with, and git brought the old name back " +
			"with what it had"),
		moment.Rewritten: moment.Yes("the file is still there"),
	}},
	{"former", 5, former, moment.Row{
		moment.Look:      moment.Yes("a file that is gone in the same look, by a content that it had earlier"),
		moment.Rewritten: moment.Yes("a file that was seen last and is gone"),
	}},
	{"overwritten", 6, overwritten, moment.Row{
		moment.Look:      moment.Yes("git put another content under the old name"),
		moment.Rewritten: moment.Yes("the old name was seen with it last"),
	}},
	{"stashed", 6, inStash, moment.Row{
		moment.Look: moment.Yes("a new stash says that the old name was gone, and git brought it back"),
	}},
	{"returned", 6, returned, moment.Row{
		moment.Look: moment.Yes("a commit of the new name had not the old one, and git brought that back since, " +
			"as by a merge"),
	}},
	{"missing", 6, missingOf, moment.Row{
		moment.Look: moment.Yes("a commit that HEAD was at, or a stash that is gone, has it, and the work tree has not"),
	}},
	{"replaced", 7, replaced, ofStash("a checkout put another content under the old name before the stash was made",
		"overwritten has it")},
	{"along", 8, takenAlong, moment.Row{
		moment.Look: moment.Yes("git moved it into the directory that those beside it were renamed to"),
	}},
	{"onTheWay", 9, onTheWay, moment.Row{
		moment.Look: moment.Yes("a commit had under the new name what the old one was seen with, and git wrote " +
			"over it since"),
	}},
}

// Pair finds the older names of new files. It asks the sets in order, until every file has an older name.
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
			if !set.at.At(q.Moment, otherwise).Asked {
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

// `without` lists the files that have no pairing.
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
