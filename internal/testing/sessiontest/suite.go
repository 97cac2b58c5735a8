package sessiontest

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
	"github.com/git-trace/git-trace/records"
)

// Suite tests one agent's parser. It runs in the directory of the agent's package.
type Suite struct {
	Agent  capability.Agent
	Names  []string // patterns of the files in testdata/sessions/<agent> that are sessions
	Corpus []string // patterns of real sessions, relative to the corpus
	// Plain is a second, simple reading of a real session: what it counts must be in the record.
	Plain func(t *testing.T, path string) Plain
	// Unknown names the real sessions with lines of kinds that the parser does not know, with the reason for each.
	Unknown map[string]string
	// Pieces cuts a real file that holds several sessions into files of one each; nil for an agent without such files.
	Pieces func(t *testing.T, path string) []string
	// Whole marks files that are rewritten instead of growing: a part of one is not a session.
	Whole bool
	// Refuses marks an agent whose parser fails on a file without a session.
	Refuses bool
}

// Sessions returns the directory of the agent's sessions.
func (s Suite) Sessions() string {
	return filepath.Join("..", "..", "testdata", "sessions", s.Agent.Name)
}

func (s Suite) files(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, pattern := range s.Names {
		found, err := filepath.Glob(filepath.Join(s.Sessions(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if !strings.HasSuffix(path, ".record.json") {
				files = append(files, path)
			}
		}
	}
	if len(files) == 0 {
		t.Fatalf("no sessions in %s", s.Sessions())
	}
	return files
}

// Parse reads a session file into a whole record.
func (s Suite) Parse(t testing.TB, path string, options capability.ParseOptions) (*records.Record, *capability.Parsed) {
	t.Helper()
	var steps records.Collector
	parsed, err := s.Agent.Parser.Parse(context.Background(), path, options, &steps)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	parsed.Head.Steps = steps.Steps
	return parsed.Head, parsed
}

// Encode writes a record as one line.
func Encode(t testing.TB, record *records.Record) []byte {
	t.Helper()
	raw, err := records.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Golden compares the record of each session with the one beside it, and with the schema. `GITTRACE_UPDATE=1 go test`
// rewrites the records; the diff is for review.
func (s Suite) Golden(t *testing.T) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "schema",
		"trace-record-0.3.0.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range s.files(t) {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record, _ := s.Parse(t, path, capability.ParseOptions{})
			if faults := record.Check(); len(faults) > 0 {
				t.Error(faults)
			}
			raw := Encode(t, record)
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
			compare(t, strings.TrimSuffix(path, filepath.Ext(path))+".record.json", pretty.Bytes())
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
