package route

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// Which work trees a boundary concerns. In top are the repositories one, with the submodules part and, in that, deep;
// two; and three, which nobody has on the list.
func TestWhichWorkTreesABoundaryConcerns(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	git := func(dir string, args ...string) {
		t.Helper()
		testenv.GitAt(t, filepath.Join(top, dir), 0, append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	}
	for _, dir := range []string{"one", "two", "three", "sources/deep", "sources/part"} {
		check(os.MkdirAll(filepath.Join(top, dir), 0o755))
		git(dir, "init", "-q")
		git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	}
	git("sources/part", "submodule", "add", "-q", filepath.Join(top, "sources/deep"), "deep")
	git("sources/part", "commit", "-q", "-m", "with deep")
	git("one", "submodule", "add", "-q", filepath.Join(top, "sources/part"), "libs/part")
	git("one", "submodule", "update", "-q", "--init", "--recursive")
	for _, dir := range []string{"one", "two", "one/libs/part", "one/libs/part/deep"} {
		repo, err := refs.DiscoverHook(filepath.Join(top, dir))
		check(err)
		check(os.MkdirAll(repo.TracesDir(), 0o755))
		check(recorded.Add(repo))
	}
	check(os.MkdirAll(filepath.Join(top, "plain"), 0o755))
	check(os.Symlink(filepath.Join(top, "two", "real.txt"), filepath.Join(top, "one", "link.txt")))
	check(os.WriteFile(filepath.Join(top, "two", "real.txt"), nil, 0o600))
	abs := func(paths ...string) []string {
		for i := range paths {
			paths[i] = filepath.Join(top, paths[i])
		}
		return paths
	}
	edit := func(paths ...string) *events.ToolUse {
		return &events.ToolUse{Class: events.ToolEdits, Paths: abs(paths...)}
	}
	run := func(hints ...string) *events.ToolUse {
		return &events.ToolUse{Class: events.ToolRuns, Hints: abs(hints...)}
	}
	script := func(name string) *events.ToolUse {
		return &events.ToolUse{Class: events.ToolRuns, Names: abs("two/none", name)}
	}
	for name, text := range map[string]string{
		"gen.py":   "#!/usr/bin/env python3\nfor n in range(2):\n\topen('../one/f.txt', 'a').write(str(n))\n",
		"abs.sh":   "set -e\ncp -- f \"" + filepath.Join(top, "one") + "\"; cp f $HOME/../none ../three/f\n",
		"here.sh":  "echo one/f >out/f\n",
		"some.bin": "\x00 ../one/f ",
		"long.txt": strings.Repeat(" ", maxScript) + "../one/f",
	} {
		check(os.WriteFile(filepath.Join(top, "two", name), []byte(text), 0o600))
	}
	const modules = "one one/libs/part one/libs/part/deep"
	for name, tt := range map[string]struct {
		cwd  string
		tool *events.ToolUse
		want string
	}{
		"where it is":                                {"two", nil, "two"},
		"below it":                                   {"two/none/at/all", nil, "two"},
		"with its submodules":                        {"one", nil, modules},
		"a command, with what it mentions":           {"two", run("one/file"), "two one"},
		"a command, with what it mentions twice":     {"two", run("one/a", "one/b", "two/c"), "two one"},
		"a script that writes elsewhere":             {"two", script("two/gen.py"), "two one"},
		"a script with whole paths":                  {"two", script("two/abs.sh"), "two one"},
		"a script that stays":                        {"two", script("two/here.sh"), "two"},
		"a program":                                  {"two", script("two/some.bin"), "two"},
		"a long text":                                {"two", script("two/long.txt"), "two"},
		"a directory that holds several":             {"", nil, "one one/libs/part one/libs/part/deep two"},
		"a directory that holds none":                {"plain", nil, ""},
		"a repository that is not on the list":       {"three", nil, ""},
		"a submodule alone":                          {"one/libs/part/deep", nil, "one/libs/part/deep"},
		"an edit tells where, and not the directory": {"one", edit("two/new/dir/a.txt"), "two"},
		"an edit in several":                         {"one", edit("two/a", "one/b", "three/c"), "two one"},
		"an edit through a link":                     {"plain", edit("one/link.txt"), "one two"},
		"an edit without a path":                     {"one", edit(), ""},
		"a path that is none":                        {"one", &events.ToolUse{Class: events.ToolEdits, Paths: []string{"two/a"}}, ""},
	} {
		var got []string
		for _, repo := range Find(events.Boundary{Cwd: filepath.Join(top, tt.cwd), Tool: tt.tool}, nil) {
			rel, err := filepath.Rel(top, repo.WorkTree)
			check(err)
			got = append(got, filepath.ToSlash(rel))
		}
		if tt.cwd == "" { // a directory lists what it holds in any order
			slices.Sort(got)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
	two, err := refs.DiscoverHook(filepath.Join(top, "two"))
	check(err)
	if got := Find(events.Boundary{Cwd: two.WorkTree}, two); len(got) != 1 || got[0] != two {
		t.Errorf("the one that is open is opened again: %v", got)
	}
	if got := Find(events.Boundary{Cwd: filepath.Join(top, "one")}, two); len(got) != 3 || got[0] == two {
		t.Errorf("the one that is open is taken for another: %v", got)
	}
}

func TestWhereASubmoduleSaysThatItsWorkTreeIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for config, want := range map[string]string{
		"[core]\n\tbare = false\n\tworktree = ../../../lib\n": filepath.Join(dir, "../../../lib"),
		"[core]\n\tworktree = /abs/lib\n":                     "/abs/lib",
		"[core]\n\tbare = false\n":                            "",
		"[core]\n\tworktree = \n":                             "",
		"[core]\n\tworktree = \"a b\"\n":                      "",
		"[core]\n\tworktree = a\\tb\n":                        "",
		"[core]\n\tmyworktree = x\n":                          "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := moduleTop(dir); got != want {
			t.Errorf("%q: %q, want %q", config, got, want)
		}
	}
	if got := moduleTop(filepath.Join(dir, "none")); got != "" {
		t.Errorf("a directory that is not there says %q", got)
	}
}

func TestWhatIsInsideOfAWorkTree(t *testing.T) {
	t.Parallel()
	for abs, want := range map[string]string{
		"/w/a": "a", "/w/d/a": "d/a", "/w/d/../a": "a", "/w": "", "/w/": "", "/w/.": "", "/wx/a": "", "/x/a": "", "/w/.git": "", "/w/.git/config": "",
		"/w/.GIT/config": "", "/w/.gitignore": ".gitignore", "/w/d/.git/x": "d/.git/x", "/w/a/../b": "b", "a": "",
	} {
		if got, ok := Inside("/w", abs); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", abs, got, ok)
		}
	}
	if _, ok := Inside("", "/a"); ok {
		t.Error("a repository without a work tree has something inside")
	}
}
