package health

import (
	"context"
	"time"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

// doctorSchema names the form of the JSON output; docs/schema/doctor-1.schema.json describes it.
const doctorSchema = "git-trace.doctor/1"

// Doctor holds the findings of doctor, in JSON.
type Doctor struct {
	Schema    string        `json:"schema"`
	Recording bool          `json:"recording"` // if false, only the first check and the checks of fetched logs were made
	Problems  int           `json:"problems"`  // number of problems that remain
	Checks    []doctorCheck `json:"checks"`
	Notes     []string      `json:"notes"`
}

type doctorCheck struct {
	Name   string           `json:"name"`
	Fine   *string          `json:"fine"` // a line about the state, if nothing is and nothing was wrong
	Mended []doctor.Finding `json:"mended"`
	Left   []doctor.Finding `json:"left"`
}

// Examine makes the checks, with mend also the repairs.
func Examine(ctx context.Context, d *doctor.Doctor, mend bool, now time.Time) (*Doctor, error) {
	told := &Doctor{Schema: doctorSchema, Checks: []doctorCheck{}, Notes: []string{}}
	var err error
	told.Problems, told.Recording, err = d.Examine(ctx, mend, func(r doctor.Result) error {
		one := doctorCheck{Name: r.Name, Mended: append([]doctor.Finding{}, r.Mended...),
			Left: append([]doctor.Finding{}, r.Left...)}
		if len(r.Mended)+len(r.Left) == 0 {
			one.Fine = &r.Fine
		}
		told.Checks = append(told.Checks, one)
		return nil
	})
	if err == nil && told.Recording {
		told.Notes = append(told.Notes, d.Notes(ctx, now)...)
	}
	return told, err
}

// DrawDoctor makes the checks, and draws each result when it is known. It reports whether all is fine.
func DrawDoctor(ctx context.Context, s *terminal.Screen, d *doctor.Doctor, mend bool, now time.Time) (bool, error) {
	remain, recording, err := d.Examine(ctx, mend, func(r doctor.Result) error { return drawResult(s, r) })
	if err != nil || !recording {
		return false, err
	}
	t := rows{screen: s}
	for _, note := range d.Notes(ctx, now) {
		t.row("note", note, "")
	}
	return remain == 0, t.write()
}

func drawResult(s *terminal.Screen, r doctor.Result) error {
	t := rows{screen: s}
	if len(r.Mended)+len(r.Left) == 0 {
		t.row("ok", r.Name+": "+r.Fine, "")
	}
	t.findings("mended", r.Mended)
	t.findings("problem", r.Left)
	return t.write()
}
