package opentraces_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/opentraces"
)

// goldens are the records of the parsers' own tests, one a file.
func goldens(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/sessions/*/*.record.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d records, %v", len(files), err)
	}
	return files
}

func read(raw []byte) ([]*records.Record, error) {
	var list []*records.Record
	err := opentraces.Read(bytes.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

func TestRecordsReproduceTheirHashAndTheirBytes(t *testing.T) {
	t.Parallel()
	var all, back bytes.Buffer
	for _, name := range goldens(t) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := records.Decode(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		carried := record.ContentHash
		if err := opentraces.Write(&all, record); err != nil {
			t.Fatal(err)
		}
		if carried == nil || *carried != *record.ContentHash {
			t.Errorf("%s: the hash changed", name)
		}
	}
	list, err := read(all.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range list {
		if err := opentraces.Write(&back, record); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(all.Bytes(), back.Bytes()) {
		t.Error("what was written and read is written otherwise")
	}
}

func TestARecordThatWasChangedIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	record := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "a"}}
	raw, err := records.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"other agent":  strings.Replace(string(raw), `"name":"a"`, `"name":"b"`, 1),
		"no record":    `{"a":1}`,
		"not JSON":     `{"a":`,
		"wrong number": strings.Replace(string(raw), `"generation_index":0`, `"generation_index":-1`, 1),
	} {
		list, err := read([]byte(string(raw) + "\n" + line + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 2, byte ") || len(list) != 1 {
			t.Errorf("%s: %d records, %v", name, len(list), err)
		}
	}
	if _, err := read([]byte(strings.Replace(string(raw), `"name":"a"`, `"name":"b"`, 1))); !errors.Is(err, opentraces.ErrHash) {
		t.Errorf("changed record: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range goldens(f)[:3] {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := read(raw)
		if err != nil {
			return
		}
		var out bytes.Buffer
		for _, record := range list {
			if err := opentraces.Write(&out, record); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
		if _, err := read(out.Bytes()); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}

// The example of the schema's page counts steps from 0 and elides its hash.
func TestTheExampleOfTheSchemaPageIsRead(t *testing.T) {
	t.Parallel()
	example := `{"schema_version":"0.3.0","trace_id":"a4f2b8c1-e2d3-4f5a-b6c7-d8e9f0a1b2c3","session_id":"sess_0x8f2a1b3c",` +
		`"content_hash":"e3b0c44298fc1c14...","agent":{"name":"claude-code"},"steps":[{"step_index":0,"role":"user","content":"Add"},` +
		`{"step_index":1,"role":"agent","tool_calls":[{"tool_call_id":"tc_001","tool_name":"Edit","input":{"file_path":"src/signup.tsx"}}],` +
		`"observations":[{"source_call_id":"tc_001"}]},{"step_index":2,"role":"agent","parent_step":0}]}`
	list, err := read([]byte(example + "\n"))
	if err != nil || len(list) != 1 {
		t.Fatalf("got %d records, %v", len(list), err)
	}
	r := list[0]
	if r.ContentHash != nil || r.Steps[0].StepIndex != 1 || r.Steps[2].StepIndex != 3 || *r.Steps[2].ParentStep != 1 {
		t.Errorf("got %+v", r)
	}
	for _, wrong := range []string{
		strings.Replace(example, "e3b0c44298fc1c14...", strings.Repeat("ab", 32), 1),
		strings.Replace(example, `"step_index":1`, `"step_index":2`, 1),
	} {
		if list, err := read([]byte(wrong + "\n")); err == nil {
			t.Errorf("taken for %+v", list[0])
		}
	}
}
