package trails

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// A block may move in two calls, in either order: an agent adds a function to one file with an edit, and removes it
// from another with the next. Each look sees one half. So the state keeps the last changes, of any turn, that removed
// or added a block. A new change is compared with them like with changes of its own interval (vector.Moves). If the
// block was added first and removed later, the lines of the file with the new block get their old owners.

// A shift describes a change that removed blocks from a content, or added some.
type shift struct {
	From, Path string // the path before and after
	Before     refs.OID
	After      refs.OID
	Gone, Come string // fingerprints of the blocks' lines, see blockPrints
}

const (
	maxShifts    = 16
	blockLines   = 3 // the least lines and characters of a block that can move to another file
	blockLetters = 40
	maxPrints    = 32
	anyPrint     = "*" // stands for further lines
	printLength  = 4
)

// shifting holds a change with its old and its new text.
type shifting struct {
	change   *vector.Change
	from, to text
	path     string
}

// blocks returns fingerprints of the blocks that a change removes, and adds.
func (m shifting) blocks() (gone, come string) {
	var old, latest [][]byte
	for _, h := range m.change.Hunks() {
		old = appendBlock(old, m.from.Lines[h.OldStart:h.OldStart+h.OldCount])
		latest = appendBlock(latest, m.to.Lines[h.NewStart:h.NewStart+h.NewCount])
	}
	return blockPrints(old), blockPrints(latest)
}

// appendBlock appends lines if they are enough for a block.
func appendBlock(to, lines [][]byte) [][]byte {
	size := 0
	for _, l := range lines {
		size += len(linediff.StripSpace(l))
	}
	if len(lines) < blockLines || size < blockLetters {
		return to
	}
	return append(to, lines...)
}

// blockPrints returns the prints of the specific lines, joined.
func blockPrints(lines [][]byte) string {
	var out []byte
	for _, l := range lines {
		if len(linediff.StripSpace(l)) < origin.Specific {
			continue
		}
		if len(out) == maxPrints*printLength {
			return anyPrint
		}
		f := events.FingerprintOf(l)
		out = append(out, f[:printLength]...)
	}
	return string(out)
}

// `meet` reports whether two lists of fingerprints may belong to the same block.
func meet(a, b string) bool {
	if a == "" || b == "" || a == anyPrint || b == anyPrint {
		return a != "" && b != ""
	}
	for at := 0; at < len(a); at += printLength {
		for i := 0; i < len(b); i += printLength {
			if a[at:at+printLength] == b[i:i+printLength] {
				return true
			}
		}
	}
	return false
}

// A half is a change of an earlier look that is compared with the present changes: one removed the block that the other
// added.
type half struct {
	shift  *shift
	change *vector.Change
	after  text
	takes  bool // its blocks are removed now
}

// halves returns the earlier changes that may be the other half of a present change.
func (tree *workTree) halves(now []shifting) ([]half, error) {
	if len(tree.state.Notes.Shifts) == 0 {
		return nil, nil
	}
	var out []half
	for _, m := range now {
		gone, come := m.blocks()
		for _, one := range slices.Backward(tree.state.Notes.Shifts) {
			for _, takes := range []bool{false, true} {
				there := func(h half) bool { return h.shift == one && h.takes == takes }
				if takes && (one.Path == m.path || !meet(one.Come, gone)) || !takes && !meet(one.Gone, come) ||
					slices.ContainsFunc(out, there) {
					continue
				}
				h, ok, err := tree.half(one, takes)
				if err != nil {
					return nil, err
				}
				if ok {
					out = append(out, h)
				}
			}
		}
	}
	return out, nil
}

func (tree *workTree) half(one *shift, takes bool) (h half, ok bool, err error) {
	before, err := tree.store.read(0, one.Before)
	if err != nil {
		return h, false, err
	}
	after, err := tree.store.read(0, one.After)
	owners, known := tree.store.known.Get(one.From, one.Before)
	if err != nil || before.Whole || after.Whole || !known && !one.Before.IsZero() {
		return h, false, err
	}
	change := vector.Compare(vector.Content{Lines: before.Lines, Owners: owners}, after.Lines)
	if takes {
		return half{one, change.Taking(), after, true}, true, nil
	}
	return half{one, change.Giving(), after, false}, true, nil
}

// `moves` finds the blocks that moved between the present changes, or between them and earlier changes.
func (tree *workTree) moves(now []shifting) ([]half, error) {
	changes := make([]*vector.Change, 0, len(now))
	for _, m := range now {
		changes = append(changes, m.change)
	}
	earlier, err := tree.halves(now)
	for _, h := range earlier {
		changes = append(changes, h.change)
	}
	vector.Moves(changes...)
	return earlier, err
}

// settleHalves gives blocks that were added before they were removed their old owners. A change is dropped once its
// other half is found.
func (wg *weigher) settleHalves(earlier []half) (out []finding, err error) {
	for _, h := range earlier {
		found := h.change.Gave()
		if h.takes {
			var older *olderLines
			if older, found, err = wg.cameFirst(h); err != nil {
				return nil, err
			}
			if older != nil {
				out = append(out, finding{older: older})
			}
		}
		if found && h.takes {
			h.shift.Come = ""
		} else if found {
			h.shift.Gone = ""
		}
	}
	notes := &wg.tree.state.Notes
	notes.Shifts = slices.DeleteFunc(notes.Shifts, func(one *shift) bool { return one.Gone+one.Come == "" })
	return out, nil
}

// cameFirst corrects the owners of a block that was added before it was removed. It returns the lines of the present
// content.
func (wg *weigher) cameFirst(h half) (older *olderLines, found bool, err error) {
	path := h.shift.Path
	had, known := wg.tree.store.known.Get(path, h.after.OID)
	if !known || had.Len() != len(h.after.Lines) {
		return nil, false, nil
	}
	now := h.change.Resolve(func(_, line int) vector.Owner { return had.At(line) }).Vector
	if now.Equal(had) {
		return nil, false, nil
	}
	wg.tree.store.known.Put(path, h.after.OID, now)
	if wg.looks.snap == nil {
		return nil, true, nil
	}
	entry, there := wg.looks.snap.Lookup(path)
	current, err := wg.tree.store.read(entry.Mode, entry.OID)
	owners, known := wg.tree.store.known.Get(path, entry.OID)
	if err != nil || !there || current.Whole || !known || owners.Len() != len(current.Lines) {
		return nil, true, err
	}
	if entry.OID == h.after.OID {
		owners = had
	}
	var b vector.Builder
	var kept []events.KeptRun
	for line, from := range linediff.Lineage(h.after.Lines, current.Lines) {
		owner := owners.At(line)
		if from >= 0 && owner == had.At(from) && now.At(from) != owner {
			owner = now.At(from)
			kept = append(kept, keptLine(line, owner, string(vector.Moved)))
		}
		b.Add(owner, 1)
	}
	wg.tree.store.known.Put(path, entry.OID, b.Vector())
	return &olderLines{path, current, kept}, true, nil
}

// recordOlder records that lines of a content are older than the recording: its patches keep all their lines.
func (rec *record) recordOlder(older *olderLines) error {
	path, in := older.path, older.in
	for kept := older.kept; len(kept) > 0; {
		n := 1
		for n < len(kept) && kept[n].Start == kept[n-1].Start+1 {
			n++
		}
		block := kept[:n]
		kept = kept[n:]
		h := linediff.Hunk{OldStart: block[0].Start - 1, OldCount: n, NewStart: block[0].Start - 1, NewCount: n}
		seed := patchSeed{
			interval: rec.tree.interval, path: path, start: h.NewStart, count: n, old: n, after: in.OID, segment: -2,
		}
		data := events.PatchData{
			Patch: rec.ownerOf(person, seed).Patch, Interval: rec.tree.interval, Path: events.EncodePath(path),
			Before: in.OID, After: in.OID, Owner: nobody.kind, Kept: block,
		}
		data.OldStart, data.OldCount, data.NewStart, data.NewCount = h.Numbers()
		if err := rec.draftPatch(data, nobody, nil); err != nil {
			return err
		}
	}
	return nil
}

// noteShift notes a change that may have another half.
func (wg *weigher) noteShift(from, path string, m shifting) {
	one := &shift{From: from, Path: path, Before: m.from.OID, After: m.to.OID}
	if one.Gone, one.Come = m.blocks(); one.Gone+one.Come == "" {
		return
	}
	notes := &wg.tree.state.Notes
	notes.Shifts = append(notes.Shifts, one)
	notes.Shifts = notes.Shifts[max(0, len(notes.Shifts)-maxShifts):]
}
