package capability_test

import (
	"encoding/json"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

func TestVersionsAreComparedByTheirNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, than string
		want          bool
	}{
		{"2.1.10", "2.1.9", true}, {"2.1.9", "2.1.10", false}, {"2.1.9", "2.1.9", false}, {"3", "2.9.9", true}, {"2.1", "2.1.0", false},
		{"0.170.0-alpha.2", "0.169.0", true}, {"0.169.0-alpha.2", "0.169.0", false}, {"", "1.0", false}, {"dev", "1.0", false},
		{"1.0", "", true}, {"1.-1", "1.0", false},
	} {
		if got := capability.Newer(c.version, c.than); got != c.want {
			t.Errorf("%q newer than %q: %v", c.version, c.than, got)
		}
	}
}

func TestWhatIsNotTestedIsNamed(t *testing.T) {
	t.Parallel()
	agent := capability.Agent{Title: "Agent", Tested: "1.2.0"}
	for _, c := range []struct{ version, capture, want string }{
		{"1.2.0", `{}`, ""},
		{"1.3.0", `{}`, "written by Agent 1.3.0, newer than 1.2.0, the newest version that is tested"},
		{"1.1.0", `{"skipped_lines":{"unknown":2,"summary":4}}`, "2 of its lines are of kinds that are not known"},
	} {
		head := &records.Record{Agent: records.Agent{Version: &c.version}, Metadata: map[string]json.RawMessage{"capture": json.RawMessage(c.capture)}}
		if got := agent.Untested(head); got != c.want {
			t.Errorf("%s: %q, want %q", c.version, got, c.want)
		}
	}
}
