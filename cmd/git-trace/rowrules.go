package main

import (
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
)

// rowRules decide which conversations of files are read.
type rowRules struct {
	app   *app
	skip  bool // unreadable rows are skipped
	most  int  // 0: no limit
	taken int
	left  int // number of skipped rows
}

// errEnough ends a reading at the limit.
var errEnough = errors.New("enough conversations were read")

// mostRowFaults limits the printed faults of rows.
const mostRowFaults = 20

// newRowRules reads the options.
func (a *app) newRowRules(c *call) (*rowRules, error) {
	most := c.Int("limit")
	if c.IsSet("limit") && most < 1 {
		return nil, exit.Usage("option '--limit': %d is not a number of conversations", most)
	}
	return &rowRules{app: a, skip: c.Bool("skip-bad-rows"), most: most}, nil
}

// full reports whether the limit is reached.
func (r *rowRules) full() bool { return r.most > 0 && r.taken >= r.most }

// take counts a conversation, and ends the reading at the limit.
func (r *rowRules) take(err error) error {
	if err != nil {
		return err
	}
	if r.taken++; r.full() {
		return errEnough
	}
	return nil
}

// pass counts a skipped row, and prints its fault unless there were many.
func (r *rowRules) pass(err error) {
	if r.left++; r.left <= mostRowFaults {
		fmt.Fprintf(r.app.std.err, "git-trace: warning: left out: %s\n", cells.Safe(err.Error()))
	}
}

// done prints the number of skipped rows if not all faults were printed. It fails if every row was skipped.
func (r *rowRules) done() error {
	if r.left > mostRowFaults {
		fmt.Fprintf(r.app.std.err, "git-trace: warning: left out: %s in all\n", numbers.Count(r.left, "row"))
	}
	if r.left > 0 && r.taken == 0 {
		return exit.Fail(exit.Unchecked, errors.New("no row could be read"), "")
	}
	return nil
}
