package trails

import (
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// anchor makes the events that replace a commit's anchor; none if it does not name the call, or is right.
func (r *revision) anchor(commit refs.OID, method []events.Method) ([]events.Draft, error) {
	parts := lastAnchor(r.anchors[commit])
	changed := false
	for i := range parts {
		changed = r.part(&parts[i]) || changed
	}
	if !changed {
		return nil, nil
	}
	return anewParts(parts, method)
}

// anewParts makes the events of an anchor that takes the place of the last one.
func anewParts(parts []events.CommitData, method []events.Method) ([]events.Draft, error) {
	var ai, human, unknown int
	for i := range parts {
		for _, f := range parts[i].Files {
			for _, run := range f.Runs {
				switch parts[i].Owners[run.Owner].Kind {
				case events.OwnerAI, events.OwnerMixed:
					ai += run.Count
				case events.OwnerHuman:
					human += run.Count
				case events.OwnerUnknown:
					unknown += run.Count
				}
			}
		}
	}
	var out []events.Draft
	for _, p := range parts {
		p.Revision++
		p.AI, p.Human, p.Unknown = ai, human, unknown
		raw, err := events.Encode(p)
		if err != nil {
			return nil, fmt.Errorf("encode anchor: %w", err)
		}
		out = append(out, events.Draft{Type: events.CommitAnchored, Method: method, Data: raw})
	}
	return out, nil
}

// lastAnchor puts together the last anchor of a commit that is whole; list has the newest event first.
func lastAnchor(list []events.Event) []events.CommitData {
	var parts []events.CommitData
	for i := range list {
		d := events.DataOf[events.CommitData](list[i])
		if !sound(&d) {
			return nil
		}
		if d.Part == max(0, d.Parts-1) {
			parts = nil
		}
		parts = append(parts, d)
		if d.Part == 0 && len(parts) == max(1, d.Parts) {
			slices.Reverse(parts)
			return parts
		}
	}
	return nil
}

// sound reports whether the runs of an anchor name owners that it has.
func sound(d *events.CommitData) bool {
	for _, f := range d.Files {
		for _, run := range f.Runs {
			if run.Owner < 0 || run.Owner >= len(d.Owners) {
				return false
			}
		}
	}
	return true
}

// part gives the lines of the call in a part of an anchor to whom they belong. The owner that names the call stays in
// the list, though no run may have it any more: readers that sum conversations up learn by it of a commit without a
// line of this one.
func (r *revision) part(d *events.CommitData) bool {
	changed := false
	owners := slices.Clone(d.Owners)
	for i := range owners {
		if previous := r.previous(owners[i].Previous); previous != owners[i].Previous {
			owners[i].Previous, changed = previous, true
		}
	}
	instead := map[int]int{}
	for i := range d.Files {
		d.Files[i].Runs = slices.Clone(d.Files[i].Runs)
		for k := range d.Files[i].Runs {
			run := &d.Files[i].Runs[k]
			at, done := instead[run.Owner]
			if !done {
				at = run.Owner
				if now, differs := r.nowAnchored(&owners[at]); differs {
					owners, at = append(owners, now), len(owners)
				}
				instead[run.Owner] = at
			}
			changed = changed || at != run.Owner
			run.Owner = at
		}
	}
	d.Owners = owners
	return changed
}

// nowAnchored returns the present owner in the place of an owner in an anchor.
func (r *revision) nowAnchored(o *events.AnchorOwner) (now events.AnchorOwner, changed bool) {
	if !r.names(o) {
		return *o, false
	}
	now, changed = r.now(*o, r.patches[o.Patch])
	now.Previous = o.Previous
	return now, changed
}
