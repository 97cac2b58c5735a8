package sharing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// begunAt stores a conversation that names commits wherever a record can.
func begunAt(t testing.TB, w *recording.World, session, base, commit string) {
	t.Helper()
	text, url := "please write", "https://git.acme.internal/shop"
	r := &records.Record{
		TraceID: string(events.NewTraceID("claude-code", session)), SessionID: session,
		Agent: records.Agent{Name: "claude-code"},
		Task:  records.Task{BaseCommit: &base, RepositoryURL: &url},
		Environment: records.Environment{VCS: records.VCS{
			Type: records.VCSGit, BaseCommit: &base, Diff: new("+a line that nobody committed\n"),
		}},
		Outcome:     records.Outcome{Committed: true, CommitSHA: &commit, Patch: new("+the patch of " + commit + "\n")},
		Attribution: &records.Attribution{Revision: map[string]string{"vcs_type": "git", "revision": commit}},
		GitLinks: []records.GitLink{
			{VCSType: records.VCSGit, Revision: commit, RepoURL: &url}, {VCSType: records.VCSGit, Revision: base},
		},
		Metadata: map[string]json.RawMessage{"commits": json.RawMessage(`[{"sha":"` + commit[:9] + `","at":1}]`)},
		Steps:    []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &text}},
	}
	redactor, err := redact.New(redact.Options{})
	w.Check(err)
	clean, err := redactor.Record(t.Context(), r)
	w.Check(err)
	defer func() { _ = clean.Close() }()
	s := store.Open(w.Repo)
	defer func() { _ = s.Close() }()
	stored, err := s.Put(t.Context(), clean, refs.OID{})
	w.Check(err)
	raw, err := events.Encode(events.RecordData{Commit: stored.Commit, Blob: stored.Blob, Steps: 1, Lifecycle: "final"})
	w.Check(err)
	_, err = events.OpenLog(w.Repo).Append(t.Context(), []events.Draft{{
		Type: events.RecordStored, Trace: stored.Trace, Agent: "claude-code", Session: session,
		Method: []events.Method{events.HookStop}, Data: raw,
	}})
	w.Check(err)
}

// Attacks F9, F18: a conversation names no commit that the remote does not have, in whichever member, and no other
// remote.
func TestAConversationNamesPublishedCommitsAlone(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	base := strings.TrimSpace(w.Git("rev-parse", "HEAD"))
	w.Git("commit", "-q", "--allow-empty", "-m", "not pushed")
	local := strings.TrimSpace(w.Git("rev-parse", "HEAD"))
	begunAt(t, w, "one", base, local)
	push(t, w, sharing.LevelConversations)
	for _, text := range []string{local[:9], "acme", "nobody committed", "the patch of"} {
		if onRemote(t, remote, text) {
			t.Errorf("%s leaves", text)
		}
	}
	if !onRemote(t, remote, `"base_commit":"`+base) || !onRemote(t, remote, "please write") {
		t.Error("what is published does not leave")
	}
	s := store.Open(w.Repo)
	defer func() { _ = s.Close() }()
	r, _, err := s.Get(t.Context(), events.NewTraceID("claude-code", "one"))
	w.Check(err)
	if r.Outcome.CommitSHA == nil || r.Environment.VCS.Diff == nil || len(r.GitLinks) != 2 {
		t.Errorf("what is stored here lost something: %+v", r)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
		t.Errorf("once more: %+v", sent)
	}

	// Later the remote has the commit, and is told of it.
	w.Git("push", "-q", "origin", "main")
	if push(t, w, sharing.LevelConversations); !onRemote(t, remote, `"commit_sha":"`+local) || onRemote(t, remote, "acme") {
		t.Error("the commit that was pushed is not told")
	}
}
