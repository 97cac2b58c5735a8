package diff

import (
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// JSONSchema names the form of the JSON output; docs/schema/diff-1.schema.json describes it.
const JSONSchema = "git-trace.diff/1"

// Document is a diff as JSON. It has runs of lines with one owner.
type Document struct {
	Schema        string         `json:"schema"`
	From          *jsonSide      `json:"from"` // null if nothing differs
	To            *jsonSide      `json:"to"`
	Totals        jsonTotals     `json:"totals"`
	Files         []FileJSON     `json:"files"`
	Conversations []conversation `json:"conversations"`

	// Untracked holds untracked files, which the diff does not contain. Unread is the number of those that are not listed.
	Untracked []FileJSON `json:"untracked,omitempty"`
	Unread    int        `json:"untracked_unread,omitempty"`
}

type jsonSide struct {
	Kind     Kind    `json:"kind"`
	Revision *string `json:"revision"` // revision as the user typed it; null for the index and the work tree
	Fork     bool    `json:"merge_base,omitempty"`
}

type jsonTotals struct {
	Added   Counts     `json:"added"`
	Removed Counts     `json:"removed"`
	Churn   *jsonChurn `json:"churn"` // null, except for whole diffs of two commits
}

type jsonChurn struct {
	Written int `json:"written"`
	Gone    int `json:"gone"`
}

// FileJSON is a file of a diff.
type FileJSON struct {
	Path          string     `json:"path"`
	PathBase64    string     `json:"path_base64,omitempty"`
	OldPath       string     `json:"old_path,omitempty"`
	OldPathBase64 string     `json:"old_path_base64,omitempty"`
	Status        string     `json:"status"`
	Binary        bool       `json:"binary"`
	Runs          []*RunJSON `json:"runs"`
}

// RunJSON is a run of consecutive lines on one side with one owner.
type RunJSON struct {
	Side  string `json:"side"` // new or old
	Start int    `json:"start"`
	Count int    `json:"count"`
	blame.OwnerJSON
	Prompt   *int            `json:"prompt"`
	ToolCall *string         `json:"tool_call"`
	Patch    *events.PatchID `json:"patch"`
	Commit   *refs.OID       `json:"commit"`
	Author   *string         `json:"author"`
	blame.EvidenceJSON
	Previous events.PatchID `json:"previous,omitempty"`
}

type conversation struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Model   *string        `json:"model"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Written int            `json:"written"` // lines in all commits of the range; 0 except for whole diffs of two commits
	Gone    int            `json:"gone"`
}

// Document returns the diff as JSON.
func (d *Diff) Document() Document {
	out := Document{Schema: JSONSchema, Files: []FileJSON{}, Conversations: []conversation{}}
	if d.Old.Kind != "" {
		out.From = &jsonSide{d.Old.Kind, events.OrNull(d.Old.Rev), d.Fork}
		out.To = &jsonSide{Kind: d.New.Kind, Revision: events.OrNull(d.New.Rev)}
	}
	sums := d.Sums()
	if out.Totals.Added = sums.Added; sums.Removed != nil {
		out.Totals.Removed = *sums.Removed
	}
	for _, f := range d.Files {
		if f.Record != nil {
			out.Files = append(out.Files, f.json())
		}
	}
	for _, f := range d.Untracked {
		out.Untracked = append(out.Untracked, f.json())
	}
	out.Unread = d.Unread
	churn := map[Writer]Churn{}
	for _, c := range d.Churn {
		churn[c.key()] = c
		if out.Totals.Churn == nil {
			out.Totals.Churn = &jsonChurn{}
		}
		out.Totals.Churn.Written += c.Written
		out.Totals.Churn.Gone += c.Gone
	}
	add := func(w Writer, added, removed int) {
		if w.Trace != "" {
			c := churn[w.key()]
			delete(churn, w.key())
			out.Conversations = append(out.Conversations,
				conversation{w.Trace, w.Agent, events.OrNull(w.Model), added, removed, c.Written, c.Gone})
		}
	}
	for _, s := range sums.Writers {
		add(s.Writer, s.Added, s.Removed)
	}
	for _, c := range d.Churn {
		if _, left := churn[c.key()]; left {
			add(c.Writer, 0, 0)
		}
	}
	return out
}

func (f *File) json() FileJSON {
	valid := func(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
	out := FileJSON{
		Path: valid(f.Path), PathBase64: events.EncodeBytes(f.Path), Status: string(f.Status), Runs: []*RunJSON{},
		Binary: f.binary || len(f.Hunks) == 0 && strings.Contains(string(f.Head), "\nBinary files ") ||
			strings.Contains(string(f.Head), "\nGIT binary patch\n"),
	}
	if f.OldPath != f.Path {
		out.OldPath, out.OldPathBase64 = valid(f.OldPath), events.EncodeBytes(f.OldPath)
	}
	for _, side := range []byte{Removed, Added} {
		var last *Line
		f.each(side, func(l *Line) {
			if l.Owner == nil {
				return
			}
			if last != nil && last.Old+last.New+1 == l.Old+l.New && oneRun(last.Owner, l.Owner) {
				out.Runs[len(out.Runs)-1].Count++
			} else {
				out.Runs = append(out.Runs, runOf(l))
			}
			last = l
		})
	}
	return out
}

func oneRun(a, b *blame.Annotated) bool { return a.Commit.ID == b.Commit.ID && a.Owner.Same(b.Owner) }

func runOf(l *Line) *RunJSON {
	o, c := l.Owner.Owner, l.Owner.Commit
	out := &RunJSON{Side: "new", Start: l.Old + l.New, Count: 1, ToolCall: events.OrNull(o.ToolCall),
		Patch: events.OrNull(o.Patch), Previous: o.Previous}
	out.OwnerJSON, out.EvidenceJSON = o.JSON()
	if l.Sign == Removed {
		out.Side = "old"
	}
	if o.PromptIndex > 0 {
		out.Prompt = &o.PromptIndex
	}
	if c.Committed() {
		out.Commit = &c.ID
		author := strings.ToValidUTF8(c.Author.Name, "\ufffd")
		out.Author = &author
	}
	return out
}
