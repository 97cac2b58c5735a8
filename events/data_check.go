package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CheckData returns an error unless the data of an event has the shape of its type: members of the right kinds, valid
// paths and ids, and numbers in range. So readers of a checked log can use the data without further checks. Data of a
// type that this version does not know passes.
func (e Event) CheckData() error {
	if !e.Known() {
		return nil
	}
	if err := e.checkData(); err != nil {
		return fmt.Errorf("%s: data: %w", e.Type, err)
	}
	return nil
}

func (e Event) checkData() error {
	switch e.Type {
	case LogStarted:
		return shaped(e.Data, func(d *LogStartedData) error { return nil })
	case SessionStarted, SessionEnded:
		return shaped(e.Data, func(d *SessionData) error { return nil })
	case PromptSubmitted:
		return shaped(e.Data, func(d *PromptData) error { return natural(int64(d.Index), int64(d.Chars)) })
	case WindowOpened, WindowClosed, WindowAbandoned:
		return shaped(e.Data, func(d *WindowData) error {
			return errors.Join(natural(d.Interval, int64(d.Prompt), int64(d.Patches)), readable(d.Paths...))
		})
	case SnapshotTaken:
		return shaped(e.Data, func(d *SnapshotData) error {
			return errors.Join(natural(d.Interval, int64(d.Changed)), readable(d.Skipped...))
		})
	case PatchRecorded:
		return shaped(e.Data, (*PatchData).check)
	case TurnEnded:
		return shaped(e.Data, func(d *TurnData) error { return natural(d.Interval, int64(d.Prompt)) })
	case CaptureIncomplete:
		return shaped(e.Data, func(d *IncompleteData) error {
			return errors.Join(natural(d.First, d.Last), readable(d.Paths...))
		})
	case CommitAnchored:
		return shaped(e.Data, (*CommitData).check)
	case CommitRewritten:
		return shaped(e.Data, func(d *RewriteData) error { return nil })
	case RecordStored:
		return shaped(e.Data, func(d *RecordData) error {
			return natural(int64(d.Generation), int64(d.Steps), int64(d.Redactions))
		})
	case LogPurged:
		return shaped(e.Data, func(d *PurgeData) error {
			return natural(int64(d.Removed), int64(d.Changed), int64(d.Objects), int64(d.Files))
		})
	case OutcomeNoted:
		return shaped(e.Data, (*NoteData).check)
	case CheckpointSigned:
		return shaped(e.Data, (*CheckpointData).check)
	}
	return nil
}

// Values returns the values of the note; nil if it has none.
func (d *NoteData) Values() (success *bool, reward *float64, err error) {
	switch d.Outcome {
	case "success", "failure":
		success = new(d.Outcome == "success")
	case "unknown":
	default:
		return nil, nil, fmt.Errorf("outcome %.40q is not success, failure or unknown", d.Outcome)
	}
	if d.Reward != "" {
		value, err := strconv.ParseFloat(d.Reward, 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || strings.ContainsAny(d.Reward, "xXpP_") {
			return nil, nil, fmt.Errorf("reward %.40q is not a finite decimal number", d.Reward)
		}
		reward = &value
	}
	return success, reward, nil
}

func (d *NoteData) check() error {
	_, _, err := d.Values()
	return err
}

// `shaped` decodes data and checks it with the function `look`.
func shaped[T any](data json.RawMessage, look func(*T) error) error {
	var value T
	if err := ReadData(data, &value); err != nil {
		return err
	}
	return look(&value)
}

// `natural` refuses negative numbers, and numbers beyond 32 bits.
func natural(numbers ...int64) error {
	for _, n := range numbers {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("number %d is out of range", n)
		}
	}
	return nil
}

// `readable` refuses paths that are not in their stored form.
func readable(paths ...string) error {
	for _, p := range paths {
		if _, err := DecodePath(p); err != nil {
			return err
		}
	}
	return nil
}

// `run` checks the first line and the length of a run of lines.
func run(start, count int) error {
	if start < 1 || count < 1 || count > math.MaxInt32 || start > math.MaxInt32 {
		return fmt.Errorf("bad run of lines: %d from %d", count, start)
	}
	return nil
}

func (d *PatchData) check() error {
	err := errors.Join(readable(d.Path, d.OldPath),
		natural(d.Interval, int64(d.OldStart), int64(d.OldCount), int64(d.NewStart), int64(d.NewCount), int64(d.Prompt)))
	for _, k := range d.Kept {
		err = errors.Join(err, run(k.Start, k.Count))
	}
	if _, linesErr := DecodeFingerprints(d.Lines); linesErr != nil {
		err = errors.Join(err, linesErr)
	}
	return err
}

func (d *CommitData) check() error {
	err := natural(int64(d.Part), int64(d.Parts), int64(d.Revision), int64(d.Added), int64(d.AI), int64(d.Human),
		int64(d.Unknown))
	for _, o := range d.Owners {
		err = errors.Join(err, natural(int64(o.Prompt), int64(o.Step)))
	}
	for _, f := range d.Files {
		err = errors.Join(err, readable(f.Path))
		for _, r := range f.Runs {
			if r.Owner < 0 || r.Owner >= len(d.Owners) {
				return fmt.Errorf("run of owner %d of %d owners", r.Owner, len(d.Owners))
			}
			err = errors.Join(err, run(r.Start, r.Count))
		}
		if err != nil {
			return err
		}
	}
	return err
}

func (d *CheckpointData) check() error {
	if d.Seq < 1 || d.Seq > MaxInt {
		return fmt.Errorf("number %d is out of range", d.Seq)
	}
	_, err := ParseID(string(d.Event))
	return err
}
