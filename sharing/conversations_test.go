package sharing_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/sharing"
)

// talked stores what was said in a conversation.
func talked(t testing.TB, w *recording.World, session, text string) events.TraceID {
	t.Helper()
	redactor, err := redact.New(redact.Options{})
	w.Check(err)
	trace := events.NewTraceID("claude-code", session)
	r, err := redactor.Record(t.Context(), &records.Record{
		TraceID: string(trace), SessionID: session, Agent: records.Agent{Name: "claude-code"},
		Steps: []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &text}},
	})
	w.Check(err)
	s := store.Open(w.Repo)
	defer func() { _ = s.Close() }()
	e, err := s.Find(t.Context(), trace)
	if !errors.Is(err, store.ErrNotFound) {
		w.Check(err)
	}
	stored, err := s.Put(t.Context(), r, e.Blob)
	w.Check(err)
	w.Check(r.Close())
	raw, err := events.Encode(events.RecordData{Commit: stored.Commit, Blob: stored.Blob, Steps: 1, Lifecycle: "final"})
	w.Check(err)
	_, err = events.OpenLog(w.Repo).Append(t.Context(), []events.Draft{{
		Type: events.RecordStored, Trace: trace, Agent: "claude-code", Session: session, Method: []events.Method{events.HookStop}, Data: raw,
	}})
	w.Check(err)
	return trace
}

// onRemote tells whether a text is in anything that the traces of a remote lead to.
func onRemote(t testing.TB, remote, text string) bool {
	t.Helper()
	ids := gitIn(t, remote, "rev-list", "--objects", "--no-object-names", "--glob=refs/traces/*")
	cmd := exec.Command("git", "-C", remote, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(ids + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(out), text)
}

// S8, S9: what was said leaves redacted by the rules of the day, and what must not be had any more goes with its history.
func TestConversationsLeaveRedacted(t *testing.T) { // alone: it changes the rules of redaction
	defer func() { redactions = redact.Options{} }()
	w, remote := published(t)
	trace := talked(t, w, "one", "please write two lines for project-halibut")
	silent := talked(t, w, "no line anywhere", "nothing came of this")
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 || onRemote(t, remote, "two lines") {
		t.Errorf("at the level of commits: %+v", sent)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 || !onRemote(t, remote, "two lines") || onRemote(t, remote, "nothing came") {
		t.Errorf("at the level of conversations: %+v", sent)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
		t.Errorf("once more: %+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	theirs := func(trace events.TraceID) string {
		t.Helper()
		s := store.Open(fresh.Repo)
		defer func() { _ = s.Close() }()
		r, _, err := s.Get(t.Context(), trace)
		if errors.Is(err, store.ErrNotFound) {
			return ""
		}
		w.Check(err)
		return *r.Steps[0].Content
	}
	if pull(t, fresh, sharing.What{}); theirs(trace) != "" {
		t.Error("texts came that nobody asked for")
	}
	if got := pull(t, fresh, sharing.What{Records: true}); got.Writers[0].Records != 1 || !strings.Contains(theirs(trace), "halibut") || theirs(silent) != "" {
		t.Errorf("%+v: %q", got, theirs(trace))
	}

	// A growing conversation has a history on the remote.
	talked(t, w, "one", "please write two lines for project-halibut, and a third")
	push(t, w, sharing.LevelConversations)
	if !onRemote(t, remote, "and a third") || gitIn(t, remote, "rev-list", "--count", "--glob=refs/traces/writers/*/records") != "2" {
		t.Error("the second version")
	}

	// The rules find more than they did: the record here is another one, and no version with the name is left there.
	w.Check(redactions.Rules.Add("secret", "project-[a-z]+"))
	if sent := push(t, w, sharing.LevelConversations); len(sent) == 0 || onRemote(t, remote, "halibut") || !onRemote(t, remote, "and a third") {
		t.Errorf("after the rules changed: %+v", sent)
	}
	if pull(t, fresh, sharing.What{}); strings.Contains(theirs(trace), "halibut") || !strings.Contains(theirs(trace), "and a third") {
		t.Errorf("the next pull: %q", theirs(trace))
	}

	// A redactor that fails keeps its record here, and the others leave.
	other := talked(t, w, "two", "trouble with it")
	w.Edit("two", "two.txt", "of another\n")
	w.Commit("of another conversation")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	redactions.Finder = failing{}
	p, err := plan(t, w, sharing.LevelConversations)
	w.Check(err)
	if len(p.Records.Sent) != 1 || len(p.Records.Kept) != 1 || p.Records.Kept[0].Trace != other || !p.Records.Kept[0].Fault {
		t.Errorf("%+v", p.Records)
	}
	_, err = p.Push(t.Context(), true)
	w.Check(err)
	p.Close()
	if onRemote(t, remote, "trouble with it") || !onRemote(t, remote, "and a third") {
		t.Error("what the redactor could not read left")
	}
	redactions.Finder = nil
	if push(t, w, sharing.LevelConversations); !onRemote(t, remote, "trouble with it") {
		t.Error("with a redactor it leaves")
	}

	// What the person keeps goes from the remote, and from who fetched it.
	w.Check(sharing.KeepPrivate(w.Repo, trace, false))
	if push(t, w, sharing.LevelConversations); onRemote(t, remote, "and a third") || !onRemote(t, remote, "trouble with it") {
		t.Error("it is kept, and there all the same")
	}
	if pull(t, fresh, sharing.What{}); theirs(trace) != "" || theirs(other) != "trouble with it" {
		t.Errorf("the clone has %q and %q", theirs(trace), theirs(other))
	}
	w.Check(sharing.KeepPrivate(w.Repo, trace, true))
	if push(t, w, sharing.LevelConversations); !onRemote(t, remote, "and a third") {
		t.Error("it is shared again")
	}
}

// failing finds nothing, and fails at one word.
type failing struct{}

func (failing) Find(text string) ([]gitleaks.Finding, error) {
	if strings.Contains(text, "trouble") {
		return nil, errors.New("no")
	}
	return nil, nil
}

// S9: a redactor that fails for one record keeps that one here. The others leave, and the plan names it as a fault.
func TestARedactorThatFailsKeepsOneRecord(t *testing.T) { // alone: it changes the rules of redaction
	defer func() { redactions = redact.Options{} }()
	w, remote := published(t)
	var traces []events.TraceID
	for _, name := range []string{"one", "two", "three"} {
		text := "asked in " + name
		if name == "two" {
			text += ", trouble"
		}
		w.Edit(name, name+".txt", "of "+name+"\n")
		traces = append(traces, talked(t, w, name, text))
	}
	w.Commit("of three")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	redactions.Finder = failing{}
	p, err := plan(t, w, sharing.LevelConversations)
	w.Check(err)
	defer p.Close()
	if len(p.Records.Sent) != 2 || len(p.Records.Kept) != 1 || p.Records.Kept[0].Trace != traces[1] || !p.Records.Kept[0].Fault {
		t.Errorf("%+v", p.Records)
	}
	_, err = p.Push(t.Context(), true)
	w.Check(err)
	if onRemote(t, remote, "trouble") || !onRemote(t, remote, "asked in one") || !onRemote(t, remote, "asked in three") {
		t.Error("what leaves is not what was planned")
	}
}
