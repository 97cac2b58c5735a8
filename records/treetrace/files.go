package treetrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// File is a file of the format. Its name has slashes.
type File struct {
	Name string
	Data []byte
}

// Files makes all files of a document under their usual names. It passes them one by one to the function `take`, and
// stops at its first error.
func Files(d *Document, take func(File) error) error {
	for _, one := range []struct {
		name string
		make func(*Document) ([]byte, error)
	}{
		{"PROMPT_TREE.md", PromptTree},
		{"PROMPT_TREE_GRAPH.md", Graph},
		{"TREETRACE_REPORT.md", Report},
		{".treetrace/tree.json", Encode},
		{".treetrace/failures.json", Failures},
		{".treetrace/rejections.json", Rejections},
		{".treetrace/hallucinations.json", HallucinationsFile},
		{".treetrace/lessons.md", Lessons},
		{".treetrace/evals.jsonl", Evals},
		{".treetrace/agent-memory.md", Memory},
	} {
		data, err := one.make(d)
		if err != nil {
			return fmt.Errorf("make %s: %w", one.name, err)
		}
		if err := take(File{one.name, data}); err != nil {
			return err
		}
	}
	return nil
}

// head holds the data about the project in the files other than tree.json.
type head struct {
	Name        string  `json:"name"`
	GeneratedAt *string `json:"generatedAt"`
}

func (d *Document) head() head { return head{d.Project.Name, d.Project.GeneratedAt} }

// typeCount is the number of failures of one type.
type typeCount struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// topTypes returns the types of failures, the most frequent first.
func (d *Document) topTypes() []typeCount {
	out := []typeCount{}
	for i := range d.Failures {
		at := slices.IndexFunc(out, func(c typeCount) bool { return c.Type == d.Failures[i].Type })
		if at < 0 {
			at = len(out)
			out = append(out, typeCount{Type: d.Failures[i].Type})
		}
		out[at].Count++
	}
	slices.SortFunc(out, func(a, b typeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Type, b.Type))
	})
	return out
}

// tierCounts holds the numbers of failures in each tier.
type tierCounts struct {
	Verified  int `json:"verified"`
	High      int `json:"high"`
	Confirmed int `json:"confirmed"`
	Inferred  int `json:"inferred"`
}

func (d *Document) tiers() tierCounts {
	var out tierCounts
	for i := range d.Failures {
		switch d.Failures[i].Tier {
		case Verified:
			out.Verified++
		case High:
			out.High++
		case Confirmed:
			out.Confirmed++
		default:
			out.Inferred++
		}
	}
	return out
}

type failuresFile struct {
	SchemaVersion string `json:"schemaVersion"`
	Project       head   `json:"project"`
	Summary       struct {
		Total            int         `json:"totalFailureSignals"`
		Top              []typeCount `json:"topFailureTypes"`
		Tiers            tierCounts  `json:"tierCounts"`
		Models           []string    `json:"models"`
		Thinking         int         `json:"thinkingBlocks"`
		CorrectionChains int         `json:"correctionChains"`
		EvalCandidates   int         `json:"evalCandidates"`
		Lessons          int         `json:"lessons"`
	} `json:"summary"`
	Failures []Failure `json:"failures"`
	Chains   []Chain   `json:"correctionChains"`
}

// Failures returns failures.json.
func Failures(d *Document) ([]byte, error) {
	f := failuresFile{SchemaVersion: d.SchemaVersion, Project: d.head(), Failures: d.Failures, Chains: d.CorrectionChains}
	f.Summary.Total, f.Summary.Top, f.Summary.Tiers = len(d.Failures), d.topTypes(), d.tiers()
	f.Summary.Models, f.Summary.Thinking = d.Stats.Models, d.Brief.Thinking
	f.Summary.CorrectionChains, f.Summary.EvalCandidates, f.Summary.Lessons = len(d.CorrectionChains),
		len(d.EvalCandidates), len(d.Lessons)
	return indented(&f)
}

// Placed is a rejection with the id of its node.
type Placed struct {
	NodeID string `json:"nodeId"`
	Rejection
}

type rejectionsFile struct {
	SchemaVersion string `json:"schemaVersion"`
	Project       head   `json:"project"`
	Summary       struct {
		Total  int            `json:"total"`
		ByKind map[string]int `json:"byKind"`
	} `json:"summary"`
	Rejections []Placed `json:"rejections"`
}

// Rejections returns rejections.json, sorted by time, then by node.
func Rejections(d *Document) ([]byte, error) {
	f := rejectionsFile{SchemaVersion: d.SchemaVersion, Project: d.head(), Rejections: d.Placed()}
	f.Summary.Total, f.Summary.ByKind = len(f.Rejections), d.Stats.RejectionsByKind
	return indented(&f)
}

// Placed returns all rejections, sorted by time, then by node.
func (d *Document) Placed() []Placed {
	out := []Placed{}
	for i := range d.Nodes {
		for _, r := range d.Nodes[i].Rejections {
			out = append(out, Placed{d.Nodes[i].ID, r})
		}
	}
	slices.SortStableFunc(out, func(a, b Placed) int {
		return cmp.Or(cmp.Compare(records.Value(a.TS), records.Value(b.TS)), cmp.Compare(a.NodeID, b.NodeID))
	})
	return out
}

// TraceOf returns the conversation of a session; "" if unknown.
func (d *Document) TraceOf(session string) string {
	for i := range d.Sessions {
		if d.Sessions[i].ID == session {
			return d.Sessions[i].Trace
		}
	}
	return ""
}

type hallucinationsFile struct {
	SchemaVersion string `json:"schemaVersion"`
	Project       head   `json:"project"`
	Verified      bool   `json:"verifiedAgainstWorkingTree"`
	ManifestSeen  bool   `json:"manifestSeen"`
	Summary       struct {
		Total      int `json:"total"`
		ByCategory struct {
			Path    int `json:"hallucinated_file_or_path"`
			Package int `json:"hallucinated_import_or_package"`
		} `json:"byCategory"`
	} `json:"summary"`
	Hallucinations []Hallucination `json:"hallucinations"`
	Note           string          `json:"note"`
}

// HallucinationsFile returns hallucinations.json.
func HallucinationsFile(d *Document) ([]byte, error) {
	f := hallucinationsFile{
		SchemaVersion: d.SchemaVersion, Project: d.head(), Verified: d.Hallucinations.Verified,
		ManifestSeen:   d.Hallucinations.ManifestSeen,
		Hallucinations: append([]Hallucination{}, d.Hallucinations.List...),
		Note: "A file counts if a call says that it is missing and the snapshot of that moment does not have it. A package " +
			"counts if the registry does not have it, or if a call lacks it and no manifest of that moment declares it. " +
			"Prose and names inside modules are not looked at.",
	}
	f.Summary.Total = len(f.Hallucinations)
	for i := range f.Hallucinations {
		if f.Hallucinations[i].Category == HallucinatedPackage {
			f.Summary.ByCategory.Package++
		} else {
			f.Summary.ByCategory.Path++
		}
	}
	return indented(&f)
}

// Evals returns evals.jsonl.
func Evals(d *Document) ([]byte, error) { return lines(d.EvalCandidates) }

// noLessons is the text of lessons.md if there are no lessons.
const noLessons = "No high-confidence failure lessons were detected in this session."

// Lessons returns lessons.md.
func Lessons(d *Document) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# Lessons\n\n")
	for i := range d.Lessons {
		l := &d.Lessons[i]
		fmt.Fprintf(&b, "- **%s.** %s%s\n", l.Title, inline(l.Text), d.proof(l))
	}
	if len(d.Lessons) == 0 {
		b.WriteString(noLessons + "\n")
	}
	return []byte(b.String()), nil
}

// proof names the nodes that prove a lesson, at most eight. If nodes have names, it returns nothing, because the text
// of the lesson already has the names.
func (d *Document) proof(l *Lesson) string {
	const most = 8
	list := l.NodeIDs
	if len(d.Names) > 0 {
		list = nil
	}
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		return fmt.Sprintf(" [%s, +%d more]", strings.Join(list[:most], ", "), len(list)-most)
	}
	return " [" + strings.Join(list, ", ") + "]"
}
