package steering

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/treetrace"
)

// Begin is the start time and the id of a conversation, for ordering.
type Begin struct{ Start, Trace string }

func BeginOf(r *records.Record) Begin { return Begin{records.Value(r.TimestampStart), r.TraceID} }

// Compare orders conversations by start time; conversations without a known time come last.
func (b Begin) Compare(other Begin) int {
	return cmp.Or(compareTimes(b.Start, other.Start), cmp.Compare(b.Trace, other.Trace))
}

// Builder makes a document from conversations, which are added one after the other. It keeps only the data that the
// document and later conversations need.
type Builder struct{ a *analysis }

// New starts a document.
func New(o Options) (*Builder, error) {
	words := o.Words
	if words == nil {
		var err error
		if words, err = English(); err != nil {
			return nil, err
		}
	}
	return &Builder{newAnalysis(words, &o)}, nil
}

// Add adds a conversation. Conversations must be added in the order of their start (see Begin).
func (b *Builder) Add(c *Conversation) {
	a := b.a
	one := newConversation(c, a.options.Roots)
	a.findNodes(one)
	fresh := a.findFailures(one)
	chains := findChains(one, fresh, a.words)
	a.findEvals(fresh)
	a.tell(one, fresh, chains)
	a.convs = append(a.convs, one)
	a.failures = append(a.failures, fresh...)
	one.forget()
}

// Document finishes the document: it adds the lessons of all conversations.
func (b *Builder) Document() *treetrace.Document {
	b.a.findLessons()
	return b.a.document()
}

// forget frees data that later conversations do not need.
func (c *conversation) forget() {
	c.Conversation, c.all, c.branches, c.places = nil, nil, branches{}, places{}
	for _, t := range c.everyTurn() {
		for i, ch := range t.changes {
			t.changes[i] = &change{path: ch.path, creates: ch.creates, deletes: ch.deletes}
		}
		t.text, t.answer, t.calls, t.source, t.rejections, t.taken, t.constraints = "", "", nil, nil, nil, nil, nil
	}
}

// compareTimes compares times in the form that agents write; invalid times come last.
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

// findNodes merges repeated prompts, numbers the prompts and finds the relation of each to the previous one.
func (a *analysis) findNodes(c *conversation) {
	for _, t := range c.turns {
		t.rejectAnswer(a.words)
	}
	c.fold(a.words)
	c.readChanges()
	c.findCommitted()
	c.origin = a.originOf(c)
	for _, t := range c.nodes() {
		a.prompts++
		t.number = a.prompts
		if c.Name != nil {
			t.name = c.Name(t.step)
			if a.doc.Names == nil {
				a.doc.Names = map[string]string{}
			}
			a.doc.Names[nodeID(t.number)] = t.name
		}
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

// nodes returns the turns that are nodes of the document. They include the part before the first prompt if something
// was rejected in it.
func (c *conversation) nodes() []*turn {
	if c.before == nil || len(c.before.rejections) == 0 {
		return c.turns
	}
	return c.everyTurn()
}

// originOf returns the turn that a conversation continues; nil if there is none. For a fork, it is the last turn of the
// original conversation before the fork. Otherwise it is the last prompt of the previous conversation, if both changed
// a common file or were on the same branch.
func (a *analysis) originOf(c *conversation) *turn {
	var forked []string
	c.meta("forked_from", &forked)
	for _, o := range a.convs {
		if len(o.turns) > 0 && slices.Contains(forked, o.id) {
			tail := o.turns[0]
			for _, t := range o.turns {
				if !t.abandoned && compareTimes(records.Value(t.at), records.Value(c.Record.TimestampStart)) <= 0 {
					tail = t
				}
			}
			return tail
		}
	}
	if len(a.convs) == 0 || len(forked) > 0 {
		return nil
	}
	o := a.convs[len(a.convs)-1]
	if tail := o.tail(); tail != nil && (c.gitBranch != "" && c.gitBranch == o.gitBranch || c.sharesFile(o)) {
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

// titleOf returns the first sentence of a prompt, shortened to 96 characters.
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

// node makes the document's node for a turn.
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

// actions returns first the calls that ran, then the declined calls.
func (t *turn) actions() []treetrace.Action {
	out := []treetrace.Action{}
	for _, declined := range []bool{false, true} {
		for _, c := range t.calls {
			if c.declined != declined {
				continue
			}
			one := treetrace.Action{Tool: new(c.tool), Model: c.model}
			if c.command != "" {
				one.Command = new(cut(c.command, maxCommand))
			}
			if c.file != "" {
				one.File = new(c.file)
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

// files returns the files that the call changed, in order and without repetitions.
func (c *call) files() []string {
	var out []string
	for _, ch := range c.changes {
		if !slices.Contains(out, ch.path) {
			out = append(out, ch.path)
		}
	}
	return out
}

// days returns the number of days between two times, as the format counts them: rounded up, at least one.
func days(from, to string) int {
	a, errA := time.Parse(time.RFC3339Nano, from)
	b, errB := time.Parse(time.RFC3339Nano, to)
	if errA != nil || errB != nil {
		return 1
	}
	return max(int(math.Ceil(b.Sub(a).Hours()/24)), 1)
}
