package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of payloads that callers check for.
var (
	ErrNotObject = errors.New("payload is not a JSON object")
	ErrSession   = errors.New("session id is not usable")
	ErrSubagent  = errors.New("subagent id is not usable")
)

// Object decodes a payload, which must be a JSON object, into v. A field of an unexpected type counts as missing:
// fields are independent, and tools of other vendors use the same names for other data. encoding/json limits the depth.
func Object(data []byte, v any) error {
	data, err := UTF8(data)
	if err != nil {
		return err
	}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return ErrNotObject
	}
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(data, v); err != nil && !errors.As(err, &wrongType) {
		return fmt.Errorf("payload is not JSON: %w", err)
	}
	return nil
}
