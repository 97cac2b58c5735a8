package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/report/check"
)

// sarifSchema is the schema of SARIF 2.1.0 as OASIS published it, which a module keeps for its own tests.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const module = "github.com/securego/gosec/v2@v2.29.0"
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	var at struct{ Dir string }
	if err != nil || json.Unmarshal(out, &at) != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s: %v", module, err)
		}
		t.Skipf("%s cannot be downloaded", module)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(at.Dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// What check writes for forges is SARIF, whatever a path or a message holds.
func TestFindingsAreSARIF(t *testing.T) {
	schema := sarifSchema(t)
	if schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}) == nil {
		t.Fatal("the schema takes a run without a tool")
	}
	for name, r := range map[string]*check.Result{
		"nothing": {},
		"all": {LeftOff: 3, Gaps: []check.Gap{{Path: "gone.txt", Why: "nobody knows who removed 2 lines"}}, Findings: []check.Finding{
			{Rule: check.ByAgent, Path: "a b/c:d%.go", Line: 3, Lines: 2, Message: "x wrote this", Satisfy: "let a person write it"},
			{Rule: check.NoLines, Path: "a:b", Message: "\u202e<script>", Satisfy: "nothing"},
		}},
	} {
		raw, err := json.Marshal(r.SARIF())
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, raw)
		}
	}
}
