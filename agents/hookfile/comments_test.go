package hookfile_test

import (
	"bytes"
	"testing"

	"github.com/git-trace/git-trace/agents/hookfile"
)

// Comments are kept, and what looks like one in a text is none.
func TestSettingsWithComments(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]string{
		"of both kinds":          "{\n  // my theme\n  \"ui\": {\"theme\": \"x\"} /* keep */\n}\n",
		"at the beginning":       "// first\n/* second\n third */ {\n  \"a\": 1\n}\n",
		"behind the last member": "{\n  \"a\": 1 // one\n  // two\n}\n// three\n",
		"in an empty document":   "{\n  // nothing yet\n}\n",
		"with quotes in it":      "{\n  // it's \"so\" /* not\n  \"a\": \"http://x/*y*/\\\"//\"\n}\n",
		"with line ends of DOS":  "{\r\n  // one\r\n  \"a\": 1\r\n}\r\n",
		"never ended":            "{\n  \"a\": 1\n}\n/* to the end\n",
		"within our own part":    "{\n  \"hooks\": {\n    // mine\n    \"Stop\": [ /* none */ ]\n  }\n}\n",
	} {
		out := install(t, []byte(doc), "/opt/git-trace")
		state, err := hookfile.Inspect(out, entries("/opt/git-trace"), ours)
		if err != nil || len(state.Missing) > 0 || len(state.Stale) > 0 {
			t.Errorf("%s: %v, %+v\n%s", name, err, state, out)
		}
		again := install(t, out, "/opt/git-trace")
		if !bytes.Equal(again, out) {
			t.Errorf("%s: a second time something changes\n%s", name, again)
		}
		back, _, err := hookfile.Remove(out, ours)
		if err != nil || string(back) != doc {
			t.Errorf("%s: %v, taken out again it is\n%s", name, err, back)
		}
		if hookfile.Strict([]byte(doc)) == nil {
			t.Errorf("%s: it counts as JSON", name)
		}
	}
	if err := hookfile.Strict([]byte("{\"a\": \"http://x\"}")); err != nil {
		t.Error(err)
	}
}
