package records

import (
	"errors"
	"math"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Float is a number that stays one with a fraction when it is written: 0 as 0.0. A reader in Python tells the two
// apart, and so does the content hash.
type Float float64

// MarshalJSON writes the number as Python's repr does.
func (f Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return nil, errors.New("a number without a value cannot be written as JSON")
	}
	return rawjson.AppendFloat(nil, float64(f)), nil
}
