package treetrace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"

	"github.com/git-trace/git-trace/internal/numbers"
)

// The limits of the lists in the texts.
const (
	mostFailures, mostRisks, mostChains, mostRejections     = 8, 12, 10, 12
	memoryLessons, memoryPaths, memoryRisks, handoffLessons = 8, 6, 8, 6
)

// Screen returns the report for people: without the list of files, and with the names that commands accept.
func Screen(d *Document) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# How agents were steered: %s\n\n", inline(d.Project.Name))
	d.summary(&b)
	var list []string
	for i := range d.Failures {
		f := &d.Failures[i]
		model := ""
		if f.Model != nil {
			model = ", " + inline(*f.Model)
		}
		list = append(list, fmt.Sprintf("- %s %s (%s%s): %s", d.name(f.FirstSeenNodeID), plain(f.Type), f.Tier, model,
			inline(withoutKind(f.Evidence))))
	}
	section(&b, "What failed", first(list, mostFailures))
	list = nil
	followed := 0
	for i := range d.CorrectionChains {
		c := &d.CorrectionChains[i]
		summary, _, _ := strings.Cut(withoutKind(c.Summary), "; corrected by ")
		end := "not seen to be followed"
		if c.ResolvedNodeID != nil {
			followed++
			end = "followed: gone since " + d.name(*c.ResolvedNodeID)
		}
		list = append(list, fmt.Sprintf("- %s corrects %s, %s (%s). %s", d.name(c.CorrectionNodeID), d.name(c.FailureNodeID),
			end, c.Confidence, inline(summary)))
	}
	title := "What people corrected, and whether it was followed"
	if n := len(d.CorrectionChains); n > 0 {
		title += fmt.Sprintf(": %d of %d", followed, n)
	}
	section(&b, title, first(list, mostChains))
	list = nil
	for _, r := range d.Placed() {
		list = append(list, fmt.Sprintf("- %s %s: %s", d.name(r.NodeID), plain(r.Kind), inline(records.Value(r.Evidence))))
	}
	section(&b, "What was declined, refused or failed", first(list, mostRejections))
	return []byte(b.String()), nil
}

// withoutKind removes the format's own words from the front of evidence.
func withoutKind(evidence string) string {
	for _, kind := range [...]string{UserDeclinedTool, UserInterrupt, UserTextDecline, ToolError, PermissionDenied,
		ModelRefusal} {
		if before, rest, found := strings.Cut(evidence, kind+" ("); found {
			if _, said, closed := strings.Cut(rest, "): "); closed {
				return before + said
			}
		}
	}
	return evidence
}

func plain(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// name returns the name of a node's prompt in commands; without a name, the node's id.
func (d *Document) name(node string) string { return cmp.Or(d.Names[node], node) }

// Report returns TREETRACE_REPORT.md.
func Report(d *Document) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# TreeTrace Report - %s\n\n", inline(d.Project.Name))
	if d.Project.GeneratedAt != nil {
		fmt.Fprintf(&b, "Generated: %s\n\n", inline(*d.Project.GeneratedAt))
	}
	d.summary(&b)
	b.WriteString("\n## Output map\n\n| File | Purpose |\n|------|---------|\n")
	for _, row := range [][2]string{
		{"TREETRACE_REPORT.md", "this file"}, {"PROMPT_TREE.md", "prompts in order, and those to use again"},
		{"PROMPT_TREE_GRAPH.md", "the tree for Mermaid"},
		{".treetrace/tree.json", "the document"}, {".treetrace/failures.json", "failures and correction chains"},
		{".treetrace/rejections.json", "what was declined, refused or failed"},
		{".treetrace/hallucinations.json", "references to what was not there"},
		{".treetrace/lessons.md", "what to remember"}, {".treetrace/evals.jsonl", "failures that can be tested for"},
		{".treetrace/agent-memory.md", "what the next agent should read"},
	} {
		fmt.Fprintf(&b, "| `%s` | %s |\n", row[0], row[1])
	}
	d.failures(&b)
	section(&b, "Security audit trail", d.risks(mostRisks))
	var chains []string
	for i := range d.CorrectionChains {
		c := &d.CorrectionChains[i]
		chains = append(chains, fmt.Sprintf("- %s (%s, %s): %s → %s: %s", c.ID, c.FailureType, c.Confidence, c.FailureNodeID,
			c.CorrectionNodeID, inline(c.Summary)))
	}
	section(&b, "Correction chains", first(chains, mostChains))
	var rejected []string
	for _, r := range d.Placed() {
		rejected = append(rejected, fmt.Sprintf("- [%s] %s (%s): %s", r.NodeID, strings.ReplaceAll(r.Kind, "_", " "),
			r.Source, inline(records.Value(r.Evidence))))
	}
	section(&b, "Rejections", first(rejected, mostRejections))
	return []byte(b.String()), nil
}

// section writes a heading and a list, if the list is not empty.
func section(b *strings.Builder, title string, list []string) {
	if len(list) > 0 {
		b.WriteString("\n## " + title + "\n\n" + strings.Join(list, "\n") + "\n")
	}
}

// `first` returns the first lines of a list, and a line with the number of the others.
func first(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("- … and %d more", len(list)-most))
}

func (d *Document) summary(b *strings.Builder) {
	s, t := &d.Stats, d.tiers()
	fmt.Fprintf(b, "## Session summary\n\n- Prompts: %d  Sessions: %d  Span: %s  Tool calls: %d  Files touched: %d\n",
		s.Prompts, s.Sessions, numbers.Count(s.Days, "day"), s.ToolUses, s.FilesTouched)
	fmt.Fprintf(b, "- Failure signals: %d (verified %d, high %d, confirmed %d, inferred %d)\n", len(d.Failures),
		t.Verified, t.High, t.Confirmed, t.Inferred)
	fmt.Fprintf(b, "- Corrections: %d\n- Rejections: %d", s.Corrections, s.Rejections)
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(s.RejectionsByKind)) {
		kinds = append(kinds, fmt.Sprintf("%s: %d", strings.ReplaceAll(kind, "_", " "), s.RejectionsByKind[kind]))
	}
	if len(kinds) > 0 {
		b.WriteString(" (" + strings.Join(kinds, ", ") + ")")
	}
	if len(s.Models) > 0 {
		b.WriteString("\n- Models seen: " + inline(strings.Join(s.Models, ", ")))
	}
	fmt.Fprintf(b, "\n- Eval candidates: %d\n- Lessons: %d\n", len(d.EvalCandidates), len(d.Lessons))
}

func (d *Document) failures(b *strings.Builder) {
	if len(d.Failures) == 0 {
		return
	}
	b.WriteString("\n## Failure signals\n\n")
	for _, one := range d.topTypes() {
		fmt.Fprintf(b, "- %s: %d\n", one.Type, one.Count)
	}
	var list []string
	for i := range d.Failures {
		f := &d.Failures[i]
		model := ""
		if f.Model != nil {
			model = ", " + inline(*f.Model)
		}
		list = append(list, fmt.Sprintf("- %s [%s] (%s, %s, %.0f%%%s): %s Evidence: %s", f.ID, f.FirstSeenNodeID, f.Type,
			f.Tier, f.Confidence*100, model, inline(f.Summary), inline(f.Evidence)))
	}
	b.WriteString("\n" + strings.Join(first(list, mostFailures), "\n") + "\n")
}

func (d *Document) risks(most int) []string {
	var list []string
	for _, r := range d.Brief.Risks {
		list = append(list, fmt.Sprintf("- (%s) [%s] %s", r.Tier, r.NodeID, inline(r.Text)))
	}
	return first(list, most)
}

func bullets(list []string) []string {
	var out []string
	for _, one := range list {
		out = append(out, "- "+inline(one))
	}
	return out
}

func (d *Document) lessonLines() []string {
	var out []string
	for i := range d.Lessons {
		l := &d.Lessons[i]
		out = append(out, "- "+l.Title+": "+inline(l.Text)+d.proof(l))
	}
	return out
}

// Memory returns agent-memory.md.
func Memory(d *Document) ([]byte, error) {
	var b strings.Builder
	b.WriteString("Project: " + inline(d.Project.Name) + "\n")
	for _, part := range []struct {
		title string
		list  []string
	}{
		{"Constraints", bullets(d.Brief.Constraints)}, {"Lessons", first(d.lessonLines(), memoryLessons)},
		{"Bad paths", first(bullets(d.Brief.DeadEnds), memoryPaths)}, {"Security", d.risks(memoryRisks)}, {"Next", d.next()},
	} {
		if len(part.list) > 0 {
			b.WriteString("\n## " + part.title + "\n" + strings.Join(part.list, "\n") + "\n")
		}
	}
	return []byte(b.String()), nil
}

func (d *Document) next() []string {
	if d.Brief.Next == "" {
		return []string{"- nothing open"}
	}
	return []string{"- Continue: " + inline(d.Brief.Next)}
}

// Handoff returns the brief for the next person or agent.
func Handoff(d *Document) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Handoff: %s\n\n## Original goal\n\n%s", inline(d.Project.Name), quoteBlock(d.Brief.Goal, ""))
	stands := d.next()
	for _, file := range d.Brief.Uncommitted {
		stands = append(stands, "- not committed: "+inline(file))
	}
	for _, command := range d.Brief.Failing {
		stands = append(stands, "- not yet seen to succeed: `"+inline(command)+"`")
	}
	section(&b, "Where things stand", stands)
	section(&b, "Accepted decisions", bullets(d.Brief.Decisions))
	section(&b, "Constraints", bullets(d.Brief.Constraints))
	section(&b, "Dead ends", bullets(d.Brief.DeadEnds))
	section(&b, "Lessons", first(d.lessonLines(), handoffLessons))
	return []byte(b.String()), nil
}
