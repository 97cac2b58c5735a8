package claudecode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/records"
)

var sessions = filepath.Join("..", "..", "testdata", "sessions", "claude-code")

func parser() capability.SessionParser {
	return claudecode.New(capability.Env{Home: "/home/dev"}).Parser
}

// parse reads a session file into a whole record.
func parse(t testing.TB, path string, options capability.ParseOptions) (*records.Record, *capability.Parsed) {
	t.Helper()
	var steps records.Collector
	parsed, err := parser().Parse(context.Background(), path, options, &steps)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	parsed.Head.Steps = steps.Steps
	return parsed.Head, parsed
}

func encode(t testing.TB, record *records.Record) []byte {
	t.Helper()
	raw, err := records.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func sessionFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d sessions, %v", len(files), err)
	}
	return files
}

// Each session has its record beside it. `GITTRACE_UPDATE=1 go test` writes them anew; the diff is for review.
func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "schema", "trace-record-0.3.0.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sessionFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record, _ := parse(t, path, capability.ParseOptions{})
			if faults := record.Check(); len(faults) > 0 {
				t.Error(faults)
			}
			raw := encode(t, record)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, raw, "", " "); err != nil {
				t.Fatal(err)
			}
			pretty.WriteByte('\n')
			compare(t, filepath.Join(sessions, name+".record.json"), pretty.Bytes())
		})
	}
}

func compare(t *testing.T, golden string, got []byte) {
	t.Helper()
	if os.Getenv("GITTRACE_UPDATE") != "" {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d: got %.200s, want %.200s", filepath.Base(golden), i+1, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Fatalf("%s: got %d lines, want %d", filepath.Base(golden), len(gotLines), len(wantLines))
	}
}
