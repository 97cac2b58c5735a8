package events

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// FetchedLog is another writer's log, or a copy of the own one, that was fetched.
type FetchedLog struct {
	Ref    string // refs/traces/remotes/<remote>/<writer>/events, or …/digest
	Remote string
	Writer string // as the ref's name says; empty where it names none, and the log is not read
	Digest bool   // a publication, which tells who wrote the lines of published commits, and no more
	Aside  bool   // this clone wrote it under an id that it has no more; it comes from no remote
	Tip    refs.OID
}

const fetchedRefs = "refs/traces/remotes/"

// Fetched lists the logs that were fetched, sorted by ref. Nothing is said of what they hold.
func (l *Log) Fetched(ctx context.Context) ([]FetchedLog, error) {
	list, err := l.repo.RefsUnder(ctx, fetchedRefs)
	if err != nil {
		return nil, fmt.Errorf("list fetched logs: %w", err)
	}
	var logs []FetchedLog
	for _, r := range list {
		if f, ok := parseFetched(r.Name); ok {
			f.Tip = r.OID
			logs = append(logs, f)
		}
	}
	if list, err = l.repo.RefsUnder(ctx, asideRefs); err != nil {
		return nil, fmt.Errorf("list logs set aside: %w", err)
	}
	for _, r := range list {
		writer, kind, _ := strings.Cut(strings.TrimPrefix(r.Name, asideRefs), "/")
		if kind == "events" && checkWriter(writer) == nil {
			logs = append(logs, FetchedLog{Ref: r.Name, Writer: writer, Aside: true, Tip: r.OID})
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
	kind := strings.LastIndexByte(rest, '/')
	if kind < 0 || rest[kind:] != "/events" && rest[kind:] != "/digest" {
		return FetchedLog{}, false
	}
	f := FetchedLog{Ref: ref, Remote: rest[:kind], Digest: rest[kind:] == "/digest"}
	slash := strings.LastIndexByte(f.Remote, '/')
	if slash > 0 && checkWriter(f.Remote[slash+1:]) == nil {
		f.Remote, f.Writer = f.Remote[:slash], f.Remote[slash+1:]
	}
	return f, true
}

// FetchedRef is where what a remote has of a writer is kept: kind is "events", "digest", "records" or "checkpoints".
// Without a writer it is what all refs of the remote begin with.
func FetchedRef(remote, writer, kind string) string {
	if writer == "" {
		return fetchedRefs + remote + "/"
	}
	return fetchedRefs + remote + "/" + writer + "/" + kind
}

// MayHaveFetched looks without a process, so that a repository that shares nothing does not pay for one.
func (l *Log) MayHaveFetched() bool {
	return l.repo.MayHaveRefs(fetchedRefs) || l.repo.MayHaveRefs(asideRefs)
}
