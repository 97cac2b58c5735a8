package agents_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/refs"
)

// place is a home directory and a repository with a program to install.
type place struct {
	t                  *testing.T
	root, home, binary string
	repo               *refs.Repo
}

func newPlace(t *testing.T, binary string) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root, home: filepath.Join(root, "home dir"), binary: filepath.Join(root, binary)}
	p.write(p.binary, "#!/bin/sh\nprintf '%s|' \"$@\"\n", 0o755)
	p.write(filepath.Join(p.home, "keep"), "", 0o644)
	work := filepath.Join(root, "work tree")
	p.write(filepath.Join(work, "keep"), "", 0o644)
	if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	if p.repo, err = refs.Discover(work); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) write(path, text string, mode os.FileMode) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		p.t.Fatal(err)
	}
}

// starts says whether hooks of a scope start the program that was installed. What a project commits names no place of it.
func (p *place) starts(status agents.Status, scope capability.Scope) bool {
	if scope == agents.ScopeProject {
		return status.Binary == capability.HookProgram
	}
	return status.Binary == p.binary && status.BinaryFound
}

func (p *place) agent(name string) agents.Agent {
	p.t.Helper()
	agent, found := agents.Lookup(agents.Env{Home: p.home, Binary: p.binary}, name)
	if !found {
		p.t.Fatalf("no agent %s", name)
	}
	return agent
}

func (p *place) target(scope capability.Scope) agents.Target {
	return agents.Target{Scope: scope, Repo: p.repo}
}

// snapshot is every file and directory with its content, the program apart.
func (p *place) snapshot() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	for _, top := range []string{p.home, p.repo.WorkTree} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				out[path] = "directory"
				return err
			}
			data, err := os.ReadFile(path)
			out[path] = string(data)
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return out
}

func (p *place) same(before map[string]string) {
	p.t.Helper()
	now := p.snapshot()
	for path := range maps.Keys(before) {
		if now[path] != before[path] {
			p.t.Errorf("%s was %q and is %q", path, before[path], now[path])
		}
	}
	for path := range maps.Keys(now) {
		if _, there := before[path]; !there {
			p.t.Errorf("%s was not there: %q", path, now[path])
		}
	}
}

// installable are the agents that have an installer.
func installable(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, agent := range agents.All(agents.Env{Home: "/home/dev", Binary: "/opt/git-trace"}) {
		if agent.Installer != nil {
			names = append(names, agent.Name)
		}
	}
	return names
}

// eachPlace runs a test for every agent in both of its places.
func eachPlace(t *testing.T, test func(t *testing.T, name string, scope capability.Scope)) {
	t.Helper()
	for _, name := range installable(t) {
		for _, scope := range []capability.Scope{capability.ScopeUser, capability.ScopeRepo, agents.ScopeProject} {
			t.Run(name+"/"+string(scope), func(t *testing.T) {
				t.Parallel()
				test(t, name, scope)
			})
		}
	}
}

func TestInstallingIsPlannedDoneOnceAndUndone(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, name string, scope capability.Scope) {
		p := newPlace(t, "my tools/git-trace")
		installer, target := p.agent(name).Installer, p.target(scope)
		before := p.snapshot()
		plan, err := installer.Plan(t.Context(), target)
		if err != nil || len(plan) == 0 {
			t.Fatalf("plan: %+v, %v", plan, err)
		}
		p.same(before)
		done, err := installer.Install(t.Context(), target)
		if err != nil || len(done) != len(plan) {
			t.Fatalf("installed: %+v, %v, planned %+v", done, err, plan)
		}
		status, err := installer.Status(t.Context(), target)
		if err != nil || !status.Installed || !p.starts(status, scope) || len(status.Present) == 0 {
			t.Errorf("status: %+v, %v", status, err)
		}
		installed := p.snapshot()
		if again, err := installer.Install(t.Context(), target); err != nil || len(again) != 0 {
			t.Errorf("a second installation: %+v, %v", again, err)
		}
		p.same(installed)
		out, err := exec.Command("git", "-C", p.repo.WorkTree, "status", "--porcelain", "-uall").Output()
		if shown := string(out) != "?? keep\n"; err != nil || shown != (scope == agents.ScopeProject) {
			t.Errorf("git status: %s, %v", out, err)
		}
		if _, err := installer.Remove(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(p.repo.GitDir, "index")) // made by git status
		p.same(before)
	})
}

func TestTheCommandsRunTheProgramWhateverItsPath(t *testing.T) {
	t.Parallel()
	for _, binary := range []string{"it's \"here\"/git-trace", `back\slash $HOME/git-trace`, "<&>ü/git-trace"} {
		for _, name := range installable(t) {
			p := newPlace(t, binary)
			agent, target := p.agent(name), p.target(capability.ScopeUser)
			if _, err := agent.Installer.Install(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			status, err := agent.Installer.Status(t.Context(), target)
			if err != nil || status.Binary != p.binary {
				t.Fatalf("status: %+v, %v", status, err)
			}
			data, err := os.ReadFile(status.Settings)
			if err != nil {
				t.Fatal(err)
			}
			var settings any
			if json.Unmarshal(data, &settings) != nil {
				continue // a program of our own: the tests with the real client run it
			}
			ran := 0
			for _, command := range commands(settings) {
				out, err := exec.Command("/bin/sh", "-c", command).CombinedOutput()
				_, _, event, ok := hookfile.ParseCommand(command)
				if err != nil || !ok || string(out) != "hook|"+name+"|"+event+"|" || !slices.Contains(agent.Decoder.Events(), event) {
					t.Errorf("%s: the shell prints %q, %v", command, out, err)
				}
				ran++
			}
			if ran != len(status.Present) {
				t.Errorf("%d commands for %d events", ran, len(status.Present))
			}
		}
	}
}

// commands lists the hook commands in a settings file, whatever its shape.
func commands(value any) []string {
	var out []string
	switch v := value.(type) {
	case map[string]any:
		for _, one := range v {
			out = append(out, commands(one)...)
		}
	case []any:
		for _, one := range v {
			out = append(out, commands(one)...)
		}
	case string:
		if strings.Contains(v, " hook ") {
			out = append(out, v)
		}
	}
	return out
}

func TestSettingsThatAreBrokenOrOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, name string, scope capability.Scope) {
		p := newPlace(t, "bin/git-trace")
		installer, target := p.agent(name).Installer, p.target(scope)
		status, err := installer.Status(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		p.write(status.Settings, "{ broken\n", 0o600)
		before := p.snapshot()
		_, planErr := installer.Plan(t.Context(), target)
		_, installErr := installer.Install(t.Context(), target)
		_, statusErr := installer.Status(t.Context(), target)
		for _, err := range []error{planErr, installErr, statusErr} {
			var failed *capability.InstallError
			if !errors.As(err, &failed) || failed.Hint == "" || !strings.Contains(err.Error(), status.Settings) {
				t.Errorf("got %v", err)
			}
		}
		p.same(before)
	})
}

func TestEntriesOfOthersStayByteForByte(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, name string, scope capability.Scope) {
		p := newPlace(t, "bin/git-trace")
		agent, target := p.agent(name), p.target(scope)
		status, err := agent.Installer.Status(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		event := status.Missing[0]
		foreign := "{\n\t\"version\": 1,\n\t\"theme\": \"dark\", \"hooks\": {\"" + event + "\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"guard\"}], \"command\": \"guard\"}]}\n}"
		if !strings.HasSuffix(status.Settings, ".json") || strings.Contains(filepath.Base(status.Settings), "git-trace") {
			t.Skip("this agent takes hooks from a file of our own, where nobody else writes")
		}
		comment := ""
		if slices.Contains([]string{"gemini-cli", "qwen-code", "droid"}, name) {
			comment = "// these agents read comments\n"
		}
		p.write(status.Settings, comment+foreign, 0o640)
		before := p.snapshot()
		if _, err := agent.Installer.Install(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(status.Settings); err != nil || !strings.Contains(string(data), `"command": "guard"}], "command": "guard"}`) ||
			!strings.HasPrefix(string(data), comment) || !json.Valid(data[len(comment):]) {
			t.Errorf("%s, %v", data, err)
		}
		if info, err := os.Stat(status.Settings); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("permissions %v, %v", info.Mode(), err)
		}
		if status, err := agent.Installer.Status(t.Context(), target); err != nil || !status.Installed {
			t.Errorf("status: %+v, %v", status, err)
		}
		if _, err := agent.Installer.Remove(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		p.same(before)
	})
}

func TestEntriesThatCallAnotherPathAreReplaced(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, name string, scope capability.Scope) {
		p := newPlace(t, "bin/git-trace")
		before := p.snapshot()
		target := p.target(scope)
		old := filepath.Join(p.root, "old version", "git-trace")
		was, _ := agents.Lookup(agents.Env{Home: p.home, Binary: old}, name)
		if _, err := was.Installer.Install(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		installer := p.agent(name).Installer
		status, err := installer.Status(t.Context(), target)
		if scope == agents.ScopeProject { // whichever program comes first in PATH
			if err != nil || !status.Installed {
				t.Errorf("status of entries for everybody: %+v, %v", status, err)
			}
			return
		}
		if err != nil || status.Installed || len(status.Stale) == 0 || len(status.Missing) != 0 || status.Binary != old || status.BinaryFound {
			t.Errorf("status before: %+v, %v", status, err)
		}
		if _, err := installer.Install(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		if status, err = installer.Status(t.Context(), target); err != nil || !status.Installed || !p.starts(status, scope) {
			t.Errorf("status after: %+v, %v", status, err)
		}
		if _, err := was.Installer.Remove(t.Context(), target); err != nil { // by the program that lay elsewhere
			t.Fatal(err)
		}
		p.same(before)
	})
}
