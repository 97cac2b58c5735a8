package correlate

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// Evidence tiers of an anchor, best first.
const (
	TierExactBlob   = "exact_blob"       // a snapshot of the work tree has the committed blob
	TierExactLines  = "exact_lines"      // another blob of the path has the line
	TierMovedLines  = "moved_lines"      // the line is in a block that moved and kept its owner
	TierReformatted = "reformatted"      // the line differs from a known one in white space or form only
	TierRewritten   = "rewritten"        // the owner comes from the commit that this one replaced
	TierSamePatch   = "same_patch"       // another anchored commit made the same change
	TierNamed       = "named_commit"     // the conversation says that the commit has only one step's edits
	TierFingerprint = "line_fingerprint" // a patch wrote a line with the same text; nothing else is known
)

// Tiers lists the evidence tiers, best first.
func Tiers() []string {
	return []string{
		TierExactBlob, TierExactLines, TierMovedLines, TierReformatted, TierRewritten, TierSamePatch, TierNamed,
		TierFingerprint,
	}
}

// Disputes reports whether evidence of a tier, found afterwards, can take lines from a person. These are lines that
// count as a person's only because no hook reported an agent. For example: an agent without hooks writes lines, and a
// person commits them. Later its session file shows that the agent wrote them.
func Disputes(tier string) bool {
	return tier == TierExactBlob || tier == TierExactLines || tier == TierNamed
}

// TierOf returns the evidence tier of one line whose content is in a snapshot.
func TierOf(o vector.Owner) string {
	if o.Reformatted {
		return TierReformatted
	}
	return TierExactBlob
}

// The words for confidence, lowest first.
var confidences = []string{"low", "medium", "high"}

// atMost maps each limitation that causes doubt to the highest confidence that it allows, as an index of confidences.
var atMost = map[events.Limit]int{
	events.LimitConcurrentWriters: 0, events.LimitBackgroundProcess: 0, events.LimitPathNotNamed: 1,
	events.LimitConsentUnknown: 1, events.LimitNotReported: 1, events.LimitPayloadMismatch: 1,
	events.LimitCompletionUntold: 1,
}

// Confidence returns "low", "medium" or "high" for an evidence tier and an owner. A limitation of the owner can lower
// it.
func Confidence(tier string, owner events.AnchorOwner) string {
	worth := 0
	switch tier {
	case TierExactBlob, TierExactLines, TierRewritten:
		worth = 2
	case TierMovedLines, TierReformatted, TierSamePatch, TierNamed:
		worth = 1
	}
	if owner.Kind == events.OwnerHuman && owner.Evidence == "" {
		worth = min(worth, 1) // another program claims it, and did not see the writing
	}
	for _, l := range owner.Limits {
		if most, doubtful := atMost[l]; doubtful {
			worth = min(worth, most)
		}
	}
	return confidences[worth]
}

// Evidence returns the word for a line's evidence: the tier, or for a person's exact line the owner's own evidence,
// which says whether its time was watched.
func Evidence(tier string, owner events.AnchorOwner) string {
	if owner.Kind == events.OwnerHuman && owner.Evidence != "" && (tier == TierExactBlob || tier == TierExactLines) {
		return string(owner.Evidence)
	}
	return tier
}

// Bounds of one event. A larger commit gets several events.
const (
	maxRunsPerEvent   = 4000
	maxOwnersPerEvent = 800
)

// Drafts returns the events that anchor a commit, from the complete data of the anchor.
func Drafts(whole events.CommitData, method events.Method) ([]events.Draft, error) {
	parts := []events.CommitData{{}}
	runs := 0
	owners := map[int]int{}
	for _, file := range whole.Files {
		part := &parts[len(parts)-1]
		if runs > 0 && (runs+len(file.Runs) > maxRunsPerEvent || len(part.Owners) >= maxOwnersPerEvent) {
			parts, runs = append(parts, events.CommitData{}), 0
			part = &parts[len(parts)-1]
			clear(owners)
		}
		file.Runs = slices.Clone(file.Runs)
		for i := range file.Runs {
			at, there := owners[file.Runs[i].Owner]
			if !there {
				at = len(part.Owners)
				owners[file.Runs[i].Owner] = at
				part.Owners = append(part.Owners, whole.Owners[file.Runs[i].Owner])
			}
			file.Runs[i].Owner = at
		}
		part.Files = append(part.Files, file)
		runs += len(file.Runs)
	}
	return draftParts(parts, whole, method)
}

// draftParts returns one event for each part. The members that all events share come from `whole`.
func draftParts(parts []events.CommitData, whole events.CommitData, method events.Method) ([]events.Draft, error) {
	var drafts []events.Draft
	for i, p := range parts {
		p.Commit, p.Parents = whole.Commit, whole.Parents
		if len(parts) > 1 {
			p.Part, p.Parts = i, len(parts)
		}
		p.Added, p.AI, p.Human, p.Unknown = whole.Added, whole.AI, whole.Human, whole.Unknown
		raw, err := events.Encode(p)
		if err != nil {
			return nil, fmt.Errorf("encode anchor: %w", err)
		}
		drafts = append(drafts, events.Draft{Type: events.CommitAnchored, Method: []events.Method{method}, Data: raw})
	}
	return drafts, nil
}

// anchorer builds the events of one commit.
type anchorer struct {
	view   *trails.View
	commit refs.OID
	// replaced is the commit that this one replaced, if any. The field `renamed` returns a map from file names in that
	// commit to the names in this one.
	replaced refs.OID
	renamed  func() map[string]string

	// `open` holds the lines, from 0, that no known content explains. It may be nil.
	open map[int]bool

	parts   []events.CommitData
	part    events.CommitData
	runs    int
	owners  map[vector.Owner]int
	added   int
	ai      int
	human   int
	unknown int
}

func (a *anchorer) anchor(ctx context.Context, parents []refs.OID, files []fileDiff) ([]events.Draft, error) {
	a.owners = map[vector.Owner]int{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(f.Added) == 0 || f.NewMode == refs.ModeGitlink {
			continue
		}
		if err := a.file(f); err != nil {
			return nil, fmt.Errorf("anchor %s: %w", strconv.Quote(f.Path), err)
		}
	}
	if len(a.part.Files) > 0 || len(a.parts) == 0 {
		a.parts = append(a.parts, a.part)
	}
	whole := events.CommitData{
		Commit: a.commit, Parents: parents, Added: a.added, AI: a.ai, Human: a.human, Unknown: a.unknown,
	}
	return draftParts(a.parts, whole, events.PostCommit)
}

// file anchors the lines that the commit added to one file. Each line gets its own evidence tier; if a snapshot has the
// whole blob, all lines get that tier. A line that git calls added may only have moved: the parent then has its patch
// already. For example: a person moves an agent's function further down in the file.
func (a *anchorer) file(f fileDiff) error {
	raw, err := a.view.Blob(f.New)
	if err != nil {
		return err
	}
	lines := linediff.Split(raw)
	vec, tiers, err := a.ownersOf(f, lines)
	if err != nil {
		return err
	}
	old := a.parentVector(f)
	gone := a.gone(f, lines)
	out := events.AnchorFile{Path: events.EncodePath(f.Path), Blob: f.New, Change: f.Change}
	for _, run := range ownersAt(vec, f.Added) {
		older := run.Owner.Patch != "" && old.HasPatch(run.Owner.Patch)
		tierAt := func(line int) string {
			switch {
			case len(tiers) > 0:
				return tiers[line]
			case older && gone()[string(lines[line])]:
				return TierMovedLines
			}
			return TierOf(run.Owner)
		}
		for start := run.Start; start < run.Start+run.Count; {
			tier := tierAt(start)
			end := start + 1
			for end < run.Start+run.Count && tierAt(end) == tier {
				end++
			}
			out.Runs = append(out.Runs, events.AnchorRun{
				Start: start + 1, Count: end - start, Owner: a.owner(run.Owner), Tier: tier,
			})
			start = end
		}
		a.count(run.Owner.Kind, run.Count)
	}
	a.part.Files = append(a.part.Files, out)
	a.runs += len(out.Runs)
	if a.runs >= maxRunsPerEvent || len(a.part.Owners) >= maxOwnersPerEvent {
		a.parts = append(a.parts, a.part)
		a.part, a.runs = events.CommitData{}, 0
		clear(a.owners)
	}
	return nil
}

// ownersAt returns the owners of the lines that git calls added. If several lines are equal, git and the vector may
// choose different ones as added: for example git chooses 2-4, and an agent wrote 3-5.
//
//	1  func f() {     person
//	2  }              person
//	3                 agent
//	4  func g() {     agent
//	5  }              agent
//
// Line 2 then counts as a person's. That is right, although the line is older than the commit. Line 5 loses its owner
// in any case, because git credits it to an older commit. Giving line 2 to the agent would make two lines wrong.
func ownersAt(vec vector.Vector, added []linediff.Range) []vector.Run {
	var out []vector.Run
	for _, r := range added {
		for _, run := range vec.Slice(r.Start, max(r.Start, min(r.End, vec.Len()))).Runs() {
			out = append(out, vector.Run{Start: r.Start + run.Start, Count: run.Count, Owner: run.Owner})
		}
	}
	return out
}

// ownersOf finds the owner of every line of the committed blob. If a snapshot has the blob, it gives all owners.
// Otherwise each line is searched in the present work tree, then in earlier contents of the path, then in the parent.
// The result `tiers` holds the evidence tier of each line.
func (a *anchorer) ownersOf(f fileDiff, lines [][]byte) (vec vector.Vector, tiers []string, err error) {
	if v, ok := a.seen(f, len(lines)); ok {
		return v, nil, nil
	}
	equal := TierExactLines
	if !a.replaced.IsZero() {
		equal = TierRewritten
	}
	if f.OldPath != f.Path {
		a.view.Known.Link(f.OldPath, f.Path)
	}
	found, err := a.view.Origins(trails.Committed{
		Path: f.Path, OldPath: f.OldPath, Old: f.Old, Lines: lines, Replaced: a.replaced, Renamed: a.renamed,
	})
	if err != nil {
		return vec, nil, err
	}
	var b vector.Builder
	for _, run := range found {
		tier := equal
		if run.Owner.Reformatted {
			tier = TierReformatted
		} else if run.Why == vector.Moved {
			tier = TierMovedLines
		}
		for range run.Count {
			tiers = append(tiers, tier)
		}
		if run.Source >= 0 {
			b.Add(run.Owner, run.Count)
			continue
		}
		for line := run.Start; line < run.Start+run.Count; line++ {
			b.Add(a.view.Unseen(f.Path, lines[line]), 1)
			if a.open != nil {
				a.open[line] = true
			}
		}
	}
	vec = b.Vector()
	a.view.Known.Put(f.Path, f.New, vec)
	return vec, tiers, nil
}

// `seen` finds the owners of a committed blob that a snapshot has. If git-mv(1) renamed the file and only a part of it
// is staged, the snapshots have that part under the older name.
func (a *anchorer) seen(f fileDiff, lines int) (vector.Vector, bool) {
	known := a.view.Known
	if v, ok := known.Get(f.Path, f.New); ok && v.Len() == lines {
		return v, true
	}
	for _, name := range known.Names(f.Path) {
		if v, ok := known.Get(name, f.New); ok && v.Len() == lines {
			return v, true
		}
	}
	return vector.Vector{}, false
}

// parentVector returns the owners of the lines of the file in the parent. Lines of their patches are not new in the
// commit.
func (a *anchorer) parentVector(f fileDiff) vector.Vector {
	v, _ := a.view.Known.Get(f.OldPath, f.Old)
	return v
}

// owner returns the index of an owner in the current event, and adds the owner if it is missing.
func (a *anchorer) owner(o vector.Owner) int {
	o.Reformatted = false
	if i, ok := a.owners[o]; ok {
		return i
	}
	described := events.AnchorOwner{Kind: o.Kind}
	if o.Patch != "" {
		described = a.view.Owners.Describe(o.Patch)
		described.Kind = o.Kind
		described.Previous = o.Previous
	}
	a.part.Owners = append(a.part.Owners, described)
	a.owners[o] = len(a.part.Owners) - 1
	return a.owners[o]
}

func (a *anchorer) count(kind events.OwnerKind, lines int) {
	a.added += lines
	switch kind {
	case events.OwnerAI, events.OwnerMixed:
		a.ai += lines
	case events.OwnerHuman:
		a.human += lines
	case events.OwnerUnknown:
		a.unknown += lines
	}
}
