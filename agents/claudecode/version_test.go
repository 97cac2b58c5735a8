package claudecode

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

func TestTheVersionOfTheClientIsToldByWhereItIsInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	write("share/versions/2.1.328", "")
	link("share/versions/2.1.328", "own/claude")
	write("lib/node_modules/@anthropic-ai/claude-code/cli.js", "")
	write("lib/node_modules/@anthropic-ai/claude-code/package.json", `{"name": "@anthropic-ai/claude-code", "version": "2.0.14"}`)
	link("lib/node_modules/@anthropic-ai/claude-code/cli.js", "npm/claude")
	write("other/claude", "")
	write("old/versions/1.0.37", "")
	link("old/versions/1.0.37", "before/claude")
	for _, c := range []struct {
		path, want string
		has        bool
	}{
		{"own", "2.1.328", true}, {"npm", "2.0.14", false}, {"other", "", false}, {"none", "", false}, {"before", "1.0.37", false},
	} {
		client := &Client{env: capability.Env{Getenv: func(name string) string {
			if name == "PATH" {
				return filepath.Join(dir, c.path)
			}
			return ""
		}}}
		if got := client.version(); got != c.want || !capability.Newer(newerSince, got) != c.has {
			t.Errorf("%s: %q, new enough: %v", c.path, got, !capability.Newer(newerSince, got))
		}
		found, err := client.obstacles(t.Context(), capability.Target{})
		if err != nil || (len(found) > 0) != (c.path == "before") {
			t.Errorf("%s: too old for hooks: %v, %v", c.path, found, err)
		}
	}
}
