package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/view/exchange"
)

// wholeFiles are the formats whose files are one conversation, or one document of many.
var wholeFiles = []string{"ccpa", "treetrace", "windsurf"}

// Of every exchange format that is read: a file gives the same bytes each time, and also compressed. A row has the same
// trace id wherever it stands.
func TestARowOfEveryFormatIsTheSameConversationWhereverItStands(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/formats/*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format, _ := exchange.Recognise(whole)
		seen[format.Name] = true
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			become := func(name string, raw []byte) (out string) {
				path := filepath.Join(testenv.TempDir(t), name)
				if err := os.WriteFile(path, raw, 0o600); err != nil {
					t.Fatal(err)
				}
				out, said, status := converted(t, format.Name, path)
				if status != 0 || out == "" {
					t.Fatalf("%s: status %d, said:\n%s", name, status, said)
				}
				return out
			}
			name := filepath.Base(file)
			plain := become(name, whole)
			if become(name, whole) != plain {
				t.Error("a second time it gives other bytes")
			}
			if become(name+".gz", packedWith(whole)) != plain {
				t.Error("compressed it gives other bytes")
			}
			moved := slices.Concat([]byte("\n\n"), whole)
			if !slices.Contains(wholeFiles, format.Name) {
				rows := rowsOf(t, whole)
				again := slices.Clone(rows)
				slices.Reverse(again)
				moved = bytes.Join(slices.Concat(again, rows), []byte("\n\n"))
			}
			if there, here := traceIDs(t, plain), traceIDs(t, become(name, moved)); !slices.Equal(there, here) {
				t.Errorf("at other places the rows are %q, they were %q", here, there)
			}
		})
	}
	for _, format := range exchange.Formats() {
		if format.Read != nil && !seen[format.Name] {
			t.Errorf("no file of %s", format.Name)
		}
	}
}

// rowsOf are the rows of a file: its values, or the elements of the array that it is. A list of events is one row.
func rowsOf(t *testing.T, file []byte) (rows [][]byte) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(file))
	for in.More() {
		var row json.RawMessage
		if err := in.Decode(&row); err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if json.Unmarshal(row, &list) != nil || bytes.Contains(list[0], []byte(`"action"`)) {
			list = []json.RawMessage{row}
		}
		for _, one := range list {
			rows = append(rows, one)
		}
	}
	return rows
}

// traceIDs are those of the records, each once, sorted.
func traceIDs(t *testing.T, out string) (ids []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var record struct {
			ID string `json:"trace_id"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.ID == "" {
			t.Fatal(err, line)
		}
		ids = append(ids, record.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
