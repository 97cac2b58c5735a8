package codexcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
)

// TestHashesAreThoseOfTheClient holds hashes that the client itself gave for these hooks (hooks/list of its app
// server).
func TestHashesAreThoseOfTheClient(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]hookfile.Handler{
		"sha256:f3c18d2ce006ab4ef3ba15a27f32c761b0c5706f3e6c67479d2f03d5d477e1f1": {
			Event: "PreToolUse", Matcher: "*", Command: "'/opt/my tools/git-trace' hook codex-cli PreToolUse", Timeout: 10,
		},
		"sha256:bd163b046dcd7542ed8ef948640c362ce03fa636cd2f745ab4ce420949c09533": {
			Event: "SessionEnd", Command: "'/opt/git-trace' hook codex-cli SessionEnd", Timeout: 10,
		},
		"sha256:282059dce61633b9d2e2a9c7a374cb9e5b5a9bceebccbe3183b26ac7f8c83c93": {Event: "UserPromptSubmit", Command: "x ü <&>"},
	} {
		if got := hashOf(h); got != want {
			t.Errorf("%s has %s, want %s", h.Event, got, want)
		}
	}
	if got := keyOf("/h/hooks.json", hookfile.Handler{Event: "UserPromptSubmit", Group: 1, Index: 2}); got != "/h/hooks.json:user_prompt_submit:1:2" {
		t.Errorf("key %s", got)
	}
}

// newUser is a home directory with Codex's configuration in it, and the installer for it.
func newUser(t *testing.T, config string) (home string, in *Installer) {
	t.Helper()
	home = t.TempDir()
	binary := filepath.Join(home, "bin", "git-trace")
	put(t, binary, "#!/bin/sh\n")
	if err := os.Chmod(binary, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(home, ".codex", "config.toml"), config)
	client := &Client{env: capability.Env{Home: home, Binary: binary}}
	return home, client.newInstaller()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var user = capability.Target{Scope: capability.ScopeUser}

func untrusted(t *testing.T, in *Installer) bool {
	t.Helper()
	status, err := in.Status(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return len(status.Obstacles) == 1 && status.Obstacles[0].Untrusted
}

func TestConsentIsRecordedForOurHooksAloneAndWithdrawnWithThem(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"an empty file": "", "a file": "model = \"gpt-5.5\"\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n",
		"a file without a last newline": "model = \"x\"",
		"consent for hooks of others":   "[hooks.state.\"/other.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, in := newUser(t, config)
			path := filepath.Join(home, ".codex", "config.toml")
			put(t, filepath.Join(home, ".codex", "hooks.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"guard"}]}]}}`)
			if _, err := in.Install(t.Context(), user); err != nil {
				t.Fatal(err)
			}
			if content(t, path) != config || !untrusted(t, in) {
				t.Fatal("installing recorded consent, or nothing is said of what is missing")
			}
			actions, err := in.Allow(t.Context(), user)
			if err != nil || len(actions) != 1 || untrusted(t, in) {
				t.Fatalf("allowing did %+v, %v", actions, err)
			}
			allowed := content(t, path)
			if !strings.HasPrefix(allowed, config) || strings.Count(allowed, "trusted_hash") != strings.Count(config, "trusted_hash")+len(kinds) ||
				!strings.Contains(allowed, `hooks.json:pre_tool_use:1:0"]`) || strings.Contains(allowed, "pre_tool_use:0:0") {
				t.Errorf("allowed:\n%s", allowed)
			}
			if again, err := in.Allow(t.Context(), user); err != nil || len(again) != 0 || content(t, path) != allowed {
				t.Errorf("allowing twice did %+v, %v", again, err)
			}
			if _, err := in.Remove(t.Context(), user); err != nil {
				t.Fatal(err)
			}
			if config == "" {
				if _, err := os.Stat(path); err == nil && content(t, path) != "" {
					t.Errorf("left %q", content(t, path))
				}
			} else if got := content(t, path); got != config {
				t.Errorf("left %q, want %q", got, config)
			}
		})
	}
}

func TestAChangedHookWaitsForItsUserAgain(t *testing.T) {
	t.Parallel()
	home, in := newUser(t, "")
	allow := func() {
		t.Helper()
		if _, err := in.Install(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Allow(t.Context(), user); err != nil {
			t.Fatal(err)
		}
	}
	allow()
	moved := filepath.Join(home, "opt", "git-trace")
	put(t, moved, "#!/bin/sh\n")
	in = (&Client{env: capability.Env{Home: home, Binary: moved}}).newInstaller()
	if _, err := in.Install(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	if !untrusted(t, in) {
		t.Fatal("the consent for the old path was taken for the new one")
	}
	allow()
	if untrusted(t, in) || strings.Count(content(t, filepath.Join(home, ".codex", "config.toml")), "trusted_hash") != len(kinds) {
		t.Errorf("after allowing again:\n%s", content(t, filepath.Join(home, ".codex", "config.toml")))
	}
}

func TestConsentThatCodexWroteIsKeptInItsPlace(t *testing.T) {
	t.Parallel()
	home, in := newUser(t, "")
	path := filepath.Join(home, ".codex", "config.toml")
	state := "[hooks.state.\"" + filepath.Join(home, ".codex", "hooks.json")
	old := state + ":stop:0:0\"]\ntrusted_hash = \"sha256:old\" # mine\nenabled = true\n" +
		state + ":session_end:0:0\"]\ntrusted_hash = \"x\"\n" + state + ":session_start:0:0\"]\ntrusted_hash = \"sha256:older than that\"\n"
	put(t, path, old)
	if _, err := in.Install(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Allow(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	got := content(t, path)
	if strings.Contains(got, "sha256:old") || strings.Count(got, "hooks.json:stop:0:0") != 1 || !strings.Contains(got, "# mine\nenabled = true\n") || untrusted(t, in) {
		t.Errorf("got\n%s", got)
	}
}

func TestConfigurationsThatCannotBeAddedToAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"hooks in an inline table": "hooks = { state = {} }\n", "state in an inline table": "[hooks]\nstate = {}\n", "no TOML": "[hooks\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, in := newUser(t, config)
			if _, err := in.Install(t.Context(), user); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Allow(t.Context(), user); err == nil || content(t, filepath.Join(home, ".codex", "config.toml")) != config {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatCodexMakesItsHooksDependOnIsTold(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		"": "", "[features]\nhooks = true\n": "", "[features]\nhooks = false\n": "hooks are switched off in ",
	} {
		_, in := newUser(t, config)
		if _, err := in.Install(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Allow(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		status, err := in.Status(t.Context(), user)
		if err != nil || (want == "") != (len(status.Obstacles) == 0) || want != "" && !strings.HasPrefix(status.Obstacles[0].What, want) {
			t.Errorf("%q: %+v, %v", config, status.Obstacles, err)
		}
	}
	for scope, want := range map[capability.Scope]string{
		capability.ScopeUser: " --global", capability.ScopeProject: " --project-settings", capability.ScopeRepo: "",
	} {
		if got := scopeFlag(scope); got != want {
			t.Errorf("%s: %q", scope, got)
		}
	}
	for event, want := range map[string]int{"Stop": 10, "SessionEnd": 3, "Interrupt": 3} {
		if clamp(event, 10) != want || clamp(event, 2) != 2 {
			t.Errorf("%s gets %d", event, clamp(event, 10))
		}
	}
}
