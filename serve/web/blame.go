package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// legend is an owner and the number of its lines.
type legend struct {
	Trace, Agent string
	Lines        int
	Writer       string // the clone whose log names the owner; empty for this clone
}

type blameBody struct {
	Rev, Path     string
	Names         []crumb
	Blocks        []*runBlock
	Lines         int
	Owners        []legend
	Others        int // number of owners that are not listed
	Owned         numbers.Owned
	Wide          int // width of the code in columns, rounded
	From, To      int
	Before, After string
	WorkTree      bool
	Binary        bool
	Ages          []string // names of the age colours, if ages are shown
	Rail          []*railMarks
	Functions     []functionRow // nil if they are not shown

	chosen url.Values // parameters of the page, without the file
}

// The choices on the page.
const (
	onlyAgents    = "agents"    // only lines of agents
	onlyTalk      = "talk"      // only lines of one conversation
	passBlanks    = "w"         // ignore white space
	showAges      = "age"       // colour lines by their age
	showFunctions = "functions" // list the functions
)

// railMarks draws where a conversation's lines are, as a path in thousandths of the page.
type railMarks struct {
	Trace string
	Talk  int
	Path  string
}

// crumb is a part of a path and its address.
type crumb struct{ Name, Address string }

// crumbs returns the parts of a path in a revision.
func crumbs(rev, path string) []crumb {
	var out []crumb
	rev = treeOf(rev)
	parts := strings.Split(path, "/")
	for i, name := range parts {
		if name == "" {
			continue
		}
		out = append(out, crumb{name, at("tree", rev, strings.Join(parts[:i+1], "/"))})
	}
	return out
}

// Limits for the drawing of a file.
const (
	blamePage  = 20000 // lines
	mostRows   = 40    // rows of a block; the style sheet knows the height of each number
	mostOwners = 24    // conversations in the legend
	widest     = 400   // columns
)

// workTree is the revision in the address of a file in the work tree.
const workTree = "worktree"

// Tree returns the revision for the page's links to directories. The work tree has no page for directories.
func (b *blameBody) Tree() string { return treeOf(b.Rev) }

func treeOf(rev string) string {
	if rev == workTree {
		return "HEAD"
	}
	return rev
}

// goneError is the error for a file of the last commit that the work tree does not have.
type goneError struct{ path string }

func (e *goneError) Error() string {
	return fmt.Sprintf("'%s' is in the last commit, and the work tree does not have it", e.path)
}

func (*goneError) Unwrap() error { return errNotFound }

// `gone` returns a better error if a file is missing in the work tree, and the last commit has it.
func (q *question) gone(b *blameBody, err error) error {
	if !b.WorkTree || !errors.Is(err, errNotFound) {
		return err
	}
	head, failed := q.files.commit(q.ctx, "HEAD")
	if failed == nil {
		_, failed = q.files.content(head, b.Path)
	}
	if failed != nil {
		return err
	}
	return &goneError{b.Path}
}

// `blamed` returns the page of a file.
func blamed(q *question) (string, string, any, error) {
	rev, path := q.r.PathValue("rev"), q.r.PathValue("path")
	ask := q.r.URL.Query()
	if line := positive(ask.Get("line")); line > 0 {
		ask.Del("line")
		ask.Set("from", strconv.Itoa(line))
		return "", "", nil, &moved{fmt.Sprintf("%s?%s#L%d", at("blame", rev, path), ask.Encode(), line)}
	}
	body := &blameBody{Rev: rev, Path: path, WorkTree: rev == workTree, Names: crumbs(rev, path)}
	body.choose(q)
	var content, answer []byte
	var err error
	words := make(chan [][]word, 1) // colours are computed while git-trace finds the owners
	colour := func() {
		fault.Go(func() { words <- colours(languageOf(path), strings.ReplaceAll(string(content), "\r\n", "\n")) })
	}
	if body.WorkTree {
		if content, err = q.files.worktree(q.ctx, path); err == nil && !bytes.Contains(content, []byte{0}) {
			colour()
			answer, err = body.ask(q, content, "--contents", "-", "--", path)
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
			colour()
			answer, err = body.ask(q, nil, commit.String(), "--", path)
		}
	}
	if err != nil {
		return "", "", nil, q.gone(body, err)
	}
	if bytes.Contains(content, []byte{0}) {
		body.Binary = true
		return path, "blame", body, nil
	}
	var runs blame.RunsJSON
	if err := json.Unmarshal(answer, &runs); err != nil {
		return "", "", nil, fmt.Errorf("git-trace blame: %w", err)
	}
	if to, err := behind(&runs, q, ask); to != "" || err != nil {
		return "", "", nil, cmp.Or[error](err, &moved{to})
	}
	for _, talk := range runs.Conversations {
		q.digits = len(talk.Short)
	}
	body.fill(&runs, content, <-words, max(positive(ask.Get("from")), 1)) // without a number, start at the first line
	return path, "blame", body, nil
}

// ask requests the owners of the lines and, if chosen, the functions.
func (b *blameBody) ask(q *question, stdin []byte, file ...string) ([]byte, error) {
	args := []string{"blame"}
	if b.Chosen(passBlanks) {
		args = append(args, "-w")
	}
	if b.Chosen(showFunctions) {
		var list blame.FunctionsJSON
		raw, err := q.answers.get(q.ctx, stdin, slices.Concat(args, []string{"--functions", "--json"}, file)...)
		if err == nil {
			err = json.Unmarshal(raw, &list)
		}
		if err != nil {
			return nil, err
		}
		for _, f := range list.Functions {
			b.Functions = append(b.Functions, functionRow{f})
		}
	}
	return q.answers.get(q.ctx, stdin, slices.Concat(args, []string{"--json=runs"}, file)...)
}

// `positive` parses a number; 0 for any other text.
func positive(text string) int {
	n, _ := strconv.Atoi(text) // on failure n is 0, or the largest number
	return max(n, 0)
}

// choose reads the choices of a request.
func (b *blameBody) choose(q *question) {
	b.chosen = url.Values{}
	ask := q.r.URL.Query()
	for _, name := range []string{onlyAgents, onlyTalk, passBlanks, showAges, showFunctions} {
		switch {
		case !ask.Has(name):
		case name == onlyTalk:
			b.chosen.Set(name, ask.Get(name))
		default:
			b.chosen.Set(name, "1")
		}
	}
}

// Sole reports whether the page shows only the lines of this conversation.
func (b *blameBody) Sole(trace string) bool {
	begin := b.chosen.Get(onlyTalk)
	return begin != "" && strings.HasPrefix(trace, begin)
}

// `Only` returns the address of this page with only a conversation's lines, or with all lines if it shows only those
// now.
func (b *blameBody) Only(trace string) string {
	ask := maps.Clone(b.chosen)
	if ask.Del(onlyTalk); !b.Sole(trace) {
		ask.Set(onlyTalk, trace)
	}
	return b.asked(ask)
}

// `leaves` reports whether the choices exclude a run.
func (b *blameBody) leaves(run *blame.RunJSON) bool {
	return b.Chosen(onlyAgents) && !byAI(run) || b.chosen.Get(onlyTalk) != "" && !b.Sole(records.Value(run.Trace))
}

// Chosen reports whether a choice is on.
func (b *blameBody) Chosen(name string) bool { return b.chosen.Has(name) }

// `Other` returns the address of this page with a choice switched.
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

// Line returns the address of this page with a line highlighted.
func (b *blameBody) Line(n int) string {
	ask := maps.Clone(b.chosen)
	ask.Set("line", strconv.Itoa(n))
	return b.asked(ask)
}

// page returns the address of this page starting at another line.
func (b *blameBody) page(from int) string {
	ask := maps.Clone(b.chosen)
	ask.Set("from", strconv.Itoa(from))
	return b.asked(ask)
}

func (b *blameBody) asked(ask url.Values) string {
	return "?" + ask.Encode()
}

// `fill` puts the lines of the file beside their owners, at most as many as a page holds.
func (b *blameBody) fill(runs *blame.RunsJSON, content []byte, words [][]word, line int) {
	lines := strings.SplitAfter(string(content), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	b.Lines = len(lines)
	b.From = min((line-1)/blamePage*blamePage, b.Lines/blamePage*blamePage)
	b.To = min(b.From+blamePage, b.Lines)
	if b.From > 0 {
		b.Before = b.page(b.From - blamePage + 1)
	}
	if b.To < b.Lines {
		b.After = b.page(b.To + 1)
	}
	b.count(runs)
	columns, now := 0, time.Now()
	talks, told := map[string]int{}, map[string]bool{}
	for _, run := range runs.Runs {
		if b.leaves(&run) {
			continue
		}
		first, last := max(run.Start-1, b.From), min(run.Start-1+run.Count, b.To, len(lines))
		for at := first; at < last; at += mostRows {
			rows := min(mostRows, last-at)
			block := &runBlock{RunJSON: run, First: at == first, Rows: rows}
			block.Start, block.OriginalLine = at+1, run.OriginalLine+at+1-run.Start
			block.name(runs, told)
			block.number(line)
			if id := records.Value(run.Trace); id != "" {
				if talks[id] == 0 {
					talks[id] = len(talks) + 1
				}
				block.Talk = talks[id]
			}
			if b.Chosen(showAges) {
				block.Age = ageOf(block.Time, now)
			}
			for _, text := range lines[at : at+rows] {
				columns = max(columns, len(text)+7*strings.Count(text, "\t"))
			}
			block.Code = codeOf(lines[at:at+rows], words[min(at, len(words)):min(at+rows, len(words))])
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

// codeOf returns the words of lines. Lines that have no colours are one word.
func codeOf(lines []string, words [][]word) []word {
	code := []word{{"", strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n")}}
	if len(words) == len(lines) {
		code = slices.Concat(words...)
	}
	if len(code) > 0 && strings.HasPrefix(code[0].Text, "\n") {
		code = append([]word{{"", "\n"}}, code...) // browsers drop a line break at the beginning of a <pre>
	}
	return code
}

// `mark` draws the places of conversations' lines. Neighbouring lines of one conversation are one mark.
func (b *blameBody) mark() {
	const whole, least = 1000, 2
	rows, drawn, last := 0, 0, 0
	for _, block := range b.Blocks {
		drawn += block.Rows
	}
	of, ends := map[int]*railMarks{}, map[int]int{}
	for _, block := range b.Blocks {
		y := rows * whole / drawn
		rows += block.Rows
		end := max(rows*whole/drawn, y+least)
		switch m := of[block.Talk]; {
		case block.Talk == 0:
			continue
		case m == nil:
			m = &railMarks{Trace: *block.Trace, Talk: block.Talk}
			of[block.Talk] = m
			b.Rail = append(b.Rail, m)
			fallthrough
		case ends[block.Talk] < y || last != block.Talk:
			of[block.Talk].Path += fmt.Sprintf("M4 %dv%d", y, end-y)
		case end > ends[block.Talk]:
			of[block.Talk].Path += fmt.Sprintf("v%d", end-ends[block.Talk])
		}
		last, ends[block.Talk] = block.Talk, end
	}
}

// count sums up the lines of each owner.
func (b *blameBody) count(runs *blame.RunsJSON) {
	of, told := map[string]int{}, map[string]string{}
	for _, run := range runs.Runs {
		if run.Trace != nil && run.Source != nil {
			told[*run.Trace] = run.Source.Writer
		}
		switch {
		case byAI(&run):
			b.Owned.AI += run.Count
			if run.Trace != nil {
				of[*run.Trace] += run.Count
			}
		case run.Contributor == "human":
			b.Owned.Human += run.Count
		case run.Older:
			b.Owned.Older += run.Count
			b.Owned.Unknown += run.Count
		default:
			b.Owned.Unknown += run.Count
		}
	}
	for id, n := range of {
		b.Owners = append(b.Owners, legend{id, records.Value(runs.Conversations[id].Agent), n, told[id]})
	}
	slices.SortFunc(b.Owners, func(x, y legend) int {
		return cmp.Or(cmp.Compare(y.Lines, x.Lines), cmp.Compare(x.Trace, y.Trace))
	})
	b.Others = max(len(b.Owners)-mostOwners, 0)
	b.Owners = b.Owners[:len(b.Owners)-b.Others]
}
