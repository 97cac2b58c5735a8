package trails

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// A completion ends a line that a person began, and a person changes a line that a completion wrote. Such a line has
// two writers. Its words decide: mixed if the completion wrote most of them, else the person's. A line without words of
// a person is the completion's alone. For example: a person types "return", a completion adds "nil, err" in two parts,
// and the person puts "fmt" in front. Two of the four words are the completion's, so the line is the person's.

// sharedLine remembers the writers of the words of a shared line.
type sharedLine struct {
	Key   string // key of the path and of the words of the line, see sharedKey
	Words string // a letter for the writer of each word
}

// The writers of a word.
const (
	wordOfPerson     = 'p'
	wordOfCompletion = 'c'
)

// maxShared limits the number of lines that the state remembers, and maxSharedWords the number of words of each.
const (
	maxShared      = 512
	maxSharedWords = 256
)

// writersOf returns the writers of the new lines of a hunk. The parameter `owners` has the owners of the old lines.
func (tree *workTree) writersOf(p *part, owners vector.Vector, hunk int) func(line int) *actor {
	h := p.change.Hunks()[hunk]
	var replaced []int // nil until it is needed
	mayShare := sync.OnceValue(func() bool { return tree.mayShare(owners, h) })
	known := map[int]*actor{}
	both := map[events.PatchID]*actor{}
	return func(line int) *actor {
		if who, found := known[line]; found {
			return who
		}
		who := p.seg.writer(line)
		if ofCompletion := who.window != nil && who.window.Call.Tool == events.ToolCompletion; ofCompletion ||
			who.kind == events.OwnerHuman && mayShare() {
			if replaced == nil {
				replaced = p.change.Replaced(hunk)
			}
			if old := replaced[line-h.NewStart]; old >= 0 {
				who = tree.share(p, owners.At(old), old, line, who, both)
			}
		}
		known[line] = who
		return who
	}
}

// mayShare reports whether a person may have changed a line of a completion in a hunk.
func (tree *workTree) mayShare(owners vector.Vector, h linediff.Hunk) bool {
	for line := h.OldStart; line < h.OldStart+h.OldCount; line++ {
		if kind := owners.At(line).Kind; kind == events.OwnerAI || kind == events.OwnerMixed {
			return true
		}
	}
	return len(tree.state.Notes.Shared) > 0
}

// share decides who owns a line that one writer made from another writer's line.
func (tree *workTree) share(
	p *part, owner vector.Owner, old, line int, who *actor, both map[events.PatchID]*actor,
) *actor {
	from, to := p.seg.from.Lines[old], p.seg.to.Lines[line]
	words := tree.state.wordsOf(p.file.path, from)
	writer := byte(wordOfPerson)
	if who.kind == events.OwnerAI {
		writer = wordOfCompletion
	}
	var was events.AnchorOwner
	if owner.Kind == events.OwnerAI || owner.Kind == events.OwnerMixed {
		was = tree.store.owners.Describe(owner.Patch)
		if was.Tool != events.ToolCompletion {
			return who
		}
	}
	switch {
	case words != "":
	case owner.Kind == events.OwnerHuman:
		words = strings.Repeat(string(wordOfPerson), len(wordsIn(from)))
	case was.Tool != "":
		words = strings.Repeat(string(wordOfCompletion), len(wordsIn(from)))
	default:
		return who
	}
	words = carryWords(wordsIn(from), wordsIn(to), words, writer)
	if len(words) == 0 || len(words) > maxSharedWords {
		return who
	}
	completed := strings.Count(words, string(wordOfCompletion))
	if completed > 0 && completed < len(words) {
		tree.state.noteShared(p.file.path, to, words)
	}
	switch {
	case completed == 0 && who.kind == events.OwnerAI: // it added only punctuation
		return tree.store.personOf(owner)
	case completed == len(words) && who.kind == events.OwnerAI:
		return who
	case 2*completed <= len(words) && who.kind == events.OwnerAI:
		return tree.store.personOf(owner)
	case 2*completed <= len(words):
		return who
	case who.kind == events.OwnerAI:
		return bothOf(both, "", who.window)
	case was.Tool != "":
		return bothOf(both, owner.Patch, windowOf(was))
	}
	return who
}

// personOf returns the person who already owns a line.
func (c *contents) personOf(owner vector.Owner) *actor {
	was := c.describe(owner)
	switch {
	case was.Evidence == events.SeenTyping:
		return &typist
	case slices.Contains(was.Limits, events.LimitCompletionUntold):
		return &paster
	}
	return &person
}

// bothOf returns the person and a completion as one writer; equal pairs give the same writer.
func bothOf(known map[events.PatchID]*actor, patch events.PatchID, w *Window) *actor {
	if known[patch] == nil {
		known[patch] = &actor{kind: events.OwnerMixed, window: w}
	}
	return known[patch]
}

// windowOf returns the call that an owner names.
func windowOf(o events.AnchorOwner) *Window {
	return &Window{
		Call: Call{Trace: o.Trace, Agent: o.Agent, Session: o.Session, Subagent: o.Subagent, ID: o.ToolCall, Tool: o.Tool,
			Model: o.Model, Prompt: o.Prompt, Step: o.Step, Class: events.ToolEdits}, Limits: o.Limits,
	}
}

func wordsIn(line []byte) [][]byte {
	return bytes.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}

// carryWords copies the writers of words from the old line to the new one, for words in the same order. All other words
// get one writer.
func carryWords(old, now [][]byte, writers string, writer byte) string {
	out := bytes.Repeat([]byte{writer}, len(now))
	if len(writers) != len(old) || len(old) > maxSharedWords || len(now) > maxSharedWords {
		return string(out)
	}
	longest := make([][]int, len(old)+1) // the longest common list of words from here on
	for i := range longest {
		longest[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if bytes.Equal(old[i], now[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case bytes.Equal(old[i], now[j]):
			out[j] = writers[i]
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return string(out)
}

// sharedKey returns a key that does not change when only signs and blanks of the line change, for example by a
// formatter.
func sharedKey(path string, line []byte) string {
	print := events.FingerprintOf(bytes.Join(wordsIn(line), []byte(" ")))
	return nameKey(path) + string(print[:])
}

// wordsOf returns the writers of the words of a line; "" if nothing is noted.
func (s *state) wordsOf(path string, line []byte) string {
	if len(s.Notes.Shared) == 0 {
		return ""
	}
	key := sharedKey(path, line)
	for _, one := range slices.Backward(s.Notes.Shared) {
		if one.Key == key {
			return one.Words
		}
	}
	return ""
}

// moveShared also notes the lines of a path under its new name.
func (s *state) moveShared(from, to string) {
	for _, one := range s.Notes.Shared {
		if print, found := strings.CutPrefix(one.Key, nameKey(from)); found {
			s.Notes.Shared = append(s.Notes.Shared, sharedLine{nameKey(to) + print, one.Words})
		}
	}
	s.Notes.Shared = s.Notes.Shared[max(0, len(s.Notes.Shared)-maxShared):]
}

// noteShared notes the writers of the words of a line.
func (s *state) noteShared(path string, line []byte, words string) {
	key := sharedKey(path, line)
	s.Notes.Shared = slices.DeleteFunc(s.Notes.Shared, func(one sharedLine) bool { return one.Key == key })
	s.Notes.Shared = append(s.Notes.Shared, sharedLine{key, words})
	s.Notes.Shared = s.Notes.Shared[max(0, len(s.Notes.Shared)-maxShared):]
}

// completed describes a completion in a file that nobody had seen, if the file was saved before the editor reported the
// completion.
type completed struct {
	window *Window
	said   declared
}

// completions cuts the first content of a file into segments, one for each reported completion.
func (cut *cutter) completions(f *file) (chain []segment) {
	at := f.old
	aside := cut.judge.decideSince(f.path, cut.tree.seen(f.path))
	add := func(to text, by decision, said map[int]*actor) {
		if at.OID != to.OID {
			chain = append(chain, segment{from: at, to: to, decide: by, said: said})
		}
		at = to
	}
	for _, one := range cut.judge.heard.editor.fresh {
		if one.said.Path == f.path && !f.new.Whole {
			add(cut.tree.store.reportedText(*one.said.Before, f.new), aside, lineWriters(one.said))
			add(cut.tree.store.reportedText(*one.said.After, f.new), always(byWindow(one.window, f.path)), nil)
		}
	}
	if len(chain) > 0 {
		add(f.new, aside, nil)
	}
	return chain
}

// Some editors report a completion only by its place: the replaced text, the new text, and the old line. The buffer is
// then the content of the path that fits: the file, or a buffer that was reported earlier. The line may have become
// longer since. If no content fits, the text of the buffer is unknown.

// maxBuffers limits the number of earlier contents that are tried.
const maxBuffers = 4

// placeEdits combines the placed edits of each path into one edit with whole texts; `ok` is false if a path has no
// content that fits.
func (l *looks) placeEdits(edits []declared) (out []declared, ok bool, err error) {
	ok = true
	for len(edits) > 0 {
		path := edits[0].Path
		own := slices.DeleteFunc(slices.Clone(edits), func(d declared) bool { return d.Path != path })
		edits = slices.DeleteFunc(edits, func(d declared) bool { return d.Path == path })
		if own[0].at == nil {
			out = append(out, own...)
			continue
		}
		was, _, found, err := l.fileSeen(path)
		if err != nil {
			return nil, false, err
		}
		if !found && l.tree.store.ignores(path) {
			continue
		}
		var texts [][]byte
		if raw, readable := readWorkFile(l.tree.repo, path); readable {
			texts = append(texts, raw)
		}
		texts = append(texts, was.Bytes)
		for _, blob := range l.tree.store.known.Blobs(path, maxBuffers) {
			t, err := l.tree.store.read(0, blob)
			if errors.Is(err, refs.ErrMissing) {
				continue // the side store no longer has it
			}
			if err != nil {
				return nil, false, err
			}
			texts = append(texts, t.Bytes)
		}
		d, fits := placed(path, own, texts)
		if ok = ok && fits; fits {
			out = append(out, d)
		}
	}
	return out, ok, nil
}

// `placed` finds the text that fits the edits, either before or after them.
func placed(path string, edits []declared, texts [][]byte) (declared, bool) {
	for _, raw := range texts {
		if before, ok := unplace(string(raw), edits); ok {
			after := string(raw)
			return declared{Path: path, Before: &before, After: &after}, true
		}
	}
	for _, grown := range []bool{false, true} {
		for _, raw := range texts {
			before := string(raw)
			if grown {
				before = withLine(raw, edits[0].at)
			}
			if after, ok := place(before, edits); ok {
				return declared{Path: path, Before: &before, After: &after}, true
			}
		}
	}
	return declared{}, false
}

// place applies edits to a text, one after the other.
func place(text string, edits []declared) (string, bool) {
	for _, d := range edits {
		start, line, ok := offset(text, d.at)
		if !ok || line != d.at.Text || !strings.HasPrefix(text[start:], d.Old) {
			return "", false
		}
		text = text[:start] + d.New + text[start+len(d.Old):]
	}
	return text, true
}

// unplace undoes edits of a text, the last one first.
func unplace(text string, edits []declared) (string, bool) {
	for _, d := range slices.Backward(edits) {
		start, _, ok := offset(text, d.at)
		if !ok || d.New == "" || !strings.HasPrefix(text[start:], d.New) {
			return "", false
		}
		text = text[:start] + d.Old + text[start+len(d.New):]
		if _, line, _ := offset(text, d.at); line != d.at.Text {
			return "", false
		}
	}
	return text, true
}

// withLine returns a text with the reported line at the reported place, if the line there has become longer.
func withLine(raw []byte, at *events.Place) string {
	lines := linediff.Split(raw)
	ends := []byte("\n")
	if at.Line == len(lines)+1 && linediff.Terminated(raw) {
		return string(raw) + at.Text
	}
	if at.Line < 1 || at.Line > len(lines) ||
		!strings.HasPrefix(at.Text, string(bytes.TrimRight(lines[at.Line-1], "\r"))) {
		return string(raw)
	}
	lines = slices.Clone(lines)
	lines[at.Line-1] = []byte(at.Text)
	out := string(bytes.Join(lines, ends))
	if linediff.Terminated(raw) && len(raw) > 0 {
		out += "\n"
	}
	return out
}

// offset returns the byte at a place, and the line around it.
func offset(text string, at *events.Place) (start int, line string, ok bool) {
	if at.Line < 1 {
		return 0, "", false
	}
	for range at.Line - 1 {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return 0, "", false
		}
		start += end + 1
	}
	line, _, _ = strings.Cut(text[start:], "\n")
	column := at.Column - 1
	for i := range line {
		if column == 0 {
			return start + i, strings.TrimSuffix(line, "\r"), true
		}
		column--
	}
	return start + len(line), strings.TrimSuffix(line, "\r"), column == 0
}
