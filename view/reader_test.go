package view_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// story is a repository with two conversations, the second without a record, a correction by a person, a rewritten
// commit and changes that are not committed.
func story(t *testing.T) (*talk.Talk, *talk.Talk, *view.Reader) {
	t.Helper()
	k := talk.Server(t)
	other := talk.New(k.World, "5e55a002")
	other.Ask("write another file for the plan")
	other.Put("other.go", "package server\n\nvar other = 1\n")
	other.Shell("go vet ./...", "", false)
	other.Say("it is there")
	older := k.Commit("server: another file\n\nReviewed-by: R <r@example.com>")
	k.Anchor()
	k.Write("other.go", "package server\n\nvar other = 4\n")
	k.Commit("server: a person's correction")
	k.Anchor()
	k.Git("commit", "-q", "--amend", "-m", "server: a person's correction, told better")
	k.Rewritten("amend", k.OID("HEAD@{1}"), k.Head())
	k.Anchor()
	k.Ask("begin what is not committed")
	k.Change("server.go", "return 2", "return 22")
	k.Put("fresh.txt", "one\ntwo\n")
	k.Say("it begins")
	k.Store()
	_ = older
	return k, other, k.Reader()
}

func TestConversationsAreFoundAndChosen(t *testing.T) {
	t.Parallel()
	k, other, r := story(t)
	all, err := r.Conversations()
	k.Check(err)
	k.Check(r.Complete(t.Context(), all))
	k.Check(r.Prompted(all))
	if len(all) != 2 || all[0].Lines+all[1].Lines < 15 || all[0].Prompt == nil {
		t.Fatalf("%+v", all)
	}
	newest, err := r.Newest("", 1)
	if err != nil || len(newest) != 1 || newest[0].Trace != k.Trace {
		t.Errorf("%+v, %v", newest, err)
	}
	ids, err := r.IDs()
	if err != nil || len(ids) != 2 {
		t.Error(ids, err)
	}
	starts, err := r.Starts()
	if err != nil || starts[k.Trace] == "" {
		t.Error(starts, err)
	}
	for c, err := range r.InOrder(string(other.Trace)[:6]) {
		if err != nil || c.Trace != other.Trace {
			t.Error(c.Trace, err)
		}
	}
	found, err := r.Find(string(k.Trace)[:8])
	if err != nil || len(found) != 1 {
		t.Error(found, err)
	}
	chosen := func(want view.Choice) (names []string) {
		want.Limit = -1
		list, err := r.Choose(t.Context(), want)
		k.Check(err)
		for i := range list {
			names = append(names, list[i].Session)
		}
		slices.Sort(names)
		return names
	}
	both := []string{"5e55a001", "5e55a002"}
	for name, tt := range map[string]struct {
		want view.Choice
		are  []string
	}{
		"all":           {view.Choice{}, both},
		"an agent":      {view.Choice{Agents: []string{talk.Agent}}, both},
		"another agent": {view.Choice{Agents: []string{"pi"}}, nil},
		"later":         {view.Choice{Since: time.Now().Add(time.Hour)}, nil},
		"earlier":       {view.Choice{Until: time.Now().Add(-24 * time.Hour)}, nil},
		"since":         {view.Choice{Since: time.Now().Add(-24 * time.Hour), Until: time.Now().Add(time.Hour)}, both},
		"a path":        {view.Choice{Paths: []string{"other.go"}}, both[1:]},
		"the top":       {view.Choice{Paths: []string{""}}, both},
		"words":         {view.Choice{Text: "retry limit"}, both[:1]},
		"a commit":      {view.Choice{Commits: map[refs.OID]bool{k.OID("HEAD~3"): true}}, both[:1]},
		"brief":         {view.Choice{Brief: true}, both},
	} {
		if got := chosen(tt.want); !slices.Equal(got, tt.are) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAConversationIsToldInFull(t *testing.T) {
	t.Parallel()
	k, other, r := story(t)
	c, found, err := r.Conversation(k.Trace)
	if err != nil || !found || !c.Seen() || c.Prompts != 4 || c.Calls < 7 {
		t.Fatalf("%+v, %v", c, err)
	}
	files, err := r.Files(&c)
	if err != nil || len(files) != 2 || files[0].Path != "fresh.txt" {
		t.Errorf("%+v, %v", files, err)
	}
	paths, last, err := r.Touched(k.Trace, 4)
	if err != nil || !slices.Contains(paths, "server.go") || last == 0 && len(paths) == 0 {
		t.Error(paths, last, err)
	}
	stored, err := r.Record(t.Context(), k.Trace)
	if err != nil || stored.Record == nil || !stored.Own {
		t.Fatalf("%+v, %v", stored, err)
	}
	k.Check(r.Hooked(stored.Record))
	one, err := r.Talk(k.Trace, stored.Record)
	if err != nil || len(one.Turns) != 4 {
		t.Fatalf("%d turns, %v", len(one.Turns), err)
	}
	if pace := view.PaceOf(one.Turns); pace == (view.Pace{}) {
		t.Errorf("%+v", pace)
	}
	asked, err := r.Asked(t.Context(), k.Trace, time.Time{}, time.Time{})
	if err != nil || len(asked) != 4 {
		t.Errorf("%+v, %v", asked, err)
	}
	numbers := view.PromptNumbers(stored.Record)
	if len(numbers) == 0 {
		t.Error("no prompt has a number")
	}
	for prompt := 1; prompt <= 4; prompt++ {
		turn, of, err := r.WholeTurn(t.Context(), k.Trace, prompt)
		if err != nil || of != 4 || len(turn.Calls) == 0 || len(turn.Said) == 0 {
			t.Errorf("prompt %d: %+v, %d, %v", prompt, turn, of, err)
		}
	}
	if turn, of, err := r.WholeTurn(t.Context(), other.Trace, 1); err != nil || of != 1 || len(turn.Calls) != 2 {
		t.Errorf("%+v, %d, %v", turn, of, err)
	}
	if _, of, _ := r.WholeTurn(t.Context(), k.Trace, 9); of != 4 {
		t.Error(of)
	}
	for i := range stored.Steps {
		if _, err := r.StepHunks(k.Trace, &stored.Steps[i]); err != nil {
			t.Error(err)
		}
	}
	if costs := r.AnswerCosts(stored.Record); len(costs) == 0 {
		t.Error("no answer costs anything")
	}
	_ = r.Waste(stored.Record)
	course, err := r.Course(k.Trace)
	if err != nil || len(course.Patches) == 0 || len(course.Calls) == 0 {
		t.Errorf("%+v, %v", course, err)
	}
	step := r.Steps()
	if text, found, err := r.Prompts().Get(k.Trace, 1); err != nil || !found || !strings.Contains(text, "retry limit") {
		t.Error(text, found, err)
	}
	if text, err := r.Prompts().Redacted("plain"); err != nil || text != "plain" {
		t.Error(text, err)
	}
	r.Prompts().Forget()
	calls := 0
	for i := range stored.Steps {
		for _, call := range stored.Steps[i].ToolCalls {
			calls++
			if step(k.Trace, call.ToolCallID) != i+1 {
				t.Errorf("%s is in step %d", call.ToolCallID, step(k.Trace, call.ToolCallID))
			}
			whole, err := r.Call(t.Context(), call.ToolCallID)
			if err != nil || whole == nil || whole.Trace != k.Trace || !r.Heard(k.Trace, call.ToolCallID) {
				t.Errorf("%s: %+v, %v", call.ToolCallID, whole, err)
			}
			if _, _, at, err := r.CallOf(t.Context(), k.Trace, "", call.ToolCallID, 1); err != nil || at == nil || at.StepIndex != stored.Steps[i].StepIndex {
				t.Errorf("%s: step %+v, %v", call.ToolCallID, at, err)
			}
		}
	}
	if calls < 7 {
		t.Errorf("%d calls", calls)
	}
}

func TestWhatAConversationWroteIsFollowed(t *testing.T) {
	t.Parallel()
	k, other, r := story(t)
	wrote, err := r.Written(other.Trace, func(int, string) bool { return true })
	if err != nil || len(wrote) == 0 {
		t.Fatal(wrote, err)
	}
	by, err := r.WrittenBy(t.Context(), wrote[0].Owner.ToolCall)
	if err == nil && wrote[0].Owner.ToolCall != "" && len(by) == 0 {
		t.Error("the call wrote nothing")
	}
	corrections, err := r.Corrections(t.Context(), other.Trace)
	if err != nil || len(corrections) != 1 || corrections[0].Path != "other.go" || corrections[0].Human != 1 {
		t.Errorf("%+v, %v", corrections, err)
	}
	outputs := 0
	k.Check(r.Outputs(func(o *view.Output) { outputs += o.Lines }))
	if outputs < 17 {
		t.Errorf("%d lines", outputs)
	}
	for _, e := range k.Log() {
		if e.Type != events.PatchRecorded {
			continue
		}
		if h, err := r.Hunk(events.DataOf[events.PatchData](e).Patch); err != nil || h == nil || h.Path == "" {
			t.Errorf("%+v, %v", h, err)
		}
	}
	lines, err := r.Lines()
	k.Check(err)
	held, err := lines.Anchors(k.Trace, func(*events.AnchorOwner) bool { return true })
	if err != nil || len(held) == 0 || view.SumLines(view.SumCommits(held)) < 12 {
		t.Errorf("%+v, %v", held, err)
	}
	reached, err := r.Reached(t.Context(), []refs.OID{k.Head(), k.OID("HEAD@{1}")})
	if err != nil || !reached[k.Head()] {
		t.Error(reached, err)
	}
	reviews, err := r.Reviews(t.Context(), []refs.OID{k.OID("HEAD~1"), k.Head()})
	if err != nil || len(reviews[k.OID("HEAD~1")]) != 1 {
		t.Errorf("%+v, %v", reviews, err)
	}
}

func TestCallsAreSearched(t *testing.T) {
	t.Parallel()
	k, _, r := story(t)
	for name, tt := range map[string]struct {
		query view.Query
		want  int
	}{
		"words":          {view.Query{Text: "retry limit", Count: true}, 1},
		"in prompts":     {view.Query{Text: "another file", In: search.Prompts}, 1},
		"no words":       {view.Query{Text: "never said at all"}, 0},
		"a tool":         {view.Query{Facets: view.Facets{Tool: "Edit"}}, 1},
		"a file":         {view.Query{Facets: view.Facets{File: "server.go", Survived: true}}, 1},
		"a failed test":  {view.Query{Facets: view.Facets{Failed: true, Test: true}}, 1},
		"a model":        {view.Query{Facets: view.Facets{Model: "claude-*", Tool: "Bash"}}, 2},
		"another model":  {view.Query{Facets: view.Facets{Model: "gpt-*"}}, 0},
		"words and tool": {view.Query{Text: "limit", Facets: view.Facets{Tool: "*"}}, 1},
		"an agent":       {view.Query{Text: "limit", Agents: []string{"pi"}}, 0},
		"later":          {view.Query{Facets: view.Facets{Tool: "*", Since: time.Now().Add(time.Hour)}}, 0},
	} {
		tt.query.Limit = 5
		found, err := r.Search(t.Context(), tt.query)
		if err != nil || found.Total != tt.want {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		for _, result := range found.Results {
			if result.Trace != k.Trace && name != "in prompts" && name != "a model" {
				t.Errorf("%s: %s", name, result.Trace)
			}
		}
	}
}

func TestMomentsHaveSnapshots(t *testing.T) {
	t.Parallel()
	k, _, r := story(t)
	var call string
	seen := map[string]bool{}
	for _, e := range k.Log() {
		if e.Trace == k.Trace && e.ToolCall != "" {
			call = e.ToolCall
		}
		for _, after := range []bool{false, true} {
			if m, err := r.Moment(t.Context(), view.Place{Event: &e}, after); err == nil && !m.Tree.IsZero() {
				seen[fmt.Sprint(m.Tree)] = true
			}
		}
	}
	for _, p := range []view.Place{{Trace: k.Trace, Prompt: 1}, {Trace: k.Trace, Prompt: 4}, {Trace: k.Trace, Step: 4}, {Call: call}} {
		for _, after := range []bool{false, true} {
			m, err := r.Moment(t.Context(), p, after)
			if err == nil {
				seen[fmt.Sprint(m.Tree)] = true
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("%d trees", len(seen))
	}
	if _, err := r.Moment(t.Context(), view.Place{Trace: k.Trace, Prompt: 99}, false); err == nil {
		t.Error("a prompt that is not there")
	}
	if seq, err := r.LastMoment(k.Repo.WorktreeName()); err != nil || seq == 0 {
		t.Error(seq, err)
	}
}

func TestCommitsAndTheWorkTreeAreRead(t *testing.T) {
	t.Parallel()
	k, _, r := story(t)
	left, err := view.PendingOf(t.Context(), k.Repo, r.Log())
	if f := left.Figures(); err != nil || f.Lines != 3 || f.Files != 2 || f.Conversations != 1 {
		t.Errorf("%+v, %v", left.Figures(), err)
	}
	list, err := history.List(t.Context(), k.Repo, "HEAD", "--")
	k.Check(err)
	ai := 0
	k.Check(r.Commits(list, func(c *history.Commit, data *events.CommitData) error {
		if len(view.LinesOf(c)) == 0 && data.Added > 0 {
			t.Errorf("%s has no lines", c.ID)
		}
		for i := range data.Owners {
			if data.Owners[i].Kind == events.OwnerAI {
				ai++
			}
		}
		return nil
	}))
	if ai < 3 {
		t.Errorf("%d owners are agents", ai)
	}
	objects := k.Repo.Objects()
	defer objects.Close()
	lines, err := view.Content(objects, k.Head())("other.go")
	if err != nil || len(lines) != 3 {
		t.Error(lines, err)
	}
	typed, err := view.TypedPrompts(k.Repo)
	if err != nil || typed.Count != 1 {
		t.Errorf("%+v, %v", typed, err)
	}
	if r.Untraced() || r.Inside(k.Repo.WorkTree+"/a/b") != "a/b" {
		t.Error(r.Inside(k.Repo.WorkTree + "/a/b"))
	}
	if changed, err := r.Log().Changed(); err != nil || !changed {
		t.Error(changed, err)
	}
	if follows, err := r.Tracker(); err != nil || follows.Close() != nil {
		t.Error(err)
	}
	if dir := view.FoundCache(k.Repo); dir == "" {
		t.Error("no cache")
	}
	k.Check(os.RemoveAll(view.FoundCache(k.Repo)))
	if !view.Within("a", "a/b") || view.Within("a", "ab") || !view.Within("", "x") {
		t.Error("paths are not within")
	}
}
