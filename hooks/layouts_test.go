package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A story runs commands that fire our hooks, and returns their exit statuses and the refs they lead to. The long one
// fires all hooks, the brief one those that differ in what they are given.
type story func(w *world, do func(args ...string), put func(name, text string))

func (w *world) tell(s story) string {
	w.t.Helper()
	var out strings.Builder
	s(w, func(args ...string) {
		w.t.Helper()
		_, code := w.gitIn(w.dir, args...)
		fmt.Fprintf(&out, "%v: %d\n", args, code)
	}, func(name, text string) { w.write(filepath.Join(w.dir, name), text, 0o644) })
	out.WriteString(w.git("for-each-ref"))
	out.WriteString(w.git("log", "--all", "--format=%H %T %s"))
	return out.String()
}

func brief(_ *world, do func(args ...string), put func(name, text string)) {
	put("a", "one\n")
	do("add", "a")
	do("commit", "-q", "-m", "one")
	do("commit", "-q", "--amend", "-m", "two")
	do("checkout", "-q", "-b", "side")
}

const briefHooks = "post-commit post-commit post-rewrite post-checkout"

func long(_ *world, do func(args ...string), put func(name, text string)) {
	put("a", "one\n")
	do("add", "a")
	do("commit", "-q", "-m", "one")
	put("a", "two\n")
	do("commit", "-q", "-a", "--amend", "-m", "two")
	do("checkout", "-q", "-b", "side")
	put("b", "b\n")
	do("add", "b")
	do("commit", "-q", "-m", "b")
	put("b", "c\n")
	do("commit", "-q", "-a", "-m", "c")
	do("checkout", "-q", "main")
	put("d", "d\n")
	do("add", "d")
	do("commit", "-q", "-m", "d")
	do("rebase", "-q", "main", "side")
	do("checkout", "-q", "main")
	do("merge", "-q", "side")
	do("format-patch", "-q", "-1", "-o", "..")
	do("reset", "-q", "--hard", "HEAD~1")
	do("am", "-q", "../0001-c.patch")
}

const longHooks = "post-commit post-commit post-rewrite post-checkout post-commit post-commit post-checkout post-commit " +
	"post-checkout post-commit post-commit post-rewrite post-checkout post-merge post-applypatch"

// layout is a way in which somebody else's hooks may stand in a repository.
type layout struct {
	name  string
	set   func(w *world)
	kind  kind  // how our part joins; "" where it depends on the hook
	story story // brief unless given
}

// each writes the same hook five times.
func each(content string, mode os.FileMode) func(w *world) {
	return func(w *world) {
		for _, h := range Names() {
			w.write(w.hook(h), strings.ReplaceAll(content, "@HOOK@", h), mode)
		}
	}
}

func fixture(w *world, name string) string {
	return w.read(filepath.Join("..", "testdata", "hooks", filepath.FromSlash(name)))
}

// tool puts a program into the PATH of the test's git commands that logs as the hook it is run for.
func (w *world) tool(name, body string) {
	bin := filepath.Join(w.base, "tools")
	w.write(filepath.Join(bin, name), "#!/bin/sh\n"+body, 0o755)
	w.env = append(w.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

const python = "import os, sys\n" +
	`open(os.environ["HOOK_LOG"], "a").write("foreign %s %s <%s>\n" % ("@HOOK@", " ".join(sys.argv[1:]), sys.stdin.read().rstrip("\n")))` + "\n"

func layouts() []layout {
	sh := "#!/bin/sh\n"
	list := []layout{
		{name: "no hooks at all", story: long, set: func(*world) {}, kind: own},
		{name: "shell script", story: long, set: each(sh+foreignBody, 0o755), kind: insert},
		{name: "shell script with odd permissions", set: each(sh+foreignBody, 0o710), kind: insert},
		{name: "shell script without a final line break", set: each(sh+strings.TrimSuffix(foreignBody, "\n"), 0o755), kind: insert},
		{name: "shell script that fails", set: each(sh+foreignBody+"exit 3\n", 0o755), kind: insert},
		{name: "shell script that ends early", set: each(sh+foreignBody+"exit 0\necho never\n", 0o755), kind: insert},
		{name: "strict shell script", story: long, set: each("#!/bin/sh -eu\nset -eu\n"+foreignBody, 0o755), kind: insert},
		{name: "bash found by env", set: each("#!/usr/bin/env bash\nset -euo pipefail\nshopt -s lastpipe\n"+foreignBody, 0o755), kind: insert},
		{name: "shell script that replaces itself", set: func(w *world) {
			w.write(filepath.Join(w.base, "other"), "#!/bin/sh\nhook=$1; shift\n"+strings.ReplaceAll(foreignBody, "@HOOK@", `"$hook"`), 0o755)
			each(sh+`exec "`+strings.NewReplacer(`"`, `\"`, "$", `\$`).Replace(w.base)+`/other" @HOOK@ "$@"`+"\n", 0o755)(w)
		}, kind: insert},
		{name: "no #! line", set: each(foreignBody, 0o755), kind: insert},
		{name: "empty file", set: each("", 0o755), kind: insert},
		{name: "a #! line and nothing else", set: each("#!/bin/sh", 0o755), kind: chain},
		{name: "line ends of another system", set: each(strings.ReplaceAll(sh+foreignBody, "\n", "\r\n"), 0o755), kind: chain},
		{name: "python", set: each("#!/usr/bin/env python3\n"+python, 0o755), kind: chain},
		{name: "shell and python in one", set: each(sh+"'''exec' python3 \"$0\" \"$@\"\n'''\n"+python, 0o755), kind: chain},
		{name: "script that reads its own lines", set: each(sh+`exec sh -c "$(tail -n 1 "$0")" "$0" "$@"`+"\nno shell\n"+foreignBody, 0o755), kind: chain},
		{name: "compiled program", story: long, set: func(w *world) {
			for _, h := range Names() {
				testenv.CopySelf(w.t, w.hook(h))
			}
		}, kind: chain},
		{name: "not executable", set: each(sh+foreignBody, 0o644), kind: chain},
		{name: "link to a shell script", story: long, set: func(w *world) { w.links(sh) }, kind: source},
		{name: "link to a strict bash script", set: func(w *world) { w.links("#!/bin/bash -e\n") }, kind: source},
		{name: "link to another program", set: func(w *world) {
			w.write(filepath.Join(w.base, "shared.py"), "#!/usr/bin/env python3\n"+strings.ReplaceAll(python, `"@HOOK@"`, `os.path.basename(sys.argv[0])`), 0o755)
			for _, h := range Names() {
				w.link("../../../shared.py", w.hook(h))
			}
		}, kind: chain},
		{name: "link to nothing", set: func(w *world) {
			for _, h := range Names() {
				w.link("nowhere", w.hook(h))
			}
		}, kind: chain},
		{name: "lefthook", story: long, set: func(w *world) {
			w.tool("lefthook", "[ \"$1\" = -h ] && exit 0\nshift; hook=$1; shift\n"+strings.ReplaceAll(foreignBody, "@HOOK@", `"$hook"`))
			each(fixture(w, "lefthook/hook"), 0o755)(w)
		}, kind: insert},
		{name: "git-lfs", story: long, set: func(w *world) {
			w.tool("git-lfs", "hook=$1; shift\n"+strings.ReplaceAll(foreignBody, "@HOOK@", `"$hook"`))
			for _, h := range []string{"post-commit", "post-checkout", "post-merge"} {
				w.write(w.hook(h), strings.ReplaceAll(fixture(w, "git-lfs/hook"), "@HOOK@", h), 0o755)
			}
		}},
		{name: "git-lfs that is not installed", set: each("#!/bin/sh\ncommand -v no-such-lfs >/dev/null 2>&1 || { echo >&2 gone; exit 2; }\n", 0o755), kind: insert},
		{name: "pre-commit", story: long, set: func(w *world) {
			w.tool("pre-commit", "hook=${3#--hook-type=}; while [ \"$1\" != -- ]; do shift; done; shift\n"+strings.ReplaceAll(foreignBody, "@HOOK@", `"$hook"`))
			each(fixture(w, "pre-commit/hook"), 0o755)(w)
		}, kind: insert},
	}
	return list
}

func (w *world) link(target, path string) {
	w.t.Helper()
	_ = os.Remove(path)
	if err := os.Symlink(target, path); err != nil {
		w.t.Fatal(err)
	}
}

// links makes every hook a link to one script, as teams do that keep their hooks under version control.
func (w *world) links(shebang string) {
	w.write(filepath.Join(w.base, "shared.sh"), shebang+strings.ReplaceAll(foreignBody, "@HOOK@", `"$(basename "$0")"`), 0o755)
	for _, h := range Names() {
		w.link("../../../shared.sh", w.hook(h))
	}
}

func TestReliabilityE3BesideEveryKindOfHookBothRunAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	for _, l := range testenv.Some(layouts(), 3) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			events, fired := l.story, longHooks
			if events == nil {
				events, fired = brief, briefHooks
			}
			plain := newWorld(t)
			l.set(plain)
			want := plain.tell(events)
			wantLog := plain.logged()

			w := newWorld(t)
			l.set(w)
			before := picture(t, filepath.Join(w.dir, ".git"))
			if !w.install().Changed() {
				t.Fatal("install did nothing")
			}
			if got := w.states(); got != "installed" {
				t.Errorf("after install the hooks are %s: %+v", got, w.status())
			}
			if l.kind != "" {
				if f, err := readHook(w.hook("post-commit")); err != nil || f.block == nil || f.block.kind != l.kind {
					t.Errorf("post-commit is joined as %+v, %v; want %s", f.block, err, l.kind)
				}
			}
			installed := picture(t, filepath.Join(w.dir, ".git"))
			if again := w.install(); again.Changed() {
				t.Errorf("the second install did %v", again.Actions)
			}
			samePicture(t, "second install", installed, picture(t, filepath.Join(w.dir, ".git")))
			w.remove()
			samePicture(t, "removal", before, picture(t, filepath.Join(w.dir, ".git")))
			w.install()

			got := w.tell(events)
			log := w.logged()
			if got != want {
				t.Errorf("git did\n%s\nand without us\n%s", got, want)
			}
			if theirs := only(log, "foreign"); !slices.Equal(theirs, only(wantLog, "foreign")) {
				t.Errorf("theirs got\n%s\nand without us\n%s", strings.Join(theirs, "\n"), strings.Join(wantLog, "\n"))
			}
			checkOurs(t, only(log, "ours"), fired)
			checkOrder(t, log)
		})
	}
}

// checkOurs holds the calls of a story against githooks(5).
func checkOurs(t *testing.T, log []string, want string) {
	t.Helper()
	var names []string
	for _, e := range log {
		fields := strings.Fields(e)
		names = append(names, fields[2])
		if !strings.HasSuffix(e, " work clean") {
			t.Errorf("%q did not run at the top of the work tree with a clean environment", e)
		}
		if stdin := e[strings.IndexByte(e, '<')+1 : strings.IndexByte(e, '>')]; (fields[2] == "post-rewrite") == (stdin == "") {
			t.Errorf("%q has the standard input of another hook", e)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("ours ran as\n%s\nwant\n%s", got, want)
	}
}

// checkOrder: ours runs before theirs, with the same arguments and input.
func checkOrder(t *testing.T, log []string) {
	t.Helper()
	for i, e := range log {
		rest, theirs := strings.CutPrefix(e, "foreign ")
		if !theirs {
			continue
		}
		if i == 0 || !strings.HasPrefix(log[i-1], "ours git-hook ") {
			t.Errorf("%q ran without ours before it", e)
			continue
		}
		mine := strings.TrimSuffix(strings.TrimPrefix(log[i-1], "ours git-hook "), " work clean")
		if squeeze(mine) != squeeze(rest) {
			t.Errorf("ours got %q, theirs %q", mine, rest)
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
