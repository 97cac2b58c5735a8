package events

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
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

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// TraceID names a conversation: the UUIDv5 of its agent and the agent's own session id.
type TraceID string

// PatchID names a patch: 32 hex digits, derived from what the patch is and where it stands, not from its event.
type PatchID string

// traceNamespace is the UUIDv5 namespace of trace ids. It is part of the stored format and never changes.
var traceNamespace = uuid.MustParse("6f1d0c5e-3b0a-5d1e-9a55-6a7c2b9f4e10")

// NewTraceID derives the id of a conversation, so that hooks, transcripts and other machines agree on it.
func NewTraceID(agent, session string) TraceID {
	return TraceID(uuid.NewSHA1(traceNamespace, []byte(agent+"\x00"+session)).String())
}
