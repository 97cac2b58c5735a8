package redact_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/redact"
)

// Ids and names stay, and the texts within the JSON of an attribute are redacted.
func TestTelemetryIsRedactedButForIds(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_016C7vLmZUiTKqk9pQvyzXgtSR2wYn4fK1aB"
	const line = `{"key":"0123456789abcdef01234567","span_id":"b7ad6b7169203331","attributes":{"session.id":"986c7f48-0184-4b97-91fb-881ea90e504d",` +
		`"gen_ai.tool.call.id":"toolu_01A09q90qw90lq917835lq9","prompt":"use ` + secret + `","gen_ai.output.messages":[{"role":"assistant",` +
		`"parts":[{"type":"tool_call","id":"toolu_01A09q90qw90lq917835lq9","arguments":{"command":"push ` + secret + `"}}]}]}}`
	out, n, err := r.Telemetry(t.Context(), []byte(line))
	if err != nil || n != 2 || strings.Contains(string(out), secret) || strings.Count(string(out), "toolu_01A09q90qw90lq917835lq9") != 2 ||
		!strings.Contains(string(out), "986c7f48-0184-4b97-91fb-881ea90e504d") || !strings.Contains(string(out), "0123456789abcdef01234567") {
		t.Errorf("%d, %v: %s", n, err, out)
	}
}
