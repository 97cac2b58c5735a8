package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// The model of every client that has skills hears of the skill, wherever init puts it, and Claude Code reads it out.
func TestClientsOfferTheSkill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ client, agent, user, project string }{
		{"claude", "claude-code", ".claude", ".claude"},
		{"codex", "codex-cli", ".codex", ".agents"},
		{"pi", "pi", ".pi/agent", ""}, // projects are trusted in its screen
		{"opencode", "opencode", ".config/opencode", ".opencode"},
		{"gemini", "gemini-cli", ".gemini", ""},
		{"qwen", "qwen-code", ".qwen", ".qwen"},
		{"copilot", "copilot-cli", ".copilot", ".github"},
		{"droid", "droid", ".factory", ".factory"},
	} {
		for scope, dir := range map[string]string{"--global": c.user, "--project-settings": c.project} {
			if dir == "" {
				continue
			}
			t.Run(c.client+" "+scope, func(t *testing.T) {
				t.Parallel()
				r := newTraced(t, c.client, "--agent", c.agent, scope)
				top := r.Dir
				if scope == "--global" {
					top = r.Home
				}
				if _, err := os.Stat(filepath.Join(top, dir, "skills", "git-trace", "SKILL.md")); err != nil {
					t.Fatal(err)
				}
				var turns []driver.Turn
				if c.client == "claude" {
					turns = append(turns, driver.Turn{Tools: []driver.Tool{{Name: "Skill", Input: map[string]any{"skill": "git-trace"}}}})
				}
				res := r.played(driver.Main(append(turns, driver.Turn{Text: "done"})...), driver.Options{AllowFailure: true})
				offered, read := false, false
				for _, request := range res.Requests {
					offered = offered || bytes.Contains(request.Body, []byte("Ask why code is as it is before changing it"))
					read = read || bytes.Contains(request.Body, []byte("Keep it. If it no"))
				}
				if !offered || read != (c.client == "claude") {
					t.Errorf("the skill is offered: %v, and read: %v", offered, read)
				}
				r.trace("uninstall", "--agent", c.agent, scope)
				if _, err := os.Stat(filepath.Join(top, dir, "skills", "git-trace")); !os.IsNotExist(err) {
					t.Errorf("it is left: %v", err)
				}
			})
		}
	}
}
