package quality

import (
	"math"

	"github.com/git-trace/git-trace/records"
)

// Persona is a kind of user of records.
type Persona string

// The personas.
const (
	Training  Persona = "training"
	RL        Persona = "rl"
	Analytics Persona = "analytics"
	Domain    Persona = "domain"
)

// Personas lists the personas in the order of display.
func Personas() []Persona { return []Persona{Training, RL, Analytics, Domain} }

// Bar is the standard for a set of records: the least score of each record, and the least mean of all.
type Bar struct {
	Least float64 `json:"least"` // 0 if single records do not matter
	Mean  float64 `json:"mean"`
}

func BarOf(p Persona) Bar {
	switch p {
	case Training:
		return Bar{40, 45}
	case RL:
		return Bar{0, 40}
	case Analytics:
		return Bar{60, 70}
	case Domain:
		return Bar{45, 55}
	}
	return Bar{}
}

// Check is the result of one check.
type Check struct {
	ID     string   `json:"id"`
	What   string   `json:"what"`
	Weight float64  `json:"weight"`
	Share  *float64 `json:"share"` // 0 to 1; null if the check does not apply
}

// Score says how useful a record is for a persona.
type Score struct {
	Persona Persona `json:"persona"`
	Score   float64 `json:"score"` // 0 to 100
	Reached bool    `json:"reached"`
	Checks  []Check `json:"checks"`
}

// Report is the assessment of a record.
type Report struct {
	Steps  int      `json:"steps"`
	Calls  int      `json:"tool_calls"`
	Gate   bool     `json:"gate"`
	Faults []string `json:"faults"` // violations of the schema
	Scores []Score  `json:"scores"`
}

// The gate: the minimum for a useful record.
const (
	leastSteps = 2
	leastCalls = 1
)

// MeetsGate reports whether a record has at least two steps and one tool call.
func MeetsGate(r *records.Record) bool {
	return len(r.Steps) >= leastSteps && calls(r) >= leastCalls
}

func calls(r *records.Record) int {
	n := 0
	for i := range r.Steps {
		n += len(r.Steps[i].ToolCalls)
	}
	return n
}

// Assess judges a record.
func Assess(r *records.Record) Report {
	report := Report{Steps: len(r.Steps), Calls: calls(r), Gate: MeetsGate(r), Faults: append([]string{}, r.Check()...)}
	facts := gather(r)
	for _, p := range Personas() {
		score := Score{Persona: p}
		sum, weights := 0.0, 0.0
		for _, c := range checksOf(p) {
			out := Check{ID: c.id, What: c.what, Weight: c.weight}
			if share, applies := c.share(facts); applies {
				share = round(min(max(share, 0), 1), 4)
				out.Share = &share
				sum += c.weight * share
				weights += c.weight
			}
			score.Checks = append(score.Checks, out)
		}
		if weights > 0 {
			score.Score = round(100*sum/weights, 1)
		}
		score.Reached = score.Score >= BarOf(p).Least
		report.Scores = append(report.Scores, score)
	}
	return report
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
