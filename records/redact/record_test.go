package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

func conversation(texts ...string) *records.Record {
	r := &records.Record{
		TraceID: "4f2a8f60-1c3d-5e5f-8a9b-0c1d2e3f4a5b", SessionID: "s1", Agent: records.Agent{Name: "claude-code"},
		SystemPrompts: map[string]string{}, Metadata: map[string]json.RawMessage{},
	}
	for i, text := range texts {
		id := fmt.Sprintf("toolu_%d", i)
		input, _ := json.Marshal(map[string]string{"command": text}) // strings have a JSON form
		r.Steps = append(r.Steps, records.Step{
			StepIndex: i + 1, Role: records.RoleAgent, Content: &text, ReasoningContent: &text,
			ToolCalls:    []records.ToolCall{{ToolCallID: id, ToolName: "Bash", Input: input}},
			Observations: []records.Observation{{SourceCallID: id, Content: &text, OutputSummary: &text}},
			Snippets:     []records.Snippet{{FilePath: "/home/alice/x.go", Text: &text}},
		})
	}
	return r
}

func encode(t *testing.T, r *Record) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What a member is called tells that its value is a secret.
func TestTheNameOfAMemberCounts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewSource(4))
	low := random(rnd, "0123456789abcdef", 40)
	in := conversation("a step")
	in.Steps[0].ToolCalls[0].Input = json.RawMessage(`{"env":{"SERVICE_API_KEY":"` + low + `"},"count":"` + strings.Repeat("0", 40) + `"}`)
	again := "curl -d " + low
	in.Steps[0].Content = &again
	out, err := newRedactor(t, Options{}).Record(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	raw := encode(t, out)
	if strings.Contains(raw, low) {
		t.Errorf("the secret is left in %s", raw)
	}
	if !strings.Contains(raw, strings.Repeat("0", 40)) || !strings.Contains(raw, "SERVICE_API_KEY") {
		t.Errorf("too much is gone: %s", raw)
	}
}

func TestEveryMemberOfARecordIsRedacted(t *testing.T) {
	t.Parallel()
	p := plant(7)[0]
	text := p.before + p.secret
	in := conversation(text)
	in.Task.Description, in.Environment.VCS.Diff, in.Outcome.Patch = &text, &text, &text
	in.SystemPrompts["h"] = text
	in.ToolDefinitions = []json.RawMessage{json.RawMessage(`{"name":` + quoted(text) + `}`)}
	in.SetMeta("title", map[string]any{text: []any{text, 1, nil, true}})
	in.Dependencies = []string{text}
	in.Steps[0].ToolCalls[0].Input = json.RawMessage(`{"a":{"b":[` + quoted(text) + `]},` + quoted(text) + `:1}`)
	out, err := newRedactor(t, Options{Names: []string{"alice"}}).Record(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	raw := encode(t, out)
	if strings.Contains(raw, p.secret) || strings.Contains(raw, "alice") {
		t.Errorf("the secret is left in %s", raw)
	}
	got, err := records.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Security.Scanned || got.Security.RedactionsApplied < 13 || got.Security.ClassifierVersion == nil || len(got.Steps) != 1 {
		t.Errorf("security is %+v, %d steps", got.Security, len(got.Steps))
	}
	if faults := got.Check(); len(faults) > 0 {
		t.Error(faults)
	}
	if *in.Steps[0].Content != text {
		t.Error("the record that was given has changed")
	}
	if told, err := records.Decode([]byte(raw)); err != nil {
		t.Error(err)
	} else if ok, err := told.HashHolds([]byte(raw)); !ok || err != nil {
		t.Errorf("the hash does not hold: %v", err)
	}
	again, err := records.Encode(got)
	if err != nil || string(again) != raw {
		t.Errorf("encoding again gives something else: %v", err)
	}
}

func TestWhatIsFoundOnceIsTakenOutEverywhere(t *testing.T) {
	t.Parallel()
	secret := plant(9)[9].secret
	in := conversation("first "+secret[:8]+" then bare,"+secret+",", `api_key = "`+secret+`"`)
	in.SetMeta("title", "about "+secret)
	out, err := newRedactor(t, Options{}).Record(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if raw := encode(t, out); strings.Contains(raw, secret) {
		t.Errorf("the secret is left in %s", raw)
	}
}

// brokenFinder fails at a text that tells it to.
type brokenFinder struct{ how string }

func (b brokenFinder) Find(text string) ([]gitleaks.Finding, error) {
	if !strings.Contains(text, "trouble") {
		return nil, nil
	}
	switch b.how {
	case "panic":
		panic("broken rule")
	case "slow":
		time.Sleep(50 * time.Millisecond)
		return nil, nil
	}
	return nil, errors.New("broken rule")
}

func TestRedactionFailsClosed(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"error", "panic", "slow"} {
		for at := range 3 {
			texts := []string{"one", "two", "three"}
			texts[at] = "trouble"
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			if how != "slow" {
				ctx = t.Context()
			}
			out, err := newRedactor(t, Options{Finder: brokenFinder{how}}).Record(ctx, conversation(texts...))
			cancel()
			if err == nil || out != nil {
				t.Errorf("%s at step %d: a record is made, %v", how, at+1, err)
			}
			if how == "panic" && !errors.Is(err, ErrPanic) {
				t.Errorf("a panic gives %v", err)
			}
		}
	}
	s := newRedactor(t, Options{Finder: brokenFinder{"error"}}).Sink(t.Context(), "")
	bad, good := conversation("trouble").Steps[0], conversation("fine").Steps[0]
	if s.Step(&bad) == nil || s.Step(&good) == nil {
		t.Error("a sink goes on after an error")
	}
	if out, err := s.Finish(conversation()); err == nil || out != nil {
		t.Error("a sink makes a record after an error")
	}
	if _, _, err := newRedactor(t, Options{Finder: brokenFinder{"panic"}}).Text(t.Context(), "trouble"); !errors.Is(err, ErrPanic) {
		t.Errorf("a panic over a text gives %v", err)
	}
}

func TestNothingElseMakesARecord(t *testing.T) {
	t.Parallel()
	var none *Record
	for _, r := range []*Record{none, {}} {
		if r.Trace() != "" || !errors.Is(r.Write(&bytes.Buffer{}), ErrNotRedacted) || r.Close() != nil {
			t.Error("an empty record can be written")
		}
	}
}
