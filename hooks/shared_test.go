package hooks

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// globally runs a test's git, and ours, with a global configuration of its own.
func globally(t *testing.T, w *world, lines string) {
	t.Helper()
	path := filepath.Join(w.base, "global config")
	w.write(path, lines, 0o644)
	t.Setenv("GIT_CONFIG_GLOBAL", path)
	t.Setenv("HOME", w.base)
}

func TestASharedDirectoryServesAllRepositoriesAndTheLastTakesTheHooksAlong(t *testing.T) {
	one := newWorld(t)
	shared := filepath.Join(one.base, "my hooks")
	one.write(filepath.Join(shared, "post-commit"), foreign("post-commit"), 0o755)
	globally(t, one, "[core]\n\thooksPath = ~/my hooks\n")
	two, bystander := newWorld(t), newWorld(t)
	before := picture(t, shared)
	// One program for both: a shared hook names one.
	two.binary = one.binary

	r := one.install()
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "shared by all repositories") {
		t.Errorf("install notes %q", r.Notes)
	}
	if again := one.install(); again.Changed() {
		t.Errorf("the second install did %v", again.Actions)
	}
	wantLog(t, one.commit(one.dir), oursHere, theirs)
	wantLog(t, bystander.commit(bystander.dir), theirs)
	two.install()
	wantLog(t, two.commit(two.dir), oursHere, theirs)
	if st := one.status(); !st.Shared || !st.Works() {
		t.Errorf("status is %+v", st)
	}

	if r := one.remove(); len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "stay") {
		t.Errorf("removal notes %q", r.Notes)
	}
	wantLog(t, one.commit(one.dir), theirs)
	wantLog(t, two.commit(two.dir), oursHere, theirs)
	if r := bystander.remove(); r.Changed() {
		t.Errorf("removal where nothing was installed did %v", r.Actions)
	}
	two.remove()
	samePicture(t, "removal by the last", before, picture(t, shared))
}

func TestRepositoriesWhoseHooksDirectoriesAreOneShareItToo(t *testing.T) {
	t.Parallel()
	for name, join := range map[string]func(w *world, shared string){
		"may serve others": func(w *world, shared string) { w.git("config", "core.hooksPath", shared) },
		"is a link that leads out of the repository": func(w *world, shared string) {
			if err := os.RemoveAll(filepath.Join(w.dir, ".git", "hooks")); err != nil {
				w.t.Fatal(err)
			}
			w.link(shared, filepath.Join(w.dir, ".git", "hooks"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := newWorld(t), newWorld(t)
			two.binary = one.binary
			shared := filepath.Join(one.base, "shared")
			one.write(filepath.Join(shared, "post-commit"), foreign("post-commit"), 0o755)
			before := picture(t, shared)
			for _, w := range []*world{one, two} {
				join(w, shared)
				if r := w.install(); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], name) {
					t.Errorf("install notes %q", r.Notes)
				}
				if now := picture(t, shared); name != "may serve others" && !maps.Equal(now, before) {
					t.Errorf("something was written behind the link: %v", now)
				}
			}
			one.remove()
			wantLog(t, one.commit(one.dir), theirs)
			wantLog(t, two.commit(two.dir), oursHere, theirs)
			two.remove()
			samePicture(t, "removal by the last", before, picture(t, shared))
		})
	}
}

func TestSharedHooksAreSilentWhereTheyWereRemovedThoughTracesRemain(t *testing.T) {
	one := newWorld(t)
	globally(t, one, "[core]\n\thooksPath = ~/shared\n")
	if err := os.Mkdir(filepath.Join(one.base, "shared"), 0o755); err != nil {
		t.Fatal(err)
	}
	two := newWorld(t)
	two.binary = one.binary
	one.install()
	two.install()
	one.write(filepath.Join(one.dir, ".git", "traces", "objects", "x"), "", 0o644)
	one.remove()
	wantLog(t, one.commit(one.dir))
	wantLog(t, two.commit(two.dir), oursHere)
	one.install()
	wantLog(t, one.commit(one.dir), oursHere)
	one.remove()
	two.remove()
	entries, err := os.ReadDir(filepath.Join(one.base, "shared"))
	if err != nil || len(entries) > 0 {
		t.Errorf("the shared directory holds %v, %v", entries, err)
	}
}

func TestASharedDirectoryThatIsMissingOrVersionedElsewhereIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	globally(t, w, "[core]\n\thooksPath = ~/dotfiles/hooks\n")
	t.Run("missing", func(t *testing.T) {
		w.install()
		wantLog(t, w.commit(w.dir), oursHere)
		if present(filepath.Join(w.base, "dotfiles")) {
			t.Error("install made the shared directory")
		}
		w.remove()
		if out, _ := w.gitIn(w.dir, "config", "--local", "core.hooksPath"); out != "" {
			t.Errorf("core.hooksPath of the repository is %q after removal", out)
		}
	})
	t.Run("versioned elsewhere", func(t *testing.T) {
		dotfiles := filepath.Join(w.base, "dotfiles")
		w.write(filepath.Join(dotfiles, "hooks", "post-commit"), foreign("post-commit"), 0o755)
		if out, code := w.gitIn(dotfiles, "init", "-q"); code != 0 {
			t.Fatal(out)
		}
		before := picture(t, dotfiles)
		w.install()
		wantLog(t, w.commit(w.dir), oursHere, theirs)
		w.remove()
		wantLog(t, w.commit(w.dir), theirs)
		samePicture(t, "install and removal", before, picture(t, dotfiles))
	})
}

func TestAnInstallIntoADirectoryOfTheCommandLineDoesNotFail(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.base, "h")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	t.Setenv("GIT_CONFIG_VALUE_0", dir)
	if _, err := w.installer().Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantLog(t, w.commit(w.dir), oursHere)
}
