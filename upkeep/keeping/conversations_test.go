package keeping_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/transcripts"
)

func begun(t *testing.T, session string) *talk.Talk {
	t.Helper()
	k := talk.New(recording.New(t), session)
	k.Ask("begin the plan")
	k.Put("plan.go", "package plan\n\nvar one = 1\n")
	k.Say("it begins")
	return k
}

func session(k *talk.Talk) waiting.Session {
	return waiting.Session{Trace: k.Trace, Agent: talk.Agent, Session: k.Session, Transcript: k.File(), WorkTree: k.Repo.WorkTree}
}

func TestWhatWaitsIsStored(t *testing.T) {
	t.Parallel()
	k := begun(t, "5e55a001")
	job, err := keeping.NewJob(t.Context(), k.Repo)
	k.Check(err)
	defer job.Close()
	job.Recorder.Env = agents.Env{Home: t.TempDir()}
	k.Check(waiting.Open(k.Repo).Note(session(k)))
	gone := session(k)
	gone.Trace, gone.Session, gone.Transcript = events.NewTraceID(talk.Agent, "gone"), "gone", filepath.Join(t.TempDir(), "gone.jsonl")
	k.Check(waiting.Open(k.Repo).Note(gone))
	var told []keeping.Outcome
	tell := func(o keeping.Outcome) { told = append(told, o) }
	if _, err = job.TakeIn(t.Context(), store.Patience, tell); err != nil {
		t.Fatal(err)
	}
	if len(told) == 0 || !told[0].Stored || told[0].Trace != k.Trace || !strings.Contains(told[0].String(), "stored: ") {
		t.Fatalf("%+v", told)
	}
	if said := (keeping.Outcome{Trace: k.Trace}).String(); !strings.Contains(said, "is stored already") {
		t.Error(said)
	}
	k.Commit("plan: begin")
	k.Anchor()
	lock, err := store.Lock(k.Repo, 0)
	k.Check(err)
	if failed, err := job.Drain(t.Context(), 0, tell); err != nil || len(failed) > 0 { // another process stores
		t.Error(failed, err)
	}
	if _, err := job.Lock(t.Context(), 0); err == nil {
		t.Error("two processes store at once")
	}
	lock.Unlock()
	told = nil
	failed, err := job.Mend(t.Context(), func(int, int) {}, tell)
	if err != nil || len(failed) > 0 || len(told) != 1 {
		t.Errorf("%+v, %v, %v", told, failed, err)
	}
	if _, err := job.Drain(t.Context(), 0, tell); err != nil {
		t.Error(err)
	}
}

func TestNothingIsStoredWhereTheUserDoesNotWantIt(t *testing.T) {
	t.Parallel()
	k := begun(t, "5e55a001")
	k.Git("config", "trace.records", "false")
	k.Check(waiting.Open(k.Repo).Note(session(k)))
	job, err := keeping.NewJob(t.Context(), k.Repo)
	k.Check(err)
	defer job.Close()
	tell := func(o keeping.Outcome) { t.Errorf("%v", o) }
	if failed, err := job.Drain(t.Context(), store.Patience, tell); err != nil || len(failed) > 0 {
		t.Error(failed, err)
	}
	if failed, err := job.Mend(t.Context(), func(int, int) {}, tell); err != nil || len(failed) > 0 {
		t.Error(failed, err)
	}
	keeper, err := keeping.NewKeeper(t.Context(), k.Repo, false, nil, nil, os.Stderr)
	k.Check(err)
	defer keeper.Close()
	if noted, err := keeper.Noted(); err != nil || noted != nil {
		t.Error(noted, err)
	}
	k.Git("config", "trace.redactSecret", "(")
	if _, err := keeping.NewJob(t.Context(), k.Repo); err == nil {
		t.Error("rules that cannot be read")
	}
}

func TestLinkedConversationsAreKept(t *testing.T) {
	t.Parallel()
	k := begun(t, "5e55a001")
	k.Commit("plan: begin")
	folder := t.TempDir()
	raw, err := os.ReadFile(k.File())
	k.Check(err)
	k.Check(os.WriteFile(filepath.Join(folder, "5e55b002.jsonl"), bytes.ReplaceAll(raw, []byte("5e55a001"), []byte("5e55b002")), 0o600))
	found, err := transcripts.Below(agents.Env{Home: t.TempDir()}, folder)
	k.Check(err)
	found = transcripts.Read(t.Context(), found, func(int, int) {})
	trace := events.NewTraceID(talk.Agent, "5e55b002")
	by := map[events.TraceID]*transcripts.Transcript{trace: found[0]}
	var warned bytes.Buffer
	keeper, err := keeping.NewKeeper(t.Context(), k.Repo, false, by, map[events.TraceID]string{trace: k.Repo.WorkTree}, &warned)
	k.Check(err)
	defer keeper.Close()
	dry, err := keeping.NewKeeper(t.Context(), k.Repo, true, by, nil, &warned)
	k.Check(err)
	defer dry.Close()
	k.Check(dry.List(map[events.TraceID]bool{trace: true}))
	if noted, err := dry.Noted(); err != nil || len(noted) > 0 {
		t.Errorf("a dry run notes %+v, %v", noted, err)
	}
	reader := k.Reader()
	drafts, err := keeper.Begin(reader.Log(), trace)
	if err != nil || len(drafts) != 3 {
		t.Fatalf("%+v, %v", drafts, err)
	}
	if none, err := keeper.Begin(reader.Log(), "other"); none != nil || err != nil {
		t.Error(none, err)
	}
	k.Check(keeper.List(map[events.TraceID]bool{trace: true, "other": true}))
	noted, err := keeper.Noted()
	if err != nil || len(noted) != 1 || noted[0].Trace != trace {
		t.Fatalf("%+v, %v", noted, err)
	}
	if keeper.Unseen(trace) != 0 || keeper.Unseen("other") != 0 {
		t.Error("commands that nobody ran")
	}
	k.Check(keeper.Keep(t.Context(), noted, facts.NewKnown(), terminal.NewStatusLine(os.Stderr, "test", true)))
	k.Check(keeper.Keep(t.Context(), nil, nil, nil))
	s := store.Open(k.Repo)
	defer func() { _ = s.Close() }()
	if _, err := s.Find(t.Context(), trace); err != nil || warned.Len() > 0 {
		t.Errorf("%v, %s", err, &warned)
	}
}

func TestOldPromptsExpire(t *testing.T) {
	t.Parallel()
	k := begun(t, "5e55a001")
	for value, want := range map[string]int{"never": 0, "30.days.ago": 0, "now": 1} {
		k.Git("config", keeping.PromptExpireKey, value)
		if n, err := keeping.ExpirePrompts(t.Context(), k.Repo, true); err != nil || n != want {
			t.Errorf("%s: %d, %v", value, n, err)
		}
	}
	for range 2 { // the second time on this day does nothing
		keeping.ExpirePromptsDaily(t.Context(), k.Repo)
	}
	if n, err := keeping.ExpirePrompts(t.Context(), k.Repo, true); err != nil || n != 0 {
		t.Errorf("%d are left, %v", n, err)
	}
	k.Git("config", keeping.PromptExpireKey, "when pigs fly, nosuch")
	if before, keep, err := keeping.Expiry(t.Context(), k.Repo, keeping.PromptExpireKey, keeping.DefaultExpire); err == nil &&
		(keep || before.IsZero()) {
		t.Error(before, keep)
	}
}

func TestAWatcherLooksUntilItIsStopped(t *testing.T) {
	t.Parallel()
	k := begun(t, "5e55a001")
	var out, failures bytes.Buffer
	w, err := keeping.NewWatcher(k.Repo, &out, &failures)
	k.Check(err)
	k.Write("plan.go", "package plan\n\nvar one = 2\n")
	told, err := w.Once(t.Context())
	if err != nil || !told || !strings.Contains(out.String(), "1 file changed in ") {
		t.Errorf("%v, %v: %s%s", told, err, &out, &failures)
	}
	ctx, cancel := contextFor(t, 300*time.Millisecond)
	defer cancel()
	k.Check(w.Run(ctx, 10*time.Millisecond))
	if failures.Len() > 0 {
		t.Errorf("%s", &failures)
	}
}

func contextFor(t *testing.T, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), limit)
}
