package events

import (
	"errors"
	"time"
)

// newline ends an event's line.
var newline = []byte{'\n'}

// maxBatch is the size of a batch, the events of one append, beyond which it is neither written nor read.
const maxBatch = 32 << 20

// An event takes more bytes than shortestLine. A file of more lines than its bytes can hold events would cost many
// times its size to take apart; with someLines at most it is, so that each damaged line can be named.
const (
	shortestLine = 64
	someLines    = 10_000
)

// Who a seal names as its author and committer: the program, so that its id depends on the log alone.
const (
	sealerName  = "git-trace"
	sealerEmail = "git-trace@localhost"
)

// ErrNotLog reports a commit that is not a seal of a log.
var ErrNotLog = errors.New("not a seal of an event log")

// undated is the date of a seal.
var undated = time.Unix(0, 0)

// errStopped ends a reading whose consumer has had enough of it.
var errStopped = errors.New("stopped")

// errForked reports that a log does not go on from where the reading was to begin.
var errForked = errors.New("log does not go back to the given event")
