package backfill

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// content is the content of a file, and the edit that wrote each line, if known.
type content struct {
	raw    []byte
	lines  [][]byte  // nil before cut
	owners []posting // parallel to lines; a line of no edit has no block; nil if no line has an edit
}

func newContent(raw []byte) *content { return (&content{raw: raw}).cut() }

// `cut` cuts the content into lines. Most contents of the history are only searched for a text.
func (c *content) cut() *content {
	if c.lines == nil {
		c.lines = cutLines(c.raw)
	}
	return c
}

func (c *content) owner(line int) posting {
	if c.owners == nil {
		return posting{}
	}
	return c.owners[line]
}

// replay repeats the edits of one file in the order of their times.
type replay struct {
	*finder
	place  int32
	states map[*root]*content  // the last content in each checkout
	loose  map[print][]posting // lines of edits whose result is unknown
	cut    []cutBlock          // the last removed blocks, newest first
	// trial marks a replay that only computes contents.
	trial  bool
	result map[refs.OID]time.Time // contents that are also in the history: time of the last edit that results in each
}

// workOut repeats the edits of one path and fills in their blocks.
func (f *finder) workOut(place int32, edits []*placed) {
	slices.SortStableFunc(edits, func(a, b *placed) int { return compareTimes(a.Time, b.Time) })
	r := &replay{finder: f, place: place, result: map[refs.OID]time.Time{}}
	if f.isDoubtful(place, edits) {
		r.trial = true
		r.run(edits)
		r.trial = false
	}
	r.run(edits)
	for _, e := range edits { // the blocks have all data that is needed later
		e.Replaces, e.Hunks, e.Whole, e.Rewrite = nil, nil, nil, nil
	}
	clear(f.read)
	f.readSize = 0
}

func (r *replay) run(edits []*placed) {
	r.states, r.loose, r.cut = map[*root]*content{}, map[print][]posting{}, nil
	for _, e := range edits {
		after := r.edit(e)
		if after == nil {
			r.note(e.blocks)
			delete(r.states, e.root)
			continue
		}
		r.states[e.root] = after
		r.keep(e, after)
	}
}

// edit repeats an edit and returns the content after it, or nil if that is not known.
func (r *replay) edit(e *placed) *content {
	switch {
	case e.Rewrite != nil:
		return r.byRewriting(e)
	case len(e.Replaces) > 0:
		return r.byReplacing(e)
	case len(e.Hunks) > 0 && len(e.Whole) == 0:
		return r.byHunks(e)
	default:
		return r.byWriting(e)
	}
}

// `note` stores the lines of blocks for fromLoose: the content of their file is not known.
func (r *replay) note(blocks []*block) {
	for _, b := range blocks {
		for at, p := range b.prints {
			if !p.Blank() && len(r.loose[p]) < maxPlaces {
				r.loose[p] = append(r.loose[p], posting{b, int32(at)})
			}
		}
	}
}

// `keep` stores the result of an edit if the history has the same content.
func (r *replay) keep(e *placed, after *content) {
	blob := r.options.Hash(after.raw)
	if !r.committed[blob] {
		return
	}
	if r.trial {
		r.result[blob] = e.Time
		return
	}
	r.made[blob] = append(r.made[blob], newMade(e, after.owners))
}

// compareTimes sorts zero times last.
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

// byHunks takes the lines that the agent records as written. It leaves out lines that only moved or were indented.
func (r *replay) byHunks(e *placed) *content {
	before := r.states[e.root]
	likely := r.likely(e)
	fits := before != nil
	sides := make([]twoSides, len(e.Hunks))
	for i, h := range e.Hunks {
		sides[i].added = fingerprints(toBytes(h.Lines))
		if at := h.At - 1; likely != nil && at >= 0 && at+h.Removed <= len(likely.lines) {
			sides[i].removed = fingerprints(likely.lines[at : at+h.Removed])
		} else {
			fits = false
		}
	}
	for _, c := range r.cut {
		sides = append(sides, twoSides{removed: c.lines})
	}
	kept := carried(sides, func(hunk, line int) bool { return !isCommon(e.Hunks[hunk].Lines[line]) })
	all := make([][]posting, len(e.Hunks))
	for i, h := range e.Hunks {
		own := make([]posting, len(h.Lines))
		for k := 0; k < len(own); k++ {
			switch from := kept[i][k]; {
			case from.hunk >= len(e.Hunks):
				own[k] = r.cut[from.hunk-len(e.Hunks)].owners[from.line]
			case from.hunk >= 0:
				own[k] = likely.owner(e.Hunks[from.hunk].At - 1 + from.line)
			case !r.trial:
				to := k + 1
				for to < len(own) && kept[i][to].hunk < 0 {
					to++
				}
				var removed []print
				if fits {
					removed = sides[i].removed
				}
				b := r.addBlock(e, toBytes(h.Lines[k:to]), removed)
				for ; k < to; k++ {
					own[k] = posting{b, int32(len(b.prints) - (to - k))}
				}
				k--
			}
		}
		all[i] = own
	}
	for i, h := range e.Hunks {
		if !r.trial {
			r.takeAway(likely, h.At-1, sides[i].removed)
		}
	}
	if !fits {
		return nil
	}
	lines, owners := slices.Clone(before.lines), make([]posting, len(before.lines))
	copy(owners, before.owners)
	for i, h := range slices.Backward(e.Hunks) {
		lines = slices.Replace(lines, h.At-1, h.At-1+h.Removed, toBytes(h.Lines)...)
		owners = slices.Replace(owners, h.At-1, h.At-1+h.Removed, all[i]...)
	}
	return &content{raw: joinLines(lines), lines: lines, owners: owners}
}

// byReplacing repeats the replacements of an edit on the content of the file.
func (r *replay) byReplacing(e *placed) *content {
	for old, own := range r.contents(e) {
		raw, ok := replaceAll(old.raw, e.Replaces)
		if !ok {
			continue
		}
		if !own && !r.trial && says(e.Replaces) {
			e.root.right++
		}
		return r.change(e, old.cut(), newContent(raw))
	}
	if says(e.Replaces) && r.states[e.root] == nil && !r.trial {
		e.root.wrong++
	}
	if len(e.Hunks) > 0 {
		return r.byHunks(e)
	}
	for _, part := range e.Replaces { // only the new texts are known
		r.change(e, newContent([]byte(part.Old)), newContent([]byte(part.New)))
	}
	return nil
}

// byRewriting repeats a command's change on the content that the file had then. It uses no other content, because the
// effect on another content is not evidence. For example: an agent's command is sed -i s/old/new/ a.go. Repeated on the
// content of a.go, it shows the changed lines.
func (r *replay) byRewriting(e *placed) *content {
	for old := range r.contents(e) {
		return r.change(e, old.cut(), newContent(e.Rewrite(old.raw)))
	}
	return nil
}

// `says` reports whether the replaced texts are distinctive.
func says(list []Replacement) bool {
	n := 0
	for _, r := range list {
		for _, word := range bytes.Fields([]byte(r.Old)) {
			n += len(word)
		}
	}
	return n >= muchInk
}

func replaceAll(text []byte, list []Replacement) ([]byte, bool) {
	for _, r := range list {
		switch {
		case r.Old == "":
			if len(text) > 1 {
				return nil, false
			}
			text = []byte(r.New)
		case !bytes.Contains(text, []byte(r.Old)):
			return nil, false
		case r.All:
			text = bytes.ReplaceAll(text, []byte(r.Old), []byte(r.New))
		default:
			text = bytes.Replace(text, []byte(r.Old), []byte(r.New), 1)
		}
	}
	return text, true
}

// byWriting compares a file that was written as a whole with each possible earlier content. It takes the earlier
// content that leaves the fewest new lines. For example: an agent writes a whole file with two lines that differ from
// the committed one. It wrote these two.
func (r *replay) byWriting(e *placed) *content {
	now := newContent(joinLines(toBytes(e.Whole)))
	old := &content{}
	fewest := -1
	for _, before := range r.earlier(e) {
		added := 0
		for _, h := range linediff.Diff(before.lines, now.lines, linediff.Options{}).Hunks {
			added += h.NewCount
		}
		if fewest < 0 || added < fewest {
			old, fewest = before, added
		}
	}
	return r.change(e, old, now)
}

// `told` marks the lines of a file that the agent records as written. It returns nil if the agent records none, or
// impossible ones.
func told(e *placed, now *content) []bool {
	if len(e.Whole) == 0 || len(e.Hunks) == 0 {
		return nil
	}
	out := make([]bool, len(now.lines))
	moved := 0
	for _, h := range e.Hunks {
		for i, line := range h.Lines {
			at := h.At - 1 + moved + i
			if at < 0 || at >= len(out) || string(now.lines[at]) != line {
				return nil
			}
			out[at] = true
		}
		moved += len(h.Lines) - h.Removed
	}
	return out
}

// change stores new lines as blocks, and returns the new content with the owners of its lines. Lines that only moved or
// were indented keep their owners.
func (r *replay) change(e *placed, old, now *content) *content {
	now.owners = make([]posting, len(now.lines))
	diff := linediff.Diff(old.lines, now.lines, linediff.Options{}).Hunks
	at := 0
	for _, h := range diff {
		for i := range h.NewStart - at {
			now.owners[at+i] = old.owner(h.OldStart - h.NewStart + at + i)
		}
		at = h.NewStart + h.NewCount
	}
	for i := at; i < len(now.lines); i++ {
		now.owners[i] = old.owner(len(old.lines) - len(now.lines) + i)
	}
	if r.trial || len(diff) == 0 {
		return now
	}
	hunks := make([]twoSides, len(diff))
	for i, h := range diff {
		hunks[i] = twoSides{
			removed: fingerprints(old.lines[h.OldStart : h.OldStart+h.OldCount]),
			added:   fingerprints(now.lines[h.NewStart : h.NewStart+h.NewCount]),
		}
	}
	says := func(hunk, line int) bool { return !isCommon(string(now.lines[diff[hunk].NewStart+line])) }
	for _, c := range r.cut { // a move may take two edits
		hunks = append(hunks, twoSides{removed: c.lines})
	}
	kept := carried(hunks, says)
	told := told(e, now)
	for i, h := range diff {
		r.fromLoose(e, hunks[i].added, kept[i], now.owners[h.NewStart:], func(line int) bool { return says(i, line) })
		for from := 0; from < h.NewCount; {
			if k := kept[i][from]; k.hunk >= len(diff) {
				now.owners[h.NewStart+from] = r.cut[k.hunk-len(diff)].owners[k.line]
				from++
				continue
			} else if k.hunk >= 0 {
				now.owners[h.NewStart+from] = old.owner(diff[k.hunk].OldStart + k.line)
				from++
				continue
			}
			isNew := func(k int) bool {
				return kept[i][k].hunk < 0 && now.owners[h.NewStart+k].b == nil && (told == nil || told[h.NewStart+k])
			}
			if !isNew(from) {
				from++ // the line has an earlier writer
				continue
			}
			to := from
			for to < h.NewCount && isNew(to) {
				to++
			}
			b := r.addBlock(e, now.lines[h.NewStart+from:h.NewStart+to], hunks[i].removed)
			for k := from; k < to; k++ {
				now.owners[h.NewStart+k] = posting{b, int32(k - from)}
			}
			from = to
		}
	}
	for i, h := range diff {
		r.takeAway(old, h.OldStart, hunks[i].removed)
	}
	return now
}

// cutBlock holds lines that an edit removed, with their owners.
type cutBlock struct {
	lines  []print
	owners []posting
}

// maxCut limits the number of removed blocks of a file that are stored.
const maxCut = 16

// takeAway stores lines that an edit removed: a later edit may insert them elsewhere.
func (r *replay) takeAway(old *content, start int, lines []print) {
	if len(lines) < blockLines {
		return
	}
	owners := make([]posting, len(lines))
	for i := range owners {
		owners[i] = old.owner(start + i)
	}
	r.cut = slices.Insert(r.cut, 0, cutBlock{lines, owners})
	r.cut = r.cut[:min(len(r.cut), maxCut)]
}

// fromLoose credits lines of a file that was written as a whole to earlier edits. It is for files whose earlier content
// is not known.
func (r *replay) fromLoose(e *placed, added []print, kept []source, owners []posting, says func(line int) bool) {
	if len(e.Whole) == 0 {
		return
	}
	for k := 0; k < len(added); k++ {
		if kept[k].hunk >= 0 || added[k].Blank() {
			continue
		}
		var best posting
		most := 0
		for _, p := range r.loose[added[k]] {
			n, said := 0, false
			for k+n < len(added) && int(p.at)+n < len(p.b.prints) && added[k+n] == p.b.prints[int(p.at)+n] &&
				kept[k+n].hunk < 0 {
				said = said || says(k+n)
				n++
			}
			if said && n > most {
				best, most = p, n
			}
		}
		for n := range most {
			owners[k+n] = posting{best.b, best.at + int32(n)}
		}
		k += max(most-1, 0)
	}
}

func cutLines(raw []byte) [][]byte {
	if len(raw) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
}

func joinLines(lines [][]byte) []byte { return append(bytes.Join(lines, []byte("\n")), '\n') }

func fingerprints(lines [][]byte) []print {
	out := make([]print, len(lines))
	for i, line := range lines {
		out[i] = fingerprint(line)
	}
	return out
}

func toBytes(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = []byte(line)
	}
	return out
}
