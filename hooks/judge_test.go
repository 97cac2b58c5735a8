package hooks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// told is a site on one line, with the paths of a test as W (work tree) and B (what holds it).
func told(w *world, s site) string {
	keeper := "nobody"
	if s.keeper != nil {
		keeper = s.keeper.WorkTree
	}
	text := fmt.Sprintf("%s raw=%s scope=%s ours=%s kept=%s apart=%s outside=%v keeper=%s open=%d", s.dir, s.raw, s.scope, s.ours, s.kept, s.apart, s.outside,
		keeper, len(s.open))
	return strings.ReplaceAll(strings.ReplaceAll(text, w.dir, "W"), w.base, "B")
}

func TestWhereHooksRunFromAndWhetherOursGoThere(t *testing.T) {
	own := func(w *world) string { return filepath.Join(w.dir, ".git", "traces", "hooks") }
	for name, test := range map[string]struct {
		set  func(w *world)
		want string
	}{
		"no setting": {func(*world) {}, "W/.git/hooks raw= scope= ours= kept= apart= outside=false keeper=nobody open=0"},
		"a directory of the work tree": {func(w *world) { w.git("config", "core.hooksPath", "h") },
			"W/h raw=h scope=local ours= kept= apart= outside=false keeper=W open=5"},
		"with a hook of the team": {func(w *world) {
			w.git("config", "core.hooksPath", "h")
			w.write(filepath.Join(w.dir, "h", "post-merge"), foreign("post-merge"), 0o755)
		}, "W/h raw=h scope=local ours= kept= apart=W/h is part of the work tree, with a post-merge of its own outside=false keeper=W open=5"},
		"with a hook of ours": {func(w *world) {
			w.git("config", "core.hooksPath", "h")
			w.write(filepath.Join(w.dir, "h", "post-merge"), ours("post-merge", "own"), 0o755)
		}, "W/h raw=h scope=local ours= kept= apart= outside=false keeper=W open=5"},
		"with ours in one of the team": {func(w *world) {
			w.git("config", "core.hooksPath", "h")
			w.write(filepath.Join(w.dir, "h", "post-merge"), ours("post-merge", insert), 0o755)
		}, "W/h raw=h scope=local ours= kept= apart=W/h is part of the work tree, with a post-merge of its own outside=false keeper=W open=5"},
		"with a damaged hook": {func(w *world) {
			w.git("config", "core.hooksPath", "h")
			w.write(filepath.Join(w.dir, "h", "post-merge"), marks.Begin+"\n", 0o755)
		}, "W/h raw=h scope=local ours= kept= apart=W/h is part of the work tree, with a post-merge of its own outside=false keeper=W open=5"},
		"some of them ignored": {func(w *world) {
			w.git("config", "core.hooksPath", "h")
			w.write(filepath.Join(w.dir, ".gitignore"), "post-merge\npost-commit\n", 0o644)
			w.write(filepath.Join(w.dir, "h", "post-merge"), foreign("post-merge"), 0o755)
		}, "W/h raw=h scope=local ours= kept= apart= outside=false keeper=W open=3"},
		"outside": {func(w *world) { w.git("config", "core.hooksPath", "../h") },
			"B/h raw=../h scope=local ours= kept= apart= outside=true keeper=nobody open=0"},
		"absolute": {func(w *world) { w.git("config", "core.hooksPath", filepath.Join(w.base, "h")) },
			"B/h raw=B/h scope=local ours= kept= apart= outside=true keeper=nobody open=0"},
		"in the git directory": {func(w *world) { w.git("config", "core.hooksPath", ".git/h") },
			"W/.git/h raw=.git/h scope=local ours= kept= apart= outside=false keeper=nobody open=0"},
		"in another work tree": {func(w *world) {
			w.runIn(w.base, "git", "init", "-q", "other")
			w.git("config", "core.hooksPath", "../other/h")
		}, "B/other/h raw=../other/h scope=local ours= kept= apart=B/other/h belongs to the work tree of another repository outside=false keeper=B/other open=5"},
		"in the git directory of another": {func(w *world) {
			w.runIn(w.base, "git", "init", "-q", "other")
			w.git("config", "core.hooksPath", "../other/.git/hooks")
		}, "B/other/.git/hooks raw=../other/.git/hooks scope=local ours= kept= apart= outside=true keeper=nobody open=0"},
		"in the git directory of another inside of it": {func(w *world) {
			w.git("init", "-q", "sub")
			w.git("config", "core.hooksPath", "sub/.git/hooks")
		}, "W/sub/.git/hooks raw=sub/.git/hooks scope=local ours= kept= apart= outside=false keeper=W open=5"},
		"a link that leads out": {func(w *world) {
			must(w.t, os.RemoveAll(filepath.Join(w.dir, ".git", "hooks")))
			must(w.t, os.Mkdir(filepath.Join(w.base, "h"), 0o755))
			w.link("../../h", filepath.Join(w.dir, ".git", "hooks"))
		}, "W/.git/hooks raw= scope= ours= kept= apart=W/.git/hooks is a link that leads out of the repository outside=true keeper=nobody open=0"},
		"everyone's": {func(w *world) {
			must(w.t, os.Mkdir(filepath.Join(w.base, "h"), 0o755))
			globally(w.t, w, "[core]\n\thooksPath = ~/h\n")
		}, "B/h raw=B/h scope=global ours= kept= apart= outside=true keeper=nobody open=0"},
		"everyone's, and it is missing": {func(w *world) { globally(w.t, w, "[core]\n\thooksPath = ~/h\n") },
			"B/h raw=B/h scope=global ours= kept= apart=nothing can be written to the shared directory B/h outside=false keeper=nobody open=0"},
		"the repository's wins": {func(w *world) {
			globally(w.t, w, "[core]\n\thooksPath = ~/h\n")
			w.git("config", "core.hooksPath", ".git/h")
		}, "W/.git/h raw=.git/h scope=local ours= kept= apart= outside=false keeper=nobody open=0"},
		"ours, over nothing": {func(w *world) { w.git("config", "core.hooksPath", own(w)) },
			"W/.git/hooks raw= scope= ours=W/.git/traces/hooks kept= apart=as before outside=false keeper=nobody open=0"},
		"ours, over another": {func(w *world) {
			w.git("config", "core.hooksPath", own(w))
			w.git("config", keepKey, "~/h")
			w.t.Setenv("HOME", w.base)
		}, "B/h raw=B/h scope=local ours=W/.git/traces/hooks kept=~/h apart=as before outside=true keeper=nobody open=0"},
		"ours, over everyone's": {func(w *world) {
			must(w.t, os.Mkdir(filepath.Join(w.base, "h"), 0o755))
			globally(w.t, w, "[core]\n\thooksPath = ~/h\n")
			w.git("config", "core.hooksPath", own(w))
		}, "B/h raw=B/h scope=global ours=W/.git/traces/hooks kept= apart=as before outside=true keeper=nobody open=0"},
		"ours twice": {func(w *world) {
			w.git("config", "core.hooksPath", "/gone/.git/traces/hooks")
			w.git("config", "--add", "core.hooksPath", own(w))
			w.git("config", keepKey, "../h")
		}, "B/h raw=../h scope=local ours=W/.git/traces/hooks kept=../h apart=as before outside=true keeper=nobody open=0"},
		"ours from before a move": {func(w *world) { w.git("config", "core.hooksPath", "/gone/.git/traces/hooks") },
			"W/.git/hooks raw= scope= ours=/gone/.git/traces/hooks kept= apart=as before outside=false keeper=nobody open=0"},
		"that of another repository": {func(w *world) {
			other := filepath.Join(w.base, "other", "traces", "hooks")
			must(w.t, os.MkdirAll(other, 0o755))
			w.git("config", "core.hooksPath", other)
		}, "B/other/traces/hooks raw=B/other/traces/hooks scope=local ours= kept= apart= outside=true keeper=nobody open=0"},
		"a missing one that is called like ours": {func(w *world) { w.git("config", "core.hooksPath", "../other/traces/hooks") },
			"B/other/traces/hooks raw=../other/traces/hooks scope=local ours= kept= apart= outside=true keeper=nobody open=0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.set(w)
			s, err := w.installer().findSite(t.Context())
			if got := told(w, s); got != test.want || err != nil {
				t.Errorf("the site is\n%s, %v; want\n%s", got, err, test.want)
			}
		})
	}
}

func TestWhatASettingMeansForOthers(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]string{
		"global":   "true: /h is shared by all repositories (core.hooksPath, global configuration)",
		"system":   "true: /h is shared by all repositories (core.hooksPath, system configuration)",
		"command":  "true: /h is shared by all repositories (core.hooksPath, command configuration)",
		"local":    "false: /h lies outside this repository and may serve others (core.hooksPath, local configuration)",
		"worktree": "false: /h lies outside this repository and may serve others (core.hooksPath, worktree configuration)",
		"":         "false: /h lies outside this repository and may serve others (default directory)",
	} {
		s := site{dir: "/h", scope: scope}
		if got := fmt.Sprintf("%v: %s", s.shared(), s.sharing()); got != want {
			t.Errorf("%s: %s", scope, got)
		}
		if outside := (site{scope: scope, outside: true}); !outside.shared() {
			t.Errorf("%s: a directory outside is not shared", scope)
		}
		if got := s.scopeForOwn(); (scope == "worktree") != (got == "worktree") || scope != "worktree" && got != "local" {
			t.Errorf("%s: ours is set in %s", scope, got)
		}
	}
	for raw, want := range map[string]string{
		"": `"${0%/*}"/'../../hooks/post-merge'`, "h": "'h/post-merge'", "h/": "'h/post-merge'", "it's": `'it'\''s/post-merge'`,
	} {
		if got := (site{raw: raw}).nextWord("post-merge"); got != want {
			t.Errorf("%q hands over to %s", raw, got)
		}
	}
}

func TestPathsThatLieInADirectory(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, dir string
		want      bool
	}{
		{"/a", "/a", true}, {"/a/b", "/a", true}, {"/ab", "/a", false}, {"/", "/a", false}, {"/a/..b", "/a", true}, {"/b", "/a", false}, {"b", "/a", false}, {"/b", "a", false},
	} {
		if got := within(test.path, test.dir); got != test.want {
			t.Errorf("%s in %s: %v", test.path, test.dir, got)
		}
	}
	in := Installer{Repo: &refs.Repo{CommonDir: "/c", GitDir: "/g"}}
	for path, want := range map[string]bool{"/c/hooks": true, "/g/hooks": true, "/c": true, "/h": false} {
		if got := in.inGitDir(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	for path, want := range map[string]string{"/hooks": "/hooks", "/c/hooks": "hooks", "/c": ".", "/beside": "../beside", "/a": "../a"} {
		in := Installer{Repo: &refs.Repo{CommonDir: "/top/c"}}
		path = "/top" + path
		if path == "/top/hooks" {
			want = "../hooks"
		}
		if got := in.relative(path); got != want || in.absolute(got) != path {
			t.Errorf("%s is %s, and back %s", path, got, in.absolute(got))
		}
	}
	in = Installer{Repo: &refs.Repo{CommonDir: "/top/c"}}
	if got := in.relative("/elsewhere"); got != "/elsewhere" || in.absolute(got) != got {
		t.Errorf("what does not lie beside the repository is %s", got)
	}
}

func TestPathsAreResolvedAsFarAsTheyExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.link("work", filepath.Join(w.base, "link"))
	for path, want := range map[string]string{
		"link": "work", "link/.git": "work/.git", "link/a/b": "work/a/b", "work/../link/x": "work/x", "none/x": "none/x",
	} {
		if got := realPath(filepath.Join(w.base, path)); got != filepath.Join(w.base, want) {
			t.Errorf("%s is %s", path, got)
		}
	}
	if got := missingDirs(filepath.Join(w.base, "a", "b")); !slices.Equal(got, []string{filepath.Join(w.base, "a", "b"), filepath.Join(w.base, "a")}) {
		t.Errorf("missing are %q", got)
	}
}

func TestABrokenConfigurationIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.installer()
	w.write(filepath.Join(w.dir, ".git", "config"), "[core\n", 0o644)
	if _, err := in.Status(t.Context()); err == nil || errors.Is(err, ErrHooksOff) {
		t.Errorf("status says %v", err)
	}
	if _, err := in.Remove(t.Context()); err == nil {
		t.Error("removal says nothing")
	}
}

func TestRelativePathsCountFromWhereGitStartsHooks(t *testing.T) {
	t.Parallel()
	for want, repo := range map[string]*refs.Repo{"/w": {GitDir: "/w/.git", WorkTree: "/w"}, "/bare": {GitDir: "/bare"}} {
		if got := (Installer{Repo: repo}).top(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
