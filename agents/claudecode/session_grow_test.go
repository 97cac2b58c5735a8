package claudecode_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

func TestASessionThatGrowsGivesTheRecordOfOneReading(t *testing.T) {
	t.Parallel()
	for _, source := range sessionFiles(t) {
		name := filepath.Base(source)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(sessions)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			record, _ := parse(t, path, capability.ParseOptions{})
			want := encode(t, record)
			used := false
			for cut := 0; cut < len(data); cut++ {
				if cut == 0 || data[cut-1] == '\n' || data[cut] == '\n' || cut%173 == 0 {
					used = suite().Grown(t, path, data, cut, want, "") || used
				}
			}
			if strings.Count(string(data), `"role":"user","content":"`) > 1 && !used {
				t.Log("no cursor was used")
			}
		})
	}
}

func TestACursorOfAnotherFileIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(sessions)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "turns-0001.jsonl")
	record, first := parse(t, path, capability.ParseOptions{})
	if len(first.Cursor) == 0 {
		t.Fatal("no cursor")
	}
	want := encode(t, record)
	other, again := parse(t, filepath.Join(dir, "fork-origin.jsonl"), capability.ParseOptions{Cursor: first.Cursor})
	if again.FirstStep != 1 || other.SessionID != "fork-origin" {
		t.Errorf("the cursor of another session is used: %d", again.FirstStep)
	}
	for _, cursor := range []string{`{}`, `null`, `[]`, `{"version":99}`, "x", `{"version":1,"session":"turns-0001","offset":-4}`} {
		got, parsed := parse(t, path, capability.ParseOptions{Cursor: []byte(cursor)})
		if parsed.FirstStep != 1 || !bytes.Equal(encode(t, got), want) {
			t.Errorf("the cursor %s changes the record", cursor)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("{}\n"), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, parsed := parse(t, path, capability.ParseOptions{Cursor: first.Cursor}); parsed.FirstStep != 1 {
		t.Error("the cursor of a file that was rewritten is used")
	}
}

func TestASubagentThatGoesOnMakesTheCursorUseless(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(sessions)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "agents-0001.jsonl")
	main, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = main.Close() }()
	if _, err := main.WriteString(typed(t, "next") + typed(t, "and next")); err != nil {
		t.Fatal(err)
	}
	_, before := parse(t, path, capability.ParseOptions{})
	if _, same := parse(t, path, capability.ParseOptions{Cursor: before.Cursor}); same.FirstStep == 1 {
		t.Fatal("the cursor is not used at all")
	}
	agent := filepath.Join(dir, "agents-0001", "subagents", "agent-ae000002.jsonl")
	data, err := os.ReadFile(agent)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(agent, append(data, []byte(typed(t, "go on"))...), 0o600); err != nil {
		t.Fatal(err)
	}
	record, after := parse(t, path, capability.ParseOptions{Cursor: before.Cursor})
	if after.FirstStep != 1 {
		t.Errorf("the first step is %d", after.FirstStep)
	}
	if faults := record.Check(); len(faults) > 0 {
		t.Error(faults)
	}
}
