package records_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/records"
)

var schemaFile = filepath.Join("..", "docs", "schema", "trace-record-0.3.0.schema.json")

func TestRecordsAreValidByTheirSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	check := func(line []byte) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(line)))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for i, line := range vectors(t) {
		if err := check(line); err != nil {
			t.Errorf("vector %d: %v", i, err)
		}
	}
	line := string(vectors(t)[1])
	for _, change := range [][2]string{
		{`"role":"user"`, `"role":"tool"`}, {`"step_index":1,`, ``}, {`"tier":"tool_emitted"`, `"tier":"sure"`},
		{`"start_line":3,"end_line":9,"content_hash"`, `"start_line":0,"end_line":9,"content_hash"`}, {`"cache_hit_rate":0.9`, `"cache_hit_rate":9`},
	} {
		changed := strings.Replace(line, change[0], change[1], 1)
		if changed == line {
			t.Fatalf("%q does not occur", change[0])
		}
		if check([]byte(changed)) == nil {
			t.Errorf("%q in place of %q is valid", change[1], change[0])
		}
	}
}

// The schema names the members of the Go types and no others.
func TestTheSchemaNamesEveryMember(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var compare func(typ reflect.Type, name string, properties map[string]any)
	compare = func(typ reflect.Type, name string, properties map[string]any) {
		if seen[name] {
			return
		}
		seen[name] = true
		for i := range typ.NumField() {
			field := typ.Field(i)
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if _, found := properties[member]; !found {
				t.Errorf("%s.%s is not in the schema", name, member)
			}
			delete(properties, member)
			inner := field.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				compare(inner, inner.Name(), schema.Defs[inner.Name()].Properties)
			}
		}
		for member := range properties {
			t.Errorf("%s.%s is in the schema only", name, member)
		}
	}
	compare(reflect.TypeFor[records.Record](), "Record", schema.Properties)
	for name := range schema.Defs {
		if !seen[name] && name[0] >= 'A' && name[0] <= 'Z' {
			t.Errorf("%s is in the schema only", name)
		}
	}
}
