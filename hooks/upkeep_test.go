package hooks

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/userfile"
)

func TestAnotherProgramMakesHooksStaleAndAnInstallMendsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-merge"), foreign("post-merge"), 0o755)
	w.write(w.hook("post-commit"), "#!/usr/bin/env python3\n", 0o755)
	w.install()
	old := w.binary
	w.binary = filepath.Join(w.base, "new", "git-trace")
	w.write(w.binary, fakeBinary, 0o755)
	if got := w.states(); got != "stale" {
		t.Errorf("with another program the hooks are %s", got)
	}
	_ = os.Remove(old)
	if d := w.status().Hooks[0].Detail; !strings.Contains(d, "which is gone") {
		t.Errorf("detail is %q", d)
	}
	w.install()
	if got := w.states(); got != "installed" {
		t.Errorf("after install the hooks are %s", got)
	}
	if !strings.HasSuffix(w.read(w.hook("post-merge")), strings.TrimPrefix(foreign("post-merge"), "#!/bin/sh\n")) {
		t.Error("the other hook's lines have changed")
	}
}

func TestTheStateOfOneHookTellsWhatHappenedToIt(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		state State
		spoil func(w *world, path string)
		mends bool
	}{
		"deleted":              {Missing, func(_ *world, p string) { _ = os.Remove(p) }, true},
		"written over":         {Overwritten, func(w *world, p string) { w.write(p, foreign("post-commit"), 0o755) }, true},
		"made non-executable":  {NotExecutable, func(_ *world, p string) { _ = os.Chmod(p, 0o644) }, true},
		"edited in our part":   {Stale, func(w *world, p string) { w.edit(p, "post-commit", "post-kommit") }, true},
		"of a later version":   {Stale, func(w *world, p string) { w.edit(p, "# version "+strconv.Itoa(version)+",", "# version 9,") }, true},
		"without its end mark": {Damaged, func(w *world, p string) { w.edit(p, marks.End, "") }, false},
		"turned directory": {Blocked, func(w *world, p string) {
			_ = os.Remove(p)
			w.write(filepath.Join(p, "x"), "", 0o644)
		}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install()
			c.spoil(w, w.hook("post-commit"))
			if h := w.status().Hooks[0]; h.State != c.state {
				t.Errorf("status is %+v, want %s", h, c.state)
			}
			before := picture(t, filepath.Join(w.dir, ".git"))
			_, err := w.installer().Install(context.Background())
			if (err == nil) != c.mends {
				t.Fatalf("install says %v", err)
			}
			if c.mends {
				if got := w.states(); got != "installed" {
					t.Errorf("after install the hooks are %s", got)
				}
				return
			}
			if Hint(err) == "" {
				t.Errorf("no hint for %v", err)
			}
			samePicture(t, "refused install", before, picture(t, filepath.Join(w.dir, ".git")))
			if _, err := w.installer().Remove(context.Background()); err != nil {
				t.Errorf("remove says %v", err)
			}
		})
	}
}

func (w *world) edit(path, from, to string) {
	w.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		w.t.Fatal(err)
	}
	text := w.read(path)
	if !strings.Contains(text, from) {
		w.t.Fatalf("%s has no %q", path, from)
	}
	w.write(path, strings.ReplaceAll(text, from, to), info.Mode().Perm())
}

func TestNothingInstalledIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	w.write(w.hook("post-merge"), "#!/bin/sh\ngit-trace git-hook post-merge \"$@\" </dev/null >/dev/null 2>&1 || :\n", 0o755)
	st := w.status()
	if st.Installed || st.Works() || st.Hooks[0].State != ForeignOnly || st.Hooks[1].State != Absent || st.Hooks[3].State != ByHand {
		t.Errorf("status is %+v", st)
	}
	if r := w.remove(); r.Changed() {
		t.Errorf("removal did %v", r.Actions)
	}
	before := w.read(w.hook("post-merge"))
	w.install()
	if w.read(w.hook("post-merge")) != before {
		t.Error("install added a second call to a hook that has one")
	}
}

func TestTheLinesForAHandInstallWorkAndAreRecognised(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.env = []string{"PATH=" + filepath.Dir(w.binary) + ":" + os.Getenv("PATH")}
	for _, hook := range Names() {
		line := regexp.MustCompile(`(?m)^git-trace git-hook ` + hook + ` +"\$@" .*$`).FindString(string(page))
		if line == "" {
			t.Fatalf("nothing for %s", hook)
		}
		w.write(w.hook(hook), "#!/bin/sh -eu\n"+line+"\n", 0o755)
	}
	if got := w.states(); got != "by-hand" {
		t.Errorf("the hooks are %s", got)
	}
	w.tell(brief)
	checkOurs(t, w.logged(), briefHooks)
}

func TestAPlanChangesNothingAndSaysWhatAnInstallDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	before := picture(t, w.dir)
	plan, err := w.installer().Plan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	samePicture(t, "plan", before, picture(t, w.dir))
	done := w.install()
	for i, a := range plan {
		if a != done.Actions[i] {
			t.Errorf("planned %v, did %v", a, done.Actions[i])
		}
	}
	if want := "add a marked block to " + w.hook("post-commit") + " (beside a shell script)"; plan[0].String() != want {
		t.Errorf("the plan begins with %q, want %q", plan[0], want)
	}
	if plan, err := w.installer().Plan(context.Background()); err != nil || len(plan) > 0 {
		t.Errorf("the plan after an install is %v, %v", plan, err)
	}
	plan, err = w.installer().PlanRemove(context.Background())
	if err != nil || len(plan) != len(Names()) {
		t.Errorf("the plan of removal is %v, %v", plan, err)
	}
}

func TestLinesThatTheUserAddsToOurFilesOutliveUs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-merge"), "#!/usr/bin/env python3\n", 0o755)
	w.install()
	for _, hook := range []string{"post-commit", "post-merge"} {
		w.write(w.hook(hook), w.read(w.hook(hook))+"echo mine\n", 0o755)
	}
	r := w.remove()
	if got := w.read(w.hook("post-commit")); got != plainShebang+"echo mine\n" {
		t.Errorf("post-commit is %q", got)
	}
	if got := w.read(w.hook("post-merge")); got != "#!/usr/bin/env python3\n" {
		t.Errorf("post-merge is %q", got)
	}
	if got := w.read(w.hook("post-merge" + keptSuffix)); got != plainShebang+"echo mine\n" || len(r.Notes) != 1 {
		t.Errorf("the added lines are %q; notes %q", got, r.Notes)
	}
}

// What managers do with the hook they find: pre-commit runs it as ".legacy", lefthook keeps it as ".old".
func TestHookManagersThatMoveOurHookAreNotedAndTidiedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	for _, hook := range Names() {
		if err := os.Rename(w.hook(hook), w.hook(hook+".legacy")); err != nil {
			t.Fatal(err)
		}
	}
	each(fixture(w, "pre-commit/hook"), 0o755)(w)
	for _, h := range w.status().Hooks {
		if h.State != Installed || h.Beside != "pre-commit" || !strings.Contains(h.Detail, ".legacy") {
			t.Errorf("through pre-commit the status is %+v", h)
		}
	}
	w.install()
	if present(w.hook("post-commit.legacy")) {
		t.Error("our part would run twice")
	}
	w.remove()
	if got := w.states(); got != "foreign-only" {
		t.Errorf("after removal the hooks are %s", got)
	}

	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	w.install()
	if err := os.Rename(w.hook("post-commit"), w.hook("post-commit.old")); err != nil {
		t.Fatal(err)
	}
	w.write(w.hook("post-commit"), fixture(w, "lefthook/hook"), 0o755)
	w.remove()
	if got := w.read(w.hook("post-commit.old")); got != foreign("post-commit") {
		t.Errorf("post-commit.old is %q", got)
	}
}

func TestAHookAsideThatAManagerReplacedIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := "#!/usr/bin/env python3\n# first\n", "#!/usr/bin/env python3\n# second\n"
	w.write(w.hook("post-commit"), first, 0o755)
	w.install()
	w.write(w.hook("post-commit"), second, 0o755)
	w.install()
	if got := w.states(); got != "installed" {
		t.Errorf("the hooks are %s", got)
	}
	w.remove()
	if got := w.read(w.hook("post-commit")); got != second {
		t.Errorf("post-commit is %q", got)
	}
	if got := w.read(w.hook("post-commit" + asideSuffix + ".1")); got != first {
		t.Errorf("the first hook is %q", got)
	}
}

func TestAScriptSwitchedOffStaysOffAndOursGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	w.install()
	if err := os.Chmod(w.hook("post-commit"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantLog(t, w.commit(w.dir))
	w.install()
	wantLog(t, w.commit(w.dir), oursHere)
	w.remove()
	info, err := os.Stat(w.hook("post-commit"))
	if err != nil || info.Mode().Perm() != 0o600 || w.read(w.hook("post-commit")) != foreign("post-commit") {
		t.Errorf("post-commit is %v, %v", info, err)
	}
}

func TestLosingTheReceiptLosesNothing(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world){
		"default": func(w *world) { w.write(w.hook("post-commit"), "#!/usr/bin/env python3\n", 0o755) },
		"tracked": func(w *world) {
			w.write(filepath.Join(w.dir, "h", "post-commit"), foreign("post-commit"), 0o755)
			w.git("config", "core.hooksPath", "h")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			set(w)
			before := picture(t, w.dir)
			w.install()
			w.write(filepath.Join(w.dir, ".git", "traces", receiptName), "{broken", 0o644)
			if got := w.states(); got != "installed" {
				t.Errorf("the hooks are %s", got)
			}
			_ = os.Remove(filepath.Join(w.dir, ".git", "traces", receiptName))
			w.remove()
			samePicture(t, "removal", before, picture(t, w.dir))
		})
	}
}

// faulty is a change that fails.
type faulty struct{}

func (faulty) Apply() error  { return errors.New("disk full") }
func (faulty) Revert() error { return nil }

func TestAFailureAtAnyStepLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	sets := map[string]func(w *world){
		"mixed": func(w *world) {
			w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
			w.write(w.hook("post-merge"), "#!/usr/bin/env python3\nprint(__name__, argv)\n", 0o700)
			w.link("../x.sh", w.hook("post-checkout"))
		},
		"tracked": func(w *world) {
			w.write(filepath.Join(w.dir, "h", "post-commit"), foreign("post-commit"), 0o755)
			w.git("config", "core.hooksPath", "h")
		},
		"new in the work tree": func(w *world) { w.git("config", "core.hooksPath", "h") },
	}
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			set(w)
			for _, planner := range []func(context.Context) (*plan, error){w.installer().planInstall, w.installer().planRemove} {
				before := picture(t, w.dir)
				p, err := planner(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for at := range len(p.steps) + 1 {
					part := append(slices.Clone(p.steps[:at]), userfile.Step[Action]{Change: faulty{}})
					if err := part.Apply(); err == nil || !strings.Contains(err.Error(), "disk full") || strings.Contains(err.Error(), "taking back") {
						t.Fatalf("step %d: %v", at, err)
					}
					_ = os.Remove(filepath.Join(w.dir, ".git", "traces"))
					samePicture(t, "failure", before, picture(t, w.dir))
				}
				w.install()
			}
		})
	}
}

func TestInstallsAtTheSameTimeEndInOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	w.write(w.hook("post-merge"), "#!/usr/bin/env python3\n", 0o755)
	before := picture(t, w.dir)
	in := w.installer()
	results := make(chan error)
	for range 8 {
		go func() {
			_, err := in.Install(context.Background())
			results <- err
		}()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	wantLog(t, w.commit(w.dir), oursHere, theirs)
	w.git("update-ref", "-d", "HEAD")
	w.remove()
	samePicture(t, "removal", hooksOnly(before), hooksOnly(picture(t, w.dir)))
}

func hooksOnly(p map[string]string) map[string]string {
	maps.DeleteFunc(p, func(path, _ string) bool { return !strings.HasPrefix(path, ".git/hooks") })
	return p
}
