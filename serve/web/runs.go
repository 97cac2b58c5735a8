package web

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/records"
)

// runBlock is a run with its lines, ready to be drawn. A long run is split into several blocks.
type runBlock struct {
	blame.RunJSON
	First   bool
	Talk    int // number of its conversation on this page, from 1; 0 for none
	Agent   string
	Asked   string // text of the prompt
	Whole   string // the same text, in the first block with this prompt; otherwise empty
	Author  string
	Time    time.Time
	Summary string // subject of the commit
	Code    []word
	Rows    int
	Age     string // style class for the age of the commit (ageOf); empty if ages are not shown
	Numbers []lineNumbers
}

// lineNumbers holds consecutive line numbers. If Line is set, the first has an address.
type lineNumbers struct {
	Line int
	Rest string
}

// About describes how an agent wrote the block, and how certain that is.
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
		if b.Source.Signer != nil {
			words = append(words, "signed by "+*b.Source.Signer)
		}
	}
	return strings.Join(words, ", ")
}

// Class returns the style classes of the block: its height, and its age or owner.
func (b *runBlock) Class() string {
	high := "n" + strconv.Itoa(b.Rows%10)
	if b.Rows >= 10 {
		high = "t" + strconv.Itoa(b.Rows/10) + " " + high
	}
	switch {
	case b.Age != "":
		return high + " " + b.Age
	case b.Trace != nil:
		return high + " " + hue(*b.Trace)
	case byAI(&b.RunJSON):
		return high + " m"
	case b.unknown():
		return high + " u"
	}
	return high
}

// `Who` returns the name of the owner if no conversation is known.
func (b *runBlock) Who() string {
	switch {
	case byAI(&b.RunJSON):
		return "an agent" + b.Sign()
	case b.unknown():
		return "unknown"
	}
	if b.Rows == 1 { // a single row already shows the age of the commit
		return cells.Cut(cells.Line(b.Author), mostBesideAge)
	}
	return cells.Cut(cells.Line(b.Author), mostAuthor)
}

// unknown reports whether a block that no agent wrote has no owner. A block that is older than the recording has the
// author of its commit.
func (b *runBlock) unknown() bool { return b.Contributor != "human" && !b.Older }

// The width of a name beside the lines, in cells.
const (
	mostAuthor    = 22
	mostBesideAge = 16
)

// Sign returns the sign that `git trace blame` prints after an uncertain owner.
func (b *runBlock) Sign() string {
	switch {
	case len(b.Disputed) > 0:
		return blame.SignDisputed
	case b.Contributor == "mixed":
		return blame.SignMixed
	case len(b.Candidates) > 1, records.Value(b.Confidence) == "low":
		return blame.SignUnsure
	}
	return ""
}

// HasStep reports whether the agent's step is known. The log of another clone has only the prompt.
func (b *runBlock) HasStep() bool { return b.Trace != nil && b.ToolCall != nil && b.Source == nil }

// number sets the numbers of the lines. The first line and the requested one get an address.
func (b *runBlock) number(asked int) {
	for line := b.Start; line < b.Start+b.Rows; line++ {
		if line == b.Start || line == asked {
			b.Numbers = append(b.Numbers, lineNumbers{Line: line})
			if line > b.Start {
				b.Numbers[len(b.Numbers)-2].Rest += "\n"
			}
			continue
		}
		b.Numbers[len(b.Numbers)-1].Rest += "\n" + strconv.Itoa(line)
	}
}

// ages lists the steps of the age colours.
var ages = []struct {
	name  string
	below time.Duration
}{{"a day", 24 * time.Hour}, {"a week", 7 * 24 * time.Hour}, {"a month", 30 * 24 * time.Hour},
	{"half a year", 182 * 24 * time.Hour}, {"two years", 731 * 24 * time.Hour}, {"more", math.MaxInt64}}

// ageOf returns the style class for an age.
func ageOf(at, now time.Time) string {
	if at.IsZero() {
		return "a0" // uncommitted
	}
	for i, a := range ages {
		if now.Sub(at) < a.below {
			return "a" + strconv.Itoa(i)
		}
	}
	return "a" + strconv.Itoa(len(ages)-1)
}

// `behind` returns the address to which a line's short link redirects: the file before the line's commit; the commit
// itself, if it added the file; or the step in which an agent wrote the line. The links are short because a page has
// many.
func behind(a *blame.RunsJSON, q *question, ask url.Values) (string, error) {
	for name, address := range map[string]func(run *blame.RunJSON, line int) string{
		"up": func(run *blame.RunJSON, line int) string {
			if run.Commit == nil {
				return ""
			}
			if before, err := q.files.commit(q.ctx, *run.Commit+"^"); err != nil || !q.files.has(before, run.OriginalPath) {
				return at("commit", *run.Commit)
			}
			return fmt.Sprintf("%s?line=%d", at("blame", *run.Commit+"^", run.OriginalPath), run.OriginalLine+line-run.Start)
		},
		"step": func(run *blame.RunJSON, _ int) string {
			if run.Trace == nil || run.ToolCall == nil {
				return ""
			}
			if run.Source != nil && run.Prompt != nil {
				return at("t", *run.Trace, "p", *run.Prompt)
			}
			return at("t", *run.Trace, *run.ToolCall)
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
		return "", fmt.Errorf("find the origin of line '%s': %w", ask.Get(name), errNotFound)
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

// byAI reports whether an agent wrote the run, or a part of it.
func byAI(r *blame.RunJSON) bool {
	return r.Contributor != "human" && (r.Contributor == "ai" || r.Contributor == "mixed" || r.Trace != nil)
}

// `name` sets the facts about the block's commit and conversation. The parameter `told` notes which prompts earlier
// blocks have.
func (b *runBlock) name(runs *blame.RunsJSON, told map[string]bool) {
	once := func(key, text string) string {
		if told[key] {
			return ""
		}
		told[key] = true
		return text
	}
	if b.Commit != nil {
		c := runs.Commits[*b.Commit]
		b.Author, b.Time, b.Summary = c.Author, c.AuthorTime, c.Summary
	}
	if b.Trace != nil {
		talk := runs.Conversations[*b.Trace]
		b.Agent = records.Value(talk.Agent)
		if b.Prompt != nil {
			b.Asked = talk.Prompts[strconv.Itoa(*b.Prompt)]
			b.Whole = once(fmt.Sprint(*b.Trace, *b.Prompt), b.Asked)
		}
	}
}
