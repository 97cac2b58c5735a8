package records

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// MaxSteps limits the number of steps of a conversation in a foreign file. A step of a few bytes takes hundreds of
// bytes in memory.
const MaxSteps = 1_000_000

// ErrSteps reports a conversation with more than MaxSteps steps.
var ErrSteps = errors.New("more steps than a conversation can have")

// AddStep appends a step and gives it the next number. It returns ErrSteps beyond the limit.
func (r *Record) AddStep(s Step) (*Step, error) {
	if len(r.Steps) >= MaxSteps {
		return nil, ErrSteps
	}
	s.StepIndex = len(r.Steps) + 1
	r.Steps = append(r.Steps, s)
	return &r.Steps[len(r.Steps)-1], nil
}

// DecodeForeign does the same as Decode, for a foreign record. It returns ErrSteps for more than MaxSteps steps and
// does not decode the rest.
func DecodeForeign(raw []byte) (*Record, error) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if !strings.EqualFold(string(d.Key()), "steps") { // encoding/json ignores case too
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
