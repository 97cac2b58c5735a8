package events

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The vectors are for other implementations as much as for this one: docs/format.md says what they mean. With
// EVENTS_TEST_UPDATE set the outputs are written anew from the inputs.

const vectorDir = "../testdata/vectors/events"

type canonicalVector struct {
	Name      string `json:"name"`
	Input     string `json:"input"`     // JSON text
	Canonical string `json:"canonical"` // empty when the input must be refused
}

type eventVector struct {
	Name   string `json:"name"`
	Seq    int64  `json:"seq"`
	Prev   ID     `json:"prev"`
	Writer string `json:"writer"`
	Draft  Draft  `json:"draft"`  // the other members, in any spelling
	Hashed string `json:"hashed"` // the canonical form without the id
	ID     ID     `json:"id"`
	Line   string `json:"line"` // as stored
}

type badLineVector struct {
	Name  string `json:"name"`
	Line  string `json:"line"`
	Fault string `json:"fault"` // shape or hash
}

type pathVector struct {
	Name   string `json:"name"`
	Hex    string `json:"hex"` // the path's bytes
	Stored string `json:"stored"`
}

type fingerprintVector struct {
	Name   string `json:"name"`
	Hex    string `json:"hex"` // the line's bytes
	Stored string `json:"stored"`
}

type traceVector struct {
	Agent   string  `json:"agent"`
	Session string  `json:"session"`
	Trace   TraceID `json:"trace"`
}

// eachVector reads a file of vectors, lets fill compute the outputs of each, and compares them with what is written.
func eachVector[T any](t *testing.T, file string, fill func(t *testing.T, v *T)) {
	t.Helper()
	path := filepath.Join(vectorDir, file)
	text, err := os.ReadFile(path)
	check(t, err)
	var list []T
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	check(t, dec.Decode(&list))
	if len(list) == 0 {
		t.Fatalf("%s is empty", file)
	}
	for i := range list {
		before, err := json.Marshal(list[i])
		check(t, err)
		fill(t, &list[i])
		after, err := json.Marshal(list[i])
		check(t, err)
		if !bytes.Equal(before, after) && os.Getenv("EVENTS_TEST_UPDATE") == "" {
			t.Errorf("%s, vector %d:\n%s\nis now\n%s", file, i+1, before, after)
		}
	}
	if os.Getenv("EVENTS_TEST_UPDATE") != "" {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		check(t, enc.Encode(list))
		check(t, os.WriteFile(path, out.Bytes(), 0o666))
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	eachVector(t, "canonical.json", func(_ *testing.T, v *canonicalVector) {
		out, err := Canonical([]byte(v.Input))
		if v.Canonical = string(out); err != nil {
			v.Canonical = ""
		}
	})
	last := ID("")
	eachVector(t, "events.json", func(t *testing.T, v *eventVector) {
		v.Prev = last // the vectors are one log
		fillEvent(t, v)
		last = v.ID
	})
	eachVector(t, "bad-lines.json", func(_ *testing.T, v *badLineVector) {
		e, err := DecodeLine([]byte(v.Line))
		switch {
		case err != nil:
			v.Fault = "shape"
		case e.CheckID() != nil:
			v.Fault = "hash"
		default:
			v.Fault = ""
		}
	})
	eachVector(t, "paths.json", func(t *testing.T, v *pathVector) {
		raw, err := hex.DecodeString(v.Hex)
		check(t, err)
		v.Stored = EncodePath(string(raw))
		if back, err := DecodePath(v.Stored); err != nil || back != string(raw) {
			t.Errorf("%s reads back as %q, %v", v.Name, back, err)
		}
	})
	eachVector(t, "fingerprints.json", func(t *testing.T, v *fingerprintVector) {
		raw, err := hex.DecodeString(v.Hex)
		check(t, err)
		v.Stored = EncodeFingerprints([]Fingerprint{FingerprintOf(raw)})
	})
	eachVector(t, "traces.json", func(_ *testing.T, v *traceVector) { v.Trace = NewTraceID(v.Agent, v.Session) })
}

func fillEvent(t *testing.T, v *eventVector) {
	d, err := v.Draft.normal()
	check(t, err)
	e, err := seal(d, place{seq: v.Seq, prev: v.Prev, writer: v.Writer})
	check(t, err)
	head, tail, err := splitID(e.Raw())
	check(t, err)
	v.Hashed, v.ID, v.Line = string(head)+string(tail), e.ID, string(e.Raw())
	if back, err := DecodeLine([]byte(v.Line)); err != nil || back.CheckID() != nil || back.CheckData() != nil {
		t.Errorf("%s does not read back: %v", v.Name, errors.Join(err, back.CheckID(), back.CheckData()))
	}
}

// TestVectorsHoldEveryTypeAndLimit keeps the list in step with the program.
func TestVectorsHoldEveryTypeAndLimit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(vectorDir, "events.json"))
	check(t, err)
	spec, err := os.ReadFile("../docs/format.md")
	check(t, err)
	for _, typ := range []Type{
		LogStarted, SessionStarted, PromptSubmitted, WindowOpened, WindowClosed, WindowAbandoned, SnapshotTaken, PatchRecorded,
		TurnEnded, SessionEnded, CaptureIncomplete, CommitAnchored, CommitRewritten,
	} {
		if !bytes.Contains(text, []byte(`"type": "`+typ+`"`)) {
			t.Errorf("no vector of type %s", typ)
		}
	}
	for _, word := range []string{
		string(RecordStored), string(CheckpointSigned), string(LogPurged), string(OutcomeNoted),
		string(HookSessionStart), string(HookPrompt), string(HookToolBefore), string(HookToolAfter), string(HookStop), string(PostCommit),
		string(PostRewrite), string(Watcher), string(Backfill), string(Manual), string(Import),
		string(LimitConcurrentWriters), string(LimitBackgroundProcess), string(LimitMissingBefore), string(LimitMissingAfter),
		string(LimitPathNotCaptured), string(LimitBoundaryLate), string(LimitPayloadMismatch), string(LimitFieldCut), string(LimitBinary),
		string(LimitDiffCapped), string(LimitModelUnknown), string(LimitIDMissing), string(LimitSubagentUnknown),
		string(LimitProcessGone), string(LimitProcessSilent), string(LimitProcessUnknown), string(LimitPathNotNamed),
	} {
		if !bytes.Contains(spec, []byte("`"+word+"`")) {
			t.Errorf("docs/format.md does not know %s", word)
		}
	}
	if strings.Count(string(text), `"name"`) < 15 {
		t.Error("few vectors are left")
	}
}
