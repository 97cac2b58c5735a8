package graph

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestJSONFollowsItsSchema(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertContent()
	schema, err := compiler.Compile("../docs/schema/graph-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	odd := sampleGraph()
	odd.Commits[1].Contributors[0].Files[0].Path = "caf\xe9.go"
	odd.Commits[1].Contributors[0].Mixed = 2
	odd.Commits[1].Author = "\xff"
	uncommitted := sampleGraph()
	uncommitted.Uncommitted = sampleUncommitted()
	for name, g := range map[string]*Graph{
		"lines without a commit": uncommitted,
		"every kind of row":      sampleGraph(), "no commits": {}, "invalid bytes": odd} {
		var out bytes.Buffer
		if err := WriteJSON(&out, g); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out.String())
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}

func TestJSONTellsWhatTheLogDoesNotSay(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := WriteJSON(&out, sampleGraph()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Commits []struct {
			Anchored     bool              `json:"anchored"`
			Added        *int              `json:"added"`
			Contributors []json.RawMessage `json:"contributors"`
		} `json:"commits"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	last := got.Commits[len(got.Commits)-1]
	if last.Anchored || last.Added != nil || last.Contributors == nil || len(last.Contributors) != 0 {
		t.Errorf("a commit without an anchor: %+v", last)
	}
	if second := got.Commits[1]; second.Added == nil || *second.Added != 100 || len(second.Contributors) != 2 {
		t.Errorf("an anchored commit: %+v", second)
	}
}
