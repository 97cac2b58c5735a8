package sharing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/sharing"
)

// The times of prompts leave cut, if the person says so. What was told is not told again with another time.
func TestTimesOfPromptsAreCut(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	began := func(session string) {
		raw, err := events.Encode(events.PromptData{Index: 1, Chars: 7, Kind: "user"})
		w.Check(err)
		_, err = events.OpenLog(w.Repo).Append(t.Context(), []events.Draft{{
			Type: events.PromptSubmitted, Trace: events.NewTraceID("claude-code", session), Agent: "claude-code", Session: session,
			Time: time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC), Method: []events.Method{events.HookPrompt}, Data: raw,
		}})
		w.Check(err)
	}
	began("one")
	w.Git("config", "trace.shareTimes", "minute")
	push(t, w, sharing.LevelCommits)
	has := func(time string) bool {
		t.Helper()
		fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		pull(t, fresh, sharing.What{})
		text := gitIn(t, remote, "cat-file", "--batch-all-objects", "--batch", "--unordered")
		return strings.Contains(text, `"time":"`+time)
	}
	if has("2026-05-06T07:08:09") || !has("2026-05-06T07:08:00.000000000Z") {
		t.Error("the time of a prompt is not cut to its minute")
	}
	for _, word := range []string{"day", "exact"} {
		w.Git("config", "trace.shareTimes", word)
		if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
			t.Errorf("with %s it is told once more: %+v", word, sent)
		}
	}
	w.Git("config", "trace.shareTimes", "day")
	w.Edit("two", "two.txt", "two\n")
	w.Commit("two")
	w.Anchor()
	began("two")
	w.Git("push", "-q", "origin", "main")
	push(t, w, sharing.LevelCommits)
	if !has("2026-05-06T00:00:00.000000000Z") {
		t.Error("the time of a prompt is not cut to its day")
	}
	w.Git("config", "trace.shareTimes", "hour")
	if _, err := plan(t, w, sharing.LevelCommits); err == nil || !strings.Contains(err.Error(), "trace.shareTimes") {
		t.Errorf("a wrong word: %v", err)
	}
}
