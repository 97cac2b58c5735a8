package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrKind reports a value whose kind the format does not allow.
var ErrKind = errors.New("wrong kind of value")

// Decode does the same as json.Unmarshal, with errors about the file and not about Go types: "wrong kind of value:
// files.path: a JSON number".
func Decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		member := kind.Field
		if member == "" {
			member = "the whole"
		}
		return fmt.Errorf("%w: %.200s: a JSON %s", ErrKind, member, kind.Value)
	}
	return err
}
