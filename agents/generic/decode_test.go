package generic_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/generic"
	"github.com/git-trace/git-trace/events"
)

func decode(t *testing.T, event, payload string) []events.Boundary {
	t.Helper()
	got, err := generic.New(capability.Env{Home: "/home/dev"}).Decoder.Decode(event, []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEveryExampleFitsTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/hook-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../../testdata/payloads/generic/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "~")
		seen = append(seen, event)
	}
	for _, event := range generic.New(capability.Env{}).Decoder.Events() {
		if !slices.Contains(seen, event) {
			t.Errorf("no example of %s", event)
		}
	}
}

func TestACallWithoutAnIDIsKnownByItsContent(t *testing.T) {
	t.Parallel()
	print := func(payload string) string {
		b := decode(t, "tool-before", payload)[0]
		if b.Tool.CallID != "" || !slices.Contains(b.Limits, events.LimitIDMissing) {
			t.Errorf("not marked: %+v", b)
		}
		return b.Tool.Fingerprint
	}
	one := print(`{"session":"s","cwd":"/w","tool":{"name":"sh","does":"runs","command":"make"}}`)
	for payload, same := range map[string]bool{
		`{"session":"s","cwd":"/w","tool":{"command":"make","does":"runs","name":"sh","background":true}}`: true,
		`{"session":"s","cwd":"/w","tool":{"name":"sh","does":"runs","command":"make test"}}`:              false,
		`{"session":"s","cwd":"/w","tool":{"name":"bash","does":"runs","command":"make"}}`:                 false,
	} {
		if got := print(payload); (got == one) != same {
			t.Errorf("%s has the fingerprint %s beside %s", payload, got, one)
		}
	}
}

func TestWhatCannotBeUsedIsLeftOut(t *testing.T) {
	t.Parallel()
	b := decode(t, "tool-after", `{"session":"s","cwd":"relative","agent":"../x","model":"a\u001b[31m","prompt":{"id":7},
		"tool":{"id":"a b","name":"w","does":"edits","paths":["rel.txt",3,"/abs/x"],"edits":[{"path":"no.txt","new":"x"}]}}`)[0]
	if b.Agent != "generic" || b.Cwd != "" || b.Model != "" || b.Tool.CallID != "" || b.Tool.Class != events.ToolEdits ||
		!slices.Equal(b.Tool.Paths, []string{"/abs/x"}) || len(b.Tool.Edits) != 0 {
		t.Errorf("%+v, %+v", b, b.Tool)
	}
	if b := decode(t, "tool-before", `{"session":"s","cwd":"/w","tool":"x"}`)[0]; b.Tool == nil || b.Tool.Class != events.ToolUnknown {
		t.Errorf("%+v", b.Tool)
	}
	if got := decode(t, "no-such-event", `{"session":"s"}`); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
