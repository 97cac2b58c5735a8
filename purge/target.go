package purge

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

// Target is what is to be purged.
type Target struct {
	Traces map[events.TraceID]bool
	Texts  *purged.Set // texts and expressions
	Paths  []string    // below the top of the work tree
}

// None tells that nothing is to be purged.
func (t *Target) None() bool {
	return len(t.Traces)+len(t.Paths) == 0 && t.Texts.Empty()
}

// kind is the word that the log has for it.
func (t *Target) kind() string {
	switch {
	case !t.Texts.Empty():
		return "text"
	case len(t.Paths) > 0:
		return "path"
	}
	return "trace"
}

// holds tells whether a text that is taken as it stands holds what is to be purged, or holds it as a JSON string would.
func (t *Target) holds(text string) bool { return t.Texts.Holds(text) }

// HoldsFile tells whether a file holds one of the texts. Its size does not matter.
func (t *Target) HoldsFile(name string) (bool, error) {
	return t.holdsStream(func(to io.Writer) error { return copyFile(name, to) })
}

// holdsStream is holds for what is not read into memory.
func (t *Target) holdsStream(give func(io.Writer) error) (bool, error) {
	return t.Texts.HoldsStream(give)
}

// judge decides over a version of a record. What cannot be read, and holds what must go, goes as a whole.
func (t *Target) judge(ctx context.Context, redactor *redact.Redactor) store.Judge {
	return func(v store.Version) (store.Verdict, error) {
		if t.Traces[v.Trace] {
			return store.Verdict{Remove: true}, nil
		}
		if v.Record == nil {
			remove, err := t.inFile(v)
			return store.Verdict{Remove: remove}, err
		}
		record := v.Record
		touched := t.cutPaths(record)
		if t.Texts.Empty() && !touched {
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
func (t *Target) inFile(v store.Version) (bool, error) {
	if v.Raw != nil {
		return t.holds(string(v.Raw)) || t.mentions(string(v.Raw)), nil
	}
	found, err := t.holdsStream(v.Copy)
	for _, path := range t.Paths {
		if found || err != nil {
			break
		}
		found, err = purged.Windows(len(path)+1, func(text string) bool { return namesPath(text, path) }, v.Copy)
	}
	return found, err
}

// mentions tells whether a text names one of the paths.
func (t *Target) mentions(text string) bool {
	for _, path := range t.Paths {
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

// marker stands where something was taken out.
const marker = "[PURGED]"

// cutPaths takes what calls did with the paths out of a record: their inputs and results, the pieces of code, the lines
// that were attributed. It tells whether there was anything.
func (t *Target) cutPaths(r *records.Record) bool {
	if len(t.Paths) == 0 {
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
				text := marker
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
			gone := marker
			*text, touched = &gone, true
		}
	}
	return touched
}

// unescaped gives the texts of a JSON value one after the other.
func unescaped(raw json.RawMessage) string {
	var b strings.Builder
	for _, m := range records.Members(raw) {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
