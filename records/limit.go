package records

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// MaxSteps bounds the steps of a conversation in a foreign file. A step of a few bytes takes hundreds in memory.
const MaxSteps = 1_000_000

// ErrSteps reports a conversation that has more.
var ErrSteps = errors.New("more steps than a conversation can have")

// AddStep adds a step, which gets the next number; ErrSteps beyond the limit.
func (r *Record) AddStep(s Step) (*Step, error) {
	if len(r.Steps) >= MaxSteps {
		return nil, ErrSteps
	}
	s.StepIndex = len(r.Steps) + 1
	r.Steps = append(r.Steps, s)
	return &r.Steps[len(r.Steps)-1], nil
}

// DecodeForeign is Decode for a foreign record. ErrSteps: the record has more than MaxSteps steps; the rest is not
// decoded.
func DecodeForeign(raw []byte) (*Record, error) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if !strings.EqualFold(string(d.Key()), "steps") { // encoding/json takes both
			continue
		}
		n := 0
		for d.OpenArray(); d.Element(); n++ {
			if n >= MaxSteps {
				return nil, fmt.Errorf("decode record: %w", ErrSteps)
			}
		}
	}
	return decode(raw, d)
}
