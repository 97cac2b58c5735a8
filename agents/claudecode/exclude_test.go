package claudecode_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
)

func (p *place) exclude() string { return filepath.Join(p.root, ".git", "info", "exclude") }

func (p *place) untracked() string {
	return strings.TrimSpace(p.git(p.root, "status", "--porcelain", "--untracked-files=all"))
}

func TestPersonalSettingsAreKeptOutOfTheUsersStatus(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]*string{
		"the file that git made": nil, "a file without a last newline": new(string), "rules of others": new(string),
	} {
		switch name {
		case "a file without a last newline":
			*content = "*.log"
		case "rules of others":
			*content = "# mine\n*.log\n"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "bin/git-trace")
			if content != nil {
				p.write(p.exclude(), *content, 0o600)
			}
			before := p.snapshot()
			target := p.target(capability.ScopeRepo)
			p.install(target)
			if got := p.untracked(); got != "" {
				t.Errorf("git status shows %q", got)
			}
			p.remove(target)
			if err := os.Remove(filepath.Join(p.root, ".git", "index")); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			same(t, p.snapshot(), before)
		})
	}
}

func TestAMissingOrEmptyIgnoreFileIsRestored(t *testing.T) {
	t.Parallel()
	for _, empty := range []bool{true, false} {
		p := newPlace(t, "bin/git-trace")
		if err := os.RemoveAll(filepath.Dir(p.exclude())); err != nil {
			t.Fatal(err)
		}
		if empty {
			p.write(p.exclude(), "", 0o600)
		}
		before := p.snapshot()
		p.install(p.target(capability.ScopeRepo))
		p.remove(p.target(capability.ScopeRepo))
		same(t, p.snapshot(), before)
	}
}

func TestARuleThatIsThereAlreadyIsEnough(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.write(filepath.Join(p.root, ".gitignore"), ".claude/\n", 0o600)
	actions := p.install(p.target(capability.ScopeRepo))
	if len(actions) != 1 || actions[0].Path != p.settings(capability.ScopeRepo) {
		t.Errorf("did %+v, want the settings alone", actions)
	}
}

func TestRulesThatFollowOursAreKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.write(p.exclude(), "*.log", 0o600)
	p.install(p.target(capability.ScopeRepo))
	data, err := os.ReadFile(p.exclude())
	if err != nil {
		t.Fatal(err)
	}
	p.write(p.exclude(), string(data)+"\n*.tmp\n", 0o600)
	p.remove(p.target(capability.ScopeRepo))
	if data, err := os.ReadFile(p.exclude()); err != nil || string(data) != "*.log\n*.tmp\n" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestSharedAndUserSettingsNeedNoRule(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	for _, scope := range []capability.Scope{capability.ScopeUser, capability.ScopeProject} {
		if actions := p.install(p.target(scope)); len(actions) != 1 || actions[0].Path != p.settings(scope) {
			t.Errorf("%s did %+v, want the settings alone", scope, actions)
		}
	}
}

func TestTrackedPersonalSettingsAreRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.write(p.settings(capability.ScopeRepo), "{}\n", 0o600)
	p.git(p.root, "add", ".claude")
	_, err := p.installer.Install(t.Context(), p.target(capability.ScopeRepo))
	var failed *capability.InstallError
	if !errors.As(err, &failed) || failed.Code != capability.CodeSettingsTracked || !strings.Contains(failed.Hint, "--global") {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(p.settings(capability.ScopeRepo)); err != nil || string(data) != "{}\n" {
		t.Errorf("settings are %q, %v", data, err)
	}
}

func TestLinkedWorkTreesShareTheSettingsOfTheMainOne(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.git(p.root, "commit", "-q", "--allow-empty", "-m", "first")
	linked := filepath.Join(p.home, "linked")
	p.git(p.root, "worktree", "add", "-q", linked)
	target := p.targetAt(capability.ScopeRepo, linked)
	p.install(target)
	if _, err := os.Stat(p.settings(capability.ScopeRepo)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(linked, ".claude")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the linked work tree got settings: %v", err)
	}
	if got := p.untracked(); got != "" {
		t.Errorf("git status shows %q", got)
	}
	if again := p.install(p.target(capability.ScopeRepo)); len(again) != 0 {
		t.Errorf("installing in the main work tree did %+v", again)
	}
}

func TestABareGitDirectoryAboveWorkTreesHoldsTheSettingsBesideIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.git(p.root, "commit", "-q", "--allow-empty", "-m", "first")
	top := filepath.Join(p.home, "bare")
	p.git(p.home, "clone", "-q", "--bare", p.root, filepath.Join(top, ".git"))
	p.git(top, "worktree", "add", "-q", filepath.Join(top, "tree"))
	actions := p.install(p.targetAt(capability.ScopeRepo, filepath.Join(top, "tree")))
	if want := filepath.Join(top, ".claude", "settings.local.json"); len(actions) != 1 || actions[0].Path != want {
		t.Errorf("did %+v, want %s alone", actions, want)
	}
}

func TestNothingIsWrittenThroughALinkThatLeadsOutOfTheWorkTree(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	elsewhere := filepath.Join(p.home, "shared-claude")
	if err := os.Mkdir(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(p.root, ".claude")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	before := p.snapshot()
	for _, scope := range []capability.Scope{capability.ScopeRepo, capability.ScopeProject} {
		_, err := p.installer.Install(t.Context(), p.target(scope))
		if !errors.Is(err, userfile.ErrOutside) {
			t.Errorf("%s: %v", scope, err)
		}
	}
	same(t, p.snapshot(), before)
}
