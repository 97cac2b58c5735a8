package sessiontest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

// Grown parses the beginning of a session file and then, from the cursor, the whole file. Both parts together must
// equal a single reading. It reports whether the cursor was used.
func (s Suite) Grown(t testing.TB, path string, data []byte, cut int, want []byte, session string) bool {
	t.Helper()
	if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	var steps records.Collector
	before, err := s.Agent.Parser.Parse(context.Background(), path, capability.ParseOptions{Session: session}, &steps)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	more := records.Collector{Steps: slices.Clone(steps.Steps)}
	after, err := s.Agent.Parser.Parse(context.Background(), path,
		capability.ParseOptions{Session: session, Cursor: before.Cursor}, &more)
	if err != nil {
		t.Fatal(err)
	}
	if after.FirstStep > len(steps.Steps)+1 {
		t.Fatalf("cut at %d: the first step is %d after %d", cut, after.FirstStep, len(steps.Steps))
	}
	after.Head.Steps = more.Steps[:after.Head.Metrics.TotalSteps]
	if got := Encode(t, after.Head); !bytes.Equal(got, want) {
		got = bytes.Replace(got, []byte(*after.Head.ContentHash), hashOf(want), 1) // the diff shows the rest
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(at-200, 0)
		t.Fatalf("cut at %d of %d: differs at byte %d\n got %.400s\nwant %.400s", cut, len(data), at, got[from:], want[from:])
	}
	return after.FirstStep > 1
}

func hashOf(record []byte) []byte {
	_, after, _ := bytes.Cut(record, []byte(`"content_hash":"`))
	return after[:64]
}

// Growing cuts each session at line ends and within lines, and lets it grow to its full length. It cuts at the first
// lines, where most is decided, and at places spread over the rest; with GITTRACE_LONG, at every line. In at least one
// of the files, reading must continue from the cursor.
func (s Suite) Growing(t *testing.T) {
	t.Helper()
	used := 0
	for _, source := range s.files(t) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(s.Sessions())); err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(s.Sessions(), source)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		record, _ := s.Parse(t, path, capability.ParseOptions{})
		want := Encode(t, record)
		for _, cut := range cuts(data) {
			if s.Grown(t, path, data, cut, want, record.SessionID) {
				used++
			}
		}
	}
	if used == 0 && !s.Whole {
		t.Error("no cursor was used")
	}
}

// cuts returns the offsets at which a file is cut: before and after line ends, and in the middle of lines.
func cuts(data []byte) []int {
	ends := []int{0}
	for at, c := range data {
		if c == '\n' {
			ends = append(ends, at)
		}
	}
	every := 1
	if os.Getenv("GITTRACE_LONG") == "" {
		every = 1 + len(ends)/12
	}
	var out []int
	for i, end := range ends {
		if i > 4 && i%every > 0 {
			continue
		}
		out = append(out, end)
		if end+1 < len(data) {
			out = append(out, end+1)
		}
		if i+1 < len(ends) && i%3 == 0 {
			out = append(out, (end+ends[i+1])/2)
		}
	}
	return out
}

// Fuzz tests that any content of a session file gives a valid record, and the same record if it is read in two parts.
func (s Suite) Fuzz(f *testing.F, name string) {
	f.Helper()
	for _, path := range s.files(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint(len(data)/2))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: "fuzz"},
			&records.Collector{}); err != nil && s.Refuses {
			return
		}
		record, _ := s.Parse(t, path, capability.ParseOptions{Session: "fuzz"})
		if faults := record.Check(); len(faults) > 0 {
			t.Fatal(faults)
		}
		want := Encode(t, record)
		if again, err := records.Decode(want); err != nil || !bytes.Equal(Encode(t, again), want) {
			t.Fatalf("the record is not read back: %v", err)
		}
		if cut := int(cut); cut < len(data) && !s.Whole {
			s.Grown(t, path, data, cut, want, "fuzz")
		}
	})
}
