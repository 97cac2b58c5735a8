package backfill

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// block are whole lines that one edit wrote, one below the other.
type block struct {
	edit    *placed
	prints  []print
	raw     []string
	removed []print // what stood in their place, where it is known
	landed  []int32 // the commit that holds each line, from 1; 0 for none yet
}

// placed is an edit with its place in the repository.
type placed struct {
	*Edit
	session *known
	place   int32 // of the path
	name    string
	root    *root
	blocks  []*block
	after   []string // the file after it, where that is known
	blob    refs.OID // its id, once that was asked for
	late    bool     // dated after all commits: no clock is asked
}

// known is a session with what was found out about it.
type known struct {
	*Session
	how  belonging
	root *root      // the first that it was held below
	made []refs.OID // the commits that it made
}

// belongs tells whether an edit is one of this repository.
func (e *placed) belongs() bool { return e.session.how == member || e.root.how == member }

// root is a directory that sessions were held below, with what speaks for its being a checkout of this repository.
type root struct {
	path          string
	how           belonging
	right, wrong  int     // edits that replaced what is known to have been there, and those that did not
	landed, wrote float64 // what its lines say
	same          float64 // what lines say that were put in the place of the same lines
}

// version is a content that the history has of a path.
type version struct {
	blob   refs.OID
	at     time.Time // when it was written or committed, whichever came first
	commit int       // number in the list
}

// state is what a file held after an edit.
type state struct {
	lines []string
	at    time.Time
}

// workOut makes the edits of one place again, in the order of their times, and fills their blocks.
func (f *finder) workOut(place int32, edits []*placed) {
	slices.SortStableFunc(edits, func(a, b *placed) int { return compareTimes(a.Time, b.Time) })
	states := map[*root]*state{}
	for _, e := range edits {
		before := states[e.root]
		switch {
		case len(e.Replaces) > 0:
			f.byReplacing(place, e, states)
		case len(e.Hunks) > 0:
			f.byHunks(e, before)
		default:
			f.byWriting(place, e, states)
		}
		if e.after != nil {
			states[e.root] = &state{e.after, e.Time}
		} else {
			delete(states, e.root)
		}
	}
}

// compareTimes sorts what has no time behind what has one.
func compareTimes(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return cmp.Compare(boolInt(a.IsZero()), boolInt(b.IsZero()))
	}
	return a.Compare(b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// byHunks takes the lines that the agent says it wrote.
func (f *finder) byHunks(e *placed, before *state) {
	var old []string
	if before != nil {
		old = before.lines
	}
	fits := before != nil
	for _, h := range e.Hunks {
		var removed []string
		if at := h.At - 1; fits && at >= 0 && at+h.Removed <= len(old) {
			removed = old[at : at+h.Removed]
		} else {
			fits = false
		}
		f.addBlock(e, h.Lines, removed)
	}
	if !fits {
		return
	}
	after := slices.Clone(old)
	for _, h := range slices.Backward(e.Hunks) {
		after = slices.Replace(after, h.At-1, h.At-1+h.Removed, h.Lines...)
	}
	e.after = after
}

// byReplacing makes replacements again on what the file held.
func (f *finder) byReplacing(place int32, e *placed, states map[*root]*state) {
	before := states[e.root]
	for old, own := range f.contents(place, e, states) {
		after, ok := replaceAll(strings.Join(old, "\n")+"\n", e.Replaces)
		if !ok {
			continue
		}
		if !own && says(e.Replaces) {
			e.root.right++
		}
		e.after = splitText(after)
		f.diff(e, old, e.after)
		return
	}
	if says(e.Replaces) && before == nil {
		e.root.wrong++
	}
	if len(e.Hunks) > 0 {
		f.byHunks(e, before)
		return
	}
	for _, r := range e.Replaces { // all that is known is the text
		f.diff(e, splitText(r.Old), splitText(r.New))
	}
}

// says tells whether what is replaced would be recognised.
func says(list []Replacement) bool {
	n := 0
	for _, r := range list {
		n += len(strings.Join(strings.Fields(r.Old), ""))
	}
	return n >= muchInk
}

func replaceAll(text string, list []Replacement) (string, bool) {
	for _, r := range list {
		switch {
		case r.Old == "":
			if text != "\n" {
				return "", false
			}
			text = r.New
		case !strings.Contains(text, r.Old):
			return "", false
		case r.All:
			text = strings.ReplaceAll(text, r.Old, r.New)
		default:
			text = strings.Replace(text, r.Old, r.New, 1)
		}
	}
	return text, true
}

// byWriting compares a whole file with what was there before: of all that may have been, what leaves the fewest new lines.
func (f *finder) byWriting(place int32, e *placed, states map[*root]*state) {
	e.after = e.Whole
	now := toBytes(e.Whole)
	var old []string
	fewest := -1
	for _, content := range f.earlier(place, e, states) {
		added := 0
		for _, h := range linediff.Diff(toBytes(content), now, linediff.Options{}).Hunks {
			added += h.NewCount
		}
		if fewest < 0 || added < fewest {
			old, fewest = content, added
		}
	}
	f.diff(e, old, e.Whole)
}

// maxVersions is how many contents of the history are tried for one edit, maxEarlier how many for a file that is written as a
// whole.
const (
	maxVersions = 24
	maxEarlier  = 8
)

// earlier are the contents that a file may have held before it was written as a whole: what was written last in any
// checkout, and what was committed by then.
func (f *finder) earlier(place int32, e *placed, states map[*root]*state) [][]string {
	var out [][]string
	for _, root := range byPath(states) {
		out = append(out, states[root].lines)
	}
	if e.late || e.Time.IsZero() {
		return out
	}
	n := 0
	for _, v := range slices.Backward(f.versions[place]) {
		if v.at.After(e.Time) {
			continue
		}
		if lines, ok := f.content(v.blob); ok {
			out = append(out, lines)
		}
		if n++; n == maxEarlier {
			break
		}
	}
	return out
}

// contents are those in which an edit may have been made: what was written last in its own checkout (own), then in others
// of this repository, then what the history holds, what was there at the time first.
func (f *finder) contents(place int32, e *placed, states map[*root]*state) iter.Seq2[[]string, bool] {
	return func(yield func(lines []string, own bool) bool) {
		if before := states[e.root]; before != nil && !yield(before.lines, true) {
			return
		}
		for _, root := range byPath(states) {
			if root != e.root && root.how == member && !yield(states[root].lines, false) {
				return
			}
		}
		versions := slices.Clone(f.versions[place])
		slices.SortStableFunc(versions, func(a, b version) int {
			return cmp.Or(cmp.Compare(boolInt(a.at.After(e.Time)), boolInt(b.at.After(e.Time))), cmp.Compare(distance(a.at, e.Time), distance(b.at, e.Time)))
		})
		for _, v := range versions[:min(len(versions), maxVersions)] {
			if lines, ok := f.content(v.blob); ok && !yield(lines, false) {
				return
			}
		}
	}
}

// byPath lists the roots of states.
func byPath(states map[*root]*state) []*root {
	return slices.SortedFunc(maps.Keys(states), func(a, b *root) int { return cmp.Compare(a.path, b.path) })
}

func distance(a, b time.Time) time.Duration {
	if d := a.Sub(b); d > 0 {
		return d
	}
	return b.Sub(a)
}

// maxContent is the size of a content beyond which it is not looked into.
const maxContent = 4 << 20

// content reads a content of the history, cut into lines.
func (f *finder) content(blob refs.OID) ([]string, bool) {
	if blob.IsZero() {
		return nil, false
	}
	if lines, done := f.read[blob]; done {
		return lines, lines != nil
	}
	raw, err := f.options.Blob(blob)
	if err != nil || len(raw) > maxContent || bytes.IndexByte(raw, 0) >= 0 {
		f.read[blob] = nil
		return nil, false
	}
	lines := append([]string{}, splitText(string(raw))...)
	if f.readSize += len(raw); f.readSize > maxRead {
		clear(f.read)
		f.readSize = len(raw)
	}
	f.read[blob] = lines
	return lines, true
}

// maxRead is how much of the history is kept in memory, in bytes.
const maxRead = 128 << 20

// diff adds the lines that are new as blocks.
func (f *finder) diff(e *placed, old, now []string) {
	for _, h := range linediff.Diff(toBytes(old), toBytes(now), linediff.Options{}).Hunks {
		f.addBlock(e, now[h.NewStart:h.NewStart+h.NewCount], old[h.OldStart:h.OldStart+h.OldCount])
	}
}

// addBlock adds lines that an edit wrote.
func (f *finder) addBlock(e *placed, lines, removed []string) {
	if len(lines) == 0 {
		return
	}
	b := &block{edit: e, raw: lines, prints: make([]print, len(lines)), landed: make([]int32, len(lines))}
	for i, line := range lines {
		b.prints[i] = fingerprint(line)
		f.weights.write(b.prints[i], line, e.place)
	}
	for _, line := range removed {
		b.removed = append(b.removed, fingerprint(line))
	}
	e.blocks = append(e.blocks, b)
}

func splitText(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func toBytes(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = []byte(line)
	}
	return out
}
