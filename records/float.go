package records

import (
	"errors"
	"math"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Float is a number that JSON always has with a fraction: 0 as 0.0. Python and the content hash distinguish 0.0 from 0.
type Float float64

// MarshalJSON writes the number like Python's repr.
func (f Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return nil, errors.New("NaN and infinity cannot be written as JSON")
	}
	return rawjson.AppendFloat(nil, float64(f)), nil
}
