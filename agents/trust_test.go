package agents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
)

// Which folders an agent runs hooks in is said in files of its own. WORK stands for the work tree, UP for what holds it.
func TestStatusTellsOfFoldersThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, agent, file, text string
		trusted                 bool
	}{
		{"nothing is said", "pi", "", "", false},
		{"it is trusted", "pi", ".pi/agent/trust.json", `{"WORK": true}`, true},
		{"it is not", "pi", ".pi/agent/trust.json", `{"WORK": false, "UP": true}`, false},
		{"one above it is", "pi", ".pi/agent/trust.json", `{"UP": true, "/": false}`, true},
		{"another one is", "pi", ".pi/agent/trust.json", `{"WORK/sub": true}`, false},
		{"the default", "pi", ".pi/agent/settings.json", `{"defaultProjectTrust": "always"}`, true},
		{"another default", "pi", ".pi/agent/settings.json", `{"defaultProjectTrust": "ask"}`, false},
		{"a broken file", "pi", ".pi/agent/trust.json", `{"WORK": true`, false},

		{"nothing is said", "gemini-cli", "", "", false},
		{"it is trusted", "gemini-cli", ".gemini/trustedFolders.json", `{"WORK": "TRUST_FOLDER"}`, true},
		{"what holds it is", "gemini-cli", ".gemini/trustedFolders.json", `{"WORK": "TRUST_PARENT"}`, true},
		{"it is not", "gemini-cli", ".gemini/trustedFolders.json", `{"WORK": "DO_NOT_TRUST", "UP": "TRUST_FOLDER"}`, false},
		{"nobody asks", "gemini-cli", ".gemini/settings.json", `{"security": {"folderTrust": {"enabled": false}}}`, true},

		{"nothing is said", "qwen-code", "", "", true},
		{"it asks", "qwen-code", ".qwen/settings.json", `{"security": {"folderTrust": {"enabled": true}}}`, false},

		{"nothing is said", "copilot-cli", "", "", false},
		{"it is trusted", "copilot-cli", ".copilot/config.json", `{"trustedFolders": ["WORK"]}`, true},
		{"one above it is", "copilot-cli", ".copilot/config.json", "// made by Copilot\n" + `{"trusted_folders": ["UP"]}`, true},
		{"another one is", "copilot-cli", ".copilot/config.json", `{"trustedFolders": ["WORK/sub"]}`, false},
	} {
		p := newPlace(t, "bin/git-trace")
		if test.file != "" {
			work := p.repo.WorkTree
			p.write(filepath.Join(p.home, test.file), strings.NewReplacer("WORK", work, "UP", filepath.Dir(work)).Replace(test.text), 0o600)
		}
		agent := p.agent(test.agent)
		for scope, told := range map[capability.Scope]bool{capability.ScopeUser: false, capability.ScopeRepo: !test.trusted, agents.ScopeProject: !test.trusted} {
			if _, err := agent.Installer.Install(t.Context(), p.target(scope)); err != nil {
				t.Fatal(err)
			}
			status, err := agent.Installer.Status(t.Context(), p.target(scope))
			if got := len(status.Obstacles) > 0; got != told || err != nil {
				t.Errorf("%s, %s, %s: obstacles are %+v, %v", test.agent, test.name, scope, status.Obstacles, err)
			}
			if _, err := agent.Installer.Remove(t.Context(), p.target(scope)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSettingsOfTheUserLieWhereTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, key, value, want string }{
		{"pi", "", "", "/home/dev/.pi/agent/extensions/git-trace.ts"},
		{"pi", "PI_CODING_AGENT_DIR", "/x/../pi", "/pi/extensions/git-trace.ts"},
		{"gemini-cli", "", "", "/home/dev/.gemini/settings.json"},
		{"gemini-cli", "GEMINI_CLI_HOME", "/x", "/x/.gemini/settings.json"},
		{"gemini-cli", "GEMINI_CLI_HOME", "x", "/home/dev/.gemini/settings.json"},
		{"qwen-code", "", "", "/home/dev/.qwen/settings.json"},
		{"qwen-code", "QWEN_HOME", "/x/../q", "/q/settings.json"},
		{"qwen-code", "QWEN_HOME", "q", "/home/dev/.qwen/settings.json"},
		{"copilot-cli", "", "", "/home/dev/.copilot/hooks/git-trace.json"},
		{"copilot-cli", "COPILOT_HOME", "/x/../c", "/c/hooks/git-trace.json"},
		{"copilot-cli", "COPILOT_HOME", "c", "/home/dev/.copilot/hooks/git-trace.json"},
		{"opencode", "", "", "/home/dev/.config/opencode/plugin/git-trace.js"},
		{"opencode", "OPENCODE_CONFIG_DIR", "/x/../o", "/o/plugin/git-trace.js"},
		{"opencode", "XDG_CONFIG_HOME", "/x", "/x/opencode/plugin/git-trace.js"},
		{"opencode", "XDG_CONFIG_HOME", "x", "/home/dev/.config/opencode/plugin/git-trace.js"},
		{"amp", "", "", "/home/dev/.config/amp/plugins/git-trace.ts"},
		{"amp", "XDG_CONFIG_HOME", "/x", "/x/amp/plugins/git-trace.ts"},
		{"codex-cli", "", "", "/home/dev/.codex/hooks.json"},
		{"cursor", "", "", "/home/dev/.cursor/hooks.json"},
	} {
		env := agents.Env{Home: "/home/dev", Binary: "/bin/git-trace", Getenv: func(key string) string {
			if key == test.key {
				return test.value
			}
			return ""
		}}
		agent, _ := agents.Lookup(env, test.agent)
		status, err := agent.Installer.Status(t.Context(), agents.Target{Scope: capability.ScopeUser})
		if status.Settings != test.want || err != nil {
			t.Errorf("%s, %s=%s: %s, %v", test.agent, test.key, test.value, status.Settings, err)
		}
	}
}
