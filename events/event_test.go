package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"
)

func fullDraft() Draft {
	return Draft{
		Time: testTime, Type: WindowOpened, Trace: NewTraceID("codex-cli", "s2"), Agent: "codex-cli", Session: "s2", Subagent: "a1", Step: 4,
		ToolCall: "call_1", Worktree: "wt", Method: []Method{HookToolBefore, Watcher}, Limits: []Limit{LimitIDMissing},
		Data: json.RawMessage(`{"tool":"Bash","class":"run","interval":3}`),
	}
}

func TestSealedEventReadsBack(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]Draft{"every member": fullDraft(), "few members": promptDraft(1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := d.normal()
			if err != nil {
				t.Fatal(err)
			}
			e, err := seal(d, place{seq: 9, prev: longestID, writer: "0123456789abcdef"})
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeLine(e.Raw())
			if err != nil {
				t.Fatal(err)
			}
			if err := got.CheckID(); err != nil {
				t.Error(err)
			}
			if got.ID != e.ID || got.Seq != 9 || got.Prev != longestID || got.Writer != "0123456789abcdef" || !got.Known() {
				t.Errorf("read back as %+v", got)
			}
			a, _ := json.Marshal(got.Draft())
			b, _ := json.Marshal(d)
			if !bytes.Equal(a, b) {
				t.Errorf("draft reads back as\n%s\nwas\n%s", a, b)
			}
		})
	}
}

func TestIDIsTheHashOfTheLineWithoutIt(t *testing.T) {
	t.Parallel()
	d, _ := fullDraft().normal()
	e, err := seal(d, place{seq: 1, writer: "0123456789abcdef"})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(e.Raw()))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		t.Fatal(err)
	}
	delete(members, "id")
	text, err := json.Marshal(members) // sorts the names; nothing here needs another escape
	if err != nil {
		t.Fatal(err)
	}
	sum := blake3.Sum256(text)
	if want := ID("b3:" + hexOf(sum[:])); e.ID != want {
		t.Errorf("id %s, want %s", e.ID, want)
	}
	if members["prev"] != "" {
		t.Error("the first event has no empty prev")
	}
}

func hexOf(b []byte) string {
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(out)
}

func TestDecodeKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	d, _ := promptDraft(0).normal()
	e, _ := seal(d, place{seq: 1, writer: "0123456789abcdef"})
	line := strings.NewReplacer(`"type":"prompt_submitted"`, `"type":"future","unit":["x",{"y":1}]`, `"v":1`, `"v":2`, `["hook_prompt"]`, `["telepathy"]`).
		Replace(string(e.Raw()))
	got, err := DecodeLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if got.Type != "future" || got.Known() || string(got.Raw()) != line || !slices.Equal(got.Method, []Method{"telepathy"}) {
		t.Errorf("read as %+v", got)
	}
	if err := got.CheckID(); err == nil {
		t.Error("a changed line has its old id")
	}
}

func TestDecodeRefusesOtherShapes(t *testing.T) {
	t.Parallel()
	d, _ := fullDraft().normal()
	e, _ := seal(d, place{seq: 1, prev: longestID, writer: "0123456789abcdef"})
	good := string(e.Raw())
	tests := map[string][2]string{
		"no data":                        {`"data":{"class":"run","interval":3,"tool":"Bash"},`, ``},
		"data that is no object":         {`{"class":"run","interval":3,"tool":"Bash"}`, `"x"`},
		"no writer":                      {`,"writer":"0123456789abcdef"`, ``},
		"a writer that is no id":         {`"0123456789abcdef"`, `"0123456789abcdeg"`},
		"no method":                      {`"method":["hook_tool_before","watcher"],`, ``},
		"an empty list of methods":       {`["hook_tool_before","watcher"]`, `[]`},
		"a method that is no string":     {`["hook_tool_before","watcher"]`, `[1]`},
		"number 0":                       {`"seq":1`, `"seq":0`},
		"a negative number":              {`"seq":1`, `"seq":-1`},
		"a number as text":               {`"seq":1`, `"seq":"1"`},
		"an id that is too short":        {string(e.ID), string(e.ID[:60])},
		"an id of another hash":          {string(e.ID), "s2:" + string(e.ID[3:])},
		"an id in capitals":              {string(e.ID), "b3:" + strings.Repeat("A", 64)},
		"a prev that is no id":           {string(longestID), "x"},
		"a time with fewer digits":       {`.123456789Z`, `.123Z`},
		"a time in another zone":         {`.123456789Z`, `.123456789+00:00`},
		"a time that does not exist":     {`2026-11-20T`, `2026-02-30T`},
		"an empty member":                {`"agent":"codex-cli"`, `"agent":""`},
		"step 0":                         {`"step":4`, `"step":0`},
		"a step beyond the format":       {`"step":4`, `"step":9007199254740992`},
		"space between members":          {`,"step"`, `, "step"`},
		"members out of order":           {`"step":4,"subagent":"a1"`, `"subagent":"a1","step":4`},
		"a member twice":                 {`"step":4`, `"step":4,"step":4`},
		"a bool in an unknown member":    {`"type":"window_opened"`, `"type":"window_opened","u":true`},
		"a float in the data":            {`"interval":3`, `"interval":3.5`},
		"text behind the event":          {`"writer":"0123456789abcdef"}`, `"writer":"0123456789abcdef"}}`},
		"an event that is cut off":       {`,"writer":"0123456789abcdef"}`, ``},
		"an escape that is not needed":   {`"session":"s2"`, `"session":"\u00732"`},
		"a session longer than a field":  {`"session":"s2"`, `"session":"` + strings.Repeat("s", MaxField+1) + `"`},
		"a doubled id in another member": {`"id":`, `"id":"x","id":`},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := strings.Replace(good, change[0], change[1], 1)
			if line == good {
				t.Fatal("the test changes nothing")
			}
			if got, err := DecodeLine([]byte(line)); err == nil {
				t.Errorf("accepted as %+v", got)
			}
		})
	}
	for _, line := range []string{"", "{}", "[]", "null", "{", strings.Repeat(" ", MaxEvent+1)} {
		if _, err := DecodeLine([]byte(line)); err == nil {
			t.Errorf("%.20q accepted", line)
		}
	}
}

func TestDraftsOutsideTheClosedListsAreRefused(t *testing.T) {
	t.Parallel()
	change := map[string]func(*Draft){
		"unknown type":       func(d *Draft) { d.Type = "surprise" },
		"no type":            func(d *Draft) { d.Type = "" },
		"no method":          func(d *Draft) { d.Method = nil },
		"unknown method":     func(d *Draft) { d.Method = []Method{"telepathy"} },
		"unknown limitation": func(d *Draft) { d.Limits = []Limit{"lazy"} },
		"negative step":      func(d *Draft) { d.Step = -1 },
		"data is a list":     func(d *Draft) { d.Data = json.RawMessage(`[]`) },
		"data with a float":  func(d *Draft) { d.Data = json.RawMessage(`{"a":0.5}`) },
		"data is not JSON":   func(d *Draft) { d.Data = json.RawMessage(`{`) },
		"year 10000":         func(d *Draft) { d.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a long session":     func(d *Draft) { d.Session = strings.Repeat("s", MaxField+1) },
		"not UTF-8":          func(d *Draft) { d.ToolCall = "\xff" },
	}
	for name, spoil := range change {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fullDraft()
			spoil(&d)
			if _, err := prepare([]Draft{d}, testTime); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestWorkTreeNamedInAnyBytes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"feature": "feature", "caf\xe9": `"caf\351"`, `"caf\351"`: `"caf\351"`} {
		d := promptDraft(0)
		d.Worktree = name
		ready, err := prepare([]Draft{d}, testTime)
		if err != nil || ready[0].Worktree != want {
			t.Errorf("%q is stored as %q, %v", name, ready[0].Worktree, err)
		}
	}
}

func TestFitCutsListsAndSaysSo(t *testing.T) {
	t.Parallel()
	lines := make([]Fingerprint, 20_000)
	for i := range lines {
		lines[i] = FingerprintOf([]byte{byte(i), byte(i >> 8), 'x'})
	}
	paths := make([]string, 9_000)
	for i := range paths {
		paths[i] = "some/directory/file" + string(rune('a'+i%26))
	}
	tests := map[string]struct {
		typ  Type
		data any
		look func(t *testing.T, d Draft)
	}{
		"fingerprints": {PatchRecorded, PatchData{Path: "a", NewCount: len(lines), Owner: OwnerAI, Lines: EncodeFingerprints(lines)}, func(t *testing.T, d Draft) {
			var p PatchData
			if err := json.Unmarshal(d.Data, &p); err != nil {
				t.Fatal(err)
			}
			kept, err := DecodeFingerprints(p.Lines)
			if err != nil || len(kept) != MaxField/FingerprintChars || kept[77] != lines[77] || p.NewCount != len(lines) {
				t.Errorf("%d lines kept of %d, %v", len(kept), p.NewCount, err)
			}
		}},
		"paths": {WindowOpened, WindowData{Tool: "x", Class: "edit", Paths: paths}, func(t *testing.T, d Draft) {
			var w WindowData
			if err := json.Unmarshal(d.Data, &w); err != nil {
				t.Fatal(err)
			}
			if n := len(w.Paths); n == 0 || n == len(paths) || w.Paths[n-1] != paths[n-1] {
				t.Errorf("%d paths kept", n)
			}
		}},
		"what still runs": {TurnEnded, TurnData{Running: paths}, func(t *testing.T, d Draft) {
			if n := len(DataOf[TurnData](Event{Data: d.Data}).Running); n == 0 || n == len(paths) {
				t.Errorf("%d kept", n)
			}
		}},
		"what was not looked at": {CaptureIncomplete, IncompleteData{Paths: paths}, func(t *testing.T, d Draft) {
			if n := len(DataOf[IncompleteData](Event{Data: d.Data}).Paths); n == 0 || n == len(paths) {
				t.Errorf("%d kept", n)
			}
		}},
		"what was left out": {SnapshotTaken, SnapshotData{Skipped: paths}, func(t *testing.T, d Draft) {
			if n := len(DataOf[SnapshotData](Event{Data: d.Data}).Skipped); n == 0 || n == len(paths) {
				t.Errorf("%d kept", n)
			}
		}},
		"candidates": {PatchRecorded, PatchData{Path: "a", Candidates: make([]CandidateData, 5000)}, func(t *testing.T, d Draft) {
			if len(d.Data) > MaxField+1024 {
				t.Errorf("%d bytes left", len(d.Data))
			}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := Encode(test.data)
			if err != nil {
				t.Fatal(err)
			}
			d := Draft{Time: testTime, Type: test.typ, Method: []Method{HookToolAfter}, Data: data}
			ready, err := prepare([]Draft{d}, testTime)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ready[0].Limits, []Limit{LimitFieldCut}) {
				t.Errorf("limitations %v", ready[0].Limits)
			}
			test.look(t, ready[0])
		})
	}
}

func TestFitRefusesWhatMustNotBeCut(t *testing.T) {
	t.Parallel()
	runs := make([]AnchorRun, 40_000)
	for _, d := range []Draft{
		{Type: CommitAnchored, Data: mustEncode(t, CommitData{Files: []AnchorFile{{Path: "a", Runs: runs}}})},
		{Type: PatchRecorded, Data: mustEncode(t, PatchData{Path: strings.Repeat("p", MaxField+1)})},
		{Type: CommitRewritten, Data: mustEncode(t, RewriteData{Pairs: make([]RewritePair, 100_000)})},
	} {
		d.Time, d.Method = testTime, []Method{PostCommit}
		if _, err := prepare([]Draft{d}, testTime); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v", d.Type, err)
		}
	}
	many := Draft{Type: CommitAnchored, Time: testTime, Method: []Method{PostCommit}, Data: mustEncode(t, CommitData{Files: []AnchorFile{{Path: "a", Runs: runs[:5000]}}})}
	if ready, err := prepare([]Draft{many}, testTime); err != nil || len(ready[0].Limits) != 0 {
		t.Errorf("a long anchor that fits an event: %v", err)
	}
}

func mustEncode(t testing.TB, data any) json.RawMessage {
	t.Helper()
	raw, err := Encode(data)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// FuzzDecodeLine holds that whatever is accepted is canonical, keeps its bytes, and can be hashed.
func FuzzDecodeLine(f *testing.F) {
	for _, d := range []Draft{fullDraft(), promptDraft(0)} {
		d, _ := d.normal()
		e, _ := seal(d, place{seq: 1, prev: longestID, writer: "0123456789abcdef"})
		f.Add(e.Raw())
		f.Add(bytes.Replace(e.Raw(), []byte(`"v":1`), []byte(`"u":[],"v":3`), 1))
	}
	f.Add([]byte(`{"data":{},"id":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := DecodeLine(line)
		if err != nil {
			return
		}
		if err := checkCanonical(line, MaxDepth); err != nil {
			t.Fatalf("accepted although %v", err)
		}
		head, tail, err := splitID(line)
		if err != nil {
			t.Fatal(err)
		}
		if whole := string(head) + `"id":"` + string(e.ID) + `",` + string(tail); whole != string(line) {
			t.Fatalf("cut as %s", whole)
		}
		if err := checkCanonical(append(bytes.Clone(head), tail...), MaxDepth); err != nil {
			t.Fatalf("without the id: %v", err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	data := PatchData{Patch: "0123456789abcdef0123456789abcdef", Interval: 7, Path: "cmd/main.go", NewStart: 10, NewCount: 12, Owner: OwnerAI, Lines: strings.Repeat("AAAAAAAA", 12)}
	for b.Loop() {
		raw, err := Encode(data)
		if err != nil {
			b.Fatal(err)
		}
		d, err := Draft{Time: testTime, Type: PatchRecorded, Method: []Method{HookToolAfter}, Data: raw}.normal()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := seal(d, place{seq: 1, writer: longestWriter}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeLine(b *testing.B) {
	d, _ := fullDraft().normal()
	e, _ := seal(d, place{seq: 1, prev: longestID, writer: "0123456789abcdef"})
	for b.Loop() {
		if _, err := DecodeLine(e.Raw()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadChecked(b *testing.B) {
	data := PatchData{Patch: "0123456789abcdef0123456789abcdef", Interval: 7, Path: "cmd/main.go", NewStart: 10, NewCount: 12, Owner: OwnerAI, Lines: strings.Repeat("AAAAAAAA", 12)}
	d := fullDraft()
	d.Type, d.Data = PatchRecorded, mustEncode(b, data)
	d, _ = d.normal()
	e, _ := seal(d, place{seq: 1, prev: longestID, writer: "0123456789abcdef"})
	b.SetBytes(int64(len(e.Raw())))
	for b.Loop() {
		if _, hash, err := readChecked(e.Raw()); err != nil || hash != e.ID {
			b.Fatal(err)
		}
	}
}
