package collected

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func TestLinesAreWhatWasAcknowledged(t *testing.T) {
	const a, b = `{"key":"a","n":1}` + "\n", `{"key":"b"}` + "\n"
	for name, test := range map[string]struct{ file, want string }{
		"no line":              {"", ""},
		"all":                  {a + b, a + b},
		"the same twice":       {a + b + a, a + b},
		"the same key":         {a + `{"key":"a","n":2}` + "\n", a},
		"half of the last":     {a + `{"key":"b"`, a},
		"the last without end": {a + `{"key":"b"}`, a},
		"half within":          {a + `{"key":"x"` + "\n" + b, a + b},
		"an empty line":        {a + "\n" + b, a + b},
		"not an object":        {a + "[1]\n" + b, a + b},
	} {
		path := filepath.Join(t.TempDir(), "T.jsonl")
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		lines, err := Lines(path)
		if got := string(bytes.Join(lines, nil)); err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
	if lines, err := Lines(filepath.Join(t.TempDir(), "none")); len(lines) > 0 || err != nil {
		t.Error(lines, err)
	}
}

func TestAppendEndsALineThatAKilledProcessLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "otlp", "T.jsonl")
	for _, line := range []string{`{"key":"a"}`, `{"key":"b"}`} {
		if err := Append(path, [][]byte{[]byte(line)}); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.WriteString(`{"key":"torn`)
		_ = file.Close()
	}
	lines, err := Lines(path)
	if got := string(bytes.Join(lines, nil)); err != nil || got != `{"key":"a"}`+"\n"+`{"key":"b"}`+"\n" {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

func TestRedactionsAreCountedInTheLine(t *testing.T) {
	with, without := Counted([]byte(`{"key":"a"}`), 3), Counted([]byte(`{"key":"b"}`), 0)
	if string(with) != `{"key":"a","redactions":3}` || string(without) != `{"key":"b"}` {
		t.Errorf("%s %s", with, without)
	}
	if n := Redactions([][]byte{with, without, with}); n != 6 {
		t.Errorf("%d redactions are counted", n)
	}
}

func TestPurgeRemovesLinesAndEmptyFiles(t *testing.T) {
	dir := testenv.Repository(t, "git init -q .")
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	for trace, lines := range map[events.TraceID][][]byte{
		"A": {[]byte(`{"key":"a","text":"secret"}`), []byte(`{"key":"b"}`)},
		"B": {[]byte(`{"key":"a","text":"secret"}`)},
		"C": {[]byte(`{"key":"a"}`)},
	} {
		if err := Append(Path(repo, trace), lines); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(_ events.TraceID, line string) bool { return bytes.Contains([]byte(line), []byte("secret")) }
	for _, step := range []struct {
		dry   bool
		n     int
		files map[events.TraceID]int
	}{
		{true, 2, map[events.TraceID]int{"A": 2, "B": 1, "C": 1}},
		{false, 2, map[events.TraceID]int{"A": 1, "B": 0, "C": 1}},
		{false, 0, map[events.TraceID]int{"A": 1, "B": 0, "C": 1}},
	} {
		if n, err := Purge(repo, drop, step.dry); n != step.n || err != nil {
			t.Errorf("%d files, %v; want %d", n, err, step.n)
		}
		for trace, want := range step.files {
			if lines, err := Lines(Path(repo, trace)); len(lines) != want || err != nil {
				t.Errorf("%s has %d lines, %v; want %d", trace, len(lines), err, want)
			}
		}
	}
	if _, err := os.Stat(Path(repo, "B")); !os.IsNotExist(err) {
		t.Errorf("a file without a line is left: %v", err)
	}
}
