package records

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/records/rawjson"
)

// ErrNotRecord reports JSON that is not a TraceRecord.
var ErrNotRecord = errors.New("not a trace record")

// Decode reads one record. Missing members get the defaults of the schema; unknown members are dropped. It checks the
// types of required members; Check does all other checks.
func Decode(raw []byte) (*Record, error) {
	d := rawjson.NewDecoder(raw)
	d.Skip() // before encoding/json parses it, because this decoder limits the depth
	return decode(raw, d)
}

// decode does the same as Decode, for a text that the decoder `walked` has already read to its end.
func decode(raw []byte, walked *rawjson.Decoder) (*Record, error) {
	if err := walked.Err(); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	r := &Record{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	switch {
	case r.SchemaVersion == "":
		return nil, fmt.Errorf("decode record: %w: no schema_version", ErrNotRecord)
	case r.TraceID == "":
		return nil, fmt.Errorf("decode record: %w: no trace_id", ErrNotRecord)
	case r.SessionID == "":
		return nil, fmt.Errorf("decode record: %w: no session_id", ErrNotRecord)
	case r.Agent.Name == "":
		return nil, fmt.Errorf("decode record: %w: no agent", ErrNotRecord)
	}
	r.fill()
	return r, nil
}

// UnmarshalJSON sets Experimental if the JSON has no such member.
func (a *Attribution) UnmarshalJSON(raw []byte) error {
	type plain Attribution
	value := plain{Experimental: true}
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	*a = Attribution(value)
	return nil
}
