package why_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

func TestALineHasItsReasons(t *testing.T) {
	t.Parallel()
	k := talk.Server(t)
	other := talk.New(k.World, "5e55a002") // without a record
	other.Ask("begin another file")
	other.Put("other.go", "package other\n\nvar one = 1\n")
	other.Say("it is there")
	k.Git("add", "other.go")
	known := k.Reader()
	follows, err := known.Tracker()
	k.Check(err)
	defer func() { _ = follows.Close() }()
	finder := &why.Finder{Known: known, Trails: follows}
	for _, tt := range []struct {
		rev, path   string
		first, last int
		reasons     int
		words       []string
	}{
		{"", "server.go", 1, 1, 1, []string{"say what it does", "I need Edit now"}},
		{"", "server.go", 1, 14, 5, []string{"write a server with a retry limit", "close it twice without harm", "toolu_"}},
		{"HEAD", "server.go", 4, 5, 1, []string{"limit := 3", "write a server"}},
		{"HEAD~1", "server.go", 1, 1, 1, []string{"package server"}},
		{"", "notes.txt", 1, 1, 1, []string{"human"}},
		{"", "other.go", 1, 3, 1, []string{"begin another file", "claude-code"}},
		{"", "base.txt", 1, 3, 1, []string{"base.txt"}},
	} {
		list, err := finder.Lines(t.Context(), tt.rev, tt.path, tt.first, tt.last)
		k.Check(err)
		raw, err := json.Marshal(why.PlaceOf(tt.path, tt.rev, list, nil))
		k.Check(err)
		if len(list) < tt.reasons {
			t.Errorf("%s:%d has %d reasons", tt.path, tt.first, len(list))
		}
		for _, word := range tt.words {
			if !strings.Contains(string(raw), word) {
				t.Errorf("%s:%d does not tell %q: %s", tt.path, tt.first, word, raw)
			}
		}
		for _, r := range list {
			if r.Owner() == nil {
				t.Errorf("%s:%d: %+v", tt.path, tt.first, r)
			}
			_, _ = r.Commit(), r.Completed()
		}
	}
	finder.Contents = []byte("typed\n// Package server serves.\npackage server\n")
	list, err := finder.Lines(t.Context(), "", "server.go", 1, 3)
	if err != nil || len(list) < 2 {
		t.Errorf("%d reasons for a content, %v", len(list), err)
	}
	finder.Contents = nil
	var none *why.NoLineError
	if _, err := finder.Lines(t.Context(), "", "server.go", 99, 99); !errors.As(err, &none) || none.Error() == "" {
		t.Error(err)
	}
	if _, err := finder.Lines(t.Context(), "", "nosuch.go", 1, 1); err == nil {
		t.Error("a file that is not there has reasons")
	}
}

func TestACompletionIsTold(t *testing.T) {
	t.Parallel()
	then := time.Date(2026, 11, 2, 9, 0, 0, 0, time.Local)
	reason := func(o blame.Attribution) *why.Reason {
		return &why.Reason{Lines: []blame.Annotated{{Owner: &o}}, Call: &view.WholeCall{Call: view.Call{Closed: &then}}}
	}
	done := blame.Attribution{Trace: "t", Tool: events.ToolCompletion, Agent: "copilot", Model: "small", Kind: events.OwnerMixed}
	const want = "completed by copilot small, accepted at 2026-11-02 09:00:00; a person wrote the rest of the line; no prompt"
	if got := reason(done).Completed(); got != want {
		t.Errorf("%q", got)
	}
	done.Tool = "Edit"
	if got := reason(done).Completed(); got != "" {
		t.Errorf("%q", got)
	}
}
