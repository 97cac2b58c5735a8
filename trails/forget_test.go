package trails

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/spool"
)

func TestForgottenTextsAreGoneFromStateAndSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{CommonDir: dir, GitDir: dir, WorkTree: dir}
	after := "the word is xyzzy"
	s := &state{Windows: []*Window{
		{Call: Call{Trace: "a", ID: "1"}, Says: sayings{Edits: []declared{{Path: "x", After: &after}}}},
		{Call: Call{Trace: "b", ID: "2"}, Says: sayings{Edits: []declared{{Path: "y", New: "nothing"}}}},
	}}
	if err := s.save(repo); err != nil {
		t.Fatal(err)
	}
	e := New(repo, nil, nil)
	for i, text := range []string{"say xyzzy", "say nothing"} {
		b := events.Boundary{Agent: "claude-code", Session: "s", Time: time.Unix(int64(i), 0), Prompt: &events.Prompt{Text: text}}
		if err := e.Late(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		killed := filepath.Join(spool.Dir(repo), fmt.Sprintf("%020d-%d%s", i+1, noProcess, spool.BegunSuffix))
		if err := os.WriteFile(killed, spool.EncodeNote(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit := "say\nxyzzy"
	for i, text := range []string{edit, "nothing"} {
		b := events.Boundary{Agent: "claude-code", Session: "s", Time: time.Unix(int64(i+10), 0), Tool: &events.ToolUse{
			CallID: "c", Class: events.ToolEdits, Edits: []events.DeclaredEdit{{Path: filepath.Join(dir, "a"), New: text}},
		}}
		if err := e.Late(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(_ events.TraceID, _ string, texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return text == after || text == "say xyzzy" || text == edit })
	}
	for _, dry := range []bool{true, false} {
		if n, err := Forget(repo, drop, dry); n != 4 || err != nil {
			t.Errorf("dry %v: %d, %v", dry, n, err)
		}
	}
	got, err := loadState(repo)
	if err != nil || len(got.Windows) != 2 || got.Windows[0].Says.Edits != nil || len(got.Windows[1].Says.Edits) != 1 {
		t.Errorf("the state is %+v, %v", got.Windows, err)
	}
	left, err := os.ReadDir(spool.Dir(repo))
	if err != nil || len(left) != 4 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	for _, entry := range left { // of the emptied note it is still known that it is there
		raw, err := os.ReadFile(filepath.Join(spool.Dir(repo), entry.Name()))
		if err != nil || strings.Contains(string(raw), "xyzzy") {
			t.Errorf("%s: %q, %v", entry.Name(), raw, err)
		}
	}
	if n, err := Forget(repo, drop, false); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}
