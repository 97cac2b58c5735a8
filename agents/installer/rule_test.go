package installer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
)

func TestWhichCommandsAreOurs(t *testing.T) {
	t.Parallel()
	is := installer.Ours("/opt/tracer", "demo")
	for command, want := range map[string]bool{
		"/opt/tracer hook demo Stop": true, "/old/git-trace hook demo Stop": true, "git-trace hook demo Stop": true, `'C:\x\git-trace.exe' hook demo Stop`: true,
		"/old/git-trace-hook hook demo Stop": true, `'C:\x\git-trace-hook.exe' hook demo Stop`: true,
		"git trace hook demo Stop": true, "/old/tracer hook demo Stop": false, "/old/git-trace hook other Stop": false, "/old/my-git-trace hook demo Stop": false,
		"/old/git-trace.sh hook demo Stop": false, "/old/git-trace status": false, "": false,
	} {
		if got := is(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestFilesOfOthersOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.home, "f")
	if installer.OthersOnly(path, "demo") {
		t.Error("a file that is not there is of others")
	}
	for text, want := range map[string]bool{"{}": true, "x hook demo Stop": false, "x hook other Stop": true} {
		w.write(path, text)
		if got := installer.OthersOnly(path, "demo"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAPersonalFileIsIgnoredWhereGitWouldSeeIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set  func(w *world) (root string)
		rule bool
	}{
		"in a work tree": {func(w *world) string { return w.work }, true},
		"through a link to it": {func(w *world) string {
			link := filepath.Join(w.home, "link")
			w.symlink(w.work, link)
			return link
		}, true},
		"ignored already": {func(w *world) string {
			w.write(filepath.Join(w.work, ".gitignore"), ".demo/\n")
			return w.work
		}, false},
		"taken back in by the user": {func(w *world) string {
			w.write(filepath.Join(w.work, ".gitignore"), ".demo/*\n!.demo/settings.json\n")
			return w.work
		}, true},
		"below a link that leads elsewhere": {func(w *world) string {
			w.write(filepath.Join(w.work, "elsewhere", "keep"), "")
			w.symlink("elsewhere", filepath.Join(w.work, ".demo"))
			return w.work
		}, false},
		"in no repository": {func(w *world) string { return w.home }, false},
		"in a bare one": {func(w *world) string {
			bare := filepath.Join(w.home, "bare.git")
			if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
				w.t.Fatal(err, string(out))
			}
			return bare
		}, false},
		"below the top of a work tree": {func(w *world) string {
			w.write(filepath.Join(w.work, "sub", "keep"), "")
			return filepath.Join(w.work, "sub")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			root := test.set(w)
			w.in.Own = func(capability.Target) (installer.Place, error) {
				return installer.Place{Path: filepath.Join(root, ".demo", "settings.json"), Root: root, Ignored: ".demo/settings.json"}, nil
			}
			before := w.read(w.exclude())
			if _, err := w.in.Install(t.Context(), w.target(capability.ScopeRepo)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(w.read(w.exclude()), "/.demo/settings.json"); got != test.rule || !got && w.read(w.exclude()) != before {
				t.Errorf("the ignore file is %q", w.read(w.exclude()))
			}
		})
	}
}

func (w *world) symlink(target, path string) {
	w.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		w.t.Skip("no symbolic links here:", err)
	}
}

func TestThePathOfTheProgramMustFitIntoACommand(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]capability.InstallCode{
		"/bin/git-trace": "", "/ü/it's": "", "bin/git-trace": capability.CodeBinary, "/a\x00b": capability.CodeBinary, "/a\rb": capability.CodeBinary,
		"/a\nb": capability.CodeBinary, "/\xff": capability.CodeBinary, "": capability.CodeBinary,
	} {
		w := newWorld(t)
		w.in.Env.Binary = path
		if _, err := w.in.Install(t.Context(), w.target(capability.ScopeUser)); code(err) != want {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestWhatIsDoneToAFileIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.settings(capability.ScopeUser)
	refuse := capability.InstallError{Code: capability.CodeTarget, Message: "not here"}
	w.in.Refuse = func(capability.Target) error { return &refuse }
	if _, err := w.in.Install(t.Context(), w.target(capability.ScopeUser)); code(err) != capability.CodeTarget {
		t.Errorf("refused: %v", err)
	}
	w.in.Refuse = func(capability.Target) error { return nil }
	for _, step := range []struct {
		says string
		do   func(capability.Scope) []capability.Action
		want capability.Op
	}{
		{"made", w.install, capability.OpCreate}, {"deleted", w.remove, capability.OpDelete},
		{"changed", func(scope capability.Scope) []capability.Action { w.write(path, "{}\n"); return w.install(scope) }, capability.OpUpdate},
		{"changed back", w.remove, capability.OpUpdate},
	} {
		done := step.do(capability.ScopeUser)
		if len(done) != 1 || done[0].Op != step.want || done[0].Path != path || len(done[0].Events) != 2 {
			t.Errorf("%s: %+v", step.says, done)
		}
	}
	if got := w.read(path); got != "{}\n" {
		t.Errorf("left %q", got)
	}
}
