package steering_test

import (
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// Each test holds a fault that another reader of the same sessions has, and that this one must not have.

func workedDocument(t *testing.T) *treetrace.Document {
	t.Helper()
	return document(t, steering.Conversation{Record: parsed(t, "testdata/worked.jsonl")})
}

func memory(t *testing.T, d *treetrace.Document) string {
	t.Helper()
	text, err := treetrace.Memory(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFault01FailedAndDeclinedResultsAreFound(t *testing.T) {
	t.Parallel()
	by := workedDocument(t).Stats.RejectionsByKind
	if by[treetrace.ToolError] != 1 || by[treetrace.UserDeclinedTool] != 1 {
		t.Errorf("%v", by)
	}
}

func TestFault02ADeclinedCallIsNoActionThatRan(t *testing.T) {
	t.Parallel()
	d := workedDocument(t)
	if f := has(d, treetrace.SecurityRisk, ""); f != nil {
		t.Errorf("a call that never ran is a risk: %s", f.Evidence)
	}
	last := d.Nodes[0].Actions[2]
	if last.Ran == nil || *last.Ran || !strings.HasPrefix(*last.Command, "rm -rf") {
		t.Errorf("%+v", last)
	}
}

func TestFault03ALessonOfSecuritySpeaksOfWhatHappened(t *testing.T) {
	t.Parallel()
	d := newTalk("a").says("commit").runs("git commit --no-verify -m x").document(t)
	if len(d.Lessons) != 1 || !strings.Contains(d.Lessons[0].Text, "--no-verify") || strings.Contains(strings.ToLower(d.Lessons[0].Text), "secret") {
		t.Errorf("%+v", d.Lessons)
	}
}

func TestFault04WhatWasAbandonedIsNoInstruction(t *testing.T) {
	t.Parallel()
	for _, e := range workedDocument(t).EvalCandidates {
		if strings.Contains(e.Input, "TypeScript") {
			t.Errorf("%s asks for what the person left: %q", e.ID, e.Input)
		}
		if e.Type == "correction_adherence" && !strings.HasPrefix(e.ExpectedBehavior[0], "this is not done unless it is asked for") {
			t.Errorf("%+v", e)
		}
	}
}

func TestFault05FilesAreLookedForAtTheMomentOfTheCall(t *testing.T) {
	t.Parallel()
	if d := workedDocument(t); len(d.Hallucinations.List) != 0 || d.Hallucinations.Verified {
		t.Errorf("nothing was missing: %+v", d.Hallucinations)
	}
	alone := document(t, steering.Conversation{Record: newTalk("a").says("look").failing("cat src/rate.js", "Exit code 1\ncat: src/rate.js: No such file or directory").r})
	if len(alone.Hallucinations.List) != 1 || alone.Hallucinations.Verified || alone.Failures[len(alone.Failures)-1].Tier != treetrace.High {
		t.Errorf("without a snapshot the call alone says so: %+v", alone.Hallucinations)
	}
	missing := func(path string) *talk {
		return newTalk("a").says("look at the rates").call("Read", map[string]string{"file_path": path}, records.ErrorTool, "File does not exist.")
	}
	for name, test := range map[string]struct {
		talk  *talk
		there bool
		want  int
	}{
		"it was not there":                       {missing("src/rate.js"), false, 1},
		"it was there":                           {missing("src/rate.js"), true, 0},
		"the person named it":                    {newTalk("a").says("write src/rate.js").call("Read", map[string]string{"file_path": "src/rate.js"}, records.ErrorTool, "File does not exist."), false, 0},
		"the agent made it before, and lost it":  {newTalk("a").says("go").writes("x.js", 1).runs("mv x.js y.js").call("Read", map[string]string{"file_path": "x.js"}, records.ErrorTool, "File does not exist."), false, 0},
		"a command says so":                      {newTalk("a").says("look").failing("sed -n 1,9p src/rate.js", "Exit code 1\nsed: src/rate.js: No such file or directory"), false, 1},
		"below a directory":                      {newTalk("a").says("look").failing("cd src && cat rate.js", "Exit code 1\ncat: rate.js: No such file or directory"), false, 1},
		"a program says so":                      {newTalk("a").says("look").failing("python3 tool/gen.py", "Exit code 2\npython3: can't open file 'tool/gen.py': [Errno 2] No such file or directory"), false, 1},
		"a command that only looks":              {newTalk("a").says("look").failing("ls src/rate.js", "Exit code 1\nls: cannot access 'src/rate.js': No such file or directory"), false, 0},
		"another command was ready":              {newTalk("a").says("look").failing("cat src/rate.js || cat src/rates.js", "Exit code 1\ncat: src/rate.js: No such file or directory"), false, 0},
		"a program names what the agent did not": {newTalk("a").says("look").failing("make", "Exit code 1\ncat: src/rate.js: No such file or directory"), false, 0},
		"a name that projects have":              {newTalk("a").says("look").failing("cat CONTRIBUTING.md", "Exit code 1\ncat: CONTRIBUTING.md: No such file or directory"), false, 0},
		"outside of the repository":              {newTalk("a").says("look").failing("cat /etc/rate.js", "Exit code 1\ncat: /etc/rate.js: No such file or directory"), false, 0},
		"a result named it before":               {newTalk("a").says("look").call("Bash", map[string]string{"command": "ls src"}, "", "rate.js\nrates.js").failing("cat src/rate.js", "Exit code 1\ncat: src/rate.js: No such file or directory"), false, 0},
	} {
		known := &steering.Known{There: func(string, int, string) (bool, string) { return test.there, "tree" }}
		d := document(t, steering.Conversation{Record: test.talk.r, Known: known})
		if len(d.Hallucinations.List) != test.want || !d.Hallucinations.Verified && test.want > 0 {
			t.Errorf("%s: %+v", name, d.Hallucinations)
		}
	}
}

func TestFault06ACorrectionResolvesOnlyByEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range workedDocument(t).CorrectionChains {
		if c.ResolvedNodeID != nil && (*c.ResolvedNodeID == c.CorrectionNodeID && c.ResolvedBy != treetrace.ByEvidence) {
			t.Errorf("%+v", c)
		}
	}
	d := newTalk("a").says("fix it").failing("go test", "boom").declined("rm -rf .").says("no, mend a.go").writes("a.go", 1).runs("go test").document(t)
	if len(d.CorrectionChains) != 1 || d.CorrectionChains[0].ResolvedNodeID == nil || *d.CorrectionChains[0].ResolvedNodeID != "node_002" {
		t.Errorf("the command ran well after the correction: %+v", d.CorrectionChains)
	}
}

func TestFault07ALessonSaysWhatToDo(t *testing.T) {
	t.Parallel()
	text := memory(t, workedDocument(t))
	if !strings.Contains(text, "Keep to “no web app”") || strings.Contains(text, "user_interrupt (text)") {
		t.Error(text)
	}
}

func TestFault08ACheckpointMayBePolite(t *testing.T) {
	t.Parallel()
	d := workedDocument(t)
	if d.Nodes[3].Kind != treetrace.Checkpoint || strings.Contains(memory(t, d), "Continue: Looks good") {
		t.Errorf("%s\n%s", d.Nodes[3].Kind, memory(t, d))
	}
}

func TestFault09AConstraintSaidTwiceIsOne(t *testing.T) {
	t.Parallel()
	if list := workedDocument(t).Brief.Constraints; len(list) != 1 || list[0] != "No web app" {
		t.Errorf("%q", list)
	}
}

func TestFault10PathsAreThoseOfTheRepository(t *testing.T) {
	t.Parallel()
	d := workedDocument(t)
	if file := d.Nodes[0].Actions[0].File; file == nil || *file != "src/server.js" {
		t.Errorf("%v", file)
	}
}

func TestFault11TokensOfTheCacheCount(t *testing.T) {
	t.Parallel()
	if s := workedDocument(t).Stats; s.InputTokens != 1125 || s.CacheReadTokens != 900 || s.OutputTokens != 140 {
		t.Errorf("%+v", s)
	}
}

func TestFault12SubagentsCount(t *testing.T) {
	t.Parallel()
	k := newTalk("a").says("look").runs("start").failing("make", "no rule")
	k.r.Steps[2].CallType, k.r.Steps[2].ParentStep = new(records.CallSubagent), new(2)
	if d := k.document(t); d.Stats.ToolUses != 2 || has(d, treetrace.ToolFailed, "node_001") == nil {
		t.Errorf("%+v", d.Stats)
	}
}

func TestFault13AnAnswerInSeveralLinesIsOne(t *testing.T) {
	t.Parallel()
	d := newTalk("a").says("do it").answers("I can't help with that request.").document(t)
	if d.Stats.RejectionsByKind[treetrace.ModelRefusal] != 1 {
		t.Errorf("%v", d.Stats.RejectionsByKind)
	}
	d = newTalk("a").says("do it").answers("I can't help with that request.").runs("ls").document(t)
	if d.Stats.Rejections != 0 {
		t.Errorf("an answer whose turn has a call refused nothing: %v", d.Stats.RejectionsByKind)
	}
}

func TestAnInterruptionHasItsTime(t *testing.T) {
	t.Parallel()
	k := newTalk("a").says("do it").answers("I am at it").says("no, stop")
	k.r.SetMeta("interruptions", []map[string]any{{"after_step": 2, "timestamp": "2026-05-16T04:00:02.500Z"}})
	r := k.document(t).Nodes[0].Rejections
	if len(r) != 1 || r[0].Kind != treetrace.UserInterrupt || r[0].TS == nil || *r[0].TS != "2026-05-16T04:00:02.500Z" {
		t.Errorf("%+v", r)
	}
}

func TestFault14EvidenceNeedsNoEnglish(t *testing.T) {
	t.Parallel()
	d := newTalk("a").says("作って").writes("a.go", 8).says("違う").runs("rm a.go").document(t)
	if d.Nodes[1].Kind != treetrace.Correction || d.Nodes[1].KindBy != treetrace.ByEvidence {
		t.Errorf("%s by %s", d.Nodes[1].Kind, d.Nodes[1].KindBy)
	}
}

func TestFault15TimeIsLinear(t *testing.T) {
	t.Parallel()
	talkOf := func(rounds int) *talk {
		k := newTalk("a")
		for range rounds {
			k.says("no, that is wrong, you forgot a.go").writes("a.go", 2).says("still failing, you forgot b.go").writes("b.go", 2)
		}
		return k
	}
	// As much at once as in ten parts, in turn: whatever else the machine does lengthens both.
	short, long, parts, whole := talkOf(200), talkOf(2000), time.Hour, time.Hour
	for range 3 {
		start := time.Now()
		for range 10 {
			short.document(t)
		}
		parts = min(parts, time.Since(start))
		start = time.Now()
		long.document(t)
		whole = min(whole, time.Since(start))
	}
	if whole > 4*parts {
		t.Errorf("2000 rounds take %v, ten times 200 take %v", whole, parts)
	}
}

func TestFault16AFailureIsToldTheSameEverywhere(t *testing.T) {
	t.Parallel()
	d := workedDocument(t)
	for i := range d.Failures {
		f, found := &d.Failures[i], false
		for _, n := range d.Nodes {
			for _, s := range n.FailureSignals {
				found = found || n.ID == f.FirstSeenNodeID && s.Type == f.Type && s.Confidence == f.Confidence && s.Tier == f.Tier
			}
		}
		if !found {
			t.Errorf("%s at %s is not what its node says", f.Type, f.FirstSeenNodeID)
		}
	}
	for _, n := range d.Nodes {
		for _, r := range n.Rejections {
			if r.ToolUseID != nil && r.Tool == nil {
				t.Errorf("%s: %s names no tool", n.ID, r.Kind)
			}
		}
	}
	if d.Sessions[0].ID != "5a5a0000-0000-4000-8000-000000000001" || treetrace.HallucinatedPath != "hallucinated_file_or_path" {
		t.Errorf("%q", d.Sessions[0].ID)
	}
}

func TestFault17PraiseInTheMiddleAcceptsNothing(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{"perfect, that is it": true, "not exactly": false, "it would be nice if it were blue": false} {
		d := newTalk("a").says("go").writes("a.js", 8).says("No, that is wrong").call("Write", map[string]string{"file_path": "a.js", "content": "other\nlines\n"}, "", "").says(prompt).document(t)
		if got := len(d.CorrectionChains) == 1 && d.CorrectionChains[0].ResolvedNodeID != nil; got != want {
			t.Errorf("%q: %v, %+v", prompt, got, d.CorrectionChains)
		}
	}
}

func TestFault18EqualTimesKeepTheOrderOfSteps(t *testing.T) {
	t.Parallel()
	k := newTalk("a").says("one").writes("a.go", 8).says("no, wrong").runs("rm a.go").says("three, please")
	for i := range k.r.Steps {
		k.r.Steps[i].Timestamp = new("2026-05-16T04:00:00Z")
	}
	d := k.document(t)
	for _, c := range d.CorrectionChains {
		if c.CorrectionNodeID <= c.FailureNodeID || c.ResolvedNodeID != nil && *c.ResolvedNodeID < c.CorrectionNodeID {
			t.Errorf("%+v", c)
		}
	}
	if len(d.CorrectionChains) == 0 {
		t.Error("there is no chain to judge")
	}
}

func TestFault19TheNewestPromptIsNotAbandoned(t *testing.T) {
	t.Parallel()
	d := document(t, steering.Conversation{Record: parsed(t, "testdata/stale-leaf.jsonl")})
	for _, n := range d.Nodes {
		if n.Status == treetrace.Abandoned {
			t.Errorf("%s %q is abandoned", n.ID, n.Text)
		}
	}
	if len(d.Nodes) != 3 {
		t.Errorf("%d nodes", len(d.Nodes))
	}
}

func TestFault20EveryFailedResultOfAFileIsFound(t *testing.T) {
	t.Parallel()
	d := document(t, steering.Conversation{Record: parsed(t, "testdata/stale-leaf.jsonl")})
	if got := d.Stats.RejectionsByKind[treetrace.ToolError]; got != 2 {
		t.Errorf("%d failed results, want 2: %v", got, d.Stats.RejectionsByKind)
	}
}
