package redact

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

// said is a step in which an agent says something, and calls a tool that says it too.
func said(index int, text string) *records.Step {
	step := conversation(text).Steps[0]
	step.StepIndex = index
	step.ReasoningContent, step.Snippets, step.Observations = nil, nil, nil
	return &step
}

// late is the result of the call of a step that came later.
func late(text string) records.Observation {
	return records.Observation{SourceCallID: "toolu_0", Content: &text}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finished is the record that a sink makes of a head.
func finished(t *testing.T, s *Sink, head *records.Record) *records.Record {
	t.Helper()
	out, err := s.Finish(head)
	must(t, err)
	if s.Close() != nil {
		t.Error("a sink that made its record is closed in vain")
	}
	got, err := records.Decode([]byte(encode(t, out)))
	must(t, err)
	return got
}

func TestRedactionsAreCountedForEachStep(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Finder: fixed{}, Names: []string{"alice"}})
	for name, test := range map[string]struct {
		steps func(s *Sink) error
		want  []int
	}{
		"none":         {func(*Sink) error { return nil }, nil},
		"two":          {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Step(said(2, "all of it"))) }, []int{2, 0}},
		"a step again": {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Step(said(1, "nobody"))) }, []int{0}},
		"a step of before": {func(s *Sink) error {
			return first(s.Step(said(1, "a b")), s.Step(said(2, "c d")), s.Step(said(1, "alice")))
		}, []int{2}},
		"a result": {func(s *Sink) error {
			return first(s.Step(said(1, "alice")), s.Step(said(2, "c d")), s.Late(2, late("alice")))
		}, []int{2, 1}},
		"a result of the first": {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Late(1, late("alice and alice"))) }, []int{4}},
		"a result of no step": {func(s *Sink) error {
			return first(s.Step(said(1, "alice")), s.Late(0, late("alice")), s.Late(2, late("alice")))
		}, []int{2}},
		"of the store":       {func(s *Sink) error { return first(s.Redacted([]byte(`{"step_index":1}`), 7), s.Step(said(2, "alice"))) }, []int{7, 2}},
		"cut":                {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Step(said(2, "alice")), s.Truncate(1)) }, []int{2}},
		"cut behind the end": {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Truncate(5)) }, []int{2}},
		"cut before all":     {func(s *Sink) error { return first(s.Step(said(1, "alice")), s.Truncate(-1)) }, []int{}},
	} {
		s := r.Sink(t.Context(), "")
		must(t, test.steps(s))
		if got := s.Counts(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		head := conversation()
		head.Security.RedactionsApplied = 10
		about := "about alice"
		head.Task.Description = &about
		want := 11
		for _, n := range test.want {
			want += n
		}
		got := finished(t, s, head)
		if got.Security.RedactionsApplied != want || len(got.Steps) != len(test.want) || !got.Security.Scanned {
			t.Errorf("%s: %+v and %d steps, want %d", name, got.Security, len(got.Steps), want)
		}
		if *got.Task.Description != "about user" || *head.Task.Description != "about alice" {
			t.Errorf("%s: the head says %s", name, *got.Task.Description)
		}
	}
}

// first is the first error of several steps.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestASecretIsTakenOutOfWhatCameBefore(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Finder: fixed{}})
	r.seen["of another conversation"] = "x"
	s := r.Sink(t.Context(), "")
	must(t, s.Redacted([]byte(`{"step_index": 1, "content": "nothing of it"}`), 0)) // is not written anew
	must(t, s.Step(said(2, "pug-and-more, pug-and-more-of-it")))
	if s.Secrets() {
		t.Error("secrets of another conversation are looked for")
	}
	r.seen["pug-and-more"], r.seen["pug-and-more-of-it"] = "short", "long"
	if !s.Secrets() {
		t.Error("no secrets are looked for")
	}
	must(t, s.Late(2, late("pug-and-more")))
	head := conversation()
	about := `say "pug-and-more"`
	head.Task.Description = &about
	got := finished(t, s, head)
	if text := *got.Steps[1].Content; text != "[REDACTED:short], [REDACTED:long]" {
		t.Errorf("the step says %s", text)
	}
	if text := *got.Steps[0].Content; text != "nothing of it" {
		t.Errorf("the first step says %s", text)
	}
	if text := *got.Task.Description; text != `say "[REDACTED:short]"` {
		t.Errorf("the head says %s", text)
	}
	if n := got.Security.RedactionsApplied; n != 1 {
		t.Errorf("%d redactions", n)
	}
}

// Where a conversation is looked through in parts, a secret is found in each of them.
func TestASecretIsTakenOutOfEachPartOfALongConversation(t *testing.T) {
	t.Parallel()
	const secret, steps = "zq7Lk2Wn8Rt4Yp6Vb1Xc", 3 * sweepBytes / 1000
	for _, at := range []int{1, steps / 3, steps / 2, steps - 1, steps} {
		s := newRedactor(t, Options{}).Sink(t.Context(), t.TempDir())
		for i := range steps {
			text := strings.Repeat("word ", 200)
			if i+1 == at {
				text += secret
			}
			must(t, s.Step(said(i+1, text)))
		}
		must(t, s.Step(said(steps+1, "password = \""+secret+"\"\n")))
		for i, step := range finished(t, s, conversation("")).Steps {
			if strings.Contains(*step.Content, secret) {
				t.Errorf("the secret of step %d is in step %d", at, i+1)
			}
		}
	}
}

func TestWhatWasPurgedIsTakenOutOfARecord(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Finder: fixed{}, Rules: Rules{Purged: purgedWord("pug")}})
	s := r.Sink(t.Context(), "")
	must(t, s.Step(said(1, "a pug")))
	must(t, s.Late(1, late("its result")))
	if got := s.Counts(); !slices.Equal(got, []int{4}) { // the call, its two texts and the result
		t.Errorf("counted %v", got)
	}
	head := conversation()
	head.Dependencies = []string{"left-pad"}
	got := finished(t, s, head)
	if len(got.Dependencies) > 0 || got.Steps[0].Observations[0].Content != nil || got.Security.RedactionsApplied != 5 {
		t.Errorf("left is %+v, %+v, %+v", got.Dependencies, got.Steps[0].Observations, got.Security)
	}
	for input, want := range map[string]int{`{"a":"pug","b":{"purged":true}}`: 1, `{"a":"pug"}`: 0, `{"b":{"purged":true}}`: 0} {
		s = r.Sink(t.Context(), "")
		step := said(1, "nothing")
		step.ToolCalls[0].Input = json.RawMessage(input)
		raw, err := json.Marshal(step)
		must(t, err)
		must(t, s.Redacted(raw, 0))
		must(t, s.Late(1, late("its result")))
		if got := s.Counts(); !slices.Equal(got, []int{want}) {
			t.Errorf("%s: a result that comes late counts %v", input, got)
		}
		must(t, s.Close())
	}
}

// Whether a step contains a secret is told alike for few secrets and for many, and as they are written in JSON.
func TestStepsThatHoldSecretsAreFound(t *testing.T) {
	t.Parallel()
	var few, many [][]byte
	var pairs []string
	for i := range fewSecrets + 1 {
		secret := fmt.Sprintf(`secret-%d\"`, i)
		many, pairs = append(many, []byte(secret)), append(pairs, secret, marker("x"))
		few = many[:min(len(many), 2)]
	}
	replacer := strings.NewReplacer(pairs...)
	for raw, want := range map[string]bool{
		`{"content":"nothing"}`: false, `{"content":"say secret-1\" now"}`: true, `{"content":"secret-1"}`: false, "": false,
	} {
		if got := holder(few, replacer)([]byte(raw)); got != want {
			t.Errorf("%s: of few %v", raw, got)
		}
		if got := holder(many, replacer)([]byte(raw)); got != want {
			t.Errorf("%s: of many %v", raw, got)
		}
	}
}
