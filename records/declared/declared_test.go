package declared_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/records/declared"
)

func TestTheToolsOfAgentsSayWhatTheyWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		input, path string
		want        []declared.Edit
	}{
		"a file as a whole": {`{"file_path":"a","content":"x\n"}`, "a", []declared.Edit{{Path: "a", New: "x\n", Whole: true}}},
		"an edit":           {`{"file_path":"a","old_string":"x","new_string":"y"}`, "a", []declared.Edit{{Path: "a", Old: "x", New: "y"}}},
		"several edits": {
			`{"path":"a","edits":[{"oldText":"x","newText":"y"},{"oldText":"z","newText":""}]}`, "a",
			[]declared.Edit{{Path: "a", Old: "x", New: "y"}, {Path: "a", Old: "z"}},
		},
		"a text that is taken out": {`{"filePath":"a","oldString":"x","newString":""}`, "a", []declared.Edit{{Path: "a", Old: "x"}}},
		"a patch of several files": {
			`{"input":"*** Begin Patch\n*** Update File: a\n@@\n same\n-x\n+y\n*** Add File: b\n+z\n*** Delete File: c\n*** End Patch\n"}`,
			"a", []declared.Edit{{Path: "a", Old: "x\n", New: "y\n"}, {Path: "b", New: "z\n", Whole: true}, {Path: "c", Deletes: true}},
		},
		"a look":                     {`{"file_path":"a","offset":3}`, "a", nil},
		"a command":                  {`{"command":"make"}`, "", nil},
		"a member of another kind":   {`{"file_path":3,"content":"x"}`, "", nil},
		"what is no object":          {`[1]`, "", nil},
		"an edit that names no file": {`{"old_string":"x","new_string":"y"}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := declared.Of(json.RawMessage(test.input))
			if got.Path != test.path || !slices.Equal(got.Edits, test.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}
