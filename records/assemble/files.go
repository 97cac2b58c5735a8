package assemble

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/records"
)

// maxRanges limits the number of line ranges that are tracked in all files together.
const maxRanges = 100_000

// files tracks the lines that the conversation wrote through its own later edits, so that the record has their final
// positions. Changes by others are unknown here.
type files struct {
	Paths map[string]*fileLines `json:"paths,omitempty"`
	Count int                   `json:"count,omitempty"`
}

// fileLines has the line ranges of one file and the steps that wrote them, in the order of lines.
type fileLines struct {
	Ranges  []lineRange `json:"ranges"`
	Authors []author    `json:"authors"`
}

// An author is a step that wrote lines.
type author struct {
	Step     int    `json:"step"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	ID       string `json:"id,omitempty"`
}

type lineRange struct {
	Start    int                `json:"start"`
	End      int                `json:"end"`
	Author   int                `json:"author"` // an index into Authors
	Hash     string             `json:"hash,omitempty"`
	Modified bool               `json:"modified,omitempty"` // the range replaced other lines
	Sure     records.Confidence `json:"sure"`
}

// `apply` records the hunks of an edit; false if there are too many ranges to track.
func (f *files) apply(path string, hunks []Hunk, by author) bool {
	if f.Paths == nil {
		f.Paths = map[string]*fileLines{}
	}
	file := f.Paths[path]
	if file == nil {
		file = &fileLines{}
		f.Paths[path] = file
	}
	if len(file.Authors) == 0 || file.Authors[len(file.Authors)-1] != by {
		file.Authors = append(file.Authors, by)
	}
	if f.Count+len(hunks) > maxRanges {
		return false
	}
	f.Count -= len(file.Ranges)
	for _, hunk := range slices.Backward(hunks) { // from the end, so that the line numbers of earlier hunks stay valid
		file.apply(hunk)
	}
	f.Count += len(file.Ranges)
	return true
}

func (f *fileLines) apply(h Hunk) {
	if h.At < 1 || h.Removed < 0 || h.Added < 0 {
		return
	}
	after, shift := h.At+h.Removed, h.Added-h.Removed
	modified := h.Removed > 0 && (h.Removed != Whatever || len(f.Ranges) > 0)
	out := make([]lineRange, 0, len(f.Ranges)+2)
	for _, r := range f.Ranges {
		switch {
		case r.End < h.At:
			out = append(out, r)
		case r.Start >= after:
			out = append(out, r.moved(shift))
		default:
			out = append(out, r.without(h.At, after, shift)...)
		}
	}
	if h.Added > 0 {
		added := lineRange{Start: h.At, End: h.At + h.Added - 1, Author: len(f.Authors) - 1, Modified: modified,
			Sure: records.High}
		if len(h.Lines) == h.Added {
			added.Hash = records.JoinedHash(h.Lines)
		}
		out = append(out, added)
	}
	slices.SortStableFunc(out, func(a, b lineRange) int { return cmp.Compare(a.Start, b.Start) })
	f.Ranges = out
}

func (r lineRange) moved(by int) lineRange {
	if by != 0 {
		r.Start += by
		r.End += by
		if r.Sure == records.High {
			r.Sure = records.Medium
		}
	}
	return r
}

// `without` returns the parts of a range that are left when the lines from `at` to `after` (exclusive) are replaced. It
// adds shift to the numbers of later lines. The exact text of these parts is then unknown.
func (r lineRange) without(at, after, shift int) []lineRange {
	var out []lineRange
	rest := r
	rest.Hash, rest.Sure = "", records.Low
	if r.Start < at {
		left := rest
		left.End = at - 1
		out = append(out, left)
	}
	if r.End >= after {
		right := rest
		right.Start, right.End = max(after, r.Start)+shift, r.End+shift
		out = append(out, right)
	}
	return out
}

// attribution returns the written lines at their final positions; nil if there are none.
func (f *files) attribution(traceID string) *records.Attribution {
	if len(f.Paths) == 0 {
		return nil
	}
	a := &records.Attribution{}
	for _, path := range slices.Sorted(maps.Keys(f.Paths)) {
		file := f.Paths[path]
		out := records.AttributedFile{Path: path}
		for i, by := range file.Authors {
			conversation := by.conversation(traceID)
			for _, r := range file.Ranges {
				if r.Author != i {
					continue
				}
				conversation.Ranges = append(conversation.Ranges, r.attributed())
				a.Experimental = a.Experimental || r.Sure == records.Low
			}
			if len(conversation.Ranges) > 0 {
				out.Conversations = append(out.Conversations, conversation)
			}
		}
		a.Files = append(a.Files, out)
	}
	return a
}

func (a author) conversation(traceID string) records.AttributedConversation {
	c := records.AttributedConversation{
		Contributor: map[string]string{"type": "ai"},
		URL:         new(fmt.Sprintf("opentraces://%s/step_%d", traceID, a.Step)),
	}
	if a.Model != "" {
		c.Contributor["model_id"] = a.Model
	}
	if raw, err := json.Marshal(a.ID); err == nil && a.ID != "" && a.Provider != "" {
		c.IDs = map[string]json.RawMessage{a.Provider: raw}
	}
	return c
}

func (r lineRange) attributed() records.AttributedRange {
	out := records.AttributedRange{StartLine: r.Start, EndLine: r.End, Confidence: new(r.Sure),
		ChangeType: records.Addition}
	if r.Hash != "" {
		out.ContentHash = new(r.Hash)
	}
	if r.Modified {
		out.ChangeType = records.Modification
	}
	return out
}
