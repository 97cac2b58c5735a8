package trails

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// keeper is the log, and what was written to it.
type keeper struct {
	*events.Log
	written []events.Event
}

func (k *keeper) Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error) {
	out, err := k.Log.Append(ctx, drafts)
	k.written = append(k.written, out...)
	return out, err
}

// TestAFileThatIsBeingWrittenAnewIsWaitedFor: of two calls at a time the second one has just emptied the file when the
// first one's boundary looks.
func TestAFileThatIsBeingWrittenAnewIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		filled  bool // while the look waits
		pauses  int
		deleted int // the most lines that one patch takes away
	}{
		"filled in time":    {true, 2, 1},
		"empty, and stays":  {false, 5, 4},
		"filled afterwards": {false, 5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "a.txt")
			write := func(text string) { check(os.WriteFile(path, []byte(text), 0o600)) }
			cmd := exec.Command("git", "init", "-q")
			cmd.Dir = dir
			check(cmd.Run())
			write("one of it\ntwo of it\nthree of it\nfour of it\n")
			repo, err := refs.DiscoverHook(dir)
			check(err)
			check(os.MkdirAll(repo.TracesDir(), 0o755))
			log := &keeper{Log: events.OpenLog(repo)}
			e := New(repo, log, nil)
			clock := time.Now()
			check(e.Origin(t.Context(), clock))
			take := func(kind events.BoundaryKind, call string) {
				t.Helper()
				clock = clock.Add(time.Second)
				check(e.Handle(t.Context(), events.Boundary{
					Kind: kind, Agent: "claude-code", Session: "S1", Cwd: dir, Time: clock,
					Tool: &events.ToolUse{CallID: call, Name: "Edit", Class: events.ToolEdits, Paths: []string{path}},
				}))
			}
			take(events.ToolBefore, "first")
			take(events.ToolBefore, "second")
			write("")
			pauses := 0
			e.pause = func(time.Duration) {
				if pauses++; pauses == 2 && test.filled {
					write("one anew\ntwo of it\nthree of it\nfour anew\n")
				}
			}
			take(events.ToolAfter, "first")
			if pauses != test.pauses {
				t.Errorf("%d pauses, want %d", pauses, test.pauses)
			}
			if name == "filled afterwards" {
				write("one anew\ntwo of it\nthree of it\nfour anew\n")
			}
			take(events.ToolAfter, "second")
			if pauses != test.pauses {
				t.Errorf("nothing was under way any more, and it was waited for")
			}
			most := 0
			for i := range log.written {
				var p events.PatchData
				if log.written[i].Type == events.PatchRecorded {
					check(json.Unmarshal(log.written[i].Data, &p))
					most = max(most, p.OldCount)
				}
			}
			if most != test.deleted {
				t.Errorf("a patch of %d lines, want %d", most, test.deleted)
			}
		})
	}
}
