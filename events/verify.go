package events

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// State is the result of a verification.
type State string

// The states. A consistent log may still have lost its end, or have been rebuilt as a whole: only an anchor shows that.
const (
	Consistent State = "consistent"
	Anchored   State = "anchored"
	Broken     State = "broken"
)

// maxFaults is the number of faults in a report; further ones are counted.
const maxFaults = 10_000

// Fault is one fault. Seq is the place of the event in the log, even if the event has another number.
type Fault struct {
	Seq    int64     `json:"seq"`
	Kind   FaultKind `json:"kind"`
	Detail string    `json:"detail"`
}

// Report is the result of a verification.
type Report struct {
	Ref        string   `json:"ref"`
	Tip        refs.OID `json:"tip,omitzero"`
	Writer     string   `json:"writer,omitempty"`
	Events     int      `json:"events"`
	State      State    `json:"state"`
	AnchoredTo int64    `json:"anchored_to,omitempty"`
	AnchoredBy string   `json:"anchored_by,omitempty"`
	Anchors    []Anchor `json:"anchors,omitempty"`   // all found anchors, with the invalid ones
	BrokenAt   int64    `json:"broken_at,omitempty"` // the first fault; the log is sound before it
	Faults     []Fault  `json:"faults,omitempty"`    // faults in the order of the log
	MoreFaults int      `json:"more_faults,omitempty"`
	Notes      []string `json:"notes,omitempty"`
	// Lost is the note that the newest checkpoint named in the log is missing; Notes has it too.
	Lost string `json:"-"`
	// End is the last event; zero if it cannot be read.
	End End `json:"-"`
}

// Empty reports whether there is no log yet.
func (r Report) Empty() bool { return r.Tip.IsZero() && r.Events == 0 && r.State != Broken }

// Summary returns the state in words.
func (r Report) Summary() string {
	switch r.State {
	case Anchored:
		return fmt.Sprintf("consistent and anchored up to %d", r.AnchoredTo)
	case Broken:
		return fmt.Sprintf("broken at %d", r.BrokenAt)
	}
	return string(Consistent)
}

// Verification names the log to verify, and the evidence for it.
type Verification struct {
	Ref     string         // empty for this clone's log
	Anchors []AnchorSource // evidence outside of the log
}

// Verify reads a log from where it is stored, hashes every byte itself, and reports every fault it finds. An error
// means that the verification was impossible; damage is not an error. Replacement refs, grafts and shallow boundaries
// are ignored and noted.
func (l *Log) Verify(ctx context.Context, what Verification) (Report, error) {
	report := Report{Ref: what.Ref, State: Consistent}
	if report.Ref == "" {
		report.Ref = refs.EventsRef
	}
	v := &verifier{log: l, report: &report}
	defer func() { v.own.close() }()
	if report.Ref == refs.EventsRef {
		v.own, v.damage = l.openJournal(os.O_RDONLY)
		if errors.Is(v.damage, ErrNewer) {
			return report, v.damage
		}
		if v.own == nil && v.damage != nil {
			report.Faults = []Fault{{Kind: FaultFile, Detail: v.damage.Error()}}
			report.State = Broken
			return report, nil
		}
	}
	tip, err := l.Tip(report.Ref)
	switch {
	case err != nil && v.own != nil:
		report.Notes = append(report.Notes, err.Error())
	case err != nil:
		report.Faults = []Fault{{Kind: FaultRef, Detail: err.Error()}}
		report.State = Broken
		return report, nil
	}
	report.Tip = tip
	if report.Ref == refs.EventsRef {
		losses, _ := l.Losses() // an unreadable end is already a fault
		for _, loss := range losses {
			report.Notes = append(report.Notes, loss.String())
		}
	}
	if err := v.run(ctx, what.Anchors); err != nil {
		return report, fmt.Errorf("verify %s: %w", report.Ref, err)
	}
	return report, nil
}

// verifier holds the findings until the report is made.
type verifier struct {
	log     *Log
	report  *Report
	chain   chainCheck
	unsound commitSet // commits that git would show in another form
	own     *journal  // the file, if this clone's log is verified
	damage  error     // the damage that prevents appends
	seals   []Anchor  // the ends of its ref's seals, the newest first
}

func (v *verifier) run(ctx context.Context, sources []AnchorSource) error {
	if v.report.Tip.IsZero() && v.own == nil {
		if sources == nil {
			return nil
		}
	} else {
		v.report.End, _ = v.log.End(v.report.Ref) // its faults are found with the others
		v.report.Writer = v.report.End.Writer
	}
	if err := v.report.findAnchors(ctx, v.log, sources); err != nil {
		return err
	}
	v.chain = newChain(v.report.Anchors)
	if err := v.findUnsound(ctx); err != nil {
		return err
	}
	if v.own != nil {
		v.compareSeal()
	}
	if f, ok := parseFetched(v.report.Ref); ok {
		v.chain.owner = f.Writer
	}
	if err := v.read(ctx); err != nil {
		return err
	}
	v.report.Events = v.chain.count
	v.conclude(ctx)
	return nil
}

// findAnchors gets the anchors of every source, and notes the invalid ones.
func (r *Report) findAnchors(ctx context.Context, log *Log, sources []AnchorSource) error {
	for _, source := range sources {
		anchors, err := source.Anchors(ctx, log, Subject{Ref: r.Ref, Writer: r.Writer})
		if err != nil {
			return fmt.Errorf("read anchors: %w", err)
		}
		r.Anchors = append(r.Anchors, anchors...)
	}
	for _, a := range r.Anchors {
		if a.Void != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s anchors nothing: %s", a.Source, a.Void))
		}
	}
	return nil
}

// conclude turns the findings into faults and the state.
func (v *verifier) conclude(ctx context.Context) {
	faults := v.chain.faults
	reached, source, wrong := v.chain.judge(v.report.Anchors)
	faults = append(faults, wrong...)
	_, _, wrong = v.chain.judge(v.seals)
	faults = append(faults, wrong...)
	v.report.MoreFaults = v.chain.dropped
	if len(faults) > maxFaults {
		v.report.MoreFaults += len(faults) - maxFaults
		faults = faults[:maxFaults]
	}
	v.report.Faults = faults
	v.report.Notes = append(v.report.Notes, v.unsound.notes()...)
	v.report.Lost = v.missingCheckpoint(ctx)
	if v.report.Lost != "" {
		v.report.Notes = append(v.report.Notes, v.report.Lost)
	}
	slices.Sort(v.report.Notes)
	switch {
	case len(faults) > 0:
		v.report.State, v.report.BrokenAt = Broken, faults[0].Seq
	case reached > 0:
		v.report.State, v.report.AnchoredTo, v.report.AnchoredBy = Anchored, reached, source
	}
}
