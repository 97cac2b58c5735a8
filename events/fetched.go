package events

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// FetchedLog is another writer's log, or a copy of this clone's, that was fetched.
type FetchedLog struct {
	Ref    string // refs/traces/remotes/<remote>/<writer>/events, or …/digest
	Remote string
	Writer string // according to the ref's name; empty if the name has no writer, and the log is not read
	Digest bool   // the log is a publication: it has only the owners of published commits' lines
	Aside  bool   // this clone wrote the log under an id that it has given up; the log comes from no remote
	Stored bool   // the remote has it in an archive, without its own ref
	Tip    refs.OID
}

// Name returns the ref of the log, or the ref that it would have outside of an archive.
func (f FetchedLog) Name() string {
	if !f.Stored {
		return f.Ref
	}
	return fetchedRefs + strings.TrimPrefix(f.Ref, archivedRefs)
}

const (
	fetchedRefs = "refs/traces/remotes/"
	// archivedRefs is the prefix of refs unpacked from archives. The refspecs of remotes do not cover them, so a plain
	// fetch that prunes leaves them.
	archivedRefs = fetchedRefs + "@archive/"
)

// Fetched lists the logs that were fetched, sorted by ref. It does not check their content.
func (l *Log) Fetched(ctx context.Context) ([]FetchedLog, error) {
	list, err := l.repo.RefsUnder(ctx, fetchedRefs)
	if err != nil {
		return nil, fmt.Errorf("list fetched logs: %w", err)
	}
	logs := make([]FetchedLog, 0, len(list))
	for _, r := range list {
		if f, ok := parseFetched(r.Name); ok {
			f.Tip = r.OID
			logs = append(logs, f)
		}
	}
	logs = withoutReturned(logs)
	if list, err = l.repo.RefsUnder(ctx, asideRefs); err != nil {
		return nil, fmt.Errorf("list logs set aside: %w", err)
	}
	for _, r := range list {
		writer, kind, _ := strings.Cut(strings.TrimPrefix(r.Name, asideRefs), "/")
		if kind == "events" && checkWriter(writer) == nil {
			aside := l.wasAside(writer, r.OID) // otherwise a fetch brought it, and it is another clone's log
			logs = append(logs, FetchedLog{Ref: r.Name, Writer: writer, Aside: aside, Tip: r.OID})
		}
	}
	return logs, nil
}

// withoutReturned drops archived logs of clones that have their own refs again.
func withoutReturned(logs []FetchedLog) []FetchedLog {
	if !slices.ContainsFunc(logs, func(f FetchedLog) bool { return f.Stored }) {
		return logs
	}
	direct := map[string]bool{}
	for _, f := range logs {
		direct[f.Ref] = true
	}
	return slices.DeleteFunc(logs, func(f FetchedLog) bool { return f.Stored && direct[f.Name()] })
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
	if _, archive := ArchiveOf(ref); archive {
		return FetchedLog{}, false
	}
	f.Remote, f.Stored = strings.CutPrefix(f.Remote, strings.TrimPrefix(archivedRefs, fetchedRefs))
	slash := strings.LastIndexByte(f.Remote, '/')
	if slash > 0 && checkWriter(f.Remote[slash+1:]) == nil {
		f.Remote, f.Writer = f.Remote[:slash], f.Remote[slash+1:]
	}
	return f, true
}

// FetchedRef returns the local ref for a writer's ref on a remote: the parameter `kind` is "events", "digest",
// "records" or "checkpoints". Without a writer it returns the prefix of all refs of the remote.
func FetchedRef(remote, writer, kind string) string {
	if writer == "" {
		return fetchedRefs + remote + "/"
	}
	return fetchedRefs + remote + "/" + writer + "/" + kind
}

// ArchivedRef is FetchedRef for a writer's ref in an archive of a remote.
func ArchivedRef(remote, writer, kind string) string {
	return archivedRefs + strings.TrimPrefix(FetchedRef(remote, writer, kind), fetchedRefs)
}

// ArchiveOf reports whether a fetched ref is an archive, …/<writer>/archive/<kind>, and returns the kind of its refs.
func ArchiveOf(ref string) (kind string, ok bool) {
	if !strings.Contains(ref, "/archive/") {
		return "", false
	}
	parts := strings.Split(ref, "/")
	if len(parts) < 4 || parts[len(parts)-2] != "archive" || checkWriter(parts[len(parts)-3]) != nil {
		return "", false
	}
	return parts[len(parts)-1], true
}

// MayHaveFetched reports whether there may be fetched logs. It starts no process, so a repository without sharing needs
// none.
func (l *Log) MayHaveFetched() bool {
	return l.repo.MayHaveRefs(fetchedRefs) || l.repo.MayHaveRefs(asideRefs)
}
