package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
)

func TestTheMomentAndTheProcessInANameOfASpooledFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		nanos int64
		pid   int
	}{
		"00000000000000001234-56.boundary":    {1234, 56},
		"00000000000000001234-56.wrote.begun": {1234, 56},
		"00000000000000001234":                {1234, 0},
		"x-y.begun":                           {0, 0},
	} {
		if at, pid := At(name).UnixNano(), By(name); at != want.nanos || pid != want.pid {
			t.Errorf("%s: %d of %d", name, at, pid)
		}
	}
	if a, b := time.Unix(60, 0), time.Unix(120, 0); Sooner(a, b) != a || Sooner(b, a) != a {
		t.Error("the later one was taken")
	}
}

// Notes of killed processes count from when these began, boundaries from when their hooks gave up: the order of names is
// not that of moments.
func TestTheEarliestOfWhatWasPutAside(t *testing.T) {
	t.Parallel()
	now, dir := time.Now(), t.TempDir()
	late := filepath.Join(dir, fmt.Sprintf("%020d-1%s", now.Add(-time.Second).UnixNano(), LateSuffix))
	if err := os.WriteFile(late, nil, 0o600); err != nil { // a second after the moment in its name
		t.Fatal(err)
	}
	note := filepath.Join(dir, fmt.Sprintf("%020d-2%s", now.Add(-500*time.Millisecond).UnixNano(), BegunSuffix))
	for _, names := range [][]string{{late, note}, {note, late}, {note}} {
		if got := Earliest(names); !got.Equal(PutAsideAt(note)) {
			t.Errorf("%v: %v before now", names, now.Sub(got))
		}
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
		"of this process":                      {name(0, os.Getpid(), BegunSuffix), false},
		"of a process long ago":                {name(time.Hour, os.Getppid(), BegunSuffix), true},
		"of this process, whose clock went on": {name(time.Hour, os.Getpid(), BegunSuffix), false},
		"of a git hook that is gone":           {name(time.Hour, os.Getppid(), WroteSuffix+BegunSuffix), true},
		"of a git hook at work":                {name(0, os.Getpid(), WroteSuffix+BegunSuffix), false},
		"a boundary that was put aside":        {name(time.Hour, 1<<22+1, LateSuffix), false},
		"a file of somebody else":              {"note.begun", false},
		"a number that is none":                {"1-x.begun", false},
		"a time that is none":                  {"x-1.begun", false},
	} {
		if got := Abandoned(test.name, now); got != test.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// A model that hangs on when the answer was given is not kept without it.
func TestTheModelOfANotedEndIsNotKept(t *testing.T) {
	t.Parallel()
	for kind, want := range map[events.BoundaryKind]string{events.ToolBefore: "m", events.ToolAfter: "", events.ToolFailed: ""} {
		got, err := DecodeNote(EncodeNote(events.Boundary{Kind: kind, Model: "m", Answered: time.Unix(1, 0)}))
		if err != nil || got.Model != want {
			t.Errorf("%s: %q, %v", kind, got.Model, err)
		}
	}
}
