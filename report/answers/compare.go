package answers

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/compare"
)

// CompareSchema names the form of [Compare]; docs/schema/compare-1.schema.json describes it.
const CompareSchema = "git-trace.compare/1"

// Compare is the answer of git trace compare --json.
type Compare struct {
	Schema string `json:"schema"`
	Of     Side   `json:"of"`
	With   Side   `json:"with"`
	*compare.Result
}

// Side is one of the two conversations of a comparison.
type Side struct {
	Trace   string `json:"trace"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	File    string `json:"file,omitempty"`
	Model   string `json:"model"`
	// Lines is null if hooks did not see the conversation.
	Lines *WrittenLines `json:"lines"`
}

// WrittenLines counts lines that a conversation wrote.
type WrittenLines struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Files   int `json:"files"`
	Commits int `json:"committed"` // each line counts once
	Alive   int `json:"alive"`     // lines in the work tree, unchanged
}

// Row is a figure of both sides, in words.
type Row struct{ Name, Of, With string }

// Rows returns the figures of both sides for people, without rows that are empty on both sides.
func (c *Compare) Rows() []Row {
	var out []Row
	for _, figure := range comparedFigures {
		if row := (Row{figure.name, figure.of(&c.Of, &c.A), figure.of(&c.With, &c.B)}); row.Of+row.With != "" {
			out = append(out, row)
		}
	}
	return out
}

var comparedFigures = [...]struct {
	name string
	of   func(*Side, *compare.Figures) string
}{
	{"model", func(c *Side, _ *compare.Figures) string { return c.Model[strings.LastIndexByte(c.Model, '/')+1:] }},
	{"prompts", func(_ *Side, f *compare.Figures) string { return numbers.Thousands(f.Prompts) }},
	{"answers", func(_ *Side, f *compare.Figures) string { return numbers.Thousands(f.Answers) }},
	{"calls", func(_ *Side, f *compare.Figures) string {
		if f.Failed == 0 {
			return numbers.Thousands(f.Calls)
		}
		return fmt.Sprintf("%s, %s failed", numbers.Thousands(f.Calls), numbers.Thousands(f.Failed))
	}},
	{"tokens", func(_ *Side, f *compare.Figures) string {
		if f.Input+f.Output == 0 {
			return ""
		}
		return fmt.Sprintf("%s in, %s out", numbers.Thousands(int(f.Input)), numbers.Thousands(int(f.Output)))
	}},
	{"time", func(_ *Side, f *compare.Figures) string {
		if f.Seconds == nil {
			return ""
		}
		return time.Duration(*f.Seconds * float64(time.Second)).Round(time.Second).String()
	}},
	{"cost", func(_ *Side, f *compare.Figures) string {
		if f.CostUSD == nil {
			return ""
		}
		return numbers.Dollars(*f.CostUSD)
	}},
	{"files", func(c *Side, f *compare.Figures) string {
		if c.Lines != nil {
			return numbers.Thousands(c.Lines.Files)
		}
		return numbers.Thousands(f.Files)
	}},
	{"lines", func(c *Side, _ *compare.Figures) string {
		if c.Lines == nil {
			return ""
		}
		return fmt.Sprintf("+%d −%d, %d alive", c.Lines.Added, c.Lines.Removed, c.Lines.Alive)
	}},
}
