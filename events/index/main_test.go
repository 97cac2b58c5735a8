package index

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives every git of the tests a clean configuration, and lets the test binary play a building process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("INDEX_TEST_CHILD"); dir != "" {
		repo, err := refs.DiscoverHook(dir)
		if err == nil {
			_, _, err = Rebuild(context.Background(), repo, nil)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Main(m))
}

func newRepo(t testing.TB) *refs.Repo {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	repo, err := refs.DiscoverHook(dir)
	check(t, err)
	return repo
}

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var testTime = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// story appends conversations with prompts, calls, patches, and the commits that came of them.
func story(t testing.TB, repo *refs.Repo, session string, prompts int) {
	t.Helper()
	log := events.OpenLog(repo)
	trace := events.NewTraceID("claude-code", session)
	at := testTime
	draft := func(typ events.Type, method events.Method, call string, data any) events.Draft {
		raw, err := events.Encode(data)
		check(t, err)
		at = at.Add(time.Second)
		return events.Draft{Time: at, Type: typ, Trace: trace, Agent: "claude-code", Session: session, ToolCall: call, Method: []events.Method{method}, Data: raw}
	}
	add := func(drafts ...events.Draft) {
		_, err := log.Append(context.Background(), drafts)
		check(t, err)
	}
	add(draft(events.SessionStarted, events.HookSessionStart, "", events.SessionData{Source: "startup", Model: "model-a"}))
	for p := 1; p <= prompts; p++ {
		add(draft(events.PromptSubmitted, events.HookPrompt, "", events.PromptData{Index: p, Chars: 10, Kind: "user"}))
		call := fmt.Sprintf("toolu_%s_%d", session, p)
		path := fmt.Sprintf("dir/file%d.go", p%3)
		add(
			draft(events.WindowOpened, events.HookToolBefore, call, events.WindowData{Tool: "Edit", Class: "edit", Paths: []string{path}}),
			draft(events.PatchRecorded, events.HookToolAfter, call, events.PatchData{Patch: patchID(session, p), Path: path, NewStart: 1, NewCount: 3, OldCount: 1, Owner: events.OwnerAI, Model: "model-b"}),
			draft(events.WindowClosed, events.HookToolAfter, call, events.WindowData{Tool: "Edit", Class: "edit", Status: "done", Patches: 1}),
		)
		if p%2 == 0 {
			d := draft(events.CommitAnchored, events.PostCommit, "", events.CommitData{
				Commit: commitID(session, p), Added: 3, AI: 3, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Trace: trace}},
				Files: []events.AnchorFile{{Path: path, Blob: commitID("blob", p), Runs: []events.AnchorRun{{Start: 1, Count: 3, Tier: "exact_blob"}}}},
			})
			d.Trace, d.Agent, d.Session = "", "", ""
			r := draft(events.CommitRewritten, events.PostRewrite, "", events.RewriteData{Kind: "amend", Pairs: []events.RewritePair{{Old: commitID(session, p), New: commitID(session+"'", p)}}})
			r.Trace, r.Agent, r.Session = "", "", ""
			add(d, r)
		}
	}
}

func patchID(session string, n int) events.PatchID {
	return events.PatchID(commitID("patch "+session, n).String()[:32])
}

func commitID(session string, n int) refs.OID {
	return refs.SHA1.Hash(refs.BlobObject, fmt.Appendf(nil, "%s %d", session, n))
}

func open(t testing.TB, repo *refs.Repo) *Index {
	t.Helper()
	ix, err := Open(repo)
	check(t, err)
	t.Cleanup(ix.Close)
	return ix
}

// answers asks everything there is to ask about a story, as text that can be compared.
func answers(t testing.TB, ix *Index, sessions []string, prompts int) string {
	t.Helper()
	var out strings.Builder
	show := func(what string, value any, err error) {
		check(t, err)
		text, err := json.Marshal(value)
		check(t, err)
		fmt.Fprintf(&out, "%s: %s\n", what, text)
	}
	traces, err := ix.Traces()
	show("traces", traces, err)
	for _, s := range sessions {
		trace := events.NewTraceID("claude-code", s)
		of, err := ix.ByTrace(trace)
		show("by trace", of, err)
		sum, ok, err := ix.Trace(trace)
		show("trace", []any{sum, ok}, err)
		found, err := ix.Find(s)
		show("session", found, err)
		for p := 0; p <= prompts+1; p++ {
			patch, ok, err := ix.Patch(patchID(s, p))
			if ok {
				show("patch", patch, err)
			}
			calls, err := ix.ToolCall(fmt.Sprintf("toolu_%s_%d", s, p))
			show("call", calls, err)
			anchors, err := ix.ByCommit(commitID(s, p))
			show("commit", anchors, err)
			heirs, err := ix.Heirs(commitID(s, p))
			show("heirs", heirs, err)
			told, err := ix.RewritingsOf(commitID(s+"'", p))
			show("rewritten", told, err)
			found, err := ix.Find(string(patchID(s, p)[:6]))
			show("find", found, err)
		}
	}
	for p := range 3 {
		of, err := ix.ByPath(fmt.Sprintf("dir/file%d.go", p))
		show("path", of, err)
	}
	for _, prefix := range []string{"t", "toolu", "0", "a", "b3:", "b3:1", "ff", "zz"} {
		found, err := ix.Find(prefix)
		show("find "+prefix, found, err)
	}
	started, err := ix.ByType(events.LogStarted)
	show("type", started, err)
	return out.String()
}
