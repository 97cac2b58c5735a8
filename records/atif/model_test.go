package atif_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// model is what the published models of ATIF 1.7 say, written down by hand on 2026-11-27: of each class its members, with
// their types. An exclamation mark stands behind what is required. No class allows another member. Trajectory and step are
// those of NVIDIA/NeMo-Agent-Toolkit (Apache-2.0), packages/nvidia_nat_atif/src/nat/atif at 1fc586a4. The other classes are
// from descriptions of Harbor's models, which it names as its origin; those themselves were not read. NVIDIA's
// function_ancestry of a step is not in them: git-trace does not write it. An audio part is of 1.8.
const model = `
trajectory       schema_version:string! session_id:string trajectory_id:string agent:agent! steps:[step]! notes:string
                 final_metrics:final_metrics continued_trajectory_ref:string subagent_trajectories:[trajectory] extra:object
agent            name:string! version:string! model_name:string tool_definitions:[object] extra:object
step             step_id:integer! timestamp:string source:enum! model_name:string reasoning_effort:string|number
                 message:content! reasoning_content:string tool_calls:[call] observation:observation metrics:metrics
                 is_copied_context:boolean llm_call_count:integer extra:object
call             tool_call_id:string! function_name:string! arguments:object! extra:object
observation      results:[result]!
result           source_call_id:string|null content:content|null subagent_trajectory_ref:[ref] extra:object
ref              trajectory_id:string trajectory_path:string session_id:string extra:object
metrics          prompt_tokens:integer completion_tokens:integer cached_tokens:integer cost_usd:number
                 prompt_token_ids:[integer] completion_token_ids:[integer] logprobs:[number] extra:object
final_metrics    total_prompt_tokens:integer total_completion_tokens:integer total_cached_tokens:integer
                 total_cost_usd:number total_steps:integer extra:object
`

// where each class stands in the schema.
var where = map[string]string{
	"trajectory":    "$defs/trajectory",
	"agent":         "$defs/trajectory/properties/agent",
	"final_metrics": "$defs/trajectory/properties/final_metrics",
	"step":          "$defs/step",
	"call":          "$defs/step/properties/tool_calls/items",
	"observation":   "$defs/step/properties/observation",
	"result":        "$defs/step/properties/observation/properties/results/items",
	"ref":           "$defs/step/properties/observation/properties/results/items/properties/subagent_trajectory_ref/items",
	"metrics":       "$defs/step/properties/metrics",
}

// The schema by which documents are judged here is that of the published models: no member more, none less, and none of
// another type.
func TestTheSchemaIsThatOfThePublishedModels(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/schema/atif-1.7.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	class := ""
	for line := range strings.Lines(model) {
		words := strings.Fields(line)
		if len(words) > 0 && line[0] != ' ' {
			class, words = words[0], words[1:]
		}
		want[class] = append(want[class], words...)
	}
	delete(want, "")
	for class, members := range want {
		at := schema
		for part := range strings.SplitSeq(where[class], "/") {
			at, _ = at[part].(map[string]any)
		}
		required, _ := at["required"].([]any)
		properties, _ := at["properties"].(map[string]any)
		var got []string
		for name, of := range properties {
			entry := name + ":" + typeOf(of.(map[string]any), where[class]+"/properties/"+name)
			if slices.Contains(required, any(name)) {
				entry += "!"
			}
			got = append(got, entry)
		}
		slices.Sort(got)
		slices.Sort(members)
		if !slices.Equal(got, members) || at["additionalProperties"] != false {
			t.Errorf("%s of the schema: %v\nof the models: %v\nother members: %v", class, got, members, at["additionalProperties"])
		}
	}
}

// typeOf is the type that a part of the schema allows, as it is written in model: the class that stands there, if any.
func typeOf(of map[string]any, path string) string {
	for class, at := range where {
		if at == path {
			return class
		}
	}
	some, alternatives := of["anyOf"].([]any)
	all, together := of["allOf"].([]any)
	kinds, several := of["type"].([]any)
	switch {
	case together:
		return typeOf(all[0].(map[string]any), "")
	case alternatives || several:
		var types []string
		for _, one := range append(some, kinds...) {
			if kind, plain := one.(string); plain {
				one = map[string]any{"type": kind}
			}
			types = append(types, typeOf(one.(map[string]any), ""))
		}
		return strings.Join(types, "|")
	case of["$ref"] != nil:
		ref := of["$ref"].(string)
		return ref[strings.LastIndexByte(ref, '/')+1:]
	case of["enum"] != nil:
		return "enum"
	case of["type"] == "array":
		return "[" + typeOf(of["items"].(map[string]any), path+"/items") + "]"
	}
	return of["type"].(string)
}

// sound is a document within the rules, in which everything stands that they speak of.
const sound = `{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1"},"steps":[
 {"step_id":1,"source":"user","timestamp":"2026-05-16T04:00:03Z","message":[{"type":"text","text":"look"},{"type":"image","source":{"media_type":"image/png","path":"a.png"}}]},
 {"step_id":2,"source":"agent","model_name":"m","message":"","llm_call_count":1,"tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],
  "observation":{"results":[{"source_call_id":"c","content":"ok","subagent_trajectory_ref":[{"trajectory_id":"t"}]}]},"metrics":{"prompt_tokens":1}}],
 "subagent_trajectories":[{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"b","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"done"}]}]}`

// Of each rule of the published models, a document that breaks it is told to be wrong.
func TestADocumentBeyondTheRulesOfThePublishedModelsIsNotSound(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/atif-1.7.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	faults := func(raw string) (list []string) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(raw)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			return []string{err.Error()}
		}
		return crossed(value.(map[string]any))
	}
	if list := faults(sound); len(list) > 0 {
		t.Fatalf("the document within the rules: %v", list)
	}
	for rule, change := range map[string][2]string{
		"a version that is known":                   {`"ATIF-v1.7","session_id"`, `"ATIF-v2.0","session_id"`},
		"no other member of a document":             {`"session_id":"s"`, `"session":"s"`},
		"an agent has a version":                    {`"agent":{"name":"a","version":"1"}`, `"agent":{"name":"a"}`},
		"a step at least":                           {`"steps":[{"step_id":1,"source":"agent","message":"done"}]`, `"steps":[]`},
		"steps count from 1":                        {`{"step_id":1,"source":"user"`, `{"step_id":0,"source":"user"`},
		"steps count without a gap":                 {`"step_id":2`, `"step_id":3`},
		"a source that is known":                    {`"source":"user"`, `"source":"assistant"`},
		"a message":                                 {`"message":"done"`, `"notes":"done"`},
		"a time in ISO 8601":                        {`2026-05-16T04:00:03Z`, `16 May`},
		"a model belongs to an agent's step":        {`"source":"agent","model_name"`, `"source":"user","model_name"`},
		"calls belong to an agent's step":           {`"source":"agent","model_name":"m"`, `"source":"system"`},
		"a count of calls of the model":             {`"llm_call_count":1`, `"llm_call_count":-1`},
		"arguments are an object":                   {`"arguments":{}`, `"arguments":"{}"`},
		"a call has a name":                         {`"function_name":"f",`, ``},
		"a result is of a call of its step":         {`"source_call_id":"c"`, `"source_call_id":"d"`},
		"no other member of a result":               {`"content":"ok"`, `"output":"ok"`},
		"a reference says which":                    {`[{"trajectory_id":"t"}]`, `[{"session_id":"t"}]`},
		"a reference leads to what is there":        {`[{"trajectory_id":"t"}]`, `[{"trajectory_id":"u"}]`},
		"tokens are whole numbers":                  {`"prompt_tokens":1`, `"prompt_tokens":1.5`},
		"a text part has a text":                    {`{"type":"text","text":"look"}`, `{"type":"text"}`},
		"a text part has no source":                 {`"text":"look"`, `"text":"look","source":{"media_type":"image/png","path":"b"}`},
		"an image has a source":                     {`,"source":{"media_type":"image/png","path":"a.png"}`, ``},
		"an image has no text":                      {`{"type":"image",`, `{"type":"image","text":"x",`},
		"an image is of a kind that is known":       {`image/png`, `image/bmp`},
		"a trajectory within another has an id":     {`"trajectory_id":"t","agent"`, `"notes":"t","agent"`},
		"trajectories within one have ids of their": {`"subagent_trajectories":[`, `"subagent_trajectories":[{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"b","version":"1"},"steps":[{"step_id":1,"source":"agent","message":""}]},`},
	} {
		broken := strings.Replace(sound, change[0], change[1], 1)
		if broken == sound {
			t.Errorf("%s: nothing was changed", rule)
		}
		if len(faults(broken)) == 0 {
			t.Errorf("%s: a document that breaks it passes", rule)
		}
	}
}
