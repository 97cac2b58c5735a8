package recorder_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
)

// A record that an earlier version made, which kept less, is made anew when it is asked for, and only once.
func TestARecordOfAnEarlierFormIsReadAnew(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "rewind-0001")
	p.write(session(t, "rewind-0001"))
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	older := p.stored()
	if len(older.Branches()) != 1 || len(older.Sources()) != len(older.Steps) {
		t.Fatalf("the record has %d branches and %d sources", len(older.Branches()), len(older.Sources()))
	}
	delete(older.Metadata, "branches")
	delete(older.Metadata, "sources")
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	redactor, err := redact.New(redact.Options{Finder: p.finder})
	if err != nil {
		t.Fatal(err)
	}
	redacted, err := redactor.Record(t.Context(), older)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := s.Find(t.Context(), p.session.Trace)
	if err != nil {
		t.Fatal(err)
	}
	put, err := s.Put(t.Context(), redacted, entry.Blob)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(recorder.StateDir(p.repo), string(p.session.Trace)+".json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte(entry.Blob.String()), []byte(put.Blob.String()), 1)
	var state map[string]any
	if err := json.Unmarshal(raw, &state); err != nil {
		t.Fatal(err)
	}
	delete(state, "form")
	if raw, err = json.Marshal(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := p.record()
		if err != nil || out.Generation != older.GenerationIndex+1 {
			t.Fatalf("generation %d, %v", out.Generation, err)
		}
	}
	if got := p.stored(); len(got.Branches()) != 1 || len(got.Sources()) != len(got.Steps) {
		t.Errorf("the record has %d branches and %d sources", len(got.Branches()), len(got.Sources()))
	}
}
