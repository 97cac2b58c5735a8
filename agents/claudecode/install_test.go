package claudecode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
)

var scopes = []capability.Scope{capability.ScopeUser, capability.ScopeRepo, capability.ScopeProject}

func TestInstallingIsPlannedDoneOnceAndUndone(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "bin/git-trace")
			target := p.target(scope)
			before := p.snapshot()

			plan, err := p.installer.Plan(t.Context(), target)
			if err != nil || len(plan) == 0 {
				t.Fatalf("plan: %+v, %v", plan, err)
			}
			last := plan[len(plan)-1]
			if last.Path != p.settings(scope) || last.Op != capability.OpCreate || len(last.Events) != 10 {
				t.Errorf("plan: %+v", plan)
			}
			same(t, p.snapshot(), before)
			if status := p.status(target); status.Installed || len(status.Missing) != 10 || status.Settings != p.settings(scope) {
				t.Errorf("status before: %+v", status)
			}

			if done := p.install(target); !reflect.DeepEqual(done, plan) {
				t.Errorf("done %+v, planned %+v", done, plan)
			}
			installed := p.snapshot()
			status := p.status(target)
			if !status.Installed || len(status.Present) != 10 || status.Binary != p.binary || !status.BinaryFound || len(status.DisabledBy) != 0 {
				t.Errorf("status after: %+v", status)
			}
			if again := p.install(target); len(again) != 0 {
				t.Errorf("a second installation did %+v", again)
			}
			if plan, err := p.installer.Plan(t.Context(), target); err != nil || len(plan) != 0 {
				t.Errorf("plan after: %+v, %v", plan, err)
			}
			same(t, p.snapshot(), installed)

			if done := p.remove(target); len(done) == 0 {
				t.Error("removal did nothing")
			}
			same(t, p.snapshot(), before)
			if done := p.remove(target); len(done) != 0 {
				t.Errorf("a second removal did %+v", done)
			}
		})
	}
}

// envelope is the part of the settings schema that Claude Code reads.
type envelope struct {
	Hooks map[string][]struct {
		Matcher *string `json:"matcher"`
		Hooks   []struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int    `json:"timeout"`
		} `json:"hooks"`
	} `json:"hooks"`
}

func TestEntriesRunTheProgramWhateverItsPath(t *testing.T) {
	t.Parallel()
	for _, binary := range []string{
		"bin/git-trace", "my tools/git-trace", "it's \"here\"/git-trace", `back\slash $HOME/git-trace`, "<&>ü/git-trace",
	} {
		t.Run(binary, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, binary)
			p.install(p.target(capability.ScopeUser))
			data, err := os.ReadFile(p.settings(capability.ScopeUser))
			if err != nil {
				t.Fatal(err)
			}
			var settings envelope
			decoder := json.NewDecoder(bytes.NewReader(data))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&settings); err != nil {
				t.Fatal(err)
			}
			for event, groups := range settings.Hooks {
				if len(groups) != 1 || len(groups[0].Hooks) != 1 || (groups[0].Matcher != nil) != strings.Contains(event, "ToolUse") {
					t.Fatalf("%s: %+v", event, groups)
				}
				hook := groups[0].Hooks[0]
				if hook.Type != "command" || hook.Timeout != 10 {
					t.Errorf("%s: %+v", event, hook)
				}
				out, err := exec.Command("/bin/sh", "-c", hook.Command).CombinedOutput()
				if err != nil || string(out) != "hook|claude-code|"+event+"|" {
					t.Errorf("%s: the shell runs %q, %v", event, out, err)
				}
			}
		})
	}
}

const foreign = `{
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard --strict"}]},
            {"matcher": "*", "hooks": [{"type": "command", "command": "git-ai checkpoint claude"}]}
        ],
        "Notification": [{"hooks": [{"type": "command", "command": "beep"}]}]
    },
    "unknownKey": 1.0
}`

func TestWhatOthersWroteStaysByteForByte(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"entries of others": foreign, "an empty file": "", "a blank file": "\n", "an empty object": "{}\n",
		"a byte order mark": "\xEF\xBB\xBF{\n\t\"model\": \"opus\"\n}\n",
	} {
		for _, scope := range scopes {
			t.Run(name+" "+string(scope), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, "bin/git-trace")
				p.write(p.settings(scope), content, 0o640)
				if err := os.Chmod(p.settings(scope), 0o640); err != nil {
					t.Fatal(err)
				}
				before := p.snapshot()
				target := p.target(scope)
				p.install(target)
				data, err := os.ReadFile(p.settings(scope))
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(content) {
					if !strings.Contains(string(data), strings.Trim(line, " \t\n[]{}")) {
						t.Errorf("%q is gone:\n%s", line, data)
					}
				}
				if info, err := os.Stat(p.settings(scope)); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("permissions %v, %v", info.Mode(), err)
				}
				if status := p.status(target); !status.Installed {
					t.Errorf("status: %+v", status)
				}
				p.remove(target)
				same(t, p.snapshot(), before)
			})
		}
	}
}

func TestBrokenSettingsAreReportedAndLeftAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
		code          capability.InstallCode
		text          string
	}{
		{"a missing bracket", "{\n  \"hooks\": {\n", capability.CodeSettingsInvalid, "line 2"},
		{"a comment", "{\n  // mine\n}", capability.CodeSettingsInvalid, "line 2"},
		{"an array", "[]", capability.CodeSettingsShape, "not an object"},
		{"hooks in a list", `{"hooks": []}`, capability.CodeSettingsShape, `"hooks"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "bin/git-trace")
			p.write(p.settings(capability.ScopeRepo), test.content, 0o600)
			before := p.snapshot()
			target := p.target(capability.ScopeRepo)
			_, planErr := p.installer.Plan(t.Context(), target)
			_, err := p.installer.Install(t.Context(), target)
			_, statusErr := p.installer.Status(t.Context(), target)
			for _, err := range []error{planErr, err, statusErr} {
				var failed *capability.InstallError
				if !errors.As(err, &failed) || failed.Code != test.code || failed.Hint == "" {
					t.Fatalf("got %v, want %s", err, test.code)
				}
				message := err.Error()
				if !strings.Contains(message, test.text) || !strings.Contains(message, p.settings(capability.ScopeRepo)) {
					t.Errorf("%q says neither %q nor the path", message, test.text)
				}
			}
			same(t, p.snapshot(), before)
		})
	}
}

func TestStaleEntriesAreReplaced(t *testing.T) {
	t.Parallel()
	old := newPlace(t, "old version/git-trace")
	old.install(old.target(capability.ScopeRepo))
	data, err := os.ReadFile(old.settings(capability.ScopeRepo))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, "bin/git-trace")
	p.write(p.settings(capability.ScopeRepo), string(data), 0o600)
	if err := os.Remove(old.binary); err != nil {
		t.Fatal(err)
	}
	target := p.target(capability.ScopeRepo)
	status := p.status(target)
	if status.Installed || len(status.Stale) != 10 || len(status.Missing) != 0 || status.Binary != old.binary || status.BinaryFound {
		t.Errorf("status before: %+v", status)
	}
	p.install(target)
	if status := p.status(target); !status.Installed || status.Binary != p.binary || !status.BinaryFound {
		t.Errorf("status after: %+v", status)
	}
	p.remove(target)
	if _, err := os.Stat(filepath.Dir(p.settings(capability.ScopeRepo))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is left: %v", err)
	}
}

func TestASymbolicLinkToSettingsIsKept(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"of others": foreign, "that are blank": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "bin/git-trace")
			p.write(filepath.Join(p.home, "dotfiles", "claude.json"), content, 0o600)
			p.write(filepath.Join(p.home, ".claude", "other"), "", 0o600)
			if err := os.Symlink(filepath.Join("..", "dotfiles", "claude.json"), p.settings(capability.ScopeUser)); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			before := p.snapshot()
			target := p.target(capability.ScopeUser)
			p.install(target)
			if status := p.status(target); !status.Installed {
				t.Errorf("status: %+v", status)
			}
			if info, err := os.Lstat(p.settings(capability.ScopeUser)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v, %v", info, err)
			}
			p.remove(target)
			same(t, p.snapshot(), before)
		})
	}
}

func TestSettingsOfOurMakingBehindALinkBecomeEmpty(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	target := p.target(capability.ScopeUser)
	p.install(target)
	moved := filepath.Join(p.home, "moved.json")
	if err := os.Rename(p.settings(capability.ScopeUser), moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, p.settings(capability.ScopeUser)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	p.remove(target)
	if data, err := os.ReadFile(p.settings(capability.ScopeUser)); err != nil || string(data) != "{}\n" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestPlacesThatCannotBeWrittenGiveAnErrorWithAHint(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.write(filepath.Join(p.home, ".claude"), "a file", 0o600)
	_, err := p.installer.Install(t.Context(), p.target(capability.ScopeUser))
	var failed *capability.InstallError
	if !errors.As(err, &failed) || failed.Code != capability.CodeSettingsUnreadable || failed.Hint == "" {
		t.Errorf("a file in place of the directory: %v", err)
	}
}

func TestAPlaceThatIsReadOnlyGivesAnErrorWithAHint(t *testing.T) {
	t.Parallel()
	if !testenv.AsNobody(t) {
		return
	}
	p := newPlace(t, "bin/git-trace")
	dir := filepath.Dir(p.settings(capability.ScopeUser))
	if err := os.Mkdir(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := p.installer.Install(t.Context(), p.target(capability.ScopeUser))
	var failed *capability.InstallError
	if !errors.As(err, &failed) || failed.Code != capability.CodeSettingsUnwritable || !errors.Is(err, os.ErrPermission) || failed.Hint == "" {
		t.Errorf("a directory that is read-only: %v", err)
	}
}

func TestTargetsWithoutAPlaceAreRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	bare := filepath.Join(p.home, "bare.git")
	p.git(p.home, "init", "-q", "--bare", bare)
	relative := claudecode.New(capability.Env{Home: p.home, Binary: "git-trace"}).Installer
	homeless := claudecode.New(capability.Env{Binary: p.binary}).Installer
	tests := []struct {
		name      string
		installer capability.HookInstaller
		target    capability.Target
		code      capability.InstallCode
	}{
		{"a bare repository", p.installer, p.targetAt(capability.ScopeRepo, bare), capability.CodeTarget},
		{"no repository", p.installer, capability.Target{Scope: capability.ScopeProject}, capability.CodeTarget},
		{"an unknown scope", p.installer, capability.Target{Scope: "world"}, capability.CodeTarget},
		{"no home directory", homeless, p.target(capability.ScopeUser), capability.CodeTarget},
		{"a program without an absolute path", relative, p.target(capability.ScopeUser), capability.CodeBinary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.installer.Install(t.Context(), test.target)
			var failed *capability.InstallError
			if !errors.As(err, &failed) || failed.Code != test.code {
				t.Errorf("got %v, want %s", err, test.code)
			}
		})
	}
}

func TestTheConfigDirectoryOfTheEnvironmentCounts(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.vars["CLAUDE_CONFIG_DIR"] = filepath.Join(p.home, "elsewhere")
	p.install(p.target(capability.ScopeUser))
	if _, err := os.Stat(filepath.Join(p.home, "elsewhere", "settings.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".claude")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the default directory was made: %v", err)
	}
}

func TestSettingsThatSwitchHooksOffAreNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "bin/git-trace")
	p.write(p.settings(capability.ScopeProject), `{"disableAllHooks": true}`, 0o600)
	target := p.target(capability.ScopeRepo)
	p.install(target)
	if status := p.status(target); !slices.Equal(status.DisabledBy, []string{p.settings(capability.ScopeProject)}) {
		t.Errorf("status: %+v", status)
	}
}
