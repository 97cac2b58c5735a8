package compare_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
)

// talk makes a conversation of lines: "> TEXT" asks; "TOOL JSON" calls, with a "!" before it for a call that failed;
// "/NAME SOURCE" uses a skill.
func talk(t *testing.T, lines string) *records.Record {
	t.Helper()
	r := &records.Record{}
	var skills []any
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		step := records.Step{StepIndex: len(r.Steps) + 1}
		if text, asks := strings.CutPrefix(line, "> "); asks {
			step.Role, step.Content = records.RoleUser, new(text)
		} else if name, skill := strings.CutPrefix(line, "/"); skill {
			name, source, _ := strings.Cut(name, " ")
			skills = append(skills, map[string]any{"name": name, "source": source, "step": len(r.Steps)})
			continue
		} else {
			line, failed := strings.CutPrefix(line, "!")
			tool, input, _ := strings.Cut(line, " ")
			id := fmt.Sprintf("t%d", len(r.Steps))
			step.Role = records.RoleAgent
			step.ToolCalls = []records.ToolCall{{ToolCallID: id, ToolName: tool, Input: json.RawMessage(input)}}
			seen := records.Observation{SourceCallID: id}
			if failed {
				seen.Error = new(records.ErrorTool)
			}
			step.Observations = []records.Observation{seen}
		}
		r.Steps = append(r.Steps, step)
	}
	r.SetMeta("skill_invocations", skills)
	return r
}

func TestTheSameInOtherWordsIsEqualAndDriftsAreNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b, drifts string
		score        float64
	}{
		"nothing": {"> hi", "> hello", "", 1},
		"blanks and a semicolon of a command": {
			`> x
			Bash {"command":"go  test ./... ;"}`, `> x
			shell {"command":["bash","-lc","go test ./..."]}`, "", 1,
		},
		"another command": {
			`> x
			Bash {"command":"go test"}`, `> x
			Bash {"command":"go vet"}`, "other_input", 0,
		},
		"an edit with other lines around it, by another tool, below another directory": {
			`> x
			Read {"file_path":"/home/a/r/s/m.go"}
			Edit {"file_path":"/home/a/r/m.go","old_string":"a\nb\nc\n","new_string":"a\nB\nc\n"}`, `> x
			read_file {"path":"/w/r/s/m.go"}
			str_replace {"path":"/w/r/m.go","old_str":"b\nc\n","new_str":"B\nc\n"}`, "", 1,
		},
		"a path with and without its directory, in a command too": {
			`> x
			Read {"file_path":"/home/a/r/m.go"}
			Bash {"command":"cat /home/a/r/m.go"}`, `> x
			Read {"file_path":"m.go","offset":0}
			Bash {"command":"cat m.go"}`, "", 1,
		},
		"another part of a file": {
			`> x
			Read {"file_path":"m.go"}`, `> x
			Read {"file_path":"m.go","offset":30}`, "other_input", 0,
		},
		"an edit is missing": {
			`> x
			Write {"file_path":"a","content":"1\n"}
			Write {"file_path":"b","content":"2\n"}`, `> x
			Write {"file_path":"a","content":"1\n"}`, "missing other_files", 1.0 / 3,
		},
		"the same lines in two edits": {
			`> x
			Edit {"file_path":"a","old_string":"1\n2\n","new_string":"3\n4\n"}`, `> x
			Edit {"file_path":"a","old_string":"1\n","new_string":"3\n"}
			Edit {"file_path":"a","old_string":"2\n","new_string":"4\n"}`, "other_input extra", 0.5,
		},
		"an edit that failed leaves nothing": {
			`> x
			!Edit {"file_path":"a","old_string":"1\n","new_string":"2\n"}`, `> x
			!Edit {"file_path":"a","old_string":"1\n","new_string":"2\n"}`, "", 1,
		},
		"one more": {
			`> x
			Glob {"pattern":"*.go"}`, `> x
			Glob {"pattern":"*.go"}
			Grep {"pattern":"x"}`, "extra", 1,
		},
		"another tool": {
			`> x
			Read {"file_path":"a"}`, `> x
			Bash {"command":"cat a"}`, "other_tool", 0,
		},
		"another order": {
			`> x
			Bash {"command":"one"}
			Bash {"command":"two"}
			Bash {"command":"three"}`, `> x
			Bash {"command":"three"}
			Bash {"command":"one"}
			Bash {"command":"two"}`, "other_order", 2.0 / 3,
		},
		"another order, over prompts": {
			`> x
			Bash {"command":"one"}
			> y`, `> x
			> y
			Bash {"command":"one"}`, "other_order", 0,
		},
		"a skill that somebody else chose": {
			`> x
			/review person`, `> x
			/review model`, "other_input", 0,
		},
		"a call in the place of a skill": {
			`> x
			/review person`, `> x
			Bash {"command":"review"}`, "other_kind", 0,
		},
		"tools that nobody knows": {
			`> x
			mcp {"b":1,"a":[2]}
			mcp {"c":1}`, `> x
			mcp {"a":[2],"b":1}
			mcp {"c":2}`, "other_input", 0.5,
		},
	} {
		result := compare.Of(talk(t, test.a), talk(t, test.b))
		var kinds []string
		for _, d := range result.Drifts {
			kinds = append(kinds, string(d.Kind))
		}
		if got := strings.Join(kinds, " "); got != test.drifts {
			if a, b := strings.Fields(got), strings.Fields(test.drifts); len(a) != len(b) || !sameWords(a, b) {
				t.Errorf("%s: drifts %q, want %q", name, got, test.drifts)
			}
		}
		if diff := result.Score - test.score; diff > 0.001 || diff < -0.001 {
			t.Errorf("%s: score %.3f, want %.3f", name, result.Score, test.score)
		}
		if result.Drifts == nil {
			t.Errorf("%s: the drifts are null in JSON", name)
		}
		if same := compare.Of(talk(t, test.a), talk(t, test.a)); len(same.Drifts) > 0 || same.Score != 1 {
			t.Errorf("%s: it is not equal to itself: %v", name, same.Drifts)
		}
	}
}

func sameWords(a, b []string) bool {
	count := map[string]int{}
	for i := range a {
		count[a[i]]++
		count[b[i]]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestFiguresOfBothStandBesideEachOther(t *testing.T) {
	t.Parallel()
	r := compare.Of(talk(t, `> x
		!Bash {"command":"false"}
		Write {"file_path":"a","content":"1\n"}
		> y`), talk(t, "> z"))
	if r.A.Prompts != 2 || r.A.Calls != 2 || r.A.Failed != 1 || r.A.Files != 1 || r.A.Answers != 2 || r.B.Prompts != 1 ||
		r.B.Calls != 0 || len(r.Files) != 1 || r.Files[0] != "a" {
		t.Errorf("%+v", r)
	}
}

// Conversations too long for a table are compared by the next equal action.
func TestLongConversationsAreCompared(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	a.WriteString("> x\n")
	b.WriteString("> x\n")
	for i := range 5000 {
		fmt.Fprintf(&a, "Bash {\"command\":\"run %d\"}\n", i)
		if i%100 != 7 {
			fmt.Fprintf(&b, "Bash {\"command\":\"run %d\"}\n", i)
		}
	}
	r := compare.Of(talk(t, a.String()), talk(t, b.String()))
	if r.Equal != 4950 || len(r.Drifts) != 50 || r.Drifts[0].Kind != compare.Missing {
		t.Errorf("%d equal, %d drifts", r.Equal, len(r.Drifts))
	}
}
