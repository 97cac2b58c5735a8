package steering

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records/treetrace"
)

// Document says how people steered in conversations.
func Document(list []Conversation, o Options) (*treetrace.Document, error) {
	words, err := English()
	if err != nil {
		return nil, err
	}
	a := &analysis{words: words, options: &o, byKey: map[failureKey]*failure{}}
	for i := range list {
		a.convs = append(a.convs, newConversation(&list[i], o.Roots))
	}
	slices.SortStableFunc(a.convs, func(x, y *conversation) int {
		return cmp.Or(compareTimes(x.start, y.start), cmp.Compare(x.Record.TraceID, y.Record.TraceID))
	})
	a.findNodes()
	a.findFailures()
	a.findChains()
	a.findLessons()
	a.findEvals()
	return a.document(), nil
}

// compareTimes compares times as agents write them; unknown ones come last.
func compareTimes(a, b string) int {
	x, errX := time.Parse(time.RFC3339Nano, a)
	y, errY := time.Parse(time.RFC3339Nano, b)
	switch {
	case errX != nil && errY != nil:
		return cmp.Compare(a, b)
	case errX != nil:
		return 1
	case errY != nil:
		return -1
	}
	return x.Compare(y)
}

// findNodes folds the prompts, numbers them and says what each is to the one before it.
func (a *analysis) findNodes() {
	for i, c := range a.convs {
		for _, t := range c.turns {
			t.rejectAnswer(a.words)
		}
		c.fold(a.words)
		c.readChanges()
		c.findCommitted()
		c.origin = a.originOf(i)
		for _, t := range c.nodes() {
			t.number = len(a.turns) + 1
			a.turns = append(a.turns, t)
			t.constraints = a.words.constraintsOf(t.text)
			if t.parent = t.previous; t.parent == nil {
				t.parent = c.origin
				if c.before != nil && t != c.before && c.before.number > 0 {
					t.parent = c.before
				}
			}
			if t.step == 0 {
				t.kind, t.kindBy = treetrace.Rejected, treetrace.ByEvidence
				continue
			}
			t.decideKind(a.words)
			t.rejectText(a.words)
		}
	}
}

// nodes are the turns that stand in the document. What came before the first prompt does if something was rejected
// then.
func (c *conversation) nodes() []*turn {
	if c.before == nil || len(c.before.rejections) == 0 {
		return c.turns
	}
	return c.everyTurn()
}

// originOf is the turn from which a conversation goes on: the last of the one that it was forked from, otherwise of the
// one before, if both changed a file or were on the same branch.
func (a *analysis) originOf(i int) *turn {
	c := a.convs[i]
	var forked []string
	c.meta("forked_from", &forked)
	for j := range a.convs[:i] {
		if o := a.convs[j]; len(o.turns) > 0 && slices.Contains(forked, o.id) {
			tail := o.turns[0]
			for _, t := range o.turns {
				if !t.abandoned && compareTimes(text(t.at), c.start) <= 0 {
					tail = t
				}
			}
			return tail
		}
	}
	if i == 0 || len(forked) > 0 {
		return nil
	}
	o := a.convs[i-1]
	here, there := text(c.Record.Environment.VCS.Branch), text(o.Record.Environment.VCS.Branch)
	if tail := o.tail(); tail != nil && (here != "" && here == there || c.sharesFile(o)) {
		return tail
	}
	return nil
}

func (c *conversation) tail() *turn {
	for _, t := range slices.Backward(c.turns) {
		if !t.abandoned {
			return t
		}
	}
	return nil
}

func (c *conversation) sharesFile(o *conversation) bool {
	changed := map[string]bool{}
	for _, t := range o.turns {
		for _, ch := range t.changes {
			changed[ch.path] = true
		}
	}
	for _, t := range c.turns {
		for _, ch := range t.changes {
			if changed[ch.path] {
				return true
			}
		}
	}
	return false
}

// titleOf is the first sentence of a prompt, at most 96 characters.
func titleOf(s string, w *Words) string {
	const most = 96
	if pick, chosen := w.choice(s); chosen {
		return "Chose option " + pick + " from the proposed menu"
	}
	return oneLine(firstSentence(s), most)
}

func (t *turn) title(w *Words) string {
	if t.step > 0 {
		return titleOf(t.text, w)
	}
	if len(t.rejections) == 1 {
		return "Agent action rejected (" + strings.ReplaceAll(t.rejections[0].Kind, "_", " ") + ")"
	}
	kinds := map[string]bool{}
	for i := range t.rejections {
		kinds[t.rejections[i].Kind] = true
	}
	return fmt.Sprintf("Agent action rejected (%d kinds)", len(kinds))
}

// node makes the node of a turn.
func (a *analysis) node(t *turn) treetrace.Node {
	n := treetrace.Node{
		ID: nodeID(t.number), Role: "user", Kind: t.kind, KindBy: t.kindBy, Title: t.title(a.words), Text: t.text,
		Status: treetrace.Accepted,
		Nudges: t.nudges, Reruns: t.reruns, Session: t.conv.id, Timestamp: t.at, Model: t.model, Actions: t.actions(),
		FailureSignals: []treetrace.Signal{}, LessonIDs: []string{},
		Rejections:     append([]treetrace.Rejection{}, t.rejections...),
		SourceEventIDs: append([]string{}, t.source...), Git: t.git(),
	}
	if t.abandoned {
		n.Status = treetrace.Abandoned
	}
	if t.parent != nil {
		n.ParentID = new(nodeID(t.parent.number))
	}
	return n
}

// actions are the calls that ran, then those that did not.
func (t *turn) actions() []treetrace.Action {
	out := []treetrace.Action{}
	for _, declined := range []bool{false, true} {
		for _, c := range t.calls {
			if c.declined != declined {
				continue
			}
			one := treetrace.Action{Tool: &c.tool, Model: c.model}
			if c.command != "" {
				one.Command = new(cut(c.command, maxCommand))
			}
			if c.file != "" {
				one.File = &c.file
			}
			if files := c.files(); len(files) > 0 {
				if one.File == nil {
					one.File = &files[0]
				}
				if len(files) > 1 {
					one.Files = files
				}
			}
			if declined {
				one.Ran = new(false)
			}
			out = append(out, one)
		}
	}
	return out
}

// files are the files that the call changed, each once, in order.
func (c *call) files() []string {
	var out []string
	for _, ch := range c.changes {
		if !slices.Contains(out, ch.path) {
			out = append(out, ch.path)
		}
	}
	return out
}

// days is the time between two moments in days, as the format counts them: begun ones, at least one.
func days(from, to string) int {
	a, errA := time.Parse(time.RFC3339Nano, from)
	b, errB := time.Parse(time.RFC3339Nano, to)
	if errA != nil || errB != nil {
		return 1
	}
	return max(int(math.Ceil(b.Sub(a).Hours()/24)), 1)
}
