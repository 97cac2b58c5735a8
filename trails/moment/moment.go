// Package moment lists the moments at which a timeline searches for the source of a content, or for the older name of a
// file. It also has the types for rows of the two tables with the rules.
package moment

// Moment is the moment of a search.
type Moment int

// The moments.
const (
	Look       Moment = iota // a snapshot of the work tree
	CommitLook               // the snapshot that a commit needs, if no trace shows that git was running
	GitWrote                 // a snapshot after git wrote to the work tree
	OtherTree                // a snapshot after git may have applied a stash of another work tree
	Returned                 // a snapshot, if no trace shows that git was running
	Stashed                  // changes that a stash took before a snapshot saw them
	Committed                // a commit, in its hook
	Rewritten                // a commit that git made from another commit
	LongAfter                // a commit that was made long ago
	Unlooked                 // the blame of a work tree without a snapshot
	OnTheWay                 // a content that git wrote between two snapshots
	Popped                   // git's merge of a file with a stash
	count
)

// Cell says whether a row of a table applies at a moment, and the reason.
type Cell struct {
	Asked bool
	Why   string
}

// Yes returns the cell of a row that applies at a moment.
func Yes(why string) Cell { return Cell{true, why} }

// No returns the cell of a row that does not apply at a moment.
func No(why string) Cell { return Cell{false, why} }

// Row holds the cells in which a row differs from the default row of its table. The other cells are empty. It is an
// array so that the compiler lays out the tables, and hooks spend no time on filling them when they start.
type Row [count]Cell

func (r Row) At(m Moment, defaults Row) Cell {
	if r[m].Why != "" {
		return r[m]
	}
	return defaults[m]
}
