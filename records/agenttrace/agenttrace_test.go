package agenttrace_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/refs"
)

func read(raw string) ([]*agenttrace.Record, error) {
	var list []*agenttrace.Record
	err := agenttrace.Read(strings.NewReader(raw), func(_ int, r *agenttrace.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

const corpus = "../../../shared/corpus/agent-trace"

// schemas are our description of what we write and, where it is here, the specification's own.
func schemas(t *testing.T) []*jsonschema.Schema {
	t.Helper()
	own, err := os.ReadFile("../../docs/schema/agent-trace-0.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(own)}
	if page, err := os.ReadFile(corpus + "/cursor+agent-trace__README-examples.md"); err == nil {
		_, rest, _ := strings.Cut(string(page), "```json\n{\n  \"$schema\"")
		schema, _, _ := strings.Cut(rest, "```")
		texts = append(texts, "{\n  \"$schema\""+schema)
	}
	var out []*jsonschema.Schema
	for i, text := range texts {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		name := []string{"mem:own.json", "mem:specification.json"}[i]
		if err := compiler.AddResource(name, value); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, schema)
	}
	return out
}

func validate(t *testing.T, r *agenttrace.Record) {
	t.Helper()
	var out bytes.Buffer
	if err := agenttrace.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas(t) {
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func oid(t *testing.T, text string) refs.OID {
	t.Helper()
	id, err := refs.ParseOID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

var file = []string{"package a", "", "func A() {}", "func B() {}", "func C() {}"}

func source(path string) ([]string, error) {
	if path != "a.go" {
		return nil, errors.New("no such file")
	}
	return file, nil
}

func commit(t *testing.T) *events.CommitData {
	t.Helper()
	trace := events.NewTraceID("claude-code", "s1")
	return &events.CommitData{
		Commit: oid(t, "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"),
		Owners: []events.AnchorOwner{
			{Kind: events.OwnerAI, Trace: trace, Agent: "claude-code", Session: "s1", Model: "anthropic/claude-opus-4-5", Prompt: 2, Step: 3},
			{Kind: events.OwnerHuman},
			{Kind: events.OwnerUnknown},
		},
		Files: []events.AnchorFile{{Path: "a.go", Runs: []events.AnchorRun{
			{Start: 1, Count: 1, Owner: 1, Tier: "exact_lines"}, {Start: 2, Count: 1, Owner: 2, Tier: "exact_lines"},
			{Start: 3, Count: 2, Owner: 0, Tier: "exact_lines"}, {Start: 5, Count: 1, Owner: 1, Tier: "exact_lines"},
		}}},
		Added: 4, AI: 2, Human: 2,
	}
}

func TestACommitBecomesARecordAndComesBack(t *testing.T) {
	t.Parallel()
	c := commit(t)
	r, err := agenttrace.FromCommit(c, time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC), "1.0", source)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, r)
	var out bytes.Buffer
	if err := agenttrace.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	list, err := read(out.String())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	back, leftOut, err := list[0].Commit(source)
	if err != nil || leftOut != 0 {
		t.Fatalf("%d left out, %v", leftOut, err)
	}
	want := commit(t)
	want.Owners = []events.AnchorOwner{{Kind: events.OwnerHuman}, want.Owners[0]}
	want.Files[0].Runs = []events.AnchorRun{
		{Start: 1, Count: 1, Owner: 0, Tier: "exact_lines"}, {Start: 3, Count: 2, Owner: 1, Tier: "exact_lines"},
		{Start: 5, Count: 1, Owner: 0, Tier: "exact_lines"},
	}
	if !reflect.DeepEqual(back, want) {
		t.Errorf("back\n%+v\nwant\n%+v", back, want)
	}
}

func TestLinesThatAreNotThereAreLeftOut(t *testing.T) {
	t.Parallel()
	list, err := read(`{"version":"0.1.0","id":"x","timestamp":"t","vcs":{"type":"git","revision":"a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"},` +
		`"files":[{"path":"a.go","conversations":[{"contributor":{"type":"ai"},"ranges":[{"start_line":3,"end_line":9},` +
		`{"start_line":3,"end_line":4,"content_hash":"murmur3:00000000000000000000000000000000"},{"start_line":4,"end_line":4,"content_hash":"md9:1"}]}]},` +
		`{"path":"..\\up.go","conversations":[{"ranges":[{"start_line":1,"end_line":3}]}]},{"path":"gone.go","conversations":[{"ranges":[{"start_line":1,"end_line":1}]}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	c, leftOut, err := list[0].Commit(source)
	if err != nil || leftOut != 7+2+3+1 || len(c.Files) != 1 || c.AI != 1 || c.Files[0].Runs[0].Start != 4 {
		t.Errorf("%d left out, %v, %+v", leftOut, err, c)
	}
}

func TestConversationsBecomeRecords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/sessions/*/*.record.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d records, %v", len(files), err)
	}
	told := 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := records.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		r, err := agenttrace.FromRecord(record)
		if errors.Is(err, agenttrace.ErrNoLines) || errors.Is(err, agenttrace.ErrMissing) && record.TimestampEnd == nil {
			continue // nothing to tell of, or no time, which a record must have
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		told++
		validate(t, r)
		if r.Tool.Version == "" || !strings.HasSuffix(r.Timestamp, "Z") { // schemas.ts of the specification wants both
			t.Errorf("%s: tool %+v at %s", name, r.Tool, r.Timestamp)
		}
		if record.Agent.Version == nil && r.Conversation().Agent.Version != nil {
			t.Errorf("%s: a version came up", name)
		}
		back := r.Conversation()
		if back.TraceID != record.TraceID || back.SessionID != record.SessionID || back.Agent.Name != record.Agent.Name {
			t.Errorf("%s: came back as %s %s %s", name, back.TraceID, back.SessionID, back.Agent.Name)
		}
		if _, err := records.Encode(back); err != nil || len(back.Check()) > 0 {
			t.Errorf("%s: %v %v", name, err, back.Check())
		}
		again, err := agenttrace.FromRecord(back)
		if err != nil || !reflect.DeepEqual(again.Files, r.Files) {
			t.Errorf("%s: files changed on the way, %v", name, err)
		}
	}
	if told == 0 {
		t.Error("no conversation wrote anything")
	}
}

func TestRealFilesAreRead(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(corpus + "/*.jsonl")
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := read(string(raw))
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d records, %v", name, len(list), err)
		}
		for _, r := range list {
			validate(t, r)
		}
	}
}

func TestHashesOfEveryKnownFormAreChecked(t *testing.T) {
	t.Parallel()
	for hash, want := range map[string]bool{
		"": true, "sha512:00": true, "murmur3:248bfa47": true,
		"murmur3:5b1e906a48ae1d19cbd8a7b341bd9b02": true, "murmur3:cbd8a7b341bd9b025b1e906a48ae1d19": true,
		"murmur3:5b1e906a48ae1d19cbd8a7b341bd9b03": false, "sha256:2cf24dba5fb0a30e": true, "sha256:2cf24dba5fb0a30f": false,
		"sha256:5891b5b522d5df08": true, // with a line feed
	} {
		if got := agenttrace.Holds(hash, []string{"hello"}); got != want {
			t.Errorf("%q: %v", hash, got)
		}
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	t.Parallel()
	good := `{"version":"0.1.0","id":"x","timestamp":"t","files":[]}` + "\n"
	for raw, want := range map[string]error{
		`{}`: agenttrace.ErrMissing,
		`{"version":"9.0.0","id":"x","timestamp":"t","files":[]}`:                                                                          agenttrace.ErrValue,
		`{"version":"0.1.0","id":"x","timestamp":"t"}`:                                                                                     agenttrace.ErrMissing,
		`{"version":"0.1.0","id":"x","timestamp":"t","vcs":{"type":"git"},"files":[]}`:                                                     agenttrace.ErrMissing,
		`{"version":"0.1.0","id":"x","timestamp":"t","files":[{"path":""}]}`:                                                               agenttrace.ErrMissing,
		`{"schema":"agent-trace/v0.1.0"}`:                                                                                                  agenttrace.ErrMissing,
		`{"schema":"agent-trace/v0.1.0","file_path":"a","start_line":0,"end_line":1}`:                                                      agenttrace.ErrValue,
		`{"schema":"agent-trace/v0.1.0","file_path":"a","start_line":5,"end_line":4}`:                                                      agenttrace.ErrValue,
		`{"version":"0.1.0","id":"x","timestamp":"t","files":[{"path":"a","conversations":[{"contributor":{"type":"dog"},"ranges":[]}]}]}`: agenttrace.ErrValue,
	} {
		if list, err := read(good + raw); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "line 2, byte ") || len(list) != 1 {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"version":"0.1.0","id":"x","timestamp":"t","vcs":{"type":"git","revision":"a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"},"files":[{"path":"a.go","conversations":[{"url":"opentraces://0e6d11f9-eb41-5001-88bb-ca9588eb7f5c/step_2","contributor":{"type":"ai"},"ranges":[{"start_line":1,"end_line":2}]}]}]}`)
	f.Add(`{"schema":"agent-trace/v0.1.0","session_id":"s","file_path":"/a","start_line":1,"end_line":2,"timestamp":"t"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			_, _, _ = r.Commit(source)
			if faults := r.Conversation().Check(); len(faults) > 0 {
				t.Fatalf("conversation: %v", faults)
			}
			var out bytes.Buffer
			if err := agenttrace.Write(&out, r); err != nil {
				t.Fatal(err)
			}
			if _, err := read(out.String()); err != nil && r.ID != "" && r.Timestamp != "" {
				t.Fatalf("what was written cannot be read: %v", err)
			}
		}
	})
}
