package trails

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func TestForgottenTextsAreGoneFromStateAndSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{CommonDir: dir, GitDir: dir, WorkTree: dir}
	after := "the word is xyzzy"
	s := &state{Windows: []*Window{
		{Trace: "a", CallID: "1", Edits: []declared{{Path: "x", After: &after}}},
		{Trace: "b", CallID: "2", Edits: []declared{{Path: "y", New: "nothing"}}},
	}}
	if err := s.save(repo); err != nil {
		t.Fatal(err)
	}
	e := New(repo, nil, nil)
	for i, text := range []string{"say xyzzy", "say nothing"} {
		b := events.Boundary{Agent: "claude-code", Session: "s", Time: time.Unix(int64(i), 0), Prompt: &events.Prompt{Text: text}}
		if err := e.Late(b); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(_ events.TraceID, _ string, texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return text == after || text == "say xyzzy" })
	}
	for _, dry := range []bool{true, false} {
		if n, err := Forget(repo, drop, dry); n != 2 || err != nil {
			t.Errorf("dry %v: %d, %v", dry, n, err)
		}
	}
	got, err := loadState(repo)
	if err != nil || len(got.Windows) != 2 || got.Windows[0].Edits != nil || len(got.Windows[1].Edits) != 1 {
		t.Errorf("the state is %+v, %v", got.Windows, err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "traces", "spool"))
	if err != nil || len(left) != 1 {
		t.Errorf("%d boundaries are left, %v", len(left), err)
	}
	if n, err := Forget(repo, drop, false); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}
