package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Fit makes a draft fit the limits of the format. Some lists stay true when they are shortened: fingerprints, paths,
// candidates, previous patches, kept runs, running tasks. They are cut to MaxField bytes, and the draft gets
// LimitFieldCut. Other data that is too long is refused: the caller must split a commit_anchored or commit_rewritten
// into several events. Append calls Fit.
func (d Draft) Fit() (Draft, error) {
	if len(d.Data) <= MaxField {
		return d, nil // too short to exceed a limit
	}
	var err error
	var c cutter
	switch d.Type {
	case PatchRecorded:
		d.Data, err = refit(&c, d.Data, c.patch)
	case WindowOpened, WindowClosed, WindowAbandoned:
		d.Data, err = refit(&c, d.Data, func(w *WindowData) { w.Paths = cutList(&c, w.Paths) })
	case SnapshotTaken:
		d.Data, err = refit(&c, d.Data, func(s *SnapshotData) { s.Skipped = cutList(&c, s.Skipped) })
	case TurnEnded:
		d.Data, err = refit(&c, d.Data, func(t *TurnData) { t.Running = cutList(&c, t.Running) })
	case CaptureIncomplete:
		d.Data, err = refit(&c, d.Data, func(i *IncompleteData) {
			i.Paths, i.Calls = cutList(&c, i.Paths), cutList(&c, i.Calls)
		})
	}
	if err == nil && c.err != nil {
		err = c.err
	}
	if err != nil {
		return d, fmt.Errorf("fit %s: %w", d.Type, err)
	}
	if c.cut && !slices.Contains(d.Limits, LimitFieldCut) {
		d.Limits = append(slices.Clone(d.Limits), LimitFieldCut)
	}
	if len(d.Data) > MaxEvent {
		return d, fmt.Errorf("fit %s: data of %d bytes: %w", d.Type, len(d.Data), ErrTooLong)
	}
	return d, nil
}

// cutter notes whether something was cut.
type cutter struct {
	cut bool
	err error
}

// refit decodes the data, calls the function `shorten`, and encodes it again only if something was cut.
func refit[T any](c *cutter, data json.RawMessage, shorten func(*T)) (json.RawMessage, error) {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return data, fmt.Errorf("data: %w", err)
	}
	shorten(&value)
	if !c.cut || c.err != nil {
		return data, c.err
	}
	return Encode(value)
}

func (c *cutter) patch(p *PatchData) {
	if longest := MaxField / FingerprintChars * FingerprintChars; len(p.Lines) > longest {
		p.Lines, c.cut = p.Lines[:longest], true
	}
	p.Candidates = cutList(c, p.Candidates)
	p.Previous = cutList(c, p.Previous)
	p.Kept = cutList(c, p.Kept)
}

// cutList keeps the first items, as many as fit MaxField in canonical form.
func cutList[T any](c *cutter, items []T) []T {
	size := len("[]")
	for i := range items {
		one, err := Encode(items[i])
		if err != nil {
			c.err = errors.Join(c.err, err)
			return items
		}
		if size += len(one) + len(","); size > MaxField {
			c.cut = true
			return items[:i]
		}
	}
	return items
}
