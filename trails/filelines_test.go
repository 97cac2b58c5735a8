package trails

import (
	"testing"

	"github.com/git-trace/git-trace/events"
)

// A change that no line shows is recorded as one of the whole file.
func TestWhichChangesNoLineShows(t *testing.T) {
	t.Parallel()
	text := func(id int, content string) text { return newText(numbered(t, id), []byte(content)) }
	one, two := text(1, "one\n"), text(2, "two\n")
	tests := map[string]struct {
		f    file
		want bool
	}{
		"of a line":                      {file{old: one, new: two, oldMode: 0o100644, newMode: 0o100644}, false},
		"a new file":                     {file{new: one, newMode: 0o100755}, false},
		"a file that is gone":            {file{old: one, oldMode: 0o100755}, false},
		"of the mode as well":            {file{old: one, new: two, oldMode: 0o100644, newMode: 0o100755}, true},
		"of the mode alone":              {file{old: one, new: one, oldMode: 0o100644, newMode: 0o100755}, true},
		"of the name alone":              {file{oldPath: "b", old: one, new: one, oldMode: 0o100644, newMode: 0o100644}, true},
		"what git put together anew":     {file{old: one, new: one, oldMode: 0o100644, newMode: 0o100644}, false},
		"to a binary file":               {file{old: one, new: text(3, "\x00"), oldMode: 0o100644, newMode: 0o100644}, true},
		"of a binary file":               {file{old: text(3, "\x00"), new: one, oldMode: 0o100644, newMode: 0o100644}, true},
		"an empty file":                  {file{new: text(4, ""), newMode: 0o100644}, true},
		"an empty file that gets a line": {file{old: text(4, ""), new: one, oldMode: 0o100644, newMode: 0o100644}, false},
	}
	for name, tt := range tests {
		if got := tt.f.withoutLines(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWhatACallMayWrite(t *testing.T) {
	t.Parallel()
	edit := window("S", "c", events.ToolEdits, "a.txt", "dir")
	shell := window("S", "c", events.ToolRuns, "a.txt")
	for path, want := range map[string]bool{"a.txt": true, "dir": true, "dir/x": true, "dirt": false, "b.txt": false, "x/a.txt": false} {
		if got := edit.mayWrite(path); got != want {
			t.Errorf("an edit may write %s: %v", path, got)
		}
		if !shell.mayWrite(path) {
			t.Errorf("a command may not write %s", path)
		}
	}
}

func TestWhatGitPutThereInFull(t *testing.T) {
	t.Parallel()
	run := func(why string, count int) events.KeptRun { return events.KeptRun{Why: why, Count: count} }
	for name, tt := range map[string]struct {
		kept []events.KeptRun
		n    int
		want bool
	}{
		"every line":            {[]events.KeptRun{run("restored", 2), run("restored", 1)}, 3, true},
		"all but one":           {[]events.KeptRun{run("restored", 2)}, 3, false},
		"one was moved instead": {[]events.KeptRun{run("restored", 2), run("moved", 1)}, 3, false},
		"no line at all":        {nil, 0, false},
	} {
		if got := allRestored(tt.kept, tt.n); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
