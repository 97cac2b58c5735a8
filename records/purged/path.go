package purged

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/records"
)

// marker replaces text that was removed from a record: text that was read from a purged path or written to it. The
// constant takenInput replaces the input of a call.
const (
	marker     = "[PURGED]"
	takenInput = `{"purged":true}`
)

// AddPath adds a path relative to the root of the work tree. The path is stored unencrypted, because the log of events
// names it too.
func (s *Set) AddPath(path string) (string, error) {
	sum := blake3.Sum256([]byte("path\x00" + path))
	rule := Rule{ID: hex.EncodeToString(sum[:16]), Path: path}
	return rule.ID, s.add(rule)
}

// Paths returns the paths of the rules.
func (s *Set) Paths() []string {
	var out []string
	if s != nil {
		for _, rule := range s.rules {
			if rule.Path != "" {
				out = append(out, rule.Path)
			}
		}
	}
	return out
}

// HasTexts reports whether there are rules of texts or expressions.
func (s *Set) HasTexts() bool { return len(s.rules) > len(s.Paths()) }

// Names reports whether a text contains one of the paths.
func (s *Set) Names(text string) bool {
	for _, path := range s.Paths() {
		if NamesPath(text, path) {
			return true
		}
	}
	return false
}

// NamesPath reports whether a text contains a path as a whole, alone or at the end of a longer path.
func NamesPath(text, path string) bool {
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

// Taken reports whether the input of a call was removed.
func Taken(input json.RawMessage) bool { return string(input) == takenInput }

// CutStep removes the uses of the paths from a step: inputs and results of calls, and pieces of code. It adds these
// calls to `calls`, because their results may come later. It returns the number of removed parts.
func (s *Set) CutStep(step *records.Step, calls map[string]bool) (n int) {
	if len(s.Paths()) == 0 {
		return 0
	}
	for k := range step.ToolCalls {
		call := &step.ToolCalls[k]
		switch {
		case Taken(call.Input):
			calls[call.ToolCallID] = true
		case s.Names(unescaped(call.Input)):
			call.Input, calls[call.ToolCallID] = json.RawMessage(takenInput), true
			n++
		}
	}
	for k := range step.Observations {
		n += s.CutResult(&step.Observations[k], calls)
	}
	kept := step.Snippets[:0:0]
	for _, snippet := range step.Snippets {
		if s.Names(snippet.FilePath) {
			n++
			continue
		}
		kept = append(kept, snippet)
	}
	step.Snippets = kept
	return n
}

// CutResult removes the result of a call whose input was removed, or a result that contains a path.
func (s *Set) CutResult(o *records.Observation, calls map[string]bool) int {
	if len(s.Paths()) == 0 || o.Content == nil && o.OutputSummary == nil || o.Content != nil && *o.Content == marker {
		return 0
	}
	if !calls[o.SourceCallID] && (o.Content == nil || !s.Names(*o.Content)) {
		return 0
	}
	text := marker
	o.Content, o.OutputSummary = &text, &text
	return 1
}

// CutHead removes the data about the paths from a record's head.
func (s *Set) CutHead(head *records.Record) (n int) {
	if len(s.Paths()) == 0 {
		return 0
	}
	if head.Attribution != nil {
		own := *head.Attribution
		own.Files = own.Files[:0:0]
		for _, file := range head.Attribution.Files {
			if s.Names(file.Path) {
				n++
				continue
			}
			own.Files = append(own.Files, file)
		}
		own.UnaccountedFiles = slices.DeleteFunc(slices.Clone(own.UnaccountedFiles), s.Names)
		n += len(head.Attribution.UnaccountedFiles) - len(own.UnaccountedFiles)
		head.Attribution = &own
	}
	for _, text := range []**string{&head.Outcome.Patch, &head.Environment.VCS.Diff} {
		if *text != nil && s.Names(**text) {
			gone := marker
			*text = &gone
			n++
		}
	}
	for _, name := range []string{records.MetaHookBefore, records.MetaHookAfter} {
		var calls map[string]json.RawMessage
		if json.Unmarshal(head.Metadata[name], &calls) != nil {
			continue
		}
		told := len(calls)
		maps.DeleteFunc(calls, func(_ string, saw json.RawMessage) bool { return s.Names(unescaped(saw)) })
		if gone := told - len(calls); gone > 0 {
			head.Metadata = maps.Clone(head.Metadata)
			head.SetMeta(name, calls)
			n += gone
		}
	}
	return n
}

// `unescaped` returns the texts of a JSON value, one on each line.
func unescaped(raw json.RawMessage) string {
	var b strings.Builder
	d := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		if text, ok := token.(string); ok {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
}
