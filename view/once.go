package view

import (
	"math"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// `once` counts the lines of a conversation in commits, each line once. A squash, a copy or a formatter brings the same
// lines into several commits, and several commits can share the lines of one patch. The texts of the lines distinguish
// the cases, unless one commit holds the whole patch.
func (r *Reader) once(lines *Lineage, trace events.TraceID, held []CommitLines) (int, error) {
	if len(held) < 2 {
		return SumLines(held), nil
	}
	all, err := lines.Anchors(trace, func(*events.AnchorOwner) bool { return true })
	if err != nil {
		return 0, err
	}
	counted := map[refs.OID]bool{}
	for _, c := range held {
		counted[c.Commit] = true
	}
	sum := 0
	patches := map[events.PatchID]map[refs.OID][]Anchored{}
	for _, a := range all {
		switch patch := a.Owner.Patch; {
		case !counted[a.Commit]:
		case patch == "": // a claim has only the number of lines
			sum += a.Lines
		default:
			if patches[patch] == nil {
				patches[patch] = map[refs.OID][]Anchored{}
			}
			patches[patch][a.Commit] = append(patches[patch][a.Commit], a)
		}
	}
	for patch, commits := range patches {
		n, err := r.oncePatch(patch, commits)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// oncePatch counts the lines of a patch in commits, each line once.
func (r *Reader) oncePatch(patch events.PatchID, commits map[refs.OID][]Anchored) (int, error) {
	most := 0
	for _, runs := range commits {
		n := 0
		for _, a := range runs {
			n += a.Lines
		}
		most = max(most, n)
	}
	if len(commits) == 1 {
		return most, nil
	}
	e, known, err := r.log.Patch(patch)
	if err != nil {
		return 0, err
	}
	size := math.MaxInt
	if known {
		if size = events.DataOf[events.PatchData](e).NewCount; most >= size {
			return most, nil
		}
	}
	texts := map[events.Fingerprint]int{}
	for _, runs := range commits {
		here := map[events.Fingerprint]int{}
		for _, a := range runs {
			if a.Tier == correlate.TierReformatted || a.Blob.IsZero() {
				continue // the same lines with other punctuation
			}
			for _, line := range linesOf(r.content(a.Blob), a.Start, a.Lines) {
				here[events.FingerprintOf([]byte(line))]++
			}
		}
		for print, n := range here {
			texts[print] = max(texts[print], n)
		}
	}
	distinct := 0
	for _, n := range texts {
		distinct += n
	}
	return max(most, min(distinct, size)), nil
}
