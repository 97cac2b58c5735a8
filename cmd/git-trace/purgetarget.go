package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
)

// purgeTarget is what is to be purged.
type purgeTarget struct {
	traces map[events.TraceID]bool
	texts  *purged.Set // texts and expressions
	paths  []string
}

func (t *purgeTarget) none() bool {
	return len(t.traces)+len(t.paths) == 0 && t.texts.Empty()
}

// kind is the word that the log has for it.
func (t *purgeTarget) kind() string {
	switch {
	case !t.texts.Empty():
		return "text"
	case len(t.paths) > 0:
		return "path"
	}
	return "trace"
}

// holds tells whether a text that is taken as it stands holds what is to be purged, or holds it as a JSON string would.
func (t *purgeTarget) holds(text string) bool { return t.texts.Holds(text) }

// holdsStream is holds for what is not read into memory.
func (t *purgeTarget) holdsStream(give func(io.Writer) error) (bool, error) {
	return t.texts.HoldsStream(give)
}

// judge decides over a version of a record. What cannot be read, and holds what must go, goes as a whole.
func (t *purgeTarget) judge(ctx context.Context, redactor *redact.Redactor) store.Judge {
	return func(v store.Version) (store.Verdict, error) {
		if t.traces[v.Trace] {
			return store.Verdict{Remove: true}, nil
		}
		if v.Record == nil {
			remove, err := t.inFile(v)
			return store.Verdict{Remove: remove}, err
		}
		record := v.Record
		touched := t.cutPaths(record)
		if t.texts.Empty() && !touched {
			return store.Verdict{}, nil
		}
		before := record.Security.RedactionsApplied
		record.GenerationIndex = max(record.GenerationIndex, 0)
		clean, err := redactor.Record(ctx, record)
		if err != nil {
			return store.Verdict{}, err
		}
		if !touched && clean.Head().Security.RedactionsApplied == before {
			return store.Verdict{}, clean.Close()
		}
		var out strings.Builder
		if err := clean.Write(&out); err != nil {
			return store.Verdict{}, err
		}
		if t.holds(out.String()) || clean.Trace() != v.Trace { // it stands where nothing may be replaced
			return store.Verdict{Remove: true}, clean.Close()
		}
		return store.Verdict{Record: clean}, nil
	}
}

// inFile searches a file that is not taken apart.
func (t *purgeTarget) inFile(v store.Version) (bool, error) {
	if v.Raw != nil {
		return t.holds(string(v.Raw)) || t.mentions(string(v.Raw)), nil
	}
	found, err := t.holdsStream(v.Copy)
	for _, path := range t.paths {
		if found || err != nil {
			break
		}
		found, err = purged.Windows(len(path)+1, func(text string) bool { return namesPath(text, path) }, v.Copy)
	}
	return found, err
}

// mentions tells whether a text names one of the paths.
func (t *purgeTarget) mentions(text string) bool {
	for _, path := range t.paths {
		if namesPath(text, path) {
			return true
		}
	}
	return false
}

// namesPath tells whether a path stands in a text as a whole: alone, or at the end of a longer path.
func namesPath(text, path string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(path)
		if (start == 0 || !pathByte(text[start-1]) || text[start-1] == '/') && (end == len(text) || !pathByte(text[end])) {
			return true
		}
		from = end
	}
}

func pathByte(c byte) bool {
	return c == '/' || c == '-' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// purgedMarker stands where something was taken out.
const purgedMarker = "[PURGED]"

// cutPaths takes what calls did with the paths out of a record: their inputs and results, the pieces of code, the lines
// that were attributed. It tells whether there was anything.
func (t *purgeTarget) cutPaths(r *records.Record) bool {
	if len(t.paths) == 0 {
		return false
	}
	touched := false
	for i := range r.Steps {
		s := &r.Steps[i]
		cut := map[string]bool{}
		for k := range s.ToolCalls {
			if call := &s.ToolCalls[k]; t.mentions(unescaped(call.Input)) {
				call.Input = json.RawMessage(`{"purged":true}`)
				cut[call.ToolCallID], touched = true, true
			}
		}
		for k := range s.Observations {
			o := &s.Observations[k]
			if cut[o.SourceCallID] || o.Content != nil && t.mentions(*o.Content) {
				text := purgedMarker
				o.Content, o.OutputSummary, touched = &text, &text, true
			}
		}
		kept := s.Snippets[:0:0]
		for _, snippet := range s.Snippets {
			if t.mentions(snippet.FilePath) {
				touched = true
				continue
			}
			kept = append(kept, snippet)
		}
		s.Snippets = kept
	}
	if r.Attribution != nil {
		kept := r.Attribution.Files[:0:0]
		for _, file := range r.Attribution.Files {
			if t.mentions(file.Path) {
				touched = true
				continue
			}
			kept = append(kept, file)
		}
		r.Attribution.Files = kept
		names := len(r.Attribution.UnaccountedFiles)
		r.Attribution.UnaccountedFiles = slices.DeleteFunc(r.Attribution.UnaccountedFiles, t.mentions)
		touched = touched || len(r.Attribution.UnaccountedFiles) < names
	}
	for _, text := range []**string{&r.Outcome.Patch, &r.Environment.VCS.Diff} {
		if *text != nil && t.mentions(**text) {
			gone := purgedMarker
			*text, touched = &gone, true
		}
	}
	return touched
}

// unescaped gives the texts of a JSON value one after the other.
func unescaped(raw json.RawMessage) string {
	var b strings.Builder
	for _, m := range members(raw) {
		b.WriteString(m.text)
		b.WriteByte('\n')
	}
	return b.String()
}
