package purged_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/purged"
)

func TestAPathIsNamedAsAWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"secret/plan.txt": true, "/home/dev/r/secret/plan.txt": true, "cat 'secret/plan.txt';": true, "./secret/plan.txt": true,
		"secret/plan.txt~": true, "secret/plan.txts": false, "mysecret/plan.txt": false, "secret/plan": false,
		"secret/plan.txt/x": false, "mysecret/plan.txt, then secret/plan.txt": true, "": false,
		`"secret/plan.txt"`: true, "see secret/plan.txt.": true, "secret/plan.txt2": false, "secret/plan_txt": false,
	} {
		if got := purged.NamesPath(text, "secret/plan.txt"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What calls did with a path goes, in whatever order it is told, and nothing is taken out twice.
func TestWhatCallsDidWithAPathIsTakenOut(t *testing.T) {
	t.Parallel()
	var s purged.Set
	if _, err := s.AddPath("secret/plan.txt"); err != nil {
		t.Fatal(err)
	}
	content := func(text string) *string { return &text }
	step := func() *records.Step {
		return &records.Step{
			ToolCalls: []records.ToolCall{
				{ToolCallID: "in a member", Input: json.RawMessage(`{"file_path":"/r/secret\/plan.txt","content":"hush"}`)},
				{ToolCallID: "deep", Input: json.RawMessage(`{"edits":[{"to":"secret/plan.txt"}]}`)},
				{ToolCallID: "other", Input: json.RawMessage(`{"file_path":"/r/app.txt"}`)},
			},
			Observations: []records.Observation{
				{SourceCallID: "in a member", Content: content("hush")}, {SourceCallID: "other", Content: content("fine")},
				{SourceCallID: "other", Content: content("see secret/plan.txt: hush")}, {SourceCallID: "deep"},
			},
			Snippets: []records.Snippet{{FilePath: "secret/plan.txt"}, {FilePath: "app.txt"}},
		}
	}
	one, calls := step(), map[string]bool{}
	if n := s.CutStep(one, calls); n != 5 {
		t.Errorf("%d taken out, want 5", n)
	}
	if !calls["in a member"] || !calls["deep"] || calls["other"] {
		t.Errorf("calls are %v", calls)
	}
	raw, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"hush", "plan.txt"} {
		if purged.NamesPath(string(raw), gone) {
			t.Errorf("%q is left in %s", gone, raw)
		}
	}
	if len(one.Snippets) != 1 || *one.Observations[1].Content != "fine" {
		t.Errorf("what has nothing to do with it went too: %s", raw)
	}
	late := records.Observation{SourceCallID: "deep", Content: content("hush")}
	again := map[string]bool{}
	if n := s.CutStep(one, again); n != 0 || s.CutResult(&late, again) != 1 || *late.Content == "hush" {
		t.Errorf("%d taken out again; the result that came late is %q", n, *late.Content)
	}
	var none purged.Set
	if n := none.CutStep(step(), calls); n != 0 {
		t.Error("no rule took something out")
	}
	head := &records.Record{Attribution: &records.Attribution{Files: []records.AttributedFile{{Path: "secret/plan.txt"}, {Path: "b"}}}}
	head.Outcome.Patch = content("--- a/secret/plan.txt\n+hush\n")
	files := head.Attribution
	head.SetMeta(records.MetaHookAfter, map[string]any{"c1": records.HookSaw{Path: "secret/plan.txt"}, "c2": records.HookSaw{Path: "a"}})
	if n := s.CutHead(head); n != 3 || strings.Contains(string(head.Metadata[records.MetaHookAfter]), "c1") || len(head.Attribution.Files) != 1 || len(files.Files) != 2 || *head.Outcome.Patch == "hush" {
		t.Errorf("%d taken out of the head: %+v", n, head.Attribution)
	}
}
