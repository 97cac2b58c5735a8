package trails

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

func TestABoundaryLeavesANoteWhileItIsTaken(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{GitDir: t.TempDir()}
	s := &step{Engine: New(repo, nil, nil)}
	notes := func() []string {
		list, err := filepath.Glob(filepath.Join(spoolDir(repo), "*"+begunSuffix))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	end := s.Engine.begin(events.Boundary{Time: time.Now(), Session: "S1", Tool: &events.ToolUse{CallID: "t1"}})
	left := notes()
	if len(left) != 1 || s.boundaryLost() {
		t.Fatalf("while it is taken: notes %v, lost %v", left, s.boundaryLost())
	}
	whole, err := os.ReadFile(left[0])
	if err != nil || len(whole) == 0 {
		t.Fatalf("note %q, %v", whole, err)
	}
	end()
	if left := notes(); len(left) > 0 {
		t.Errorf("afterwards: %v", left)
	}
	const noProcess = 1 << 22 // the most that Linux gives, and that is one too many
	dead := fmt.Sprintf("%020d-%d%s", time.Now().UnixNano(), noProcess, begunSuffix)
	if err := os.WriteFile(filepath.Join(spoolDir(repo), dead), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if !s.boundaryLost() {
		t.Error("the note of a process that is gone says nothing")
	}
}

func TestWhoseNoteIsAbandoned(t *testing.T) {
	t.Parallel()
	now := time.Now()
	name := func(age time.Duration, pid int, suffix string) string {
		return fmt.Sprintf("%020d-%d%s", now.Add(-age).UnixNano(), pid, suffix)
	}
	for what, test := range map[string]struct {
		name string
		want bool
	}{
		"of this process":               {name(0, os.Getpid(), begunSuffix), false},
		"of a process long ago":         {name(time.Hour, os.Getpid(), begunSuffix), true},
		"a boundary that was put aside": {name(time.Hour, 1<<22, lateSuffix), false},
		"a file of somebody else":       {"note.begun", false},
		"a number that is none":         {"1-x.begun", false},
		"a time that is none":           {"x-1.begun", false},
	} {
		if got := abandonedNote(test.name, now); got != test.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

func TestWhatIsLeftToDoubtAfterAKill(t *testing.T) {
	t.Parallel()
	edit := &Window{Class: events.ToolEdits, Paths: []string{"a"}, payload: []declared{{Path: "a", Old: "x\n", New: "x\nmine\n"}}}
	shell := &Window{Class: events.ToolRuns}
	for what, test := range map[string]struct {
		by   actor
		line string
		want events.OwnerKind
	}{
		"what an edit call declared":  {byWindow(edit), "\tmine", events.OwnerAI},
		"what it did not":             {byWindow(edit), "other", events.OwnerUnknown},
		"what a shell call may have":  {byWindow(shell), "mine", events.OwnerUnknown},
		"what a person may have":      {person, "mine", events.OwnerUnknown},
		"what several calls may have": {byCandidates([]*Window{edit, shell}), "mine", events.OwnerUnknown},
	} {
		got := doubted(always(test.by), "a")(linediff.Split([]byte(test.line))[0])
		if got.kind != test.want {
			t.Errorf("%s: %s", what, got.kind)
		}
	}
}
