package claudecode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/refs"
)

// place is a repository and a home directory with an installer that sees nothing else.
type place struct {
	t         *testing.T
	root      string
	home      string
	binary    string
	installer capability.HookInstaller
	vars      map[string]string
}

func newPlace(t *testing.T, binary string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: filepath.Join(dir, "my repo"), home: filepath.Join(dir, "home"), vars: map[string]string{}}
	p.binary = filepath.Join(dir, binary)
	for _, path := range []string{p.root, p.home, filepath.Dir(p.binary)} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.write(p.binary, "#!/bin/sh\nprintf '%s|' \"$@\"\n", 0o755)
	p.git(p.root, "init", "-q")
	p.installer = claudecode.New(capability.Env{
		Home: p.home, Binary: p.binary, Getenv: func(key string) string { return p.vars[key] },
	}).Installer
	return p
}

func (p *place) write(path, content string, mode os.FileMode) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *place) target(scope capability.Scope) capability.Target { return p.targetAt(scope, p.root) }

func (p *place) targetAt(scope capability.Scope, dir string) capability.Target {
	p.t.Helper()
	if scope == capability.ScopeUser {
		return capability.Target{Scope: scope}
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return capability.Target{Scope: scope, Repo: repo}
}

func (p *place) settings(scope capability.Scope) string {
	switch scope {
	case capability.ScopeUser:
		return filepath.Join(p.home, ".claude", "settings.json")
	case capability.ScopeProject:
		return filepath.Join(p.root, ".claude", "settings.json")
	case capability.ScopeRepo:
	}
	return filepath.Join(p.root, ".claude", "settings.local.json")
}

func (p *place) install(target capability.Target) []capability.Action {
	p.t.Helper()
	actions, err := p.installer.Install(p.t.Context(), target)
	if err != nil {
		p.t.Fatalf("install: %v", err)
	}
	return actions
}

func (p *place) remove(target capability.Target) []capability.Action {
	p.t.Helper()
	actions, err := p.installer.Remove(p.t.Context(), target)
	if err != nil {
		p.t.Fatalf("remove: %v", err)
	}
	return actions
}

func (p *place) status(target capability.Target) capability.Status {
	p.t.Helper()
	status, err := p.installer.Status(p.t.Context(), target)
	if err != nil {
		p.t.Fatalf("status: %v", err)
	}
	return status
}

// snapshot reads every file below the home directory and the repository, git's own object store and index left out.
func (p *place) snapshot() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	for _, dir := range []string{p.home, p.root} {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir():
				files[path+"/"] = ""
			case entry.Type()&os.ModeSymlink != 0:
				files[path], err = os.Readlink(path)
			default:
				data, readErr := os.ReadFile(path)
				files[path], err = string(data), readErr
			}
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return files
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, content := range want {
		if have, there := got[path]; !there || have != content {
			t.Errorf("%s: %q, %v; want %q", path, have, there, content)
		}
	}
	for path := range got {
		if _, there := want[path]; !there {
			t.Errorf("%s is new", path)
		}
	}
}
