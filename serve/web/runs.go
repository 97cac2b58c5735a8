package web

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/records"
)

// runsAnswer is the answer of git trace blame --json=runs.
type runsAnswer struct {
	Conversations map[string]struct {
		Short   string            `json:"short"`
		Agent   string            `json:"agent"`
		Prompts map[string]string `json:"prompts"`
	} `json:"conversations"`
	Commits map[string]struct {
		Author  string    `json:"author"`
		Time    time.Time `json:"author_time"`
		Summary string    `json:"summary"`
	} `json:"commits"`
	Runs []ownedRun `json:"runs"`
}

// ownedRun is lines of a file that follow each other and have one commit and one owner.
type ownedRun struct {
	Start        int      `json:"start"` // from 1
	Count        int      `json:"count"`
	Commit       *string  `json:"commit"`
	OriginalPath string   `json:"original_path"`
	OriginalLine int      `json:"original_line"`
	Contributor  string   `json:"contributor"`
	Older        bool     `json:"older"` // than the recording: one of the unknown
	Trace        *string  `json:"trace"`
	Model        *string  `json:"model"`
	Tool         *string  `json:"tool"`
	Call         *string  `json:"tool_call"`
	Prompt       *int     `json:"prompt"`
	Patch        *string  `json:"patch"`
	Evidence     *string  `json:"evidence"`
	Confidence   *string  `json:"confidence"`
	Disputed     []string `json:"disputed"`
	Source       *teller  `json:"source"` // the clone that says so; nil for this one
}

// teller is another clone, and who signed what it published.
type teller struct{ Writer, Signer string }

// runBlock is a run with its lines, as it is drawn. A long run is several blocks.
type runBlock struct {
	ownedRun
	First   bool
	Talk    int // the number of its conversation on this page, from 1; 0 for none
	Agent   string
	Asked   string // the prompt
	Whole   string // the prompt, where a page has it for the first time
	Author  string
	Time    time.Time
	Summary string // of the commit
	Code    string
	Rows    int
	Age     string // ageNames, by how long ago the commit was; empty where nobody asks
	Numbers []lineNumbers
}

// lineNumbers are the numbers of lines that follow each other. The first has an address where Line is set.
type lineNumbers struct {
	Line int
	Rest string
}

// About describes the writing of an agent's block, and its certainty.
func (b *runBlock) About() string {
	var words []string
	if b.Tool != nil {
		words = append(words, *b.Tool)
	}
	if b.Evidence != nil && b.Confidence != nil {
		words = append(words, strings.ReplaceAll(*b.Evidence, "_", " "), "confidence "+*b.Confidence)
	}
	if b.Source != nil {
		words = append(words, "as clone "+cells.Cut(cells.Line(b.Source.Writer), mostWriter)+" says")
		if b.Source.Signer != "" {
			words = append(words, "signed by "+b.Source.Signer)
		}
	}
	return strings.Join(words, ", ")
}

// Class returns the drawing of the block: how high it is, and by age or by whose it is.
func (b *runBlock) Class() string {
	high := "n" + strconv.Itoa(b.Rows)
	switch {
	case b.Age != "":
		return high + " " + b.Age
	case b.Trace != nil:
		return high + " " + hue(*b.Trace)
	case b.ai():
		return high + " m"
	case b.unknown():
		return high + " u"
	}
	return high
}

// Who names who wrote a block of no known conversation.
func (b *runBlock) Who() string {
	switch {
	case b.ai():
		return "an agent" + b.Sign()
	case b.unknown():
		return "unknown"
	}
	if b.Rows == 1 { // the age of the commit stands beside it
		return cells.Cut(cells.Line(b.Author), mostBesideAge)
	}
	return cells.Cut(cells.Line(b.Author), mostAuthor)
}

// unknown reports whether a block within the recording has no owner. One that is older has the author of its commit.
func (b *runBlock) unknown() bool { return b.Contributor != "human" && !b.Older }

// The width of a name beside lines, in cells.
const (
	mostAuthor    = 22
	mostBesideAge = 16
)

// Sign returns the mark behind an owner who is not sure, as in the terminal: ~ for one of several and for little
// confidence, ! for one that other clones dispute.
func (b *runBlock) Sign() string {
	switch {
	case len(b.Disputed) > 0:
		return "!"
	case b.Contributor == "mixed", records.Value(b.Confidence) == "low":
		return "~"
	}
	return ""
}

// HasStep reports whether the step is known in which an agent wrote the block. Another clone tells no more than the
// prompt.
func (b *runBlock) HasStep() bool { return b.Trace != nil && b.Call != nil && b.Source == nil }

// number gives the lines their numbers. The first has an address, and so has one that is asked for, or each one.
func (b *runBlock) number(asked int, each bool) {
	for line := b.Start; line < b.Start+b.Rows; line++ {
		if each || line == b.Start || line == asked {
			b.Numbers = append(b.Numbers, lineNumbers{Line: line})
			if line > b.Start {
				b.Numbers[len(b.Numbers)-2].Rest += "\n"
			}
			continue
		}
		b.Numbers[len(b.Numbers)-1].Rest += "\n" + strconv.Itoa(line)
	}
}

// ages are the steps of the colours of age.
var ages = []struct {
	name  string
	below time.Duration
}{{"a day", 24 * time.Hour}, {"a week", 7 * 24 * time.Hour}, {"a month", 30 * 24 * time.Hour},
	{"half a year", 182 * 24 * time.Hour}, {"two years", 731 * 24 * time.Hour}, {"more", math.MaxInt64}}

// ageOf returns the class of the colour of an age.
func ageOf(at, now time.Time) string {
	if at.IsZero() {
		return "a0" // nobody has committed it
	}
	for i, a := range ages {
		if now.Sub(at) < a.below {
			return "a" + strconv.Itoa(i)
		}
	}
	return "a" + strconv.Itoa(len(ages)-1)
}

// behind returns the address of what lies behind a line that is asked for: the file before the line's commit, or that
// commit where it made the file, or the step in which an agent wrote the line. A line's address is short, and a page
// has many.
func (a *runsAnswer) behind(q *question, ask url.Values) (string, error) {
	for name, address := range map[string]func(run *ownedRun, line int) string{
		"up": func(run *ownedRun, line int) string {
			if run.Commit == nil {
				return ""
			}
			if before, err := q.files.commit(q.ctx, *run.Commit+"^"); err != nil || !q.files.has(before, run.OriginalPath) {
				return at("commit", *run.Commit)
			}
			return fmt.Sprintf("%s?line=%d", at("blame", *run.Commit+"^", run.OriginalPath), run.OriginalLine+line-run.Start)
		},
		"step": func(run *ownedRun, _ int) string {
			if run.Trace == nil || run.Call == nil {
				return ""
			}
			if run.Source != nil && run.Prompt != nil {
				return at("t", *run.Trace, "p", *run.Prompt)
			}
			return at("t", *run.Trace, *run.Call)
		},
	} {
		if !ask.Has(name) {
			continue
		}
		line := positive(ask.Get(name))
		for i := range a.Runs {
			if run := &a.Runs[i]; run.Start <= line && line < run.Start+run.Count {
				if to := address(run, line); to != "" {
					return to, nil
				}
			}
		}
		return "", fmt.Errorf("what lies behind line '%s': %w", ask.Get(name), errNotFound)
	}
	return "", nil
}

// ownerWord returns the word for an owner in a list: the kind, or "older than the recording".
func ownerWord(kind string, older bool) string {
	if older {
		return "older than the recording"
	}
	return kind
}

// ai reports whether an agent wrote a part of it.
func (r *ownedRun) ai() bool {
	return r.Contributor != "human" && (r.Contributor == "ai" || r.Contributor == "mixed" || r.Trace != nil)
}

// name says of a block what its commit and its conversation say. What stands in told is not said again.
func (b *runBlock) name(runs *runsAnswer, told map[string]bool) {
	once := func(key, text string) string {
		if told[key] {
			return ""
		}
		told[key] = true
		return text
	}
	if b.Commit != nil {
		c := runs.Commits[*b.Commit]
		b.Author, b.Time, b.Summary = c.Author, c.Time, c.Summary
	}
	if b.Trace != nil {
		talk := runs.Conversations[*b.Trace]
		b.Agent = talk.Agent
		if b.Prompt != nil {
			b.Asked = talk.Prompts[strconv.Itoa(*b.Prompt)]
			b.Whole = once(fmt.Sprint(*b.Trace, *b.Prompt), b.Asked)
		}
	}
}
