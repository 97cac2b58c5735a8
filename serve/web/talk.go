package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/waste"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
)

// talkAnswer is a conversation and its record.
type talkAnswer struct {
	answers.Talk
	Record *records.Record `json:"record"`

	digits int // number of shown digits of its id
}

// `shown` is the output of git trace show --json with decoded records.
type shown struct {
	answers.Show
	Objects []struct {
		answers.Object
		Trace *talkAnswer `json:"trace"`
	} `json:"objects"`
}

// talkBody holds the contents of the page of a conversation.
type talkBody struct {
	*talkAnswer
	Title    string
	Turns    []*turnBlock // turns on this page
	Index    []*turnBlock // all turns
	Ticks    []tick
	Fate     fate
	Followed bool // the fate of the edits is known
	Steps    int

	Show        string // the filter of steps; empty: all steps
	first, last int    // the range of steps that are shown whole
}

// Number of steps that a page shows whole: all steps of a short conversation, otherwise those around the requested
// place. The others are one line each until they are scrolled into view.
const (
	talkWhole = 120
	talkPart  = 50
	// followTime is the time that a page waits for the fate of edits.
	followTime = 12 * time.Second
)

// Wasted reports whether the context contains waste.
func (t *talkAnswer) Wasted() bool { return t.Waste != nil && len(t.Waste.Findings) > 0 }

// Way says what a finding repeats.
func (t *talkAnswer) Way(f waste.Finding) string {
	return f.Way(func(n int) string { return "step " + strconv.Itoa(n) })
}

// Pace returns the times that the agent worked, and waited for prompts.
func (t *talkAnswer) Pace() view.Pace { return view.PaceOf(t.Turns) }

// talk returns the page of a conversation. A step or prompt in the address chooses the part to show.
func talk(q *question) (string, string, any, error) {
	id := q.r.PathValue("trace")
	ctx, cancel := context.WithTimeout(q.ctx, followTime)
	defer cancel()
	trails := q.follow(ctx, id)
	t, err := q.said(id)
	if err != nil {
		return "", "", nil, err
	}
	if full := string(t.Trace); full != id {
		to := strings.Replace(q.r.URL.EscapedPath(), "/t/"+q.r.PathValue("trace"), "/t/"+full, 1)
		if ask := q.r.URL.RawQuery; ask != "" {
			to += "?" + ask
		}
		return "", "", nil, &moved{to}
	}
	body, err := newTalkBody(q, t)
	if err != nil {
		return "", "", nil, err
	}
	q.digits = t.digits
	body.number()
	body.Ticks = body.ticks()
	if err := body.choose(q); err != nil {
		return "", "", nil, err
	}
	became := <-trails
	err = body.addHunks(q, &became)
	body.Followed = became.err == nil // if false, the page does not show the fate of edits
	body.follow(became.trails)
	short := t.Trace[:min(len(t.Trace), usualDigits)]
	return "Conversation " + string(short), "talk", body, err // browsers keep titles in their history
}

// noTalk returns an error for a text that cannot be the id of a conversation.
func noTalk(id string) error {
	if strings.HasPrefix(id, "-") || strings.ContainsAny(id, "#:/@") {
		return fmt.Errorf("conversation '%s': %w", id, errNotFound)
	}
	return nil
}

// `said` requests a conversation. The last one stays in memory while the repository does not change, because browsers
// request the parts of a long conversation one after the other.
func (q *question) said(id string) (*talkAnswer, error) {
	if err := noTalk(id); err != nil {
		return nil, err
	}
	state, err := q.answers.now(q.ctx)
	if err != nil {
		return nil, err
	}
	last := &q.answers.last
	last.Lock()
	defer last.Unlock()
	if last.state == state && last.talk != nil && string(last.talk.Trace) == id {
		kept := *last.talk
		return &kept, nil
	}
	last.talk = nil
	out, err := q.answers.fresh(q.ctx, nil, "show", "--json", id)
	if err != nil {
		return nil, err
	}
	var answer shown
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("git-trace show: %w", err)
	}
	if len(answer.Objects) != 1 || answer.Objects[0].Trace == nil {
		return nil, fmt.Errorf("conversation '%s': %w", id, errNotFound)
	}
	last.state, last.talk = state, answer.Objects[0].Trace
	last.talk.digits = answer.IDDigits
	kept := *last.talk
	return &kept, nil
}

// lastTalk is the conversation that was requested last.
type lastTalk struct {
	sync.Mutex
	state string
	talk  *talkAnswer
}

func newTalkBody(q *question, t *talkAnswer) (*talkBody, error) {
	b := &talkBody{talkAnswer: t, Title: titleOf(t), Index: blocksOf(t)}
	b.Show = q.r.URL.Query().Get("show")
	if err := b.filter(); err != nil {
		return nil, err
	}
	costs := map[int]float64{}
	for _, c := range t.Costs {
		costs[c.Step] = c.CostUSD
	}
	for _, turn := range b.Index {
		for _, s := range turn.Steps {
			if s.Number > 0 {
				s.Cost = costs[s.Number]
			}
		}
		turn.Branches = branchesOf(turn)
	}
	return b, nil
}

// number sets the names of the prompts, and counts the steps.
func (b *talkBody) number() {
	for i, turn := range b.Index {
		turn.Anchor = "p" + strconv.Itoa(i+1)
		turn.At = b.Steps
		b.Steps += len(turn.Steps)
	}
}

// titleOf returns the conversation's title, or its first prompt.
func titleOf(t *talkAnswer) string {
	if called := t.Called(); called != "" {
		return called
	}
	if t.Prompt != nil && strings.TrimSpace(t.Prompt.Text) != "" {
		return t.Prompt.Text
	}
	return "A conversation with " + t.Agent
}

// choose keeps the requested part of the conversation.
func (b *talkBody) choose(q *question) error {
	first := 0
	if text := q.r.URL.Query().Get("from"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= max(b.Steps, 1) {
			return fmt.Errorf("step '%s': %w", text, errNotFound)
		}
		first = n
	}
	if step, prompt := q.r.PathValue("step"), q.r.PathValue("prompt"); step != "" || prompt != "" {
		at, anchor := b.find(step, prompt)
		if at < 0 {
			return fmt.Errorf("'%s%s' of this conversation: %w", step, prompt, errNotFound)
		}
		return &moved{b.address(at) + "#" + anchor}
	}
	b.first, b.last = b.around(first)
	for _, turn := range b.Index {
		turn.Address = "#" + turn.Anchor
		b.divide(turn)
		b.Turns = append(b.Turns, turn)
	}
	return nil
}

// `around` returns the range of steps that are shown whole for a requested step.
func (b *talkBody) around(at int) (first, last int) {
	if b.Steps <= talkWhole {
		return 0, max(b.Steps, 1)
	}
	first = at / talkPart * talkPart
	return first, first + talkPart
}

// address returns the page on which a step is shown whole.
func (b *talkBody) address(at int) string {
	first, _ := b.around(at)
	ask := url.Values{}
	if first > 0 {
		ask.Set("from", strconv.Itoa(first))
	}
	return b.asked("", ask)
}

// `asked` returns an address of this conversation that keeps the filter of steps.
func (b *talkBody) asked(below string, ask url.Values) string {
	if b.Show != "" {
		ask.Set("show", b.Show)
	}
	return strings.TrimSuffix("/t/"+string(b.Trace)+below+"?"+ask.Encode(), "?")
}

// divide splits a turn into parts whose steps are shown whole, and parts with one line a step.
func (b *talkBody) divide(turn *turnBlock) {
	end := turn.At + len(turn.Steps)
	for at := turn.At; at < end; {
		_, to := b.around(at)
		to = min(to, end)
		part := partBlock{From: at, To: to, Whole: at >= b.first && at < b.last, Steps: turn.Steps[at-turn.At : to-turn.At]}
		part.Page = strings.TrimPrefix(b.address(at), "/t/"+string(b.Trace))
		part.Fetch = b.asked(fmt.Sprintf("/steps/%d-%d", at, to), url.Values{})
		turn.Brief = turn.Brief || at == turn.At && !part.Whole
		turn.Parts = append(turn.Parts, part)
		at = to
	}
}

// stepsOf returns some steps of a conversation in full. The conversation's page has only one line for each.
func stepsOf(q *question) (string, string, any, error) {
	ctx, cancel := context.WithTimeout(q.ctx, followTime)
	defer cancel()
	trails := q.follow(ctx, q.r.PathValue("trace"))
	t, err := q.said(q.r.PathValue("trace"))
	if err != nil {
		return "", "", nil, err
	}
	body, err := newTalkBody(q, t)
	if err != nil {
		return "", "", nil, err
	}
	q.digits = t.digits
	body.number()
	var from, to int
	if n, err := fmt.Sscanf(q.r.PathValue("part"), "%d-%d", &from, &to); n != 2 || err != nil || from < 0 || to <= from ||
		to-from > talkPart {
		return "", "", nil, fmt.Errorf("steps '%s': %w", q.r.PathValue("part"), errNotFound)
	}
	for _, turn := range body.Index {
		if from >= turn.At && to <= turn.At+len(turn.Steps) {
			turn.Parts = []partBlock{{From: from, To: to, Whole: true, Steps: turn.Steps[from-turn.At : to-turn.At]}}
			body.Turns = append(body.Turns, turn)
		}
	}
	if len(body.Turns) == 0 {
		return "", "", nil, fmt.Errorf("steps '%s': %w", q.r.PathValue("part"), errNotFound)
	}
	became := <-trails
	if err := body.addHunks(q, &became); err != nil {
		return "", "", nil, err
	}
	body.follow(became.trails) // as on the conversation's page
	return "", "steps", body, nil
}

// find returns the number of steps before a step or a prompt, and its anchor; -1 if it does not exist.
func (b *talkBody) find(step, prompt string) (int, string) {
	for i, turn := range b.Index {
		if prompt != "" && (strconv.Itoa(turn.Number) == prompt || turn.Number == 0 && strconv.Itoa(i+1) == prompt) {
			return turn.At, turn.Anchor
		}
		for k, s := range turn.Steps {
			if step != "" && (strconv.Itoa(s.Number) == step || slices.ContainsFunc(s.Calls, func(c *callBlock) bool {
				return c.ToolCall == step
			})) {
				return turn.At + k, s.Anchor()
			}
		}
		if step != "" && strconv.Itoa(turn.Step) == step {
			return turn.At, turn.Anchor
		}
	}
	return -1, ""
}

// mostHunkTurns limits the prompts whose hunks one request asks for.
const mostHunkTurns = 60

// addHunks adds the hunks of the calls that are shown whole.
func (b *talkBody) addHunks(q *question, known *followed) error {
	args := []string{"show", "--json"}
	at := map[string]*callBlock{}
	for _, turn := range b.Turns {
		wrote := false
		for _, c := range turn.wholeCalls() {
			c.declare()
			if len(c.Patches) > 0 {
				at[c.Subagent+"\x00"+c.ToolCall], wrote = c, true
			}
		}
		if wrote && turn.Number > 0 && len(args) < mostHunkTurns {
			args = append(args, fmt.Sprintf("%s#%d", b.Trace, turn.Number))
		}
	}
	if len(args) == 2 {
		return nil
	}
	var answer shown
	if !known.write(at) {
		if err := q.into(&answer, args...); err != nil {
			var refused *Refusal
			if errors.As(err, &refused) && code(err) == http.StatusNotFound {
				return nil
			}
			return err
		}
	}
	for _, o := range answer.Objects {
		if o.Prompt == nil {
			continue
		}
		for _, c := range o.Prompt.Calls {
			if block := at[c.Subagent+"\x00"+c.ToolCall]; block != nil {
				block.Hunks = c.Hunks
			}
		}
	}
	return nil
}
