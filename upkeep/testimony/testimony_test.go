package testimony_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/transcripts"
)

// owners returns the owners of a file's lines in the last commit.
func owners(t *testing.T, w *recording.World, path string) string {
	t.Helper()
	reader, err := view.Open(t.Context(), w.Repo, view.Options{})
	w.Check(err)
	defer reader.Close()
	lines, err := blame.Lines(t.Context(), w.Repo, "HEAD", path, reader.Owners())
	w.Check(err)
	var kinds []string
	for i := range lines {
		kinds = append(kinds, string(lines[i].Owner.Kind))
	}
	return strings.Join(kinds, " ")
}

// silent is a conversation whose second turn no hook reported.
func silent(t *testing.T) *talk.Talk {
	t.Helper()
	k := talk.New(recording.New(t), "5e55a001")
	k.Ask("begin the plan")
	k.Put("plan.go", "package plan\n")
	k.Say("it begins")
	k.Commit("plan: begin")
	k.Anchor()
	k.Unheard = true
	k.Ask("go on with it")
	k.Change("plan.go", "package plan\n", "package plan\n\nvar one = 1\nvar two = 2\n")
	k.Say("it goes on")
	k.Unheard = false
	return k
}

func session(k *talk.Talk) waiting.Session {
	return waiting.Session{Trace: k.Trace, Agent: talk.Agent, Session: k.Session, Transcript: k.File(), WorkTree: k.Repo.WorkTree}
}

func TestASessionFileTellsOfAnEditThatNoHookReported(t *testing.T) {
	t.Parallel()
	k := silent(t)
	env := agents.Env{Home: t.TempDir()}
	w := &testimony.Witnesses{Repo: k.Repo, Env: env}
	for range 2 { // the second reading finds nothing new
		k.Check(w.Session(t.Context(), session(k), k.File(), nil))
	}
	k.Commit("plan: go on")
	k.Anchor()
	if got := owners(t, k.World, "plan.go"); got != "ai ai ai ai" {
		t.Errorf("the lines are of %s", got)
	}
	without := silent(t)
	without.Commit("plan: go on")
	without.Anchor()
	if got := owners(t, without.World, "plan.go"); strings.Count(got, "ai") > 1 {
		t.Errorf("without the session file the lines are of %s", got)
	}
	if err := w.Session(t.Context(), session(k), "nosuch", nil); err != nil {
		t.Error(err)
	}
}

func TestConversationsThatWaitAreHeard(t *testing.T) {
	t.Parallel()
	k := silent(t)
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "projects", regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(k.Repo.WorkTree, "-"))
	k.Check(os.MkdirAll(folder, 0o755))
	raw, err := os.ReadFile(k.File())
	k.Check(err)
	k.Check(os.WriteFile(filepath.Join(folder, k.Session+".jsonl"), raw, 0o600))
	k.Check(waiting.Open(k.Repo).Note(session(k)))
	for _, most := range []int64{testimony.MostHeard, 0} {
		k.Check((&testimony.Witnesses{Repo: k.Repo, Env: agents.Env{Home: home}, Most: most}).All(t.Context()))
	}
	k.Commit("plan: go on")
	k.Anchor()
	if got := owners(t, k.World, "plan.go"); got != "ai ai ai ai" {
		t.Errorf("the lines are of %s", got)
	}
}

func TestSessionsAreComparedWithTheLog(t *testing.T) {
	t.Parallel()
	k := silent(t)
	folder := t.TempDir()
	raw, err := os.ReadFile(k.File())
	k.Check(err)
	k.Check(os.WriteFile(filepath.Join(folder, k.Session+".jsonl"), raw, 0o600))
	env := agents.Env{Home: t.TempDir()}
	found, err := transcripts.Below(env, folder)
	k.Check(err)
	found = transcripts.Read(t.Context(), found, func(int, int) {})
	if len(found) != 1 || len(found[0].Prompts) != 2 {
		t.Fatalf("%+v", found)
	}
	reader := k.Reader()
	by := map[events.TraceID]*transcripts.Transcript{k.Trace: found[0]}
	k.Check((&testimony.Witnesses{Repo: k.Repo, Env: env}).Compare(t.Context(), reader.Log(), by, []waiting.Session{session(k)}))
	k.Commit("plan: go on")
	k.Anchor()
	if got := owners(t, k.World, "plan.go"); got != "ai ai ai ai" {
		t.Errorf("the lines are of %s", got)
	}
	told, hooked, err := testimony.Told(reader.Log(), k.Trace)
	if err != nil || !hooked || told != nil {
		t.Errorf("%v, %v, %v", told, hooked, err)
	}
}

func TestAConversationIsToldOnce(t *testing.T) {
	t.Parallel()
	k := silent(t)
	trace := events.NewTraceID(talk.Agent, "other")
	then := time.Now().Add(-time.Hour)
	agent, _ := agents.Lookup(agents.Env{}, talk.Agent)
	one := &transcripts.Transcript{Agent: agent, ID: "other", First: then, Last: then.Add(time.Minute), Model: talk.Model,
		Prompts: []transcripts.Prompt{{Text: "first"}, {Text: "second", At: then}}}
	one.Session.ID = "other"
	for i, want := range []int{4, 0} {
		reader, err := view.Open(t.Context(), k.Repo, view.Options{})
		k.Check(err)
		told, hooked, err := testimony.Told(reader.Log(), trace)
		reader.Close()
		if err != nil || hooked {
			t.Fatal(hooked, err)
		}
		drafts, err := testimony.ConversationDrafts(told, trace, one)
		if err != nil || len(drafts) != want {
			t.Errorf("%d: %d events, %v", i, len(drafts), err)
		}
		k.Check(testimony.AppendDrafts(t.Context(), events.OpenLog(k.Repo), drafts))
	}
}

func TestOwnersOfCommittedLinesAreFound(t *testing.T) {
	t.Parallel()
	k := talk.Server(t)
	o := testimony.NewOwners(t.Context(), k.Reader())
	at := k.Head()
	is := func(ask func(string, []int) ([]bool, error), path string, lines ...int) string {
		got, err := ask(path, lines)
		return fmt.Sprint(got, err)
	}
	if got := is(o.Unknown(at), "server.go", 10, 11); got != "[false false] <nil>" {
		t.Errorf("unknown: %s", got)
	}
	d := o.Dispute(at)
	if got := is(d.Persons, "notes.txt", 1); got != "[true] <nil>" {
		t.Errorf("people's: %s", got)
	}
	call := ""
	for _, e := range k.Log() {
		if e.Type == events.WindowClosed {
			call = e.ToolCall
		}
	}
	for name, tt := range map[string]struct {
		owner events.AnchorOwner
		tier  string
		want  bool
	}{
		"a reported call":       {events.AnchorOwner{Trace: k.Trace, ToolCall: call}, correlate.Tiers()[0], false},
		"nobody":                {events.AnchorOwner{}, correlate.Tiers()[0], false},
		"an unknown tier":       {events.AnchorOwner{Trace: k.Trace}, "nosuch", false},
		"another conversation":  {events.AnchorOwner{Trace: "other"}, correlate.Tiers()[0], correlate.Disputes(correlate.Tiers()[0])},
		"a call without a hook": {events.AnchorOwner{Trace: k.Trace, ToolCall: "toolu_x"}, correlate.Tiers()[0], correlate.Disputes(correlate.Tiers()[0])},
	} {
		if got := d.May(tt.owner, tt.tier); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if anchored, err := o.Anchored(at); err != nil || !anchored {
		t.Error(anchored, err)
	}
	if list := testimony.WorkTreesOf(k.Repo); len(list) != 1 || list[0].WorkTree != k.Repo.WorkTree {
		t.Errorf("%d work trees", len(list))
	}
}

func TestAConversationWithoutHooksIsFoundInARecordedRepository(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	k := silent(t)
	k.Check(recorded.Add(k.Repo))
	beside := k.Linked("beside")
	k.Check(recorded.Add(beside.Repo))
	if list := testimony.WorkTreesOf(k.Repo); len(list) != 2 {
		t.Errorf("%d work trees", len(list))
	}
	alone := talk.New(k.World, "5e55a009")
	alone.Unheard = true
	alone.Ask("write it without hooks")
	alone.Put("alone.go", "package alone\n\nvar a = 1\n")
	alone.Say("written")
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "projects", regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(k.Repo.WorkTree, "-"))
	k.Check(os.MkdirAll(folder, 0o755))
	raw, err := os.ReadFile(alone.File())
	k.Check(err)
	path := filepath.Join(folder, alone.Session+".jsonl")
	k.Check(os.WriteFile(path, raw, 0o600))
	later := time.Now().Add(time.Minute)
	k.Check(os.Chtimes(path, later, later))
	for _, most := range []int64{1, testimony.MostHeard, 0, 0} { // the first is too small for the file
		k.Check((&testimony.Witnesses{Repo: k.Repo, Env: agents.Env{Home: home}, Most: most}).All(t.Context()))
	}
	told := 0
	for _, e := range k.Log() {
		if e.Trace == alone.Trace && e.Type == events.PromptSubmitted {
			told++
		}
	}
	list, err := waiting.Open(k.Repo).All()
	if err != nil || told != 1 || len(list) != 1 || list[0].Trace != alone.Trace {
		t.Errorf("%d prompts, %+v, %v", told, list, err)
	}
}

func TestEarlierPromptsAreAskedForByProgram(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{", "{}"} {
		var out strings.Builder
		testimony.PrintEarlier(t.Context(), agents.Env{Home: t.TempDir()}, strings.NewReader(in), &out)
		if strings.Contains(out.String(), "second") {
			t.Errorf("%q: %s", in, &out)
		}
	}
}
