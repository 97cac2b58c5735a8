package opentraces_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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

// later is a record of version 0.9.0, with the members that 0.5 to 0.9 brought, and without one that 0.6 took away.
const later = `{"schema_version":"0.9.0","trace_id":"t-1","session_id":"s-1","content_hash":"HASH",` +
	`"timestamp_start":"2026-07-01T10:00:00Z","timestamp_end":null,"execution_context":"devtime",` +
	`"task":{"description":"fix it","source":"user_prompt","repository":null,"repository_url":null,"base_commit":null},` +
	`"agent":{"name":"claude-code","version":"2.1.0","model":null},` +
	`"environment":{"os":"linux","shell":"bash","vcs":{"type":"git","base_commit":null,"branch":"main","diff":null},` +
	`"language_ecosystem":["python"],"arch":"x86_64","platform":"linux","abi_tag":"cp311",` +
	`"interpreter":{"name":"cpython","version":"3.11.7"},` +
	`"resolved_dependencies":[{"name":"requests","version":"2.31.0","hash":null,"marker":null,"source":"uv.lock"}]},` +
	`"system_prompts":{},"tool_definitions":[],"steps":[` +
	`{"step_index":1,"role":"user","content":"fix it","reasoning_content":null,"model":null,"system_prompt_hash":null,` +
	`"agent_role":null,"parent_step":null,"call_type":null,"subagent_trajectory_ref":null,"tools_available":[],` +
	`"tool_calls":[],"observations":[],"snippets":[],"token_usage":{"input_tokens":0,"output_tokens":0,` +
	`"cache_read_tokens":0,"cache_write_tokens":0,"prefix_reuse_tokens":0},"timestamp":null,"context_node_id":"node-1"}],` +
	`"outcome":{"success":null,"signal_source":"deterministic","signal_confidence":"derived","description":null,` +
	`"committed":true,"commit_sha":"0123456789abcdef0123456789abcdef01234567","terminal_state":null,"reward":null,` +
	`"reward_source":null},"dependencies":[],"metrics":{"total_steps":1,"total_input_tokens":0,"total_output_tokens":0,` +
	`"total_duration_s":1.5,"cache_hit_rate":null,"estimated_cost_usd":null,"total_cache_read_tokens":0,` +
	`"total_cache_creation_tokens":0},"security":{"scanned":true,"flags_reviewed":0,"redactions_applied":0,` +
	`"classifier_version":null},"attribution":null,"lifecycle":"final","git_links":[],"generation_index":1,` +
	`"metadata":{"title":"it","opentraces":{"project":"p"}},"context_tree_summary":{"node_count":1,"layer_count":2},` +
	`"patches":[{"patch_id":"tracepatch-sha256:aa","file_path":"a.py","step_index":1,"tool_call_id":null,` +
	`"capture_method":["hook_posttooluse"],"anchor":{"found":true,"commit_sha":"0123456789abcdef0123456789abcdef01234567"},` +
	`"superseded_by":[],"limitations":[]}]}`

func sealed(t *testing.T, text string) string {
	t.Helper()
	hash, err := records.ContentHash([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(text, "HASH", hash, 1)
}

func written(t *testing.T, record *records.Record) string {
	t.Helper()
	var out bytes.Buffer
	if err := opentraces.Write(&out, record); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A record of a later version has members that 0.3.0 does not have. They come back at their places, the version is the
// record's, and its hash stays.
func TestRecordsOfLaterVersionsLoseNothing(t *testing.T) {
	t.Parallel()
	text := sealed(t, later)
	list, err := read([]byte(text))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	record := list[0]
	if record.SchemaVersion != records.SchemaVersion || record.ContentHash == nil {
		t.Errorf("the record is of %s", record.SchemaVersion)
	}
	raw, err := records.Encode(record) // as a store keeps it
	if err != nil {
		t.Fatal(err)
	}
	stored, err := records.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	back := written(t, stored)
	var a, b any
	if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal([]byte(back), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("it came back as %s", back)
	}
	if again := written(t, stored); again != back {
		t.Error("a second time it is written otherwise")
	}
}

// What changes in the record meanwhile is written; members without a place in it any more are passed over.
func TestChangesOfRecordsOfLaterVersionsAreWritten(t *testing.T) {
	t.Parallel()
	list, err := read([]byte(sealed(t, later)))
	if err != nil {
		t.Fatal(err)
	}
	record := list[0]
	record.Steps = nil
	record.Outcome.Patch = new("diff")
	record.GitLinks = []records.GitLink{{Revision: "aa", Tier: records.TierOverlapping}}
	back := written(t, record)
	for _, part := range []string{`"steps":[]`, `"patch":"diff"`, `"revision":"aa"`, `"node_count":1`, `"schema_version":"0.9.0"`} {
		if !strings.Contains(back, part) {
			t.Errorf("%s is not in %s", part, back)
		}
	}
	if list, err := read([]byte(back)); err != nil || len(list) != 1 {
		t.Error(err)
	}
}
