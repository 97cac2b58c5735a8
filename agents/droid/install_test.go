package droid

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

// Of the files beside its settings Droid reads one in the place of their hooks, as it was seen to do.
func TestAFileThatIsReadInThePlaceOfTheSettingsIsTold(t *testing.T) {
	t.Parallel()
	const events, below = `{"Stop":[]}`, `{"hooks":{"Stop":[]}}`
	ours := `{"Stop":[{"hooks":[{"type":"command","command":"git-trace hook droid Stop"}]}]}`
	for name, one := range map[string]struct {
		files map[string]string
		want  string // the file that is told
	}{
		"nothing":                         {},
		"the newer":                       {map[string]string{"hooks.json": events}, "hooks.json"},
		"the older":                       {map[string]string{"hooks/hooks.json": events}, "hooks/hooks.json"},
		"the older in the form of others": {map[string]string{"hooks/hooks.json": below}, ""},
		"both":                            {map[string]string{"hooks.json": events, "hooks/hooks.json": events}, "hooks.json"},
		"ours before the older":           {map[string]string{"hooks.json": ours, "hooks/hooks.json": events}, ""},
		"ours in the older":               {map[string]string{"hooks/hooks.json": ours}, ""},
	} {
		home := t.TempDir()
		for file, text := range one.files {
			path := filepath.Join(home, ".factory", filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := &client{capability.Env{Home: home}}
		list, err := c.obstacles(t.Context(), capability.Target{Scope: capability.ScopeUser})
		if err != nil || len(list) > 1 || (len(list) == 1) != (one.want != "") {
			t.Errorf("%s: %v, %v; want %q", name, list, err, one.want)
		} else if want := filepath.Join(home, ".factory", filepath.FromSlash(one.want)) + " in the place"; one.want != "" &&
			!strings.Contains(list[0].What, want) {
			t.Errorf("%s: %q, want %q", name, list[0].What, want)
		}
	}
}
