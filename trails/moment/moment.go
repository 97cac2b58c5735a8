// Package moment lists the moments at which a timeline searches the source of a content, or the older name of a file.
// It also has the rows of the two tables that answer.
package moment

// Moment is the moment of a search.
type Moment int

// The moments.
const (
	Look       Moment = iota // a look at the work tree
	CommitLook               // the look that a commit makes necessary, with no trace that git was running
	GitWrote                 // a look, after git wrote to the work tree
	OtherTree                // a look, after git may have applied a stash of another work tree
	Returned                 // a look, with no trace that git was running
	Stashed                  // changes that a stash took before anybody saw them
	Committed                // a commit, in its hook
	Rewritten                // a commit that git made from another one
	LongAfter                // a commit that was made long ago
	Unlooked                 // the blame of a work tree that was never looked at
	OnTheWay                 // a content that git put there between two looks
	Popped                   // git's result of a file and a stash
	count
)

// Cell says whether a row of a table applies at a moment, and why.
type Cell struct {
	Asked bool
	Why   string
}

// Yes is a cell of a row that is asked.
func Yes(why string) Cell { return Cell{true, why} }

// No is the cell of a row that does not apply at a moment.
func No(why string) Cell { return Cell{false, why} }

// Row holds the cells in which a row differs from the default row of its table. The others are empty. It is an array:
// the compiler lays the tables out, and no start of a hook fills them.
type Row [count]Cell

func (r Row) At(m Moment, defaults Row) Cell {
	if r[m].Why != "" {
		return r[m]
	}
	return defaults[m]
}
