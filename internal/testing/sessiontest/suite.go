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
	Names  []string // patterns for the sessions among the files of testdata/sessions/<agent>
	Corpus []string // patterns for real sessions, relative to the corpus
	// Plain reads a real session in an independent, simple way. The record must contain everything that it counts.
	Plain func(t *testing.T, path string) Plain
	// Unknown lists the real sessions with lines of a kind that the parser does not know, each with a reason.
	Unknown map[string]string
	// Pieces splits a real file with several sessions into files with one session each; nil if the agent has no such
	// files.
	Pieces func(t *testing.T, path string) []string
	// Whole marks agents that rewrite the file instead of appending: a part of such a file is not a session.
	Whole bool
	// Refuses marks agents whose parser fails on a file without a session.
	Refuses bool
}

// Sessions returns the directory of the agent's sample sessions.
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

// Parse parses a whole session file into a record.
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

// Encode returns a record on one line.
func Encode(t testing.TB, record *records.Record) []byte {
	t.Helper()
	raw, err := records.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Golden compares the record of each sample session with the stored record beside it, and with the schema.
// `GITTRACE_UPDATE=1 go test` rewrites the stored records; review the diff.
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
