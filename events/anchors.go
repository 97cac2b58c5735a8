package events

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Anchor is a statement from outside a log that its event Seq has the id ID. If the log agrees, nothing up to that
// event was changed since the statement was made.
type Anchor struct {
	Seq    int64  `json:"seq,omitempty"` // 0 for a void one that does not even say
	ID     ID     `json:"id,omitempty"`
	Source string `json:"source"`         // in words: "copy fetched from origin", "checkpoint signed by …"
	Void   string `json:"void,omitempty"` // why it counts for nothing: "the signature is bad"; empty for one that counts
}

// Subject is the log that anchors are wanted of.
type Subject struct {
	Ref    string // where it is: refs.EventsRef for the own one
	Writer string // as its last event says; empty if that cannot be read
}

// AnchorSource finds statements about a log, those that count for nothing included, so that they can be named.
type AnchorSource interface {
	Anchors(ctx context.Context, log *Log, of Subject) ([]Anchor, error)
}

// FetchedCopies takes copies of the own log that came back from remotes as anchors.
type FetchedCopies struct{}

// Anchors gives the last event of each copy.
func (FetchedCopies) Anchors(ctx context.Context, log *Log, of Subject) ([]Anchor, error) {
	writers := log.WritersOf(of)
	if len(writers) == 0 {
		return nil, nil
	}
	logs, err := log.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	var anchors []Anchor
	for _, f := range logs {
		if f.Ref == of.Ref || !slices.Contains(writers, f.Writer) {
			continue
		}
		tip, err := log.Tip(f.Ref)
		if err != nil {
			continue // a damaged copy says nothing of the original
		}
		end, err := log.decodeTip(tip)
		if err != nil || end.writer != f.Writer {
			continue
		}
		anchors = append(anchors, Anchor{Seq: end.seq, ID: end.id, Source: "copy fetched from " + f.Remote})
	}
	return anchors, nil
}

// WritersOf are the writers whose copies speak for a log. One is the writer that it names. For the own log the writer
// that this clone was before counts too: a log rebuilt under another name is held against the copies of the true one.
func (l *Log) WritersOf(of Subject) []string {
	var writers []string
	if of.Writer != "" {
		writers = append(writers, of.Writer)
	}
	if of.Ref != refs.EventsRef {
		return writers
	}
	if own, err := l.Writer(); err == nil && own != "" && own != of.Writer {
		writers = append(writers, own)
	}
	return writers
}

// FetchedLog is another writer's log, or a copy of the own one, that was fetched.
type FetchedLog struct {
	Ref    string // refs/traces/remotes/<remote>/<writer>/events
	Remote string
	Writer string // as the ref's name says; empty where it names none, and the log is not read
}

const fetchedRefs = "refs/traces/remotes/"

// Fetched lists the logs that were fetched, sorted by ref. Nothing is said of what they hold.
func (l *Log) Fetched(ctx context.Context) ([]FetchedLog, error) {
	if !l.MayHaveFetched() {
		return nil, nil
	}
	out, err := l.repo.Git(ctx, nil, "for-each-ref", "--format=%(refname)", fetchedRefs)
	if err != nil {
		return nil, fmt.Errorf("list fetched logs: %w", err)
	}
	var logs []FetchedLog
	for ref := range strings.Lines(string(out)) {
		if f, ok := parseFetched(strings.TrimSuffix(ref, "\n")); ok {
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

// Misnamed is a fetched log whose ref does not name the writer of its events, so that it is not read.
type Misnamed struct {
	FetchedLog
	True string // the ref that would name its writer
}

// Misnamed lists the fetched logs whose refs do not name their writers. It reads their last events and no others.
func (l *Log) Misnamed(ctx context.Context) ([]Misnamed, error) {
	logs, err := l.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	var out []Misnamed
	for _, f := range logs {
		at, err := l.Tip(f.Ref)
		if err != nil {
			continue // what cannot be read is told by those who read it
		}
		if end, err := l.decodeTip(at); err == nil && end.writer != f.Writer {
			out = append(out, Misnamed{f, fetchedRefs + f.Remote + "/" + end.writer + "/events"})
		}
	}
	return out, nil
}

// MayHaveFetched looks without a process, so that a repository that shares nothing does not pay for one.
func (l *Log) MayHaveFetched() bool { return l.repo.MayHaveRefs(fetchedRefs) }

// commitSet are commits that replacement refs, grafts or a shallow boundary speak of, and how many of them the log has.
type commitSet struct {
	why map[refs.OID]string
	met map[string]int
}

func (s *commitSet) add(why string, names ...string) {
	for _, name := range names {
		if oid, err := refs.ParseOID(strings.TrimSpace(name)); err == nil {
			if s.why == nil {
				s.why, s.met = map[refs.OID]string{}, map[string]int{}
			}
			s.why[oid] = why
		}
	}
}

func (s *commitSet) meet(commit refs.OID) {
	if why, ok := s.why[commit]; ok {
		s.met[why]++
	}
}

func (s *commitSet) notes() []string {
	var notes []string
	for why, n := range s.met {
		notes = append(notes, fmt.Sprintf("%s: commits of the log that are named and ignored: %d", why, n))
	}
	return notes
}

// findUnsound reads what could make git show other commits than there are.
func (v *verifier) findUnsound(ctx context.Context) error {
	out, err := v.log.repo.Git(ctx, nil, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/replace/")
	if err != nil {
		return err
	}
	v.unsound.add("refs/replace", strings.Split(string(out), "\n")...)
	for why, file := range map[string]string{"info/grafts": "info/grafts", "shallow": "shallow"} {
		text, err := os.ReadFile(filepath.Join(v.log.repo.CommonDir, filepath.FromSlash(file)))
		if err != nil {
			continue // there is none, as a rule; and it is not followed anyhow
		}
		for line := range strings.Lines(string(text)) {
			commit, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			v.unsound.add(why, commit)
		}
	}
	return nil
}
