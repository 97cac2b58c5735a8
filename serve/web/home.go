package web

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// talksOf returns the conversations in the output of git trace log --json.
func talksOf(list *answers.Log) []*view.Conversation {
	out := make([]*view.Conversation, len(list.Conversations))
	for i := range list.Conversations {
		out[i] = list.Conversations[i].Conversation
	}
	return out
}

// status is the state of recording.
type status struct {
	answers.Status
	Bare bool `json:"-"`
}

// Traced lists the agents that are recorded. Untraced lists the others.
func (s *status) Traced() string   { return s.agents(true) }
func (s *status) Untraced() string { return s.agents(false) }

func (s *status) agents(traced bool) string {
	var names []string
	for _, a := range s.Agents {
		if a.Traced == traced {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Writers returns the number of other clones' logs here.
func (s *status) Writers() int {
	n := 0
	for _, r := range s.Shared {
		n += r.Writers
	}
	return n
}

// Lengths of the overview's lists.
const (
	homeTalks   = 8
	homeCommits = 12
	homeRange   = 200 // number of commits whose lines are counted
)

type homeBody struct {
	Status  status
	Checked *checked // result of the last check of the log; nil before the first
	Talks   []*view.Conversation
	Commits []graph.CommitJSON
	Lines   stats.Lines
	Range   int
	Since   string
}

// Spans returns the choices of the period whose lines are counted.
func (*homeBody) Spans() []string {
	return []string{"a week ago", "30 days ago", "90 days ago", "a year ago"}
}

// home returns the overview. Each part is requested separately. A part without an answer is left out.
func home(q *question) (string, string, any, error) {
	body := &homeBody{Range: homeRange, Since: q.r.URL.Query().Get("since")}
	counted := []string{"stats", "--json", "-n", strconv.Itoa(homeRange)}
	if body.Since != "" {
		counted = []string{"stats", "--json", "--since=" + body.Since}
	}
	var list answers.Log
	var commits graph.Document
	var sums figures.Stats
	err := all(
		func() error { return q.status(&body.Status) },
		func() error { return q.into(&list, "log", "--json", "-n", strconv.Itoa(homeTalks)) },
		func() error { return optional(q.into(&commits, "graph", "--json", "-n", strconv.Itoa(homeCommits))) },
		func() error { return optional(q.into(&sums, counted...)) },
	)
	body.Talks = talksOf(&list)
	if body.Status.Log != nil { // after all else, because a check uses all processors
		body.Checked = q.check(q.ctx)
	}
	q.digits, body.Commits, body.Lines = list.IDDigits, commits.Commits, sums.Lines
	return "Overview", "home", body, err
}

// status requests the state of recording. A bare repository has no work tree, so git trace status refuses it.
func (q *question) status(to *status) error {
	if to.Bare = q.repo.Bare(); to.Bare {
		return nil
	}
	return q.into(to, "status", "--json")
}

// `optional` drops the error that a request gets in a repository without commits.
func optional(err error) error {
	if err != nil && code(err) == 404 {
		return nil
	}
	return err
}

// `all` runs functions at the same time, and waits for them.
func all(things ...func() error) error {
	errs := make([]error, len(things))
	var wait sync.WaitGroup
	for i, do := range things {
		wait.Go(fault.In(func() { errs[i] = do() }))
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// talksPage is the number of conversations on a page.
const talksPage = 50

type talksBody struct {
	Talks              []*view.Conversation
	Agent, Grep, Since string
	Model, Writer      string
	State              string // a key of talkStates; empty: any
	More               string // address of the next page; empty on the last one
}

// talkStates lists the outcomes of a conversation that a page can select.
var talkStates = map[string]func(*view.Conversation) bool{
	"committed":   func(c *view.Conversation) bool { return len(c.Commits) > 0 },
	"uncommitted": func(c *view.Conversation) bool { return len(c.Commits) == 0 },
	"recorded":    func(c *view.Conversation) bool { return c.Usage != nil },
	"unrecorded":  func(c *view.Conversation) bool { return c.Usage == nil },
}

// States returns the names of the outcomes that a page can select.
func (b *talksBody) States() []string { return slices.Sorted(maps.Keys(talkStates)) }

// `wanted` reports whether a conversation has the selected model, writer and state.
func (b *talksBody) wanted(c *view.Conversation) bool {
	state := talkStates[b.State]
	model := func(m string) bool { return m == b.Model || view.ModelName(m) == b.Model }
	return (b.Model == "" || slices.ContainsFunc(c.Models, model)) && strings.HasPrefix(c.Writer, b.Writer) &&
		(state == nil || state(c))
}

// Chosen reports whether the page selects conversations.
func (b *talksBody) Chosen() bool { return b.Agent+b.Grep+b.Since+b.Model+b.Writer+b.State != "" }

// `talks` returns the list of conversations, newest first.
func talks(q *question) (string, string, any, error) {
	ask := q.r.URL.Query()
	body := &talksBody{Agent: ask.Get("agent"), Grep: ask.Get("grep"), Since: ask.Get("since"), Model: ask.Get("model"),
		Writer: ask.Get("writer"), State: ask.Get("state")}
	if talkStates[body.State] == nil && body.State != "" {
		return "", "", nil, fmt.Errorf("state '%s': %w: one of %s", body.State, errBadQuestion,
			strings.Join(body.States(), ", "))
	}
	args := []string{"log", "--json"}
	for _, o := range []struct{ name, text string }{
		{"agent", body.Agent}, {"grep", body.Grep}, {"since", body.Since},
	} {
		if o.text != "" {
			args = append(args, "--"+o.name+"="+o.text)
		}
	}
	var list answers.Log
	next, err := q.partInto(&list, wanted{head: args, before: ask.Get("before"), limit: talksPage,
		keep: keeping(body.Model+body.Writer+body.State != "", body.wanted)})
	body.Talks = talksOf(&list)
	if err != nil {
		return "", "", nil, err
	}
	q.digits = list.IDDigits
	if next != "" {
		ask.Set("before", next)
		body.More = "/log?" + ask.Encode()
	}
	return "Conversations", "talks", body, nil
}
