package trails

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/spool"
)

const noProcess = 1 << 22 // the most that Linux gives, and that is one too many

func TestABoundaryLeavesANoteWhileItIsTaken(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{GitDir: t.TempDir()}
	e := New(repo, nil, nil)
	notes := func() map[string]string {
		list, err := filepath.Glob(filepath.Join(spool.Dir(repo), "*"+spool.BegunSuffix))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, name := range list {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(name)] = string(raw)
		}
		return out
	}
	now := time.Now()
	e.Announced = spool.Announce(repo, now)
	if left := notes(); len(left) != 1 || slices.Collect(maps.Values(left))[0] != "" {
		t.Fatalf("before anything is known: %v", left)
	}
	end := e.Announced.Begin(e.repo, events.Boundary{Time: now.Add(1), Session: "S1", Tool: &events.ToolUse{CallID: "t1", Edits: []events.DeclaredEdit{{New: "text"}}}})
	for _, raw := range notes() {
		if !strings.Contains(raw, "t1") || strings.Contains(raw, "text") {
			t.Errorf("while it is taken: %s", raw)
		}
	}
	if left := notes(); len(left) != 1 {
		t.Errorf("while it is taken: %v", left)
	}
	end()
	e.Announced.End()
	if left := notes(); len(left) > 0 {
		t.Errorf("afterwards: %v", left)
	}
}

func TestWhatANoteThatWasLeftSays(t *testing.T) {
	t.Parallel()
	taken := string(spool.EncodeNote(events.Boundary{Kind: events.PromptSubmit, Session: "S1"}))
	for what, test := range map[string]struct {
		name, content string
		lost, git     bool
	}{
		"of a living process":            {fmt.Sprintf("%020d-%d%s", time.Now().UnixNano(), os.Getpid(), spool.BegunSuffix), "", false, false},
		"of one that knew nothing yet":   {fmt.Sprintf("%020d-%d%s", 1, noProcess, spool.BegunSuffix), "", true, false},
		"of one that was cut short":      {fmt.Sprintf("%020d-%d%s", 1, noProcess, spool.BegunSuffix), taken[:4], true, false},
		"of a boundary":                  {fmt.Sprintf("%020d-%d%s", 1, noProcess, spool.BegunSuffix), taken, true, false},
		"of a git hook":                  {fmt.Sprintf("%020d-%d%s", 1, noProcess, spool.WroteSuffix+spool.BegunSuffix), "", false, true},
		"of one that could not go on":    {fmt.Sprintf("%020d-%d%s", 1, os.Getpid(), spool.WroteSuffix), "", false, true},
		"of one that is at work":         {fmt.Sprintf("%020d-%d%s", time.Now().UnixNano(), os.Getpid(), spool.WroteSuffix+spool.BegunSuffix), "", false, false},
		"of a git hook, as it was":       {fmt.Sprintf("%020d-%d%s", 1, noProcess, spool.BegunSuffix), spool.GitWrote, false, true},
		"a boundary that came too late":  {fmt.Sprintf("%020d-%d%s", 1, os.Getpid(), spool.LateSuffix), `{"kind":"prompt","session":"S1"}`, true, false},
		"something else in that place":   {"events-1", "", false, false},
		"a git hook's word, as boundary": {fmt.Sprintf("%020d-%d%s", 1, os.Getpid(), spool.LateSuffix), spool.GitWrote, true, false},
	} {
		repo := &refs.Repo{GitDir: t.TempDir()}
		if err := os.MkdirAll(spool.Dir(repo), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(spool.Dir(repo), test.name), []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newWorkTree(t.Context(), repo, time.Now(), &state{}, ledger.NewKnown(repo))
		s.asks.Whole, s.interval = &origin.Work{}, 7
		s.readNotes()
		if lost := s.state.Lost.At == 7; lost != test.lost || s.asks.Whole.Restored != test.git {
			t.Errorf("%s: lost %v, git wrote %v", what, lost, s.asks.Whole.Restored)
		}
	}
}

// A process that is killed while it removes what it has taken leaves any part of it. A call whose end it took does not
// begin again with the note of its beginning: what a person writes later would be the call's.
func TestWhatAStateHasIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	for what, kept := range map[string]func(name string) bool{
		"all of it":     func(string) bool { return true },
		"what was late": func(name string) bool { return strings.HasSuffix(name, spool.LateSuffix) },
		"what was last": func(name string) bool { return strings.HasSuffix(name, spool.BegunSuffix) },
	} {
		y := newStory(t)
		y.do("write f one")
		y.do("start S1")
		y.do("aside before S1 c1 edits f")
		y.do("write f one|two, which the call writes")
		y.do("killed after S1 c1 edits f :: one => one|two, which the call writes")
		left := map[string][]byte{}
		entries, err := os.ReadDir(spool.Dir(y.repo))
		y.check(err)
		for _, entry := range entries {
			if kept(entry.Name()) {
				left[entry.Name()], err = os.ReadFile(filepath.Join(spool.Dir(y.repo), entry.Name()))
				y.check(err)
			}
		}
		if len(entries) != 2 || len(left) == 0 {
			t.Fatalf("%s: %d of %d", what, len(left), len(entries))
		}
		y.do("prompt S1")
		for name, raw := range left {
			y.check(os.WriteFile(filepath.Join(spool.Dir(y.repo), name), raw, 0o600))
		}
		y.said.Reset()
		y.do("start S2")
		y.do("write f one|two, which the call writes|three, which a person writes")
		y.do("start S3")
		if said := y.said.String(); strings.Contains(said, "c1") || strings.Contains(said, "incomplete") {
			t.Errorf("%s is taken again:\n%s", what, said)
		}
		if entries, err = os.ReadDir(spool.Dir(y.repo)); err != nil || len(entries) > 0 {
			t.Errorf("%s stays: %v, %v", what, entries, err)
		}
	}
}

func TestWhatIsLeftToDoubtAfterAKill(t *testing.T) {
	t.Parallel()
	edit := &Window{Call: Call{Class: events.ToolEdits}, Says: sayings{Paths: []string{"a"}, payload: []declared{{Path: "a", Old: "x\n", New: "x\nend\nmine and long enough\n"}}}}
	shell := &Window{Call: Call{Class: events.ToolRuns}}
	for what, test := range map[string]struct {
		by   actor
		line string
		want events.OwnerKind
	}{
		"a line that is everywhere":   {byWindow(edit, "f"), "end", events.OwnerUnknown},
		"what an edit call declared":  {byWindow(edit, "f"), "\tmine and long enough", events.OwnerAI},
		"what it did not":             {byWindow(edit, "f"), "other", events.OwnerUnknown},
		"what a shell call may have":  {byWindow(shell, "f"), "mine and long enough", events.OwnerUnknown},
		"what a person may have":      {person, "mine and long enough", events.OwnerUnknown},
		"what several calls may have": {byCandidates([]*Window{edit, shell}), "mine and long enough", events.OwnerUnknown},
	} {
		got := doubted(always(test.by), "a")(linediff.Split([]byte(test.line))[0])
		if got.kind != test.want {
			t.Errorf("%s: %s", what, got.kind)
		}
	}
}

func TestACallThatMayHaveEndedOwnsWhatItDeclared(t *testing.T) {
	t.Parallel()
	edit := window("S1", "c1", events.ToolEdits, "a").saying("a", "x\n", "x\nmine and long enough\n}\n")
	shell, other := window("S1", "c2", events.ToolRuns), window("S2", "c3", events.ToolRuns)
	edit.Doubt, shell.Doubt = true, true
	for what, test := range map[string]struct {
		windows []*Window
		line    string
		want    events.OwnerKind
		window  *Window
	}{
		"what an edit call declared":           {[]*Window{edit}, "mine and long enough", events.OwnerAI, edit},
		"what it did not, a person wrote":      {[]*Window{edit}, "other", events.OwnerHuman, nil},
		"what a shell call may have":           {[]*Window{shell}, "other", events.OwnerUnknown, nil},
		"what another call may have":           {[]*Window{shell, other}, "other", events.OwnerAI, nil},
		"declared, while another call runs":    {[]*Window{edit, other}, "mine and long enough", events.OwnerAI, edit},
		"like any other, while another runs":   {[]*Window{edit, other}, "}", events.OwnerAI, other},
		"not declared, while another one runs": {[]*Window{edit, other}, "other", events.OwnerAI, other},
	} {
		s := stepAmong(nil, &state{Windows: test.windows})
		if got := s.judges().decide("a")(linediff.Split([]byte(test.line))[0]); got.kind != test.want || got.window != test.window {
			t.Errorf("%s: %s of %v", what, got.kind, got.window)
		}
	}
}

func TestWhatAKilledProcessLeftHalfWrittenIsSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{CommonDir: dir, GitDir: dir, WorkTree: dir}
	old := time.Now().Add(-48 * time.Hour)
	write := func(name string, at time.Time) string {
		name = filepath.Join(repo.TracesDir(), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	kept := []string{write("timeline", old), write("tmp_young", time.Now()), write("spool/1-1.begun", old)}
	gone := []string{write("tmp_state", old), write("spool/tmp_boundary", old), write("objects/tmp_obj_1", old)}
	for _, dry := range []bool{true, false} {
		if n := Sweep(repo, time.Now(), dry); n != len(gone) {
			t.Errorf("dry %v: %d files", dry, n)
		}
	}
	for _, name := range kept {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range gone {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
