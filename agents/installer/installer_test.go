package installer_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// world is a home directory, a repository and the installer of an agent that is called Demo.
type world struct {
	t          *testing.T
	home, work string
	repo       *refs.Repo
	in         *installer.Installer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(root, "home"), work: filepath.Join(root, "work tree")}
	w.write(filepath.Join(w.home, "keep"), "")
	w.write(filepath.Join(w.work, "keep"), "")
	w.git("init", "-q")
	if w.repo, err = refs.Discover(w.work); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(root, "bin", "git-trace")
	w.write(binary, "#!/bin/sh\n")
	if err := os.Chmod(binary, 0o755); err != nil {
		t.Fatal(err)
	}
	w.in = &installer.Installer{
		Env: capability.Env{Home: w.home, Binary: binary}, Agent: "demo", Title: "Demo", OnlyAtTop: true,
		Format: installer.Settings{Entries: func() []hookfile.Entry {
			return []hookfile.Entry{
				{Event: "PostToolUse", Matcher: "*", Command: hookfile.Command(binary, "demo", "PostToolUse"), Timeout: 9},
				{Event: "Stop", Command: hookfile.Command(binary, "demo", "Stop"), Timeout: 9},
			}
		}, Ours: installer.Ours(binary, "demo")},
	}
	w.in.User, w.in.Repo, w.in.File = filepath.Join(w.home, ".demo"), ".demo", "settings.json"
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", w.work}, args...)...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (w *world) target(scope capability.Scope) capability.Target {
	return capability.Target{Scope: scope, Repo: w.repo}
}

func (w *world) settings(scope capability.Scope) string {
	if scope == capability.ScopeUser {
		return filepath.Join(w.home, ".demo", "settings.json")
	}
	return filepath.Join(w.work, ".demo", "settings.json")
}

func (w *world) exclude() string { return filepath.Join(w.work, ".git", "info", "exclude") }

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) install(scope capability.Scope) []capability.Action {
	w.t.Helper()
	planned, err := w.in.Plan(w.t.Context(), w.target(scope))
	if err != nil {
		w.t.Fatal(err)
	}
	done, err := w.in.Install(w.t.Context(), w.target(scope))
	if err != nil {
		w.t.Fatal(err)
	}
	if len(planned) != len(done) {
		w.t.Errorf("planned %+v, did %+v", planned, done)
	}
	return done
}

func (w *world) remove(scope capability.Scope) []capability.Action {
	w.t.Helper()
	done, err := w.in.Remove(w.t.Context(), w.target(scope))
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

func (w *world) status(scope capability.Scope) capability.Status {
	w.t.Helper()
	status, err := w.in.Status(w.t.Context(), w.target(scope))
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

func code(err error) capability.InstallCode {
	var failed *capability.InstallError
	if !errors.As(err, &failed) {
		return ""
	}
	return failed.Code
}

func TestHooksComeAndGoInEveryScope(t *testing.T) {
	t.Parallel()
	for scope, steps := range map[capability.Scope]int{
		capability.ScopeUser: 1, capability.ScopeRepo: 2, capability.ScopeProject: 1,
	} {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ignored := w.read(w.exclude())
			if s := w.status(scope); s.Installed || len(s.Missing) != 2 {
				t.Errorf("before: %+v", s)
			}
			if done := w.install(scope); len(done) != steps || done[steps-1].Op != capability.OpCreate {
				t.Errorf("did %+v", done)
			}
			s := w.status(scope)
			if !s.Installed || !s.BinaryFound || s.Binary != w.in.Env.Binary || s.Settings != w.settings(scope) {
				t.Errorf("after: %+v", s)
			}
			if s.OnlyAtTop != (scope != capability.ScopeUser) {
				t.Errorf("only at the top: %v", s.OnlyAtTop)
			}
			if again := w.install(scope); len(again) != 0 {
				t.Errorf("a second install did %+v", again)
			}
			w.git("add", ".")
			if got := w.git("ls-files"); strings.Contains(got, ".demo") != (scope == capability.ScopeProject) {
				t.Errorf("git would commit %q", got)
			}
			if done := w.remove(scope); len(done) != steps {
				t.Errorf("took out %+v", done)
			}
			if _, err := os.Stat(filepath.Dir(w.settings(scope))); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the directory is left: %v", err)
			}
			if got := w.read(w.exclude()); got != ignored {
				t.Errorf("the ignore file is %q, was %q", got, ignored)
			}
			if again := w.remove(scope); len(again) != 0 {
				t.Errorf("a second removal did %+v", again)
			}
		})
	}
}

func TestWhatOthersHaveInTheFileStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "gofmt -w ."}]}]}, "x": 1}` + "\n"
	w.write(w.settings(capability.ScopeUser), theirs)
	w.install(capability.ScopeUser)
	s := w.status(capability.ScopeUser)
	if want := []capability.ForeignHook{{Event: "PostToolUse", Command: "gofmt -w ."}}; !slices.Equal(s.Foreign, want) {
		t.Errorf("others are %+v", s.Foreign)
	}
	w.remove(capability.ScopeUser)
	if got := w.read(w.settings(capability.ScopeUser)); got != theirs {
		t.Errorf("left %q", got)
	}
}

func TestAFailureTakesBackTheIgnoreRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ignored := w.read(w.exclude())
	name := strings.Repeat("x", 250) // leaves no room for the name of the file that will be renamed
	w.in.Repo, w.in.File = "", name
	planned, err := w.in.Plan(t.Context(), w.target(capability.ScopeRepo))
	if err != nil || len(planned) != 2 || planned[0].Path != w.exclude() {
		t.Fatalf("planned %+v, %v", planned, err)
	}
	_, err = w.in.Install(t.Context(), w.target(capability.ScopeRepo))
	if code(err) != capability.CodeSettingsUnwritable || w.read(w.exclude()) != ignored {
		t.Errorf("%v; the ignore file is %q, was %q", err, w.read(w.exclude()), ignored)
	}
}

func TestALinkedFileIsEmptiedAndNotDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	real := filepath.Join(w.home, "dotfiles", "demo.json")
	w.write(real, "")
	w.write(filepath.Join(w.home, ".demo", "keep"), "")
	if err := os.Symlink(real, w.settings(capability.ScopeUser)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := w.in.Install(t.Context(), w.target(capability.ScopeUser)); !errors.Is(err, userfile.ErrDangling) {
		t.Errorf("installed through a link to nothing: %v", err)
	}
	w.write(real, "{\n}\n")
	w.install(capability.ScopeUser)
	w.remove(capability.ScopeUser)
	if got := w.read(real); strings.Contains(got, "git-trace") || got == "" {
		t.Errorf("left %q", got)
	}
}

func TestWhatCannotBeInstalledSaysWhy(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		scope capability.Scope
		set   func(w *world)
		want  capability.InstallCode
	}{
		"no absolute program": {capability.ScopeUser, func(w *world) { w.in.Env.Binary = "git-trace" }, capability.CodeBinary},
		"a line break in its path": {capability.ScopeUser, func(w *world) { w.in.Env.Binary = "/a\nb" },
			capability.CodeBinary},
		"settings that are no JSON": {capability.ScopeUser, func(w *world) { w.write(w.settings(capability.ScopeUser), "{") },
			capability.CodeSettingsInvalid},
		"hooks that are no object": {capability.ScopeUser,
			func(w *world) { w.write(w.settings(capability.ScopeUser), `{"hooks": []}`) }, capability.CodeSettingsShape},
		"a directory in the place of the file": {capability.ScopeUser,
			func(w *world) { w.write(filepath.Join(w.settings(capability.ScopeUser), "x"), "") },
			capability.CodeSettingsUnreadable},
		"a file that the repository tracks": {capability.ScopeRepo, func(w *world) {
			w.write(w.settings(capability.ScopeRepo), "{}\n")
			w.git("add", ".demo")
		}, capability.CodeSettingsTracked},
		"a damaged ignore file": {capability.ScopeRepo,
			func(w *world) { w.write(w.exclude(), userfile.Marked("demo").Begin+"\n") }, capability.CodeSettingsUnreadable},
		"a scope that there is not": {"galaxy", func(*world) {}, capability.CodeTarget},
		"no repository":             {capability.ScopeProject, func(w *world) { w.repo = nil }, capability.CodeTarget},
		"no home": {capability.ScopeUser, func(w *world) { w.in.User = "relative" },
			capability.CodeTarget},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.set(w)
			before := w.read(w.exclude())
			_, err := w.in.Install(t.Context(), w.target(c.scope))
			if code(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, err := w.in.Plan(t.Context(), w.target(c.scope)); code(err) != c.want {
				t.Errorf("the plan got %v, want %s", err, c.want)
			}
			if w.repo != nil && w.read(w.exclude()) != before {
				t.Errorf("the ignore file was changed: %q", w.read(w.exclude()))
			}
		})
	}
}

func TestADamagedIgnoreFileDoesNotHoldUpARemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install(capability.ScopeRepo)
	damaged := strings.Replace(w.read(w.exclude()), userfile.Marked("demo").End+"\n", "", 1)
	w.write(w.exclude(), damaged)
	if done := w.remove(capability.ScopeRepo); len(done) != 1 || w.read(w.exclude()) != damaged {
		t.Errorf("did %+v, left %q", done, w.read(w.exclude()))
	}
}

func TestARuleOfAnEarlierVersionIsTakenOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install(capability.ScopeRepo)
	block := userfile.Marked("demo")
	w.write(w.exclude(), "*.log\n"+block.Begin+"\n/.demo/settings.json\n"+block.End) // behind a line without a line break
	if again := w.install(capability.ScopeRepo); len(again) != 0 {
		t.Errorf("an install did %+v", again)
	}
	w.remove(capability.ScopeRepo)
	if got := w.read(w.exclude()); got != "*.log" {
		t.Errorf("left %q", got)
	}
}

func TestStatusTellsWhatKeepsHooksFromRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.in.DisabledBy = func(capability.Target) []string { return []string{"/managed.json"} }
	w.in.Obstacles = func(context.Context, capability.Target) ([]capability.Obstacle, error) {
		return []capability.Obstacle{{What: "the folder is not trusted"}}, nil
	}
	if s := w.status(capability.ScopeUser); len(s.Obstacles) != 0 || len(s.DisabledBy) != 1 {
		t.Errorf("nothing is installed: %+v", s)
	}
	w.install(capability.ScopeUser)
	if err := os.Remove(w.in.Env.Binary); err != nil {
		t.Fatal(err)
	}
	if s := w.status(capability.ScopeUser); len(s.Obstacles) != 1 || s.BinaryFound {
		t.Errorf("installed: %+v", s)
	}
	w.write(w.settings(capability.ScopeUser), "{")
	if _, err := w.in.Status(t.Context(), w.target(capability.ScopeUser)); code(err) != capability.CodeSettingsInvalid {
		t.Errorf("got %v", err)
	}
	if _, err := w.in.Remove(t.Context(), w.target(capability.ScopeUser)); code(err) != capability.CodeSettingsInvalid {
		t.Errorf("got %v", err)
	}
}

func TestAProgramOfOurOwnIsKnownByItsCommand(t *testing.T) {
	t.Parallel()
	source := []byte("// command: @COMMAND@\nconst program = @PROGRAM@;\n")
	w := newWorld(t)
	old := installer.Program(source, "/old/git-trace", "demo", []string{"turn_end"})
	w.in.Format = installer.Program(source, w.in.Env.Binary, "demo", []string{"turn_end"})
	w.in.User, w.in.Repo, w.in.File = filepath.Join(w.home, ".demo"), ".demo", "plugin.js"
	file := filepath.Join(w.home, ".demo", "plugin.js")

	w.install(capability.ScopeUser)
	if got := w.read(file); !strings.Contains(got, `const program = "`+w.in.Env.Binary+`";`) {
		t.Errorf("wrote %q", got)
	}
	if s := w.status(capability.ScopeUser); !s.Installed || s.Binary != w.in.Env.Binary {
		t.Errorf("status is %+v", s)
	}
	w.write(file, string(old.Content))
	if s := w.status(capability.ScopeUser); s.Installed || len(s.Stale) != 1 || s.Binary != "/old/git-trace" {
		t.Errorf("status of an older one is %+v", s)
	}
	if done := w.install(capability.ScopeUser); len(done) != 1 || done[0].Op != capability.OpUpdate {
		t.Errorf("did %+v", done)
	}
	if done := w.remove(capability.ScopeUser); len(done) != 1 || done[0].Op != capability.OpDelete {
		t.Errorf("took out %+v", done)
	}
	w.write(file, "export default somebodyElses;\n")
	if _, err := w.in.Install(t.Context(), w.target(capability.ScopeUser)); !errors.Is(err, installer.ErrForeign) {
		t.Errorf("wrote over a file of others: %v", err)
	}
	if _, err := w.in.Status(t.Context(), w.target(capability.ScopeUser)); code(err) != capability.CodeSettingsShape {
		t.Errorf("got %v", err)
	}
	if done := w.remove(capability.ScopeUser); len(done) != 0 {
		t.Errorf("took out %+v", done)
	}
}
