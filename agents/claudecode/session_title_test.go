package claudecode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

// A summary names the last line of its conversation. Clients of 2025 put summaries of other conversations into a file.
func TestATitleIsOfTheConversation(t *testing.T) {
	t.Parallel()
	const (
		asked = `{"type":"user","uuid":"u-1","sessionId":"s","cwd":"/home/dev","timestamp":"2026-11-02T09:00:00Z","message":{"role":"user","content":"hi"}}`
		own   = `{"type":"summary","summary":"Its own","leafUuid":"u-1"}`
		alien = `{"type":"summary","summary":"Of another","leafUuid":"v-9"}`
		bare  = `{"type":"summary","summary":"Of nobody"}`
		typed = `{"type":"custom-title","customTitle":"Mine","sessionId":"s"}`
		made  = `{"type":"ai-title","aiTitle":"Made","sessionId":"s"}`
	)
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"its own, behind its line":         {[]string{asked, own}, `"Its own"`},
		"its own, before its line":         {[]string{own, asked}, `"Its own"`},
		"of another conversation":          {[]string{alien, asked}, ""},
		"of another, behind all":           {[]string{asked, alien}, ""},
		"of another after its own":         {[]string{asked, own, alien}, `"Its own"`},
		"without a line":                   {[]string{asked, bare}, `"Of nobody"`},
		"that a model made":                {[]string{asked, own, made}, `"Made"`},
		"that a person gave, before more":  {[]string{typed, asked, made, own}, `"Mine"`},
		"that waits, and a person's title": {[]string{own, typed, asked}, `"Mine"`},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(tt.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		record, parsed := parse(t, path, capability.ParseOptions{})
		if got := string(record.Metadata["title"]); got != tt.want {
			t.Errorf("%s: the title is %s, want %s", name, got, tt.want)
		}
		if len(parsed.Cursor) == 0 {
			t.Errorf("%s: there is no cursor", name)
		}
	}
}
