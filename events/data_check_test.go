package events

import (
	"encoding/json"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestDataMustHaveTheShapeOfItsType(t *testing.T) {
	t.Parallel()
	oid := refs.SHA1.EmptyTree()
	good := map[Type]any{
		LogStarted:        LogStartedData{Format: 1, Tool: "x", ObjectFormat: "sha1"},
		SessionStarted:    SessionData{Source: "startup", Head: oid},
		PromptSubmitted:   PromptData{Index: 1, Chars: 5, Kind: "user"},
		WindowOpened:      WindowData{Tool: "Edit", Class: "edit", Paths: []string{"a", `"\303"`}},
		SnapshotTaken:     SnapshotData{Role: "prompt", Scope: "full", Tree: oid},
		PatchRecorded:     PatchData{Path: "a", NewCount: 1, Lines: "AAAAAAAA", Kept: []KeptRun{{Start: 1, Count: 1}}},
		TurnEnded:         TurnData{Interval: 3},
		CaptureIncomplete: IncompleteData{Boundary: "prompt", Reason: "time_limit", Paths: []string{"a"}},
		CommitAnchored:    CommitData{Commit: oid, Owners: []AnchorOwner{{Kind: OwnerAI}}, Files: []AnchorFile{{Path: "a", Blob: oid, Runs: []AnchorRun{{Start: 1, Count: 2}}}}},
		CommitRewritten:   RewriteData{Kind: "amend", Pairs: []RewritePair{{Old: oid, New: oid}}},
	}
	for typ, data := range good {
		e := Event{V: 1, Type: typ, Data: mustEncode(t, data)}
		if err := e.CheckData(); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	bad := map[string]Event{
		"a number as text":          {Type: PromptSubmitted, Data: json.RawMessage(`{"index":"1"}`)},
		"a negative prompt":         {Type: PromptSubmitted, Data: json.RawMessage(`{"index":-1}`)},
		"a huge line number":        {Type: PatchRecorded, Data: json.RawMessage(`{"new_start":9007199254740991}`)},
		"fingerprints cut off":      {Type: PatchRecorded, Data: json.RawMessage(`{"lines":"AAAA"}`)},
		"a path that does not read": {Type: PatchRecorded, Data: json.RawMessage(`{"path":"\"\\9\""}`)},
		"a run of no lines":         {Type: PatchRecorded, Data: json.RawMessage(`{"kept":[{"count":0,"start":1}]}`)},
		"an id that is none":        {Type: SnapshotTaken, Data: json.RawMessage(`{"tree":"xyz"}`)},
		"an owner beyond the list":  {Type: CommitAnchored, Data: json.RawMessage(`{"files":[{"path":"a","runs":[{"count":1,"owner":1,"start":1}]}],"owners":[{"kind":"ai"}]}`)},
		"a negative owner":          {Type: CommitAnchored, Data: json.RawMessage(`{"files":[{"path":"a","runs":[{"count":1,"owner":-1,"start":1}]}],"owners":[{"kind":"ai"}]}`)},
		"paths that are no list":    {Type: WindowOpened, Data: json.RawMessage(`{"paths":"a"}`)},
	}
	for name, e := range bad {
		e.V = 1
		if err := e.CheckData(); err == nil {
			t.Errorf("%s passes", name)
		}
		e.V = 2
		if err := e.CheckData(); err != nil {
			t.Errorf("%s in an unknown version: %v", name, err)
		}
	}
}
