package events

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestTraceIDsAreUUIDv5(t *testing.T) {
	t.Parallel()
	namespace := uuid.MustParse("6f1d0c5e-3b0a-5d1e-9a55-6a7c2b9f4e10")
	for _, pair := range [][2]string{{"claude-code", "1a2b"}, {"", ""}, {"é", "\x00"}, {"codex-cli", "0193-7f"}} {
		want := uuid.NewSHA1(namespace, []byte(pair[0]+"\x00"+pair[1])).String()
		if got := NewTraceID(pair[0], pair[1]); string(got) != want {
			t.Errorf("%q: %s, want %s", pair, got, want)
		}
	}
}

func TestEventIDsHaveOneForm(t *testing.T) {
	t.Parallel()
	if _, err := ParseID(string(longestID)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "b3:", string(longestID[3:]), string(longestID) + "0", "B3" + string(longestID[2:]), "b3:" + string(longestID[4:]) + "A"} {
		if id, err := ParseID(text); err == nil {
			t.Errorf("%q read as %q", text, id)
		}
	}
}

func TestAnIdThatMayStandInAPath(t *testing.T) {
	t.Parallel()
	good := NewTraceID("claude-code", "s")
	for id, want := range map[TraceID]bool{
		good: true, "": false, good[1:]: false, good + "0": false, "../" + good[3:]: false,
		TraceID(strings.ToUpper(string(good))): false, TraceID(strings.ReplaceAll(string(good), "-", "0")): false,
		good[:8] + "0" + good[9:]: false, good[:9] + "-" + good[10:]: false, "{" + good + "}": false, good[:35] + "g": false,
	} {
		if id.Valid() != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
