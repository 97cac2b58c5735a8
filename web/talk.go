package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// talkAnswer is a conversation as git trace show --json prints it.
type talkAnswer struct {
	view.Conversation
	Subagents []string        `json:"subagents"`
	Turns     []view.Turn     `json:"turns"`
	Record    *records.Record `json:"record"`
}

// shown is what git trace show --json prints.
type shown struct {
	Objects []struct {
		Kind   string          `json:"kind"`
		Trace  *talkAnswer     `json:"trace"`
		Prompt *view.WholeTurn `json:"prompt"`
		Patch  *view.Hunk      `json:"patch"`
	} `json:"objects"`
}

// talkBody is what the page of a conversation shows.
type talkBody struct {
	*talkAnswer
	Title          string
	Turns          []*turnBlock // those of this page
	Index          []*turnBlock // all
	Ticks          []tick
	Fate           fate
	Followed       bool   // what became of the edits is known
	Earlier, Later string // addresses; empty at the ends
	Steps          int
}

// talkPage is how many steps a page shows, and followTime how long it waits for what became of them.
const (
	talkPage   = 200
	followTime = 12 * time.Second
)

// talk is the page of a conversation. A step or a prompt in the address chooses the part that is shown.
func talk(q *question) (string, string, any, error) {
	id := q.r.PathValue("trace")
	if strings.HasPrefix(id, "-") || strings.ContainsAny(id, "#:/@") {
		return "", "", nil, fmt.Errorf("conversation '%s': %w", id, errNotFound)
	}
	var answer shown
	if err := q.into(&answer, "show", "--json", id); err != nil {
		return "", "", nil, err
	}
	if len(answer.Objects) != 1 || answer.Objects[0].Trace == nil {
		return "", "", nil, fmt.Errorf("conversation '%s': %w", id, errNotFound)
	}
	t := answer.Objects[0].Trace
	if full := string(t.Trace); full != id {
		to := strings.Replace(q.r.URL.EscapedPath(), "/t/"+q.r.PathValue("trace"), "/t/"+full, 1)
		return "", "", nil, &moved{to}
	}
	body := &talkBody{talkAnswer: t, Title: titleOf(t), Index: blocksOf(t)}
	for i, turn := range body.Index {
		turn.Anchor = "p" + strconv.Itoa(i+1)
		body.Steps += len(turn.Steps)
	}
	body.Ticks = ticksOf(body.Index)
	if err := body.choose(q); err != nil {
		return "", "", nil, err
	}
	var trails map[string]*trailAnswer
	err := all(
		func() error { return body.addHunks(q) },
		func() (err error) {
			ctx, cancel := context.WithTimeout(q.ctx, followTime)
			defer cancel()
			trails, err = q.trails(ctx, id)
			body.Followed = err == nil
			return nil // the page is shown without what became of the edits
		},
	)
	body.follow(trails)
	return body.Title, "talk", body, err
}

// titleOf is what was asked first.
func titleOf(t *talkAnswer) string {
	if t.Prompt != nil && strings.TrimSpace(t.Prompt.Text) != "" {
		return t.Prompt.Text
	}
	return "A conversation with " + t.Agent
}

// choose takes the part of the conversation that is asked for.
func (b *talkBody) choose(q *question) error {
	first := 0
	if text := q.r.URL.Query().Get("from"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= max(b.Steps, 1) {
			return fmt.Errorf("step '%s': %w", text, errNotFound)
		}
		first = n / talkPage * talkPage
	}
	if step, prompt := q.r.PathValue("step"), q.r.PathValue("prompt"); step != "" || prompt != "" {
		at, anchor := b.find(step, prompt)
		if at < 0 {
			return fmt.Errorf("'%s%s' of this conversation: %w", step, prompt, errNotFound)
		}
		to := fmt.Sprintf("/t/%s#%s", b.Trace, anchor)
		if at >= talkPage {
			to = fmt.Sprintf("/t/%s?from=%d#%s", b.Trace, at/talkPage*talkPage, anchor)
		}
		return &moved{to}
	}
	seen := 0
	for _, turn := range b.Index {
		from, to := max(first-seen, 0), min(first+talkPage-seen, len(turn.Steps))
		starts := seen >= first && seen < first+talkPage
		if from < to || starts && len(turn.Steps) == 0 {
			part := *turn
			part.Steps, part.Rest = turn.Steps[from:max(from, to)], from > 0
			b.Turns = append(b.Turns, &part)
		}
		seen += len(turn.Steps)
	}
	if first > 0 {
		b.Earlier = fmt.Sprintf("/t/%s?from=%d", b.Trace, first-talkPage)
	}
	if first+talkPage < b.Steps {
		b.Later = fmt.Sprintf("/t/%s?from=%d", b.Trace, first+talkPage)
	}
	for _, turn := range b.Index {
		turn.Address = fmt.Sprintf("/t/%s/p/%s", b.Trace, turn.Anchor[1:])
		if slices.ContainsFunc(b.Turns, func(t *turnBlock) bool { return t.Anchor == turn.Anchor && !t.Rest }) {
			turn.Address = "#" + turn.Anchor
		}
	}
	return nil
}

// find gives how many steps stand before a step or a prompt, and its anchor; -1 where there is none.
func (b *talkBody) find(step, prompt string) (int, string) {
	seen := 0
	for i, turn := range b.Index {
		if prompt != "" && (strconv.Itoa(turn.Number) == prompt || turn.Number == 0 && strconv.Itoa(i+1) == prompt) {
			return seen, turn.Anchor
		}
		for k, s := range turn.Steps {
			if step != "" && (strconv.Itoa(s.Number) == step || slices.ContainsFunc(s.Calls, func(c *callBlock) bool {
				return c.ToolCall == step
			})) {
				return seen + k, s.Anchor()
			}
		}
		if step != "" && strconv.Itoa(turn.Step) == step {
			return seen, turn.Anchor
		}
		seen += len(turn.Steps)
	}
	return -1, ""
}

// mostHunkTurns bounds the prompts whose hunks are asked for at once.
const mostHunkTurns = 60

// addHunks adds what the calls on this page wrote, line by line.
func (b *talkBody) addHunks(q *question) error {
	args := []string{"show", "--json"}
	at := map[string]*callBlock{}
	for _, turn := range b.Turns {
		wrote := false
		for _, s := range turn.Steps {
			for _, c := range s.Calls {
				if len(c.Patches) > 0 {
					at[c.Subagent+"\x00"+c.ToolCall], wrote = c, true
				}
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
	if err := q.into(&answer, args...); err != nil {
		var refused *Refusal
		if errors.As(err, &refused) && code(err) == http.StatusNotFound {
			return nil
		}
		return err
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
