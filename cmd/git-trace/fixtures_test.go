package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view/exchange"
)

// fixturesList has a line for each file of testdata/formats and of the corpus that is one of a format: what is in it.
const fixturesList = "testdata/fixtures.tsv"

// fixture is what a file gives.
type fixture struct {
	conversations, steps, calls, results int
	taken, skipped                       int // elements of imported files
}

func (f fixture) String() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", f.conversations, f.steps, f.calls, f.results, f.taken, f.skipped)
}

// measured reads a file of a format.
func measured(t *testing.T, format exchange.Format, path string) fixture {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var f fixture
	var told records.Captured
	err = format.Read(file, func(_ int, r *records.Record) error {
		f.conversations++
		told.Add(r)
		for i := range r.Steps {
			f.steps++
			f.calls += len(r.Steps[i].ToolCalls)
			f.results += len(r.Steps[i].Observations)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	f.taken = told.Taken
	for _, n := range told.Skipped {
		f.skipped += n
	}
	return f
}

// elementsOf counts, with encoding/json, what a row of a format consists of; the other formats have no such list.
var elementsOf = map[string]func(row map[string]any) int{
	"atif": func(row map[string]any) int { return listed(row["steps"]) },
	"messages": func(row map[string]any) int {
		if text, is := row["messages"].(string); is {
			var list []any
			_ = json.Unmarshal([]byte(text), &list)
			return len(list)
		}
		return listed(row["messages"]) + listed(row["conversation"])
	},
	"mini-swe-agent": func(row map[string]any) int { return listed(row["messages"]) },
	"sharegpt":       func(row map[string]any) int { return listed(row["conversations"]) },
	"openhands-v0":   func(row map[string]any) int { return listed(row["history"]) },
	"swe-agent":      func(row map[string]any) int { return listed(row["history"]) },
}

func listed(value any) int {
	list, _ := value.([]any)
	return len(list)
}

// elements counts what a file consists of; -1 where there is no plain way to.
func elements(t *testing.T, format, path string) (n int) {
	t.Helper()
	count := elementsOf[format]
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(strings.NewReader(string(raw)))
	for in.More() {
		var value any
		if err := in.Decode(&value); err != nil || count == nil {
			return -1
		}
		rows, many := value.([]any)
		if !many {
			rows = []any{value}
		}
		for _, one := range rows {
			row, _ := one.(map[string]any)
			own := count(row)
			if own == 0 { // the array is the list itself
				own = 1
			}
			n += own
		}
	}
	return n
}

// Each format has a file in testdata/formats. Each file is told by what stands in it and gives what the list says, and
// what is read and what is skipped are together all that is in it. UPDATE_FIXTURES=1 writes the list.
func TestFilesOfEveryFormatGiveWhatTheListSays(t *testing.T) {
	t.Parallel()
	listedBefore, err := os.ReadFile(fixturesList)
	if err != nil && os.Getenv("UPDATE_FIXTURES") == "" {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(listedBefore)) {
		name, counts, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want[name] = counts
	}
	own, err := filepath.Glob("../../testdata/formats/*")
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.Glob("../../../*/corpus/*/*")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	seen := map[string]int{}
	for i, path := range slices.Concat(own, real) {
		format, found, err := exchange.Identify(path)
		if err != nil || !found || format.Read == nil {
			if i < len(own) {
				t.Errorf("%s is of no format: %v", path, err)
			}
			continue
		}
		name := filepath.Base(path)
		if strings.Contains(name, "example_model_output") || strings.Contains(name, "tool_execution_span") {
			continue // refused: their own packages hold that
		}
		got := measured(t, format, path)
		if i < len(own) {
			seen[format.Name]++
		}
		if all := elements(t, format.Name, path); all >= 0 && all != got.taken+got.skipped {
			t.Errorf("%s: %d elements are taken and %d skipped of %d", name, got.taken, got.skipped, all)
		}
		line := format.Name + "\t" + got.String()
		lines = append(lines, name+"\t"+line+"\n")
		if os.Getenv("UPDATE_FIXTURES") == "" && want[name] != line {
			t.Errorf("%s gives\n%s, the list says\n%s", name, line, want[name])
		}
	}
	for _, format := range exchange.Formats() {
		if format.Read != nil && seen[format.Name] == 0 {
			t.Errorf("no file of %s", format.Name)
		}
	}
	if os.Getenv("UPDATE_FIXTURES") != "" {
		slices.Sort(lines)
		const head = "file\tformat\tconversations\tsteps\tcalls\tresults\ttaken\tskipped\n"
		if err := os.WriteFile(fixturesList, []byte(head+strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
