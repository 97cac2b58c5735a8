package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
)

// purgeTarget is what is to be purged.
type purgeTarget struct {
	traces   map[events.TraceID]bool
	texts    []string
	patterns []*regexp.Regexp
	paths    []string
}

func (t *purgeTarget) none() bool {
	return len(t.traces)+len(t.texts)+len(t.patterns)+len(t.paths) == 0
}

// kind is the word that the log has for it.
func (t *purgeTarget) kind() string {
	switch {
	case len(t.texts)+len(t.patterns) > 0:
		return "text"
	case len(t.paths) > 0:
		return "path"
	}
	return "trace"
}

func (t *purgeTarget) addText(text string) {
	t.texts = append(t.texts, text)
	t.patterns = append(t.patterns, regexp.MustCompile(regexp.QuoteMeta(text)))
}

// holds tells whether a text that is taken as it stands holds what is to be purged, or holds it as a JSON string would.
func (t *purgeTarget) holds(text string) bool {
	for _, pattern := range t.patterns {
		if pattern.MatchString(text) {
			return true
		}
	}
	for _, secret := range t.texts {
		quoted := rawjson.AppendString(nil, secret)
		if escaped := string(quoted[1 : len(quoted)-1]); escaped != secret && strings.Contains(text, escaped) {
			return true
		}
	}
	return false
}

// judge decides over a version of a record. What cannot be read, and holds what must go, goes as a whole.
func (t *purgeTarget) judge(ctx context.Context, redactor *redact.Redactor) store.Judge {
	return func(trace events.TraceID, raw []byte, record *records.Record) (store.Verdict, error) {
		if t.traces[trace] {
			return store.Verdict{Remove: true}, nil
		}
		if record == nil {
			return store.Verdict{Remove: t.holds(string(raw)) || t.mentions(string(raw))}, nil
		}
		touched := t.cutPaths(record)
		if len(t.patterns) == 0 && !touched {
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
		if t.holds(out.String()) || clean.Trace() != trace { // it stands where nothing may be replaced
			return store.Verdict{Remove: true}, clean.Close()
		}
		return store.Verdict{Record: clean}, nil
	}
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

// purged stands where something was taken out.
const purged = "[PURGED]"

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
				text := purged
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
	}
	for _, text := range []**string{&r.Outcome.Patch, &r.Environment.VCS.Diff} {
		if *text != nil && t.mentions(**text) {
			gone := purged
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
