package main

import (
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/internal/cells"
)

// rowRules say which conversations of files are taken.
type rowRules struct {
	app   *app
	skip  bool // skip rows that cannot be read
	most  int  // 0 for all
	taken int
	left  int // skipped rows
}

// errEnough ends a reading that has enough.
var errEnough = errors.New("enough conversations were read")

// mostRowFaults bounds the faults of rows that are printed.
const mostRowFaults = 20

// newRowRules reads the options.
func (a *app) newRowRules(c *call) (*rowRules, error) {
	most := c.Int("limit")
	if c.IsSet("limit") && most < 1 {
		return nil, usage("option '--limit': %d is not a number of conversations", most)
	}
	return &rowRules{app: a, skip: c.Bool("skip-bad-rows"), most: most}, nil
}

// full reports whether enough was taken.
func (r *rowRules) full() bool { return r.most > 0 && r.taken >= r.most }

// take counts a conversation that was taken.
func (r *rowRules) take(err error) error {
	if err != nil {
		return err
	}
	if r.taken++; r.full() {
		return errEnough
	}
	return nil
}

// pass reports a row that is skipped.
func (r *rowRules) pass(err error) {
	if r.left++; r.left <= mostRowFaults {
		fmt.Fprintf(r.app.std.err, "git-trace: warning: left out: %s\n", cells.Safe(err.Error()))
	}
}

// done reports the number of skipped rows that were not named. It is an error if there were no others.
func (r *rowRules) done() error {
	if r.left > mostRowFaults {
		fmt.Fprintf(r.app.std.err, "git-trace: warning: left out: %s in all\n", plural(r.left, "row"))
	}
	if r.left > 0 && r.taken == 0 {
		return fail(exitUnchecked, errors.New("no row could be read"), "")
	}
	return nil
}
