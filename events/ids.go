package events

import (
	"crypto/sha1" //nolint:gosec // see NewTraceID
	"encoding/hex"
	"fmt"
	"strings"
)

// ID names an event: "b3:" and the 64 hex digits of its BLAKE3-256.
type ID string

const (
	idPrefix = "b3:"
	idDigits = 64
)

// ParseID checks that text has the form of an event id.
func ParseID(text string) (ID, error) {
	digits, ok := strings.CutPrefix(text, idPrefix)
	if !ok || len(digits) != idDigits || !isHex(digits) {
		return "", fmt.Errorf("%.80q is not an event id", text)
	}
	return ID(text), nil
}

// isHex uses a table, because branches on the digits of a hash cannot be predicted.
func isHex(text string) bool {
	for i := range len(text) {
		if !hexDigit[text[i]] {
			return false
		}
	}
	return true
}

var hexDigit = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true,
}

// TraceID names a conversation: the UUIDv5 of its agent and the agent's own session id.
type TraceID string

// Valid reports whether an id may be part of a path: a UUID in its usual form, with lower-case digits.
func (t TraceID) Valid() bool {
	for i := range len(t) {
		switch i {
		case 8, 13, 18, 23:
			if t[i] != '-' {
				return false
			}
		default:
			if !isHex(string(t[i : i+1])) {
				return false
			}
		}
	}
	return len(t) == 36
}

// PatchID names a patch: 32 hex digits, derived from the content and the place of the patch, not from its event.
type PatchID string

// traceNamespace is the UUIDv5 namespace of trace ids, 6f1d0c5e-3b0a-5d1e-9a55-6a7c2b9f4e10. It is part of the stored
// format and never changes.
const traceNamespace = "\x6f\x1d\x0c\x5e\x3b\x0a\x5d\x1e\x9a\x55\x6a\x7c\x2b\x9f\x4e\x10"

// NewTraceID derives the id of a conversation, so that hooks, transcripts and other machines agree on it: the UUIDv5
// (RFC 9562) of agent and session with a NUL between them. It is implemented here because the usual library links the
// net package, which slows down every start.
func NewTraceID(agent, session string) TraceID {
	sum := sha1.Sum([]byte(traceNamespace + agent + "\x00" + session)) //nolint:gosec // UUIDv5 is SHA-1 by definition
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50 // version 5
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	text := hex.EncodeToString(id)
	return TraceID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:])
}
