package payload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint identifies a call without an id by its tool and input: equal inputs have equal fingerprints, whatever
// the order of their keys. It is 16 letters and digits.
func Fingerprint(tool string, input json.RawMessage) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if decoder.Decode(&value) == nil {
		if canonical, err := json.Marshal(value); err == nil {
			input = canonical
		}
	}
	hash := sha256.New()
	hash.Write([]byte(tool + "\x00"))
	hash.Write(input)
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
