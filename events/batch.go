package events

import (
	"errors"
	"time"
)

// newline ends an event's line.
var newline = []byte{'\n'}

// maxBatch is the largest size of a batch, the events of one append.
const maxBatch = 32 << 20

// An event has more bytes than shortestLine. A file with more lines than events can fit would need much memory. It is
// read only up to someLines, so that each damaged line can be named.
const (
	shortestLine = 64
	someLines    = 10_000
)

// The author and committer of a seal is the program, so that its id depends on the log alone.
const (
	sealerName  = "git-trace"
	sealerEmail = "git-trace@localhost"
)

// ErrNotLog reports a commit that is not a seal of a log.
var ErrNotLog = errors.New("not a seal of an event log")

// undated is the date of a seal.
var undated = time.Unix(0, 0)

// errStopped ends a read at the consumer's request.
var errStopped = errors.New("stopped")

// errForked reports that a log does not continue after the event at which the read should begin.
var errForked = errors.New("log does not go back to the given event")
