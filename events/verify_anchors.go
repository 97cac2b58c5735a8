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

// Subject is a log for which anchors are needed.
type Subject struct {
	Ref    string // ref of the log: refs.EventsRef for this clone's
	Writer string // according to its last event; empty if that cannot be read
}

// AnchorSource finds statements about a log, also invalid ones, so that they can be listed.
type AnchorSource interface {
	Anchors(ctx context.Context, log *Log, of Subject) ([]Anchor, error)
}

// FetchedCopies uses copies of this clone's log that came back from remotes as anchors.
type FetchedCopies struct{}

// Anchors returns the last event of each copy, and the last event that each digest includes.
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
		if f.Digest {
			p, err := log.ReadPublication(f.Tip)
			if err == nil && p.Head.Writer == f.Writer && p.Head.Source.Seq > 0 {
				anchors = append(anchors, Anchor{Seq: p.Head.Source.Seq, ID: p.Head.Source.Event,
					Source: "digest published on " + f.Remote})
			}
			continue
		}
		end, err := log.End(f.Ref)
		if err != nil || end.Writer != f.Writer {
			continue // a damaged copy is not evidence about the original
		}
		anchors = append(anchors, Anchor{Seq: end.Seq, ID: end.Event, Source: "copy fetched from " + f.Remote})
	}
	return anchors, nil
}

// WritersOf returns the writers whose copies are evidence about a log: the writer that the log names, and for this
// clone's log also the clone's former writer. So a log rebuilt under another id is compared with the copies of the true
// log.
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

// commitSet holds the commits that replacement refs, grafts or a shallow boundary name, and counts those in the log.
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

// findUnsound reads the files and refs that could make git show other commits.
func (v *verifier) findUnsound(ctx context.Context) error {
	out, err := v.log.repo.Git(ctx, nil, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/replace/")
	if err != nil {
		return err
	}
	v.unsound.add("refs/replace", strings.Split(string(out), "\n")...)
	for why, file := range map[string]string{"info/grafts": "info/grafts", "shallow": "shallow"} {
		text, err := os.ReadFile(filepath.Join(v.log.repo.CommonDir, filepath.FromSlash(file)))
		if err != nil {
			continue // usually missing; git would use it, this verification does not
		}
		for line := range strings.Lines(string(text)) {
			commit, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			v.unsound.add(why, commit)
		}
	}
	return nil
}
