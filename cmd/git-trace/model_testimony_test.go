package main

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
)

// The right owner is not all that blame says of a line. The rest is held against what the model knows of lines with a
// word of their own: which call wrote them, in whose place they stand, and whether they were ever moved or written in
// another form.

// wrongTestimony is the class of an answer that names the right owner and is wrong otherwise.
const wrongTestimony = "right owner, wrong testimony"

// lineLife is what happened to a line with a word of its own.
type lineLife struct {
	call     string          // the tool call that wrote it, "" for a person
	shell    bool            // a command wrote it that names no file: a person may have typed meanwhile
	told     bool            // a session file alone told of its call
	forms    map[string]bool // the ways in which it was written
	moved    bool            // it, or what it was moved past
	replaced map[string]bool // the conversations whose lines it may have taken the place of
	anybody  bool            // it may have taken that of any
	surely   string          // the conversation whose line it did take the place of
}

// remember notes what an edit says of its lines. Whole is as for record.
func (l *writers) remember(e, whole edit, call string, shell bool) {
	for i, line := range e.text {
		if isCommon(line) || l.words[bare(line)] == "" { // a conflict marker is nobody's
			continue
		}
		h := l.lives[bare(line)]
		if h == nil {
			h = &lineLife{call: call, shell: shell, forms: map[string]bool{}, replaced: map[string]bool{}}
			l.lives[bare(line)] = h
			if first, second, ok := halves(bare(line)); ok {
				l.lives[first], l.lives[second] = h, h
			}
		}
		h.forms[line] = true
		h.moved = h.moved || e.from[i] >= 0 && !slices.IsSorted(keptOf(e.from))
	}
	l.succeed(e, false)
	l.succeed(whole, true)
}

// succeed notes in whose places the lines stand that an edit wrote, or several together. Several prove nothing alone:
// the hook of a commit may have looked between them.
func (l *writers) succeed(e edit, together bool) {
	was := l.expect(e.old)
	l.choose(e, was)
	strange := !slices.IsSorted(keptOf(e.from)) || slices.ContainsFunc(e.old, func(line string) bool {
		return !isCommon(line) && l.words[bare(line)] == ""
	})
	for _, h := range joinHunks(hunksOf(len(e.old), e.from), e.text) {
		for n := h.a; n < h.b; n++ {
			life := l.lives[bare(e.text[n])]
			if isCommon(e.text[n]) || life == nil || e.from[n] >= 0 {
				continue
			}
			life.anybody = life.anybody || strange
			for at := h.i; at < h.j; at++ {
				if isCommon(e.old[at]) {
					life.anybody = life.anybody || len(was[at]) != 1 || was[at][0] == byHuman
				}
				for _, who := range was[at] {
					life.replaced[who] = true
				}
				if before := l.lives[bare(e.old[at])]; before != nil && before.call == "" && life.call == "" {
					life.anybody = life.anybody || before.anybody
					for who := range before.replaced {
						life.replaced[who] = true
					}
				}
			}
		}
	}
	if strange {
		return
	}
	for _, h := range hunksOf(len(e.old), e.from) {
		who, alone := "", h.i < h.j
		for at := h.i; at < h.j; at++ {
			alone = alone && !isCommon(e.old[at]) && l.isAI(sole(was[at])) && (who == "" || who == was[at][0])
			who = sole(was[at])
		}
		besides := (h.i == 0 || !isCommon(e.old[h.i-1])) && (h.j == len(e.old) || !isCommon(e.old[h.j]))
		for n := h.a; n < h.b; n++ {
			if life := l.lives[bare(e.text[n])]; life != nil && !isCommon(e.text[n]) {
				here := ""
				if alone && besides && n-h.a < h.j-h.i {
					here = who
				}
				if together && here != life.surely {
					here = ""
				}
				life.surely = here
			}
		}
	}
}

// choose notes that a line which was taken from a conflict stands in the place of any of the others there: HEAD may
// have had one of them, and the commit before this one.
func (l *writers) choose(e edit, was [][]string) {
	for _, c := range conflictsOf(e.old) {
		for n, from := range e.from {
			life := l.lives[bare(e.text[n])]
			if from < c.i || from >= c.j || isCommon(e.text[n]) || life == nil {
				continue
			}
			for at := c.i; at < c.j; at++ {
				life.anybody = life.anybody || isCommon(e.old[at]) && len(was[at]) != 1
				for _, who := range was[at] {
					life.replaced[who] = true
				}
			}
		}
	}
}

// conflictsOf lists what stands between conflict markers, with them.
func conflictsOf(lines []string) (out []hunk) {
	begin := -1
	for at, l := range lines {
		switch {
		case strings.HasPrefix(l, "<<<<<<<"):
			begin = at
		case strings.HasPrefix(l, ">>>>>>>") && begin >= 0:
			out, begin = append(out, hunk{i: begin, j: at + 1}), -1
		}
	}
	return out
}

func (l *writers) isAI(who string) bool { return who != byHuman && who != byUnknown && who != unsure }

// worth is the confidence of each tier, as docs/format.md has it.
var worth = map[string]string{
	correlate.TierExactBlob: "high", correlate.TierExactLines: "high", correlate.TierRewritten: "high",
	correlate.TierMovedLines: "medium", correlate.TierReformatted: "medium", correlate.TierSamePatch: "medium",
	correlate.TierFingerprint: "low", string(events.Watched): "high",
}

// doubts tells what is wrong with an answer that names the right owner; "" for nothing.
func (w *world) doubts(dir string, a *answer, reader *index.Index) string {
	if a.Contributor == byUnknown {
		if a.Evidence+a.Confidence+a.Patch+a.Previous+a.ToolCall != "" || len(a.Candidates) > 0 {
			return "nothing is known, and yet there is evidence"
		}
		return ""
	}
	life := w.ledger.lives[bare(a.Content)]
	special := !isCommon(a.Content) && life != nil
	want := worth[a.Evidence]
	if shell := special && (life.shell || life.told) || !special && a.Confidence == "medium"; shell && want == "high" {
		want = "medium"
	}
	if want == "" || a.Confidence != want && !w.profile.killed {
		return "evidence " + a.Evidence + " is of confidence " + a.Confidence
	}
	if !special {
		return ""
	}
	switch {
	case (a.Evidence == string(events.Watched)) != (a.Contributor == "human" && worth[a.Evidence] == "high" &&
		a.Evidence != correlate.TierRewritten):
		return "a person's line that was seen is of evidence " + a.Evidence
	case a.Commit == nil && a.Contributor != "human" && a.Evidence != correlate.TierExactBlob &&
		a.Evidence != correlate.TierReformatted:
		return "the work tree was seen, and the evidence is " + a.Evidence
	case a.Evidence == correlate.TierReformatted && len(life.forms) < 2 && !w.managed:
		return "it was never written in another form"
	case a.Evidence == correlate.TierMovedLines && !life.moved && !w.tookOut(dir, a):
		return "it was never moved"
	case a.Evidence == correlate.TierRewritten && !w.profile.rewrite:
		return "no commit was made anew"
	case worth[a.Evidence] == "low" && !w.profile.unseen && !w.profile.killed:
		return "every commit was seen by a hook"
	case a.Contributor == "ai" && a.ToolCall != life.call && !w.profile.killed:
		return "its call is " + life.call + " and not " + a.ToolCall
	}
	if w.profile.shaped { // formatters give a line the place of others
		return ""
	}
	return w.doubtsOfPrevious(a, life, reader)
}

// tookOut tells whether the parent of a line's commit has the line too: to git the commit took it out and put it in
// again. So it is with one that the commit has twice, in the old form and in the new one: a part of a change was staged.
func (w *world) tookOut(dir string, a *answer) bool {
	before, there := w.blob(dir, *a.Commit+"^:"+a.OriginalPath)
	now, _ := w.blob(dir, *a.Commit+":"+a.OriginalPath)
	twice := 0
	for _, line := range now {
		if bare(line) == bare(a.Content) {
			twice++
		}
	}
	return !there || twice > 1 || slices.ContainsFunc(before, func(line string) bool { return strings.TrimRight(line, "\n") == strings.TrimRight(a.Content, "\n") })
}

// doubtsOfPrevious looks at the patch that a line stands in the place of.
func (w *world) doubtsOfPrevious(a *answer, life *lineLife, reader *index.Index) string {
	if a.Previous == "" {
		if life.surely != "" && !w.profile.unseen && !w.profile.killed {
			return "it took the place of a line of " + life.surely + ", and has no previous one"
		}
		return ""
	}
	_, patch, found, err := reader.PatchAt(events.PatchID(a.Previous))
	w.must(err)
	if found && !life.anybody && !life.replaced[patch.Session] {
		return "it stands for a line of " + patch.Session + ", and replaced " + strings.Join(sortedKeys(life.replaced), " or ")
	}
	return ""
}

func sortedKeys(set map[string]bool) []string {
	var out []string
	for key := range set {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}
