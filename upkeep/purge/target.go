package purge

import (
	"context"
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
)

// Target describes the data to purge.
type Target struct {
	Traces map[events.TraceID]bool
	Texts  *purged.Set // texts, regular expressions and paths
}

// `None` reports whether there is nothing to purge.
func (t *Target) None() bool {
	return len(t.Traces) == 0 && t.Texts.Empty()
}

// kind returns the log's word for the target.
func (t *Target) kind() string {
	switch {
	case t.Texts.HasTexts():
		return "text"
	case len(t.Texts.Paths()) > 0:
		return "path"
	}
	return "trace"
}

// `holds` reports whether a text contains purged text, directly or as a JSON string.
func (t *Target) holds(text string) bool { return t.Texts.Holds(text) }

// HoldsFile reports whether a file of any size contains one of the texts.
func (t *Target) HoldsFile(name string) (bool, error) {
	return t.holdsStream(func(to io.Writer) error { return copyFile(name, to) })
}

// holdsStream reports for a stream what `holds` reports for a text.
func (t *Target) holdsStream(give func(io.Writer) error) (bool, error) {
	return t.Texts.HoldsStream(give)
}

// judge decides about a version of a record. An unreadable version that contains purged text is removed.
func (t *Target) judge(ctx context.Context, redactor *redact.Redactor) store.Judge {
	return func(v store.Version) (store.Verdict, error) {
		if t.Traces[v.Trace] {
			return store.Verdict{Remove: true}, nil
		}
		if v.Record == nil {
			remove, err := t.inFile(v)
			return store.Verdict{Remove: remove}, err
		}
		if t.Texts.Empty() {
			return store.Verdict{}, nil
		}
		record := v.Record
		before := record.Security.RedactionsApplied
		record.GenerationIndex = max(record.GenerationIndex, 0)
		clean, err := redactor.Record(ctx, record)
		if err != nil {
			return store.Verdict{}, err
		}
		if clean.Head().Security.RedactionsApplied == before {
			return store.Verdict{}, clean.Close()
		}
		var out strings.Builder
		if err := clean.Write(&out); err != nil {
			return store.Verdict{}, err
		}
		if t.holds(out.String()) || clean.Trace() != v.Trace { // the text is in a place where it cannot be replaced
			return store.Verdict{Remove: true}, clean.Close()
		}
		return store.Verdict{Record: clean}, nil
	}
}

// inFile searches an undecoded file.
func (t *Target) inFile(v store.Version) (bool, error) {
	if v.Raw != nil {
		return t.holds(string(v.Raw)) || t.mentions(string(v.Raw)), nil
	}
	found, err := t.holdsStream(v.Copy)
	for _, path := range t.Texts.Paths() {
		if found || err != nil {
			break
		}
		found, err = purged.Windows(len(path)+1, func(text string) bool { return purged.NamesPath(text, path) }, v.Copy)
	}
	return found, err
}

// `mentions` reports whether a text names one of the paths.
func (t *Target) mentions(text string) bool { return t.Texts.Names(text) }
