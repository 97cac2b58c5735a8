package steering

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/treetrace"
)

// fold merges a prompt into the previous turn if it repeats that turn's prompt: the same text, the same instruction in
// other words, "go on".
func (c *conversation) fold(w *Words) {
	kept := c.turns[:0]
	into := map[*turn]*turn{}
	for _, t := range c.turns {
		if to := into[t.previous]; to != nil {
			t.previous = to
		}
		p := t.previous
		if p == nil || p.branch != t.branch || !t.foldsInto(p, w) {
			kept = append(kept, t)
			continue
		}
		into[t] = p
		p.join(t)
	}
	c.turns = kept
}

// foldsInto reports whether a turn repeats the previous one, and counts the repetition there.
func (t *turn) foldsInto(p *turn, w *Words) bool {
	const least, head, command, spare = 40, 24, 32, 4
	a, b := strings.Join(strings.Fields(p.text), " "), strings.Join(strings.Fields(t.text), " ")
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if a == b || len(short) >= head && strings.HasPrefix(long, short[:len(short)-spare]) {
		if len(b) > len(a) {
			p.text = t.text
		}
		return true
	}
	if len(short) >= least && commonPrefix(a, b) >= head {
		same := commonPrefix(a, b)
		if same >= len(short)/2 || a[0] == '/' && b[0] == '/' && same >= command {
			p.reruns++
			p.text = t.text
			return true
		}
	}
	if w.acknowledges(t.text) {
		p.nudges++
		return true
	}
	return false
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// join adds the calls of another turn to this one.
func (t *turn) join(o *turn) {
	t.raw += o.raw
	t.calls = append(t.calls, o.calls...)
	t.rejections = append(t.rejections, o.rejections...)
	t.source = append(t.source, o.source...)
	t.answers += o.answers
	t.last, t.stopped = max(t.last, o.last), o.stopped
	if o.answer != "" {
		t.answer = o.answer
	}
	if t.model == nil {
		t.model = o.model
	}
}

// decideKind finds the relation of the prompt to the previous one: first by evidence, then by words.
func (t *turn) decideKind(w *Words) {
	t.kind, t.kindBy = t.kindOf(w)
	if t.kind == treetrace.Correction && t.kindBy == treetrace.ByEvidence && !t.stopsPrevious() && !w.corrects(t.text) {
		t.byLines = true
	}
}

func (t *turn) kindOf(w *Words) (kind, by string) {
	question := strings.HasSuffix(strings.TrimSpace(t.text), "?")
	_, chosen := w.choice(t.text)
	switch {
	case t.parent == nil:
		return treetrace.Root, treetrace.ByPosition
	case t.onlyCommits():
		return treetrace.Checkpoint, treetrace.ByEvidence
	case t.stopsPrevious():
		return treetrace.Correction, treetrace.ByEvidence
	case chosen:
		return treetrace.Direction, treetrace.ByWords
	case !w.widens(t.text) && !w.marks(t.text) && t.takesBack(t.previous):
		return treetrace.Correction, treetrace.ByEvidence
	case w.corrects(t.text):
		return treetrace.Correction, treetrace.ByWords
	case w.complains(t.text) && t.worksOn(t.previous):
		return treetrace.Correction, treetrace.ByEvidence
	case w.widens(t.text):
		return treetrace.ScopeChange, treetrace.ByWords
	case w.marks(t.text):
		return treetrace.Checkpoint, treetrace.ByWords
	case question && w.requests(t.text):
		return treetrace.Direction, treetrace.ByWords
	case question && t.changedNothing():
		return treetrace.Question, treetrace.ByEvidence
	case w.correctsWeakly(t.text):
		return treetrace.Correction, treetrace.ByWords
	case question && len([]rune(t.text)) < 250 && strings.Count(t.text, "?") == 1:
		return treetrace.Question, treetrace.ByWords
	}
	return treetrace.Direction, treetrace.ByPosition
}

// stopsPrevious reports whether the prompt follows an interruption, a declined call, or a command that undid turns.
func (t *turn) stopsPrevious() bool { return t.previous != nil && (t.previous.stopped || t.rolledBack) }

// worksOn reports whether the turn changed a file that the other turn had changed.
func (t *turn) worksOn(o *turn) bool {
	return o != nil && slices.ContainsFunc(t.changes, func(c *change) bool {
		return slices.ContainsFunc(o.changes, func(p *change) bool { return p.path == c.path })
	})
}

// takesBack reports whether the turn removed so much of another turn's work that this work was wrong: at least three
// lines and a third of them, or a file that the other turn made.
func (t *turn) takesBack(o *turn) bool {
	if o == nil {
		return false
	}
	const lines, share = 3, 3
	if n := t.taken[o]; n >= lines && n*share >= o.added() {
		return true
	}
	for _, c := range t.changes {
		if c.deletes && slices.ContainsFunc(o.changes, func(p *change) bool { return p.creates && p.path == c.path }) {
			return true
		}
	}
	return false
}

// onlyCommits reports whether the turn only ran git commands, and committed, tagged or pushed.
func (t *turn) onlyCommits() bool {
	marks := false
	for _, c := range t.calls {
		switch {
		case c.declined:
		case c.command == "":
			return false
		case onlyCommits(c.command):
			marks = marks || c.succeeded()
		case !onlyLooks(c.command):
			return false
		}
	}
	return marks
}

// onlyLooks reports whether a command line only runs git to show or stage something.
func onlyLooks(line string) bool {
	for _, words := range simpleCommands(line) {
		if words[0] != "git" || !slices.Contains([]string{"add", "status", "log", "diff", "show", "branch"},
			gitVerb(words[1:])) {
			return false
		}
	}
	return true
}

func (t *turn) changedNothing() bool { return len(t.changes) == 0 }
