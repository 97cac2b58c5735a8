package hooks

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commit makes a commit anywhere and returns what the hooks logged.
func (w *world) commit(dir string) []string {
	w.t.Helper()
	if out, code := w.gitIn(dir, "commit", "-q", "--allow-empty", "-m", "x"); code != 0 {
		w.t.Fatalf("git commit: exit status %d\n%s", code, out)
	}
	return w.logged()
}

func wantLog(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the hooks logged %q, want %q", got, want)
	}
}

const (
	oursHere = "ours git-hook post-commit <> work clean"
	theirs   = "foreign post-commit  <>"
)

func foreign(hook string) string {
	return "#!/bin/sh\n" + strings.ReplaceAll(foreignBody, "@HOOK@", hook)
}

func TestReliabilityE3ADirectoryOutsideTheWorkTreeIsUsedAsItIs(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"absolute": "ABS", "relative": "../our hooks"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := filepath.Join(w.base, "our hooks")
			w.write(filepath.Join(dir, "post-commit"), foreign("post-commit"), 0o755)
			w.git("config", "core.hooksPath", strings.Replace(path, "ABS", dir, 1))
			before := picture(t, dir)
			w.install()
			wantLog(t, w.commit(w.dir), oursHere, theirs)
			if st := w.status(); !st.Works() || st.Dir != dir || st.Source != "core.hooksPath, local configuration" {
				t.Errorf("status is %+v", st)
			}
			w.remove()
			samePicture(t, "removal", before, picture(t, dir))
		})
	}
}

func TestADirectoryThatDoesNotExistIsMadeAndTakenAway(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"outside": "../x/y", "in the work tree": "tools/hooks"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.git("config", "core.hooksPath", path)
			before := picture(t, w.dir)
			w.install()
			wantLog(t, w.commit(w.dir), oursHere)
			if out := w.git("status", "--porcelain"); out != "" {
				t.Errorf("git status shows %q", out)
			}
			if again := w.install(); again.Changed() {
				t.Errorf("the second install did %v", again.Actions)
			}
			w.git("update-ref", "-d", "HEAD")
			w.remove()
			after := picture(t, w.dir)
			for path := range after {
				if strings.HasPrefix(path, ".git/logs") || strings.HasPrefix(path, ".git/objects") || strings.HasPrefix(path, ".git/COMMIT") || path == ".git/index" {
					delete(after, path)
				}
			}
			for path := range before {
				if strings.HasPrefix(path, ".git/objects") {
					delete(before, path)
				}
			}
			for _, picture := range []map[string]string{before, after} { // refs are tables
				maps.DeleteFunc(picture, func(path, _ string) bool { return strings.HasPrefix(path, ".git/reftable") })
			}
			samePicture(t, "removal", before, after)
			if _, err := os.Stat(filepath.Join(w.base, "x")); err == nil {
				t.Error("a directory made for the hooks is left")
			}
		})
	}
}

// A generated, ignored directory is husky's .husky/_; its hooks are rewritten by `npm install`.
func TestReliabilityE3HuskyKeepsItsScriptsAndAnOverwriteIsNoticedAndMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	generated := filepath.Join(w.dir, ".husky", "_")
	generate := func() {
		w.write(filepath.Join(generated, ".gitignore"), "*", 0o644)
		w.write(filepath.Join(generated, "h"), fixture(w, "husky/h"), 0o644)
		for _, h := range forwarded {
			w.write(filepath.Join(generated, h), fixture(w, "husky/hook"), 0o755)
		}
	}
	generate()
	w.git("config", "core.hooksPath", ".husky/_")
	w.write(filepath.Join(w.dir, ".husky", "post-commit"), strings.ReplaceAll(foreignBody, "@HOOK@", "post-commit"), 0o644)
	w.git("add", ".")
	w.git("commit", "-q", "-m", "husky")
	w.logged()
	before := picture(t, generated)

	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("git status shows %q", out)
	}
	if st := w.status(); !st.Works() || st.Hooks[0].Beside != "husky" {
		t.Errorf("status is %+v", st)
	}
	generate()
	if got := w.states(); got != "overwritten" {
		t.Errorf("after husky wrote its hooks anew they are %s", got)
	}
	if r := w.install(); !r.Changed() {
		t.Error("install mended nothing")
	}
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	w.remove()
	samePicture(t, "removal", before, picture(t, generated))
}

func TestReliabilityE3TrackedHooksStayAsTheTeamCommittedThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	team := filepath.Join(w.dir, ".githooks")
	w.write(filepath.Join(team, "lib.sh"), "log() {\n"+strings.ReplaceAll(foreignBody, "@HOOK@", "post-commit")+"}\n", 0o644)
	w.write(filepath.Join(team, "post-commit"), "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\nlog\n", 0o755)
	w.write(filepath.Join(team, "pre-commit"), "#!/bin/sh\n[ ! -e stop ]\n", 0o755)
	w.git("add", ".")
	w.git("commit", "-q", "-m", "hooks")
	w.git("config", "core.hooksPath", ".githooks")
	before, config := picture(t, team), w.read(filepath.Join(w.dir, ".git", "config"))

	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	samePicture(t, "install", before, picture(t, team))
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("git status shows %q", out)
	}
	if again := w.install(); again.Changed() {
		t.Errorf("the second install did %v", again.Actions)
	}
	if st := w.status(); !st.Works() || st.Dir != team || st.OwnDir == "" {
		t.Errorf("status is %+v", st)
	}

	t.Log("a refusal of theirs is still a refusal")
	w.write(filepath.Join(w.dir, "stop"), "", 0o644)
	if _, code := w.gitIn(w.dir, "commit", "-q", "--allow-empty", "-m", "no"); code != 1 {
		t.Errorf("git commit ended with %d; their pre-commit did not stop it", code)
	}
	_ = os.Remove(filepath.Join(w.dir, "stop"))

	t.Log("a hook that a colleague adds later runs")
	w.write(filepath.Join(team, "commit-msg"), "#!/bin/sh\nexit 1\n", 0o755)
	if _, code := w.gitIn(w.dir, "commit", "-q", "--allow-empty", "-m", "no"); code != 1 {
		t.Errorf("git commit ended with %d; the new commit-msg did not stop it", code)
	}
	_ = os.Remove(filepath.Join(team, "commit-msg"))

	t.Log("in a linked work tree both run, each from there")
	linked := filepath.Join(w.base, "linked tree")
	w.git("worktree", "add", "-q", "-b", "linked", linked)
	w.logged()
	wantLog(t, w.commit(linked), "ours git-hook post-commit <> linked tree clean", theirs)

	t.Log("an npm script that sets core.hooksPath back takes us out of the way")
	w.git("config", "core.hooksPath", ".githooks")
	if got := w.states(); got != "bypassed" {
		t.Errorf("with core.hooksPath set back the hooks are %s", got)
	}
	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)

	t.Log("a branch without the hooks changes nothing")
	w.git("checkout", "-q", "--orphan", "bare-bones")
	w.git("rm", "-q", "-r", "-f", ".")
	w.logged()
	wantLog(t, w.commit(w.dir), oursHere)
	if again := w.install(); again.Changed() {
		t.Errorf("install on a branch without hooks did %v", again.Actions)
	}
	w.git("checkout", "-q", "main")

	w.remove()
	w.logged()
	wantLog(t, w.commit(w.dir), theirs)
	if got := w.read(filepath.Join(w.dir, ".git", "config")); got != config {
		t.Errorf("the configuration was\n%s\nand is\n%s", config, got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".git", "traces")); err == nil {
		t.Error(".git/traces is left")
	}
}

func TestAHooksDirectoryThatIsALinkIntoTheWorkTreeCountsAsPartOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	team := filepath.Join(w.dir, "hooks")
	w.write(filepath.Join(team, "post-commit"), foreign("post-commit"), 0o755)
	if err := os.RemoveAll(filepath.Join(w.dir, ".git", "hooks")); err != nil {
		t.Fatal(err)
	}
	w.link("../hooks", filepath.Join(w.dir, ".git", "hooks"))
	w.git("add", ".")
	w.git("commit", "-q", "-m", "hooks")
	w.logged()
	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("git status shows %q", out)
	}
	w.remove()
	wantLog(t, w.commit(w.dir), theirs)
}

func TestHooksThatATeamBeginsToTrackAreNotRunTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("config", "core.hooksPath", ".githooks")
	w.install()
	w.write(filepath.Join(w.dir, ".githooks", "post-commit"), foreign("post-commit"), 0o755)
	w.git("add", "-f", ".githooks/post-commit")
	w.git("commit", "-q", "-m", "hooks")
	w.logged()
	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	w.git("checkout", "-q", "-b", "other")
	if log := w.logged(); len(log) != 1 {
		t.Errorf("post-checkout logged %q", log)
	}
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("git status shows %q", out)
	}
	if strings.Contains(w.read(filepath.Join(w.dir, ".git", "info", "exclude")), "git-trace") {
		t.Error("the exclude file still has our lines")
	}
}

func TestLinkedWorkTreesAndSubmodulesAndBareRepositoriesRunTheHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("commit", "-q", "--allow-empty", "-m", "first")
	linked := filepath.Join(w.base, "linked tree")
	w.git("worktree", "add", "-q", "-b", "linked", linked)
	if _, err := w.installerIn(linked).Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	const inLinked = "ours git-hook post-commit <> linked tree clean"
	wantLog(t, w.commit(linked), inLinked)
	wantLog(t, w.commit(w.dir), oursHere)
	w.git("worktree", "add", "-q", filepath.Join(w.base, "third"))
	if log := w.logged(); len(log) != 1 || !strings.Contains(log[0], "post-checkout") || !strings.HasSuffix(log[0], " third clean") {
		t.Errorf("git worktree add logged %q", log)
	}

	bare := filepath.Join(w.base, "bare.git")
	w.git("clone", "-q", "--bare", ".", bare)
	w.logged()
	if _, err := w.installerIn(bare).Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	of := filepath.Join(w.base, "of bare")
	if out, code := w.gitIn(bare, "worktree", "add", "-q", of, "-b", "b"); code != 0 {
		t.Fatal(out)
	}
	w.logged()
	wantLog(t, w.commit(of), "ours git-hook post-commit <> of bare clean")

	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", bare, "sub")
	sub := filepath.Join(w.dir, "sub")
	w.logged()
	wantLog(t, w.commit(sub))
	if _, err := w.installerIn(sub).Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantLog(t, w.commit(sub), "ours git-hook post-commit <> sub clean")
}

func TestAWorkTreeWithItsGitDirectoryElsewhereIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("init", "-q", "--separate-git-dir="+filepath.Join(w.base, "elsewhere"))
	w.install()
	wantLog(t, w.commit(w.dir), oursHere)
	wantLog(t, func() []string {
		if out, code := w.gitIn(w.base, "--git-dir=elsewhere", "--work-tree=work", "commit", "-q", "--allow-empty", "-m", "x"); code != 0 {
			t.Fatal(out)
		}
		return w.logged()
	}(), oursHere)
}

func TestAMovedRepositoryKeepsItsHooks(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world){
		"shell script": each("#!/bin/sh\n"+foreignBody, 0o755),
		"python":       each("#!/usr/bin/env python3\n"+python, 0o755),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			set(w)
			w.install()
			before := w.dir
			w.dir = filepath.Join(w.base, "moved")
			if err := os.Rename(before, w.dir); err != nil {
				t.Fatal(err)
			}
			if got := w.states(); got != "installed" {
				t.Errorf("after the move the hooks are %s", got)
			}
			wantLog(t, w.commit(w.dir), strings.Replace(oursHere, "work", "moved", 1), theirs)
			if r := w.install(); r.Changed() {
				t.Errorf("install did %v", r.Actions)
			}
		})
	}
}

func TestAMovedRepositoryWithTrackedHooksIsNoticedAndMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "h", "post-commit"), foreign("post-commit"), 0o755)
	w.git("config", "core.hooksPath", "h")
	w.install()
	before := w.dir
	w.dir = filepath.Join(w.base, "work2")
	if err := os.Rename(before, w.dir); err != nil {
		t.Fatal(err)
	}
	if got := w.states(); got != "bypassed" {
		t.Errorf("after the move the hooks are %s", got)
	}
	w.install()
	wantLog(t, w.commit(w.dir), strings.Replace(oursHere, "work", "work2", 1), theirs)
	w.remove()
	if got := strings.TrimSpace(w.git("config", "core.hooksPath")); got != "h" {
		t.Errorf("core.hooksPath is %q after removal", got)
	}
}

func TestWhereGitRunsNoHooksInstallSaysSo(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"the null device": os.DevNull, "a file": "../file", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(filepath.Join(w.base, "file"), "", 0o644)
			w.git("config", "core.hooksPath", path)
			before := picture(t, w.dir)
			_, err := w.installer().Install(context.Background())
			if !errors.Is(err, ErrHooksOff) || Hint(err) == "" {
				t.Errorf("install says %v", err)
			}
			if got := w.states(); got != "bypassed" {
				t.Errorf("status is %s", got)
			}
			if _, err := w.installer().Remove(context.Background()); err != nil {
				t.Errorf("remove says %v", err)
			}
			samePicture(t, "refused install", before, picture(t, w.dir))
		})
	}
}

func TestAWorkTreesOwnSettingIsHonoured(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("config", "extensions.worktreeConfig", "true")
	w.write(filepath.Join(w.dir, "h", "post-commit"), foreign("post-commit"), 0o755)
	w.git("config", "--worktree", "core.hooksPath", "h")
	w.install()
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	w.remove()
	wantLog(t, w.commit(w.dir), theirs)
	if got := strings.TrimSpace(w.git("config", "--worktree", "core.hooksPath")); got != "h" {
		t.Errorf("core.hooksPath is %q after removal", got)
	}
}
