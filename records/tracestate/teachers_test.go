package tracestate_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/tracestate"
)

// The most common answer of teachers that does something else than the student's makes a pair; other pairs count the
// teachers that chose the same.
func TestTeachersAgree(t *testing.T) {
	t.Parallel()
	_, schema := compile(t)
	const id = "s:step_2"
	calls := func(command string) string {
		return fmt.Sprintf(`[{"name":"Bash","input":{"command":%q}}]`, command)
	}
	line := func(teacher, action string) string {
		return fmt.Sprintf(`{"state_id":%q,"teacher_id":%q,"action":%s,"hint_text":"look"}`+"\n", id, teacher, action)
	}
	for name, test := range map[string]struct {
		answers, chosen, confidence string
		agreeing                    int
	}{
		"all agree, in other words":            {line("a", calls("go test ;")) + line("b", calls("go  test")), `go test ;`, "high", 2},
		"most agree":                           {line("a", `"no"`) + line("b", `"no"`) + line("c", calls("ls")), "no", "medium", 2},
		"one answered":                         {line("a", `"no"`), "no", "low", 1},
		"calls as a text":                      {line("a", strconv.Quote(calls("ls"))), "ls", "low", 1},
		"the later answer of a teacher counts": {line("a", `"yes"`) + line("a", `"no"`), "no", "low", 1},
		"two are equally good":                 {line("a", `"no"`) + line("b", `"yes"`), "", "", 0},
		"they do what the student did":         {line("a", calls(" true")) + line("b", calls("true;")) + line("c", `"no"`), "", "", 0},
		"of another state":                     {strings.ReplaceAll(line("a", `"no"`), id, "s:step_99"), "", "", 0},
	} {
		o := tracestate.Options{Teachers: &tracestate.Teachers{}}
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		if err := o.Teachers.Read(strings.NewReader(test.answers), func(s string) (string, error) { return s, nil }); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := tracestate.WritePairs(&out, conversation(2), o, tracestate.Told{}, &tracestate.Stats{}); err != nil {
			t.Fatal(err)
		}
		valid(t, name, schema, out.String())
		want := fmt.Sprintf(`"n_teachers_agreeing":%d,"source":"teachers","confidence":%q,"hint_text":"look"`, test.agreeing, test.confidence)
		if (test.chosen == "") != (out.Len() == 0) || test.chosen != "" && (!strings.Contains(out.String(), want) || !strings.Contains(out.String(), test.chosen)) {
			t.Errorf("%s: %s, want %q %s", name, out.String(), test.chosen, want)
		}
	}
	for _, bad := range []string{`{}`, `{"state_id":"s","teacher_id":"a","action":null}`, `{"state_id":"s","teacher_id":"a"}`,
		`{"state_id":"s","teacher_id":"a","action":" "}`, `{"state_id":1,"teacher_id":"a","action":"x"}`, `[]`} {
		err := (&tracestate.Teachers{}).Read(strings.NewReader("\n"+bad), func(s string) (string, error) { return s, nil })
		if err == nil || !strings.HasPrefix(err.Error(), "line 2, byte 1: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
