package exchange

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
)

// Rules decide which conversations of files are read.
type Rules struct {
	Err   io.Writer // for hints and warnings
	Skip  bool      // unreadable rows are skipped
	Most  int       // 0: no limit
	Taken int
	Left  int // number of skipped rows
}

// errEnough ends a reading at the limit.
var errEnough = errors.New("enough conversations were read")

// mostRowFaults limits the printed faults of rows.
const mostRowFaults = 20

// `full` reports whether the limit is reached.
func (r *Rules) full() bool { return r.Most > 0 && r.Taken >= r.Most }

// `take` counts a conversation, and ends the reading at the limit.
func (r *Rules) take(err error) error {
	if err != nil {
		return err
	}
	if r.Taken++; r.full() {
		return errEnough
	}
	return nil
}

// Pass counts a skipped row, and prints its fault unless there were many.
func (r *Rules) Pass(err error) {
	if r.Left++; r.Left <= mostRowFaults {
		fmt.Fprintf(r.Err, "git-trace: warning: left out: %s\n", cells.Safe(err.Error()))
	}
}

// Done prints the number of skipped rows if not all faults were printed. It fails if every row was skipped.
func (r *Rules) Done() error {
	if r.Left > mostRowFaults {
		fmt.Fprintf(r.Err, "git-trace: warning: left out: %s in all\n", numbers.Count(r.Left, "row"))
	}
	if r.Left > 0 && r.Taken == 0 {
		return exit.Fail(exit.Unchecked, errors.New("no row could be read"), "")
	}
	return nil
}
