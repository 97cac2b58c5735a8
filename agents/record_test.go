package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/testing/driver"
)

// recordings say which scripts make a client send every kind of payload.
var recordings = []struct {
	agent, client, script, model string
}{
	{"codex-cli", "codex", "codex", ""},
	{"codex-cli", "codex", "codex-subagents", "gpt-6-sol"},
	{"pi", "pi", "pi", ""},
	{"opencode", "opencode", "opencode", ""},
	{"gemini-cli", "gemini", "gemini", ""},
	{"gemini-cli", "gemini", "gemini-subagents", ""},
	{"qwen-code", "qwen", "qwen", ""},
	{"qwen-code", "qwen", "qwen-subagents", ""},
	{"copilot-cli", "copilot", "copilot", ""},
	{"copilot-cli", "copilot", "copilot-subagents", ""},
	{"droid", "droid", "droid", ""},
	{"amp", "amp", "amp", ""},
}

// TestRecordPayloads makes the fixtures of testdata/payloads: it installs the hooks of an agent with a program that
// keeps what it is sent, and has the real client work on a script. GITTRACE_RECORD names the agents, separated by
// commas.
func TestRecordPayloads(t *testing.T) {
	wanted := os.Getenv("GITTRACE_RECORD")
	if wanted == "" {
		t.Skip("GITTRACE_RECORD names no agent")
	}
	kept := map[string][]byte{}
	for _, one := range recordings {
		if !slices.Contains(strings.Split(wanted, ","), one.agent) {
			continue
		}
		repo := driver.NewRepo(t)
		store := filepath.Join(repo.Tmp, "payloads")
		binary := filepath.Join(repo.Tmp, "git-trace")
		program := "#!/bin/sh\nmkdir -p " + store + "\nf=$(mktemp " + store + "/$(date +%s%N)-$3-XXXXXX)\nexec cat > \"$f\"\n"
		if err := os.WriteFile(binary, []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
		agent, found := agents.Lookup(agents.Env{Home: repo.Home, Binary: binary}, one.agent)
		if !found {
			t.Fatalf("no agent %s", one.agent)
		}
		target := agents.Target{Scope: capability.ScopeUser}
		if _, err := agent.Installer.Install(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		if agent.Trust != nil {
			if _, err := agent.Trust.Allow(t.Context(), target); err != nil {
				t.Fatal(err)
			}
		}
		driver.Run(t, one.client, repo, driver.Load(t, one.script), driver.Options{Model: one.model, CheckTrust: agent.Trust != nil})
		keepPayloads(t, repo, store, one.agent, kept)
	}
	for name, data := range kept {
		path := filepath.Join("..", "testdata", "payloads", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// unique are ids that differ from run to run, and times.
var unique = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// keepPayloads takes the first payload of each event and tool, with the paths and ids of the run replaced.
func keepPayloads(t *testing.T, repo *driver.Repo, store, agent string, kept map[string][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(store, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s sent nothing: %v", agent, err)
	}
	ids := map[string]string{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for from, to := range map[string]string{repo.Dir: "/home/dev/project", repo.Home: "/home/dev", repo.Tmp: "/tmp"} {
			data = bytes.ReplaceAll(data, []byte(from), []byte(to))
		}
		data = bytes.ReplaceAll(data, []byte(strings.ReplaceAll(repo.Dir, "/", "-")), []byte("-home-dev-project"))
		data = bytes.ReplaceAll(data, []byte(strings.ReplaceAll(repo.Dir[1:], "/", "-")), []byte("home-dev-project"))
		data = unique.ReplaceAllFunc(data, func(id []byte) []byte {
			if ids[string(id)] == "" {
				ids[string(id)] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(ids)+1)
			}
			return []byte(ids[string(id)])
		})
		var fields struct {
			Tool   string `json:"tool_name"`
			Camel  string `json:"toolName"`
			Agent  string `json:"agent_id"`
			Sub    string `json:"subagent_id"`
			ID     string `json:"agentId"`
			Source string `json:"source"`
			Reason string `json:"reason"`
		}
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := strings.Split(filepath.Base(path), "-")[1]
		for _, part := range []string{fields.Tool, fields.Camel, fields.Source, fields.Reason} {
			if part != "" {
				name += "-" + part
			}
		}
		if fields.Agent+fields.Sub+fields.ID != "" {
			name += "-in-subagent"
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			t.Fatal(err)
		}
		if key := agent + "/" + name + ".json"; kept[key] == nil {
			kept[key] = append(indented.Bytes(), '\n')
		}
	}
}

// The newest version of a client that counts as tested is the one that the tests drive.
func TestTheNewestTestedVersionIsTheOneThatIsDriven(t *testing.T) {
	t.Parallel()
	driven := map[string]string{}
	for _, client := range driver.Clients() {
		driven[client.Name] = client.Version
	}
	tested := 0
	for _, agent := range agents.All(agents.Env{Home: t.TempDir()}) {
		if agent.Tested == "" {
			continue
		}
		tested++
		if version := driven[agent.Program]; version != agent.Tested {
			t.Errorf("%s: %s is tested, and %q driven", agent.Name, agent.Tested, version)
		}
	}
	if tested < 5 {
		t.Errorf("of %d agents the newest tested version is known", tested)
	}
}
