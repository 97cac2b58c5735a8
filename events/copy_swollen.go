package events

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A small log may unpack to a very large one: a file of one letter is packed to a thousandth. Real events have hashes,
// which do not pack well, and unpack to about ten times their stored size. So another writer's log is read only if it
// unpacks to at most mostSwollen times its stored size, plus a constant.
const (
	mostSwollen   = 64
	littleSwollen = 256 << 10
)

// `swollen` returns the reasons for which logs are not read, by tip. One git process returns all sizes.
func (l *Log) swollen(ctx context.Context, logs []FetchedLog) (map[refs.OID]string, error) {
	var ask strings.Builder
	of := make([]refs.OID, 0, len(logs)) // the log of each line of the request
	for _, f := range logs {
		p, err := l.ReadPublication(f.Tip)
		if err != nil {
			continue // the caller that copies this log reports the error
		}
		for _, file := range p.Files {
			fmt.Fprintf(&ask, "%s\n", file.Blob)
			of = append(of, f.Tip)
		}
	}
	if len(of) == 0 {
		return nil, nil
	}
	raw, err := l.repo.Git(ctx, strings.NewReader(ask.String()),
		"cat-file", "--batch-check=%(objectsize) %(objectsize:disk)")
	if err != nil {
		return nil, fmt.Errorf("sizes of fetched logs: %w", err)
	}
	type sizes struct{ unpacked, packed int64 }
	sum := map[refs.OID]sizes{}
	at := 0
	for line := range strings.Lines(string(raw)) {
		if at == len(of) {
			break
		}
		unpacked, packed, _ := strings.Cut(strings.TrimSpace(line), " ")
		u, err := strconv.ParseInt(unpacked, 10, 64)
		d, err2 := strconv.ParseInt(packed, 10, 64)
		if err == nil && err2 == nil { // otherwise the object is not here
			s := sum[of[at]]
			sum[of[at]] = sizes{s.unpacked + u, s.packed + d}
		}
		at++
	}
	out := map[refs.OID]string{}
	for tip, s := range sum {
		if s.unpacked > littleSwollen+mostSwollen*s.packed {
			out[tip] = fmt.Sprintf("%d bytes unpack to %d: these are not events", s.packed, s.unpacked)
		}
	}
	return out, nil
}
