package events

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// FetchedLog is another writer's log, or a copy of the own one, that was fetched.
type FetchedLog struct {
	Ref    string // refs/traces/remotes/<remote>/<writer>/events
	Remote string
	Writer string // as the ref's name says; empty where it names none, and the log is not read
	Tip    refs.OID
}

const fetchedRefs = "refs/traces/remotes/"

// Fetched lists the logs that were fetched, sorted by ref. Nothing is said of what they hold.
func (l *Log) Fetched(ctx context.Context) ([]FetchedLog, error) {
	if !l.MayHaveFetched() {
		return nil, nil
	}
	out, err := l.repo.Git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", fetchedRefs)
	if err != nil {
		return nil, fmt.Errorf("list fetched logs: %w", err)
	}
	var logs []FetchedLog
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if f, ok := parseFetched(ref); ok {
			if f.Tip, err = refs.ParseOID(id); err != nil {
				return nil, fmt.Errorf("list fetched logs: %s: %w", ref, err)
			}
			logs = append(logs, f)
		}
	}
	return logs, nil
}

// parseFetched reads the name of a fetched log's ref.
func parseFetched(ref string) (FetchedLog, bool) {
	rest, ok := strings.CutPrefix(ref, fetchedRefs)
	if !ok {
		return FetchedLog{}, false
	}
	rest, ok = strings.CutSuffix(rest, "/events")
	slash := strings.LastIndexByte(rest, '/')
	if slash < 1 || checkWriter(rest[slash+1:]) != nil {
		return FetchedLog{Ref: ref, Remote: rest}, ok
	}
	return FetchedLog{Ref: ref, Remote: rest[:slash], Writer: rest[slash+1:]}, ok
}

// MayHaveFetched looks without a process, so that a repository that shares nothing does not pay for one.
func (l *Log) MayHaveFetched() bool { return l.repo.MayHaveRefs(fetchedRefs) }
