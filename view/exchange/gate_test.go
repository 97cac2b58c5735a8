package exchange

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/view/lookup"
)

// TestTheGateLooksAtWhatIsStored is about texts that were cut: half of a name that may stay looks like another name.
func TestTheGateLooksAtWhatIsStored(t *testing.T) {
	t.Parallel()
	const trace = "4f2a0000-0000-5000-8000-000000000000"
	token := "token ghp_" + "x7Kq2mZ9vLw4TbR8nYc3Jd6HsFg5PuEa1XoQ" // in two parts, so that no scanner stops at it
	tests := map[string]struct{ stored, shown, says string }{
		"a name that stands for any, cut":  {"mkdir -p /Users/user/cli", "mkdir -p /Users/u…", ""},
		"a stand-in for a secret, cut":     {"password=[REDACTED:secret-name] next", "password=[REDACTED:secr…", ""},
		"a name of a machine, cut":         {"export API_TOKEN=$(cat token-of-today)", "export API_TOKEN=$(cat token-of-…", ""},
		"lines that were joined":           {"the password:\nwhatever7word it takes", "the password: whatever7word it takes", ""},
		"a rule that was added later":      {"ask the Acme people", "ask the Acme people", "4f2a:1 (own-rule)"},
		"the same, cut in what is shown":   {"ask the Acme people", "ask the Acme…", "4f2a:1 (own-rule)"},
		"a name that was added later":      {"ask Waltraud first", "ask Waltraud first", "4f2a:1 (name)"},
		"nothing in what is shown":         {"ask the Acme people", "ask the…", ""},
		"a home that was not taken out":    {"cd /home/waltraud/cli", "cd /home/waltraud/cli", "4f2a:1 (name)"},
		"a secret that was not taken out":  {token, token, "4f2a:1 (github-pat)"},
		"a secret in the half of what was": {token, token + "…", "4f2a:1 (github-pat)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules redact.Rules
			for _, add := range [][2]string{{"secret", "Acme"}, {"name", "Waltraud"}} {
				if err := rules.Add(add[0], add[1]); err != nil {
					t.Fatal(err)
				}
			}
			redactor, err := redact.New(redact.Options{Rules: rules})
			if err != nil {
				t.Fatal(err)
			}
			g := &gate{ctx: t.Context(), redactor: redactor, Short: lookup.Abbreviator(4)}
			d := &treetrace.Document{Sessions: []treetrace.Session{{ID: "s", Trace: trace}},
				Nodes: []treetrace.Node{{ID: "node_001", Session: "s", Title: tt.shown}}, Lessons: []treetrace.Lesson{{Text: tt.shown}}}
			err = g.Pass(d, false, func(events.TraceID) (*records.Record, error) {
				return &records.Record{SchemaVersion: "0.3.0", TraceID: trace, SessionID: "s", Agent: records.Agent{Name: "pi"},
					Steps: []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &tt.stored}}}, nil
			})
			if tt.says == "" != (err == nil) || err != nil && !strings.HasSuffix(err.Error(), "of the conversations here: "+tt.says) {
				t.Errorf("%q is refused with %v, want %q", tt.shown, err, tt.says)
			}
			for _, text := range []string{d.Nodes[0].Title, d.Lessons[0].Text} {
				if again, n, err := redactor.Text(t.Context(), text); n > 0 || err != nil {
					t.Errorf("%q goes out, in which is taken out: %q %v", text, again, err)
				}
			}
		})
	}
}
