package blame

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/function"
)

// FunctionsSchema is the schema id of --functions --json; docs/schema/blame-functions-1.schema.json describes it.
const FunctionsSchema = "git-trace.blame-functions/1"

// FunctionsJSON is the output of git trace blame --functions --json.
type FunctionsJSON struct {
	Schema     string         `json:"schema"`
	Path       string         `json:"path"`
	PathBase64 string         `json:"path_base64,omitempty"`
	Revision   *string        `json:"revision"`
	Functions  []FunctionJSON `json:"functions"`
}

// FunctionJSON is a function of a file.
type FunctionJSON struct {
	Name    *string      `json:"name"` // null for the lines before the first function
	Text    *string      `json:"text"`
	Line    *int         `json:"line"`
	Start   int          `json:"start"`
	Count   int          `json:"count"`
	AI      int          `json:"ai"`
	Human   int          `json:"human"`
	Unknown int          `json:"unknown"`
	Older   int          `json:"older"`
	Writers []WriterJSON `json:"writers"`
}

// WriterJSON is a writer of lines of a function: a prompt of a conversation, an author, or an unknown writer.
type WriterJSON struct {
	OwnerJSON
	Author       *string     `json:"author"` // author of the commits; null for agents, unknown and uncommitted lines
	AuthorBase64 string      `json:"author_base64,omitempty"`
	Prompt       *LinePrompt `json:"prompt"`
	Lines        int         `json:"lines"`
	First        *time.Time  `json:"first"` // first time of the calls or commits; null if there are none
	Last         *time.Time  `json:"last"`
	Commits      []refs.OID  `json:"commits"` // newest first
	Uncommitted  int         `json:"uncommitted"`

	of   *Annotated
	made map[refs.OID]time.Time
}

// functions groups the lines of a whole file by function.
func (s *session) functions(lines []Annotated) ([]FunctionJSON, error) {
	var content bytes.Buffer
	for i := range lines {
		content.Write(lines[i].Content)
		content.WriteByte('\n')
	}
	found, err := function.Of(s.ctx, s.repo, function.Content{Path: s.Path(), Text: content.Bytes()})
	if err != nil {
		return nil, err
	}
	out := []FunctionJSON{}
	for _, f := range found {
		one := FunctionJSON{Start: f.Start, Count: f.Count}
		if f.Line > 0 {
			one.Name, one.Text, one.Line = &f.Name, &f.Text, &f.Line
		}
		one.Writers = Writers(lines[f.Start-1 : f.Start-1+f.Count])
		one.count()
		if !s.opts.OnlyAI || one.AI > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// count computes the total numbers from the numbers of the writers.
func (f *FunctionJSON) count() {
	for i := range f.Writers {
		switch w := &f.Writers[i]; {
		case w.of.Owner.ByAI():
			f.AI += w.Lines
		case w.Contributor == events.OwnerHuman:
			f.Human += w.Lines
		default:
			f.Unknown += w.Lines
			if w.Older {
				f.Older += w.Lines
			}
		}
	}
}

// Writers counts lines by writer, and sorts the writers by their number of lines, largest first.
func Writers(lines []Annotated) []WriterJSON {
	type key struct {
		kind         events.OwnerKind
		trace        events.TraceID
		prompt       int
		model, agent string
		author       string
	}
	at := map[key]int{}
	out := []WriterJSON{}
	for i := range lines {
		l := &lines[i]
		a, author := l.Owner, ""
		if !a.ByAI() && a.Kind != events.OwnerUnknown && l.Commit.Committed() {
			author = l.Commit.Author.Name
		}
		k := key{a.Kind, a.Trace, a.PromptIndex, a.Model, a.Agent, author}
		n, known := at[k]
		if !known {
			n = len(out)
			at[k] = n
			w := WriterJSON{Author: events.OrNull(author), AuthorBase64: events.EncodeBytes(author), of: l,
				Commits: []refs.OID{}, made: map[refs.OID]time.Time{}}
			w.OwnerJSON, _ = a.JSON()
			if a.PromptIndex > 0 {
				w.Prompt = &LinePrompt{a.PromptIndex, a.PromptText}
			}
			out = append(out, w)
		}
		out[n].add(l)
	}
	slices.SortStableFunc(out, func(a, b WriterJSON) int { return cmp.Compare(b.Lines, a.Lines) })
	for i := range out {
		w := &out[i]
		slices.SortStableFunc(w.Commits, func(a, b refs.OID) int { return w.made[b].Compare(w.made[a]) })
	}
	return out
}

// `add` counts a line.
func (w *WriterJSON) add(l *Annotated) {
	w.Lines++
	when := l.Owner.Time
	if !l.Commit.Committed() {
		w.Uncommitted++
	} else {
		if _, known := w.made[l.Commit.ID]; !known {
			w.made[l.Commit.ID] = time.Unix(l.Commit.Committer.Time, 0)
			w.Commits = append(w.Commits, l.Commit.ID)
		}
		if when.IsZero() {
			when = l.Commit.Author.When()
		}
	}
	if when.IsZero() {
		return
	}
	if w.First == nil || when.Before(*w.First) {
		w.First = &when
	}
	if w.Last == nil || when.After(*w.Last) {
		w.Last = &when
	}
}

// showFunctions writes the functions in the format that the options select.
func (s *session) showFunctions(out io.Writer, style Style, lines []Annotated) error {
	list, err := s.functions(lines)
	if err != nil {
		return err
	}
	if !s.opts.Format.IsJSON() {
		return RenderFunctions(out, lines, list, style)
	}
	revision, err := s.Revision()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(FunctionsJSON{FunctionsSchema, strings.ToValidUTF8(s.Path(), "\ufffd"),
		events.EncodeBytes(s.Path()), events.OrNull(revision), list})
	if err != nil {
		return fmt.Errorf("write blame: %w", err)
	}
	return nil
}

// functions draws each function, followed by its writers.
func (p *painter) functions(list []FunctionJSON) {
	quiet, width := paint{quieten: p.style.Color}, 0
	for _, f := range list {
		width = max(width, len(rangeOf(&f)))
	}
	for _, f := range list {
		name := "(before the first function)"
		if f.Name != nil {
			name = p.foreign(*f.Name)
		}
		if p.style.Terminal {
			name = cells.Cut(name, max(p.style.width()-width-2, 20))
		}
		p.write(quiet.quiet(cells.Pad(rangeOf(&f), width)), "  ", name, "\n")
		var parts []string
		if f.AI > 0 {
			parts = append(parts, strings.TrimSpace(numbers.Percents([]int{f.AI}, f.Count)[0])+" by agents")
		}
		for i := range f.Writers {
			parts = append(parts, p.writer(&f.Writers[i]))
		}
		indent := strings.Repeat(" ", width+2)
		row := cells.Fold(strings.Join(parts, between), max(p.style.width()-width-2, 20))
		p.write(indent, strings.ReplaceAll(row, "\n", "\n"+indent), "\n")
		for i := range f.Writers {
			if w := &f.Writers[i]; p.cols.Prompts && w.of.Owner.ByAI() {
				for _, line := range p.quoted(w.of.Owner, max(p.promptRoom()-len(indent), 20)) {
					p.write(indent, colour(p.traceEscape(w.of.Owner), block), line, "\n")
				}
			}
		}
	}
}

func rangeOf(f *FunctionJSON) string {
	if f.Count == 1 {
		return strconv.Itoa(f.Start)
	}
	return fmt.Sprintf("%d-%d", f.Start, f.Start+f.Count-1)
}

// writer returns the text for a writer: the name, the number of lines, and the day of the newest one.
func (p *painter) writer(w *WriterJSON) string {
	a := w.of.Owner
	who := cmp.Or(p.person(w.of), string(events.OwnerUnknown))
	switch {
	case a.ByAI():
		who = colour(p.traceEscape(a), strings.TrimSpace(oneLine(a.Agent)+" "+p.conversation(a)))
	case a.Kind == events.OwnerUnknown:
		who = string(events.OwnerUnknown)
	}
	text := who + p.doubt(w.of) + " " + numbers.Thousands(w.Lines)
	switch {
	case w.Uncommitted == w.Lines:
		text += ", " + notCommitted
	case w.Last != nil:
		text += ", " + w.Last.Format(time.DateOnly)
	}
	return text
}
