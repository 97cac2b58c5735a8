package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"

	"github.com/git-trace/git-trace/refs"
)

// runsAnswer is what git trace blame --json=runs prints.
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
	Trace        *string  `json:"trace"`
	Model        *string  `json:"model"`
	Tool         *string  `json:"tool"`
	Call         *string  `json:"tool_call"`
	Prompt       *int     `json:"prompt"`
	Patch        *string  `json:"patch"`
	Evidence     *string  `json:"evidence"`
	Confidence   *string  `json:"confidence"`
	Disputed     []string `json:"disputed"`
}

// runBlock is a run with its lines, as it is drawn. A long run is several blocks.
type runBlock struct {
	ownedRun
	First   bool
	Agent   string
	Asked   string
	Author  string
	Time    time.Time
	Summary string
	Code    string
	Rows    int
	Age     string // ageNames, by how long ago the commit was; empty where nobody asks
}

// Earlier is the address of the file before the commit of the block.
func (b *runBlock) Earlier() string {
	return fmt.Sprintf("%s?line=%d", at("blame", *b.Commit+"^", b.OriginalPath), b.OriginalLine)
}

// About tells how an agent's block was written, and how far that is known.
func (b *runBlock) About() string {
	text := "What became of this edit"
	if b.Tool != nil {
		text += " by " + *b.Tool
	}
	if b.Evidence != nil && b.Confidence != nil {
		text += fmt.Sprintf("; %s, confidence %s", strings.ReplaceAll(*b.Evidence, "_", " "), *b.Confidence)
	}
	return text
}

// Sign is what stands behind an owner who is not sure, as in the terminal: ~ for one of several and for little
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

// Step is the address of the step in which an agent wrote the block; empty where no call is known.
func (b *runBlock) Step() string {
	if b.Trace == nil || b.Call == nil {
		return ""
	}
	return at("t", *b.Trace, *b.Call)
}

// Numbers are the numbers of the lines.
func (b *runBlock) Numbers() []int {
	out := make([]int, b.Rows)
	for i := range out {
		out[i] = b.Start + i
	}
	return out
}

// legend is one owner, with how many lines.
type legend struct {
	Trace, Agent string
	Lines        int
}

type blameBody struct {
	Rev, Path     string
	Names         []crumb
	Blocks        []*runBlock
	Lines         int
	Owners        []legend
	AI, Human     int
	Unknown       int
	Wide          int // columns of the code, rounded
	Numbered      bool
	From, To      int
	Before, After string
	WorkTree      bool
	Binary        bool
	Ages          []string // their names, where ages are shown
	Rail          []railMark

	chosen url.Values // what is asked of the page besides the file
}

// The choices. A page that is a file has none: it is there once.
const (
	onlyAgents = "agents" // leave out what no agent wrote
	onlyTalk   = "talk"   // leave out what another conversation wrote, or nobody
	passBlanks = "w"      // pass over white space
	showAges   = "age"    // colour lines by their age
)

// ages are the steps of the colours of age.
var ages = []struct {
	name  string
	below time.Duration
}{{"a day", 24 * time.Hour}, {"a week", 7 * 24 * time.Hour}, {"a month", 30 * 24 * time.Hour},
	{"half a year", 182 * 24 * time.Hour}, {"two years", 731 * 24 * time.Hour}, {"more", math.MaxInt64}}

// ageOf is the class of the colour of an age.
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

// railMark is where lines of a conversation stand, in thousandths of the page.
type railMark struct {
	Trace     string
	Y, Height int
}

// crumb is a part of a path, with its address.
type crumb struct{ Name, Address string }

// crumbs are the parts of a path in a revision.
func crumbs(rev, path string) []crumb {
	var out []crumb
	parts := strings.Split(path, "/")
	for i, name := range parts {
		if name == "" {
			continue
		}
		out = append(out, crumb{name, at("tree", rev, strings.Join(parts[:i+1], "/"))})
	}
	return out
}

// Bounds of what is drawn of a file.
const (
	blamePage   = 20000 // lines
	mostRows    = 50    // of a block, which the style sheet knows the height of
	mostAnchors = 5000  // lines; of a longer file lines have no address of their own, blocks have
	widest      = 400   // columns
)

// blamed is the page of a file.
func blamed(q *question) (string, string, any, error) {
	rev, path := q.r.PathValue("rev"), q.r.PathValue("path")
	if line, err := strconv.Atoi(q.r.URL.Query().Get("line")); err == nil && line > 0 {
		return "", "", nil, &moved{fmt.Sprintf("%s?from=%d#L%d", at("blame", rev, path), line, line)}
	}
	body := &blameBody{Rev: rev, Path: path, WorkTree: rev == "worktree", Names: crumbs(rev, path)}
	args := []string{"blame", "--json=runs"}
	if body.choose(q); body.Chosen(passBlanks) {
		args = append(args, "-w")
	}
	var content, answer []byte
	var err error
	if body.WorkTree {
		if content, err = q.files.worktree(q.ctx, path); err == nil && !bytes.Contains(content, []byte{0}) {
			answer, err = q.answers.get(q.ctx, content, append(args, "--contents", "-", "--", path)...)
		}
	} else {
		var commit refs.OID
		if commit, err = q.files.commit(q.ctx, rev); err != nil {
			return "", "", nil, err
		}
		if rev != commit.String() {
			to := at("blame", commit, path)
			if line := q.r.URL.RawQuery; line != "" {
				to += "?" + line
			}
			return "", "", nil, &moved{to}
		}
		if content, err = q.files.content(commit, path); err == nil && !bytes.Contains(content, []byte{0}) {
			answer, err = q.answers.get(q.ctx, nil, append(args, commit.String(), "--", path)...)
		}
	}
	if err != nil {
		return "", "", nil, err
	}
	if bytes.Contains(content, []byte{0}) {
		body.Binary = true
		return path, "blame", body, nil
	}
	var runs runsAnswer
	if err := json.Unmarshal(answer, &runs); err != nil {
		return "", "", nil, fmt.Errorf("git-trace blame: %w", err)
	}
	if err := q.givePrompts(&runs); err != nil {
		return "", "", nil, err
	}
	for _, talk := range runs.Conversations {
		q.digits = len(talk.Short)
	}
	from, _ := strconv.Atoi(q.r.URL.Query().Get("from")) // what is no number begins at the beginning
	body.fill(&runs, content, max(from, 1))
	return path, "blame", body, nil
}

// choose reads the choices of a request.
func (b *blameBody) choose(q *question) {
	b.chosen = url.Values{}
	ask := q.r.URL.Query()
	for _, name := range []string{onlyAgents, onlyTalk, passBlanks, showAges} {
		switch {
		case q.still != nil || !ask.Has(name):
		case name == onlyTalk:
			b.chosen.Set(name, ask.Get(name))
		default:
			b.chosen.Set(name, "1")
		}
	}
}

// Talk is the conversation that is asked for; empty for any.
func (b *blameBody) Talk() string { return b.chosen.Get(onlyTalk) }

// Only is the address of this page with the lines of one conversation, or with all again.
func (b *blameBody) Only(trace string) string {
	ask := maps.Clone(b.chosen)
	if ask.Get(onlyTalk) == trace {
		ask.Del(onlyTalk)
	} else {
		ask.Set(onlyTalk, trace)
	}
	return b.asked(ask)
}

// leaves tells whether a run is left out.
func (b *blameBody) leaves(run *ownedRun) bool {
	return b.Chosen(onlyAgents) && !run.ai() || b.Talk() != "" && records.Value(run.Trace) != b.Talk()
}

// Chosen tells whether a choice was made.
func (b *blameBody) Chosen(name string) bool { return b.chosen.Has(name) }

// Other is the address of this page with the other side of a choice.
func (b *blameBody) Other(name string) string {
	ask := maps.Clone(b.chosen)
	if b.From > 0 {
		ask.Set("from", strconv.Itoa(b.From+1))
	}
	if ask.Has(name) {
		ask.Del(name)
	} else {
		ask.Set(name, "1")
	}
	return b.asked(ask)
}

// page is the address of this page from another line on.
func (b *blameBody) page(from int) string {
	ask := maps.Clone(b.chosen)
	ask.Set("from", strconv.Itoa(from))
	return b.asked(ask)
}

func (b *blameBody) asked(ask url.Values) string {
	return strings.TrimSuffix(at("blame", b.Rev, b.Path)+"?"+ask.Encode(), "?")
}

// ai tells whether an agent wrote a part of it.
func (r *ownedRun) ai() bool {
	return r.Contributor != "human" && (r.Contributor == "ai" || r.Contributor == "mixed" || r.Trace != nil)
}

// fill lays the lines of the file beside their owners, as many as a page holds.
func (b *blameBody) fill(runs *runsAnswer, content []byte, line int) {
	lines := strings.SplitAfter(string(content), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	b.Lines = len(lines)
	b.From = min((line-1)/blamePage*blamePage, b.Lines/blamePage*blamePage)
	b.To = min(b.From+blamePage, b.Lines)
	b.Numbered = b.To-b.From <= mostAnchors
	if b.From > 0 {
		b.Before = b.page(b.From - blamePage + 1)
	}
	if b.To < b.Lines {
		b.After = b.page(b.To + 1)
	}
	b.count(runs)
	columns, now := 0, time.Now()
	for _, run := range runs.Runs {
		if b.leaves(&run) {
			continue
		}
		first, last := max(run.Start-1, b.From), min(run.Start-1+run.Count, b.To, len(lines))
		for at := first; at < last; at += mostRows {
			rows := min(mostRows, last-at)
			block := &runBlock{ownedRun: run, First: at == first, Rows: rows}
			block.Start, block.OriginalLine = at+1, run.OriginalLine+at+1-run.Start
			block.name(runs)
			if b.Chosen(showAges) {
				block.Age = ageOf(block.Time, now)
			}
			for _, text := range lines[at : at+rows] {
				columns = max(columns, len(text)+7*strings.Count(text, "\t"))
			}
			block.Code = strings.ReplaceAll(strings.Join(lines[at:at+rows], ""), "\r\n", "\n")
			b.Blocks = append(b.Blocks, block)
		}
	}
	const step = 40
	b.Wide = min((columns/step+1)*step, widest)
	b.mark()
	for _, a := range ages {
		if b.Chosen(showAges) {
			b.Ages = append(b.Ages, a.name)
		}
	}
}

// mark draws where the lines of conversations stand. Marks of one conversation that touch are one.
func (b *blameBody) mark() {
	const whole = 1000
	rows, drawn := 0, 0
	for _, block := range b.Blocks {
		drawn += block.Rows
	}
	for _, block := range b.Blocks {
		if block.Trace != nil {
			m := railMark{*block.Trace, rows * whole / drawn, max(block.Rows*whole/drawn, 2)}
			last := len(b.Rail) - 1
			if last >= 0 && b.Rail[last].Trace == m.Trace && b.Rail[last].Y+b.Rail[last].Height >= m.Y {
				b.Rail[last].Height = max(b.Rail[last].Height, m.Y+m.Height-b.Rail[last].Y)
			} else if last < 0 || b.Rail[last].Y < m.Y {
				b.Rail = append(b.Rail, m)
			}
		}
		rows += block.Rows
	}
}

// name says of a block what its commit and its conversation say.
func (b *runBlock) name(runs *runsAnswer) {
	if b.Commit != nil {
		c := runs.Commits[*b.Commit]
		b.Author, b.Time, b.Summary = c.Author, c.Time, c.Summary
	}
	if b.Trace != nil {
		talk := runs.Conversations[*b.Trace]
		b.Agent = talk.Agent
		if b.Prompt != nil {
			b.Asked = talk.Prompts[strconv.Itoa(*b.Prompt)]
		}
	}
}

// count sums whose the lines are.
func (b *blameBody) count(runs *runsAnswer) {
	of := map[string]int{}
	for _, run := range runs.Runs {
		switch {
		case run.ai():
			b.AI += run.Count
			if run.Trace != nil {
				of[*run.Trace] += run.Count
			}
		case run.Contributor == "human":
			b.Human += run.Count
		default:
			b.Unknown += run.Count
		}
	}
	for id, n := range of {
		b.Owners = append(b.Owners, legend{id, runs.Conversations[id].Agent, n})
	}
	slices.SortFunc(b.Owners, func(x, y legend) int {
		return cmp.Or(cmp.Compare(y.Lines, x.Lines), cmp.Compare(x.Trace, y.Trace))
	})
}
