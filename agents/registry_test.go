package agents_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/records/redact"
)

func TestEveryAgentIsFoundByItsName(t *testing.T) {
	t.Parallel()
	env := agents.Env{Home: "/home/dev"}
	var names []string
	for _, agent := range agents.All(env) {
		found, ok := agents.Lookup(env, agent.Name)
		if !ok || found.Name != agent.Name || agent.Title == "" || slices.Contains(names, agent.Name) {
			t.Errorf("%q is found as %q, %v", agent.Name, found.Name, ok)
		}
		names = append(names, agent.Name)
	}
	if want := []string{"claude-code", "codex-cli", "pi", "opencode", "gemini-cli", "qwen-code", "copilot-cli", "cursor", "aider", "cline", "roo-code", "amp", "droid", "continue", "goose", "openhands", "copilot-vscode", "zed", "kimi-code", "grok", "windsurf", "firebender", "generic"}; !slices.Equal(names, want) {
		t.Errorf("agents are %q, want %q", names, want)
	}
	if _, ok := agents.Lookup(env, "nobody"); ok {
		t.Error("an agent that is not there was found")
	}
}

// In a container an agent may run as a user of its own name, which stays in its records.
func TestTheNameOfAnAgentIsNoNameOfAUser(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.All(agents.Env{Home: "/home/dev"}) {
		account, _, _ := strings.Cut(agent.Name, "-")
		r, err := redact.New(redact.Options{Names: []string{account, agent.Name}})
		if err != nil {
			t.Fatal(err)
		}
		text, n, err := r.Text(t.Context(), agent.Name+" in /home/"+account+"/src")
		if err != nil || text != agent.Name+" in /home/user/src" || n != 1 {
			t.Errorf("%s: %q, %d, %v", agent.Name, text, n, err)
		}
	}
}

func TestAnAgentWithHooksCanDecodeThem(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.All(agents.Env{Home: "/home/dev"}) {
		if agent.Installer != nil && agent.Decoder == nil {
			t.Errorf("%s installs hooks that nobody decodes", agent.Name)
		}
		if agent.Decoder == nil {
			continue
		}
		for _, event := range agent.Decoder.Events() {
			if _, err := agent.Decoder.Decode(event, []byte("not JSON")); err == nil {
				t.Errorf("%s takes a broken %s", agent.Name, event)
			}
		}
	}
}

func TestAnAgentThatIsParsedIsFoundAndTold(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.All(agents.Env{Home: t.TempDir()}) {
		if agent.Parser == nil {
			continue
		}
		if agent.Discoverer == nil || agent.Identifier == nil {
			t.Fatalf("nobody finds the sessions of %s, or tells them", agent.Name)
		}
		if found, err := agent.Discoverer.ProjectSessions("", time.Time{}); len(found) > 0 || err != nil {
			t.Errorf("%s was never used and has %v, %v", agent.Name, found, err)
		}
		for _, head := range []string{"", "{}", "[]", "{", "text", "\x00\x01", `{"type":"x"}`} {
			if agent.Identifier.Recognises("/tmp/file", []byte(head)) {
				t.Errorf("%s takes %q for a session", agent.Name, head)
			}
		}
	}
}

func TestTheSystemsEnvironmentIsReadAtTheCall(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	t.Setenv("USERPROFILE", "/home/somebody")
	t.Setenv("GITTRACE_TEST", "x")
	env, err := agents.SystemEnv()
	if err != nil || env.Home != "/home/somebody" || env.Lookup("GITTRACE_TEST") != "x" || env.Binary == "" || env.Time().IsZero() {
		t.Errorf("got %+v, %v", env, err)
	}
	if env := (agents.Env{}); env.Lookup("HOME") != "" || env.Time().IsZero() {
		t.Error("an empty environment is not empty")
	}
}
