package terminal

import (
	"strings"
	"testing"
	"time"
)

func TestTheRestOfAWorkIsSaidWhenItCanBeKnown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		passed      time.Duration
		done, total int64
		want        string
	}{
		{10 * time.Second, 0, 100, ""},
		{10 * time.Second, 1, 100, ""}, // too little to tell
		{10 * time.Second, 50, 100, ", 10 s left"},
		{time.Minute, 25, 100, ", 3 min left"},
		{time.Minute, 100, 100, ""},
	} {
		if got := left(test.passed, test.done, test.total); got != test.want {
			t.Errorf("%v for %d of %d: %q, want %q", test.passed, test.done, test.total, got, test.want)
		}
	}
}

// A pipe gets whole lines: how far the work is, or at least that it goes on.
func TestAPipeIsToldOfProgressInLines(t *testing.T) {
	t.Parallel()
	var to strings.Builder
	line := &StatusLine{to: &to, what: "stats", Piped: true, begun: time.Now().Add(-20 * time.Second)}
	line.tick()
	work := &Progress{line: line, what: "following lines", begun: time.Now()}
	work.At(1, 100)
	line.tick()
	work.Clear()
	line.tick()
	line.End()
	line.tick()
	const want = "git-trace: stats: 20 s\ngit-trace: following lines:   1% (1/100)\ngit-trace: stats: 20 s\n"
	if to.String() != want {
		t.Errorf("it said %q, want %q", to.String(), want)
	}
}

func TestMessagesAreBrokenWhereTheTerminalEnds(t *testing.T) {
	t.Parallel()
	const long = "git-trace: hint: git trace log lists conversations, git trace graph commits\n"
	for name, test := range map[string]struct {
		columns    int
		text, want string
	}{
		"at a blank": {50, "git-trace: error: no\n" + long, "git-trace: error: no\n" +
			"git-trace: hint: git trace log lists\n                 conversations, git trace graph\n                 commits\n"},
		"what fits stays":             {80, long, long},
		"no terminal":                 {0, long, long},
		"a terminal of a few columns": {20, long, long},
		"what is no message": {50, "2 conversations and 71 events will be deleted, with all\n",
			"2 conversations and 71 events will be deleted,\n  with all\n"},
		"a line that goes on": {50, strings.TrimSuffix(long, "\n"), strings.TrimSuffix(long, "\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(Wrap([]byte(test.text), test.columns)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
