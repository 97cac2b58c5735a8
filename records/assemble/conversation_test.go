package assemble_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// begin gives a conversation and the sink that it fills.
func begin(options assemble.Options) (*assemble.Conversation, *records.Collector) {
	sink := &records.Collector{}
	options.Agent, options.Session, options.TraceID = "agent", "s", "t"
	return assemble.New(sink, options), sink
}

func call(id string) []assemble.Call {
	return []assemble.Call{{ID: id, Name: "Bash", Input: json.RawMessage(`{"command":"make"}`)}}
}

func tokens(input, output int64) *assemble.Usage {
	return &assemble.Usage{TokenUsage: records.TokenUsage{InputTokens: input, OutputTokens: output}}
}

func result(text string) assemble.Result { return assemble.Result{Content: &text} }

// must fails on the first of some errors.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func finish(t testing.TB, c *assemble.Conversation, sink *records.Collector) *records.Record {
	t.Helper()
	r, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	r.Steps = sink.Steps
	if faults := r.Check(); len(faults) > 0 {
		t.Error(faults)
	}
	return r
}

// shape is the steps of a record in few words.
func shape(r *records.Record) string {
	var out []string
	for _, s := range r.Steps {
		text := string(s.Role)[:1]
		if s.ParentStep != nil {
			text += fmt.Sprintf("<%d", *s.ParentStep)
		}
		if s.Content != nil {
			text += ":" + strings.ReplaceAll(*s.Content, "\n\n", "+")
		}
		for _, c := range s.ToolCalls {
			text += " " + c.ToolCallID
		}
		for _, o := range s.Observations {
			switch {
			case o.Content != nil:
				text += "=" + *o.Content
			case o.Error != nil:
				text += "!" + *o.Error
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

func dropped(t testing.TB, r *records.Record) string {
	t.Helper()
	var capture struct{ Dropped map[string]int }
	if err := json.Unmarshal(r.Metadata["capture"], &capture); err != nil {
		t.Fatal(err)
	}
	if len(capture.Dropped) == 0 {
		return ""
	}
	raw, err := json.Marshal(capture.Dropped)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

var at records.Locator

func TestMovesBecomeSteps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		moves   func(c *assemble.Conversation) error
		want    string
		dropped string
	}{
		{"a prompt and its answer", func(c *assemble.Conversation) error {
			return errors.Join(c.Prompt(assemble.Prompt{Text: "do"}), c.Answer(assemble.Answer{Text: "done"}))
		}, "u:do | a:done", ""},
		{"pieces of one answer are one step", func(c *assemble.Conversation) error {
			return errors.Join(
				c.Answer(assemble.Answer{Key: "m", Text: "one"}), c.Answer(assemble.Answer{Key: "m", Calls: call("a")}),
				c.Result(at, "a", result("x")), c.Answer(assemble.Answer{Key: "m", Text: "two"}),
			)
		}, "a:one+two a=x", ""},
		{"a piece that comes late is a step of its own without tokens", func(c *assemble.Conversation) error {
			return errors.Join(
				c.Answer(assemble.Answer{Key: "m", Text: "one", Usage: tokens(1, 1)}), c.Settle(),
				c.Answer(assemble.Answer{Key: "m", Text: "two", Usage: tokens(1, 9)}),
			)
		}, "a:one | a:two", `{"late_piece_tokens":1}`},
		{"results are joined whatever their order", func(c *assemble.Conversation) error {
			return errors.Join(
				c.Answer(assemble.Answer{Calls: append(call("a"), call("b")...)}),
				c.Result(at, "b", result("y")), c.Result(at, "a", result("x")),
			)
		}, "a a b=x=y", ""},
		{"a result may come before its call", func(c *assemble.Conversation) error {
			return errors.Join(c.Result(at, "a", result("x")), c.Answer(assemble.Answer{Calls: call("a")}))
		}, "a a=x", ""},
		{"a call without a result says so", func(c *assemble.Conversation) error {
			return c.Answer(assemble.Answer{Calls: call("a")})
		}, "a a!no_result", `{"no_result":1}`},
		{"a result that comes after its step has left is put into it", func(c *assemble.Conversation) error {
			return errors.Join(c.Answer(assemble.Answer{Calls: call("a")}), c.Settle(), c.Result(at, "a", result("x")))
		}, "a a=x", ""},
		{"a result without a call is counted", func(c *assemble.Conversation) error {
			return errors.Join(c.Result(at, "a", result("x")), c.Prompt(assemble.Prompt{Text: "do"}))
		}, "u:do", `{"result_without_call":1}`},
		{"a call and a result count once", func(c *assemble.Conversation) error {
			return errors.Join(
				c.Answer(assemble.Answer{Calls: call("a")}), c.Result(at, "a", result("x")), c.Result(at, "a", result("y")),
				c.Answer(assemble.Answer{Text: "again", Calls: call("a")}), c.Settle(),
				c.Answer(assemble.Answer{Text: "and again", Calls: call("a")}), c.Result(at, "a", result("z")),
			)
		}, "a a=x | a:again | a:and again", `{"repeated_call":2,"repeated_result":2}`},
		{"a place that is filled is a prompt, one that is released is none", func(c *assemble.Conversation) error {
			one, two := c.Keep(at), c.Keep(at)
			c.Release(one, "commands", map[string]any{"command": "/x"})
			return errors.Join(c.Answer(assemble.Answer{Text: "done"}), c.Fill(two, assemble.Prompt{Text: "do"}))
		}, "u:do | a:done", ""},
		{"a subagent in the same file is told after the step that started it", func(c *assemble.Conversation) error {
			err := c.Answer(assemble.Answer{Text: "main", Calls: call("a")})
			side := c.Side("a", "id", "explore")
			return errors.Join(
				err, side.Prompt(assemble.Prompt{Text: "look"}), c.Result(at, "a", result("x")),
				c.Answer(assemble.Answer{Text: "next"}), side.Answer(assemble.Answer{Text: "seen", Calls: call("b")}),
				side.Result(at, "b", result("y")),
			)
		}, "a:main a=x | u<1:look | a<1:seen b=y | a:next", ""},
		{"a subagent whose call is not known is told in its turn", func(c *assemble.Conversation) error {
			err := c.Answer(assemble.Answer{Text: "main"})
			side := c.Side("?", "id", "")
			return errors.Join(err, side.Answer(assemble.Answer{Text: "seen"}), c.Answer(assemble.Answer{Text: "next"}))
		}, "a:main | a:seen | a:next", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, sink := begin(assemble.Options{})
			must(t, test.moves(c))
			r := finish(t, c, sink)
			if got := shape(r); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got := dropped(t, r); got != test.dropped {
				t.Errorf("dropped %s, want %s", got, test.dropped)
			}
		})
	}
}

func TestTokensOfAnAnswerCountOnceWithTheLastNumbers(t *testing.T) {
	t.Parallel()
	c, sink := begin(assemble.Options{})
	must(t,
		c.Answer(assemble.Answer{Key: "m", Model: "anthropic/claude-sonnet-4", Usage: tokens(100, 1)}),
		c.Answer(assemble.Answer{Key: "m", Usage: tokens(100, 40)}), c.Answer(assemble.Answer{Key: "m"}),
		c.Answer(assemble.Answer{Key: "n", Model: "acme/unknown", Usage: tokens(7, 3)}),
	)
	r := finish(t, c, sink)
	if m := r.Metrics; m.TotalInputTokens != 107 || m.TotalOutputTokens != 43 || m.EstimatedCostUSD != nil {
		t.Errorf("got %+v", m)
	}
	if got := string(r.Metadata["models_without_price"]); got != `["acme/unknown"]` {
		t.Errorf("without a price: %s", got)
	}
}

func TestSubagentsWithAFileOfTheirOwn(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	c, sink := begin(assemble.Options{Subagent: func(parent *assemble.Conversation, step int, call *assemble.Call, id string) error {
		asked[call.ID+"/"+id] = step
		if id == "" {
			return nil
		}
		child := parent.Child(step, id, "explore")
		return errors.Join(child.Prompt(assemble.Prompt{Text: id}), child.Answer(assemble.Answer{Text: "ok", Calls: callOf(id)}), child.Settle())
	}})
	started := result("x")
	started.Subagent = "one"
	late := result("late")
	late.Subagent = "two"
	must(t,
		c.Answer(assemble.Answer{Calls: append(call("a"), call("b")...)}), c.Result(at, "a", started), c.Settle(),
		c.Answer(assemble.Answer{Text: "next"}), c.Result(at, "b", late),
	)
	r := finish(t, c, sink)
	if got, want := shape(r), "a a b=x=late | u<1:one | a<1:ok one-1!no_result | a:next | u<1:two | a<1:ok two-1!no_result"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if asked["a/one"] != 1 || asked["b/"] != 1 || asked["b/two"] != 1 {
		t.Errorf("asked %v", asked)
	}
	if ref := r.Steps[0].SubagentTrajectoryRef; ref == nil || *ref != "one" {
		t.Error("the step does not name its subagent")
	}
	if *r.Steps[2].AgentRole != "explore" || *r.Steps[2].CallType != records.CallSubagent {
		t.Errorf("got %+v", r.Steps[2])
	}
}

func callOf(id string) []assemble.Call { return call(id + "-1") }

func TestWhatWaitsIsLimited(t *testing.T) {
	t.Parallel()
	var most, steps int
	c := assemble.New(counting{&steps}, assemble.Options{Agent: "a", Session: "s", TraceID: "t"})
	text := strings.Repeat("x", 10_000)
	sent := 0
	for i := range 20_000 {
		sent++
		must(t, c.Answer(assemble.Answer{Text: text, Calls: call(fmt.Sprint(i))}))
		if i%3 > 0 { // every third call never gets a result
			must(t, c.Result(at, fmt.Sprint(i), result("y")))
		}
		most = max(most, sent-steps)
	}
	must(t, c.Settle())
	if most > 4200 || steps != 20_000 {
		t.Errorf("%d steps waited, %d left", most, steps)
	}
}

type counting struct{ steps *int }

func (c counting) Step(*records.Step) error            { *c.steps++; return nil }
func (c counting) Late(int, records.Observation) error { return nil }

func TestAnErrorOfTheSinkEndsTheReading(t *testing.T) {
	t.Parallel()
	c := assemble.New(broken{}, assemble.Options{})
	must(t, c.Answer(assemble.Answer{Text: "x"}))
	if err := c.Settle(); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Finish(); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Step(*records.Step) error            { return errBroken }
func (broken) Late(int, records.Observation) error { return errBroken }

func TestTheSummaryIsTheBeginning(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300)
	for text, want := range map[string]string{
		"": "", " a \n": "a", long: strings.Repeat("ü", 199) + "…", long[:400]: long[:400], strings.Repeat(" ", 5000): "",
	} {
		if got := assemble.Summary(text); got != want {
			t.Errorf("%.20q becomes %.20q", text, got)
		}
	}
}

func TestModelsAreNamedWithTheirProvider(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5-20250929", "us.anthropic.claude-sonnet-4-20250514-v1:0": "anthropic/claude-sonnet-4-20250514",
		"claude-opus-4@20250514": "anthropic/claude-opus-4-20250514", "claude-sonnet-4-5[1m]": "anthropic/claude-sonnet-4-5",
		"gpt-5-codex": "openai/gpt-5-codex", "gemini-2.5-pro": "google/gemini-2.5-pro", "openrouter/x": "openrouter/x", "my-model": "my-model",
		"<synthetic>": "", "": "", "two words": "",
	} {
		if got := assemble.Model(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestTheAddressOfARepositoryHasNoCredentials(t *testing.T) {
	t.Parallel()
	tests := []struct{ remote, name, address string }{
		{"https://github.com/acme/shop.git", "acme/shop", "https://github.com/acme/shop"},
		{"https://user:secret@github.com/acme/shop", "acme/shop", "https://github.com/acme/shop"},
		{"git@github.com:acme/shop.git", "acme/shop", "https://github.com/acme/shop"},
		{"ssh://git@host.example:2222/group/sub/shop.git/", "sub/shop", "https://host.example/group/sub/shop"},
		{"/srv/git/shop.git", "", ""}, {"../shop", "", ""}, {"file:///srv/shop", "", ""}, {"", "", ""}, {"nonsense", "", ""},
	}
	for _, test := range tests {
		name, address := assemble.Repository(test.remote)
		if value(name) != test.name || value(address) != test.address {
			t.Errorf("%q gives %q, %q", test.remote, value(name), value(address))
		}
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
