package refs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// layout makes every kind of repository the discovery tests look at, below one directory.
func layout(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	main := at("main")
	newRepoAt(t, main)
	write(t, at("main", "deep", "er", "x"), "x")
	git(t, main, "worktree", "add", "-q", "-b", "side", at("linked wt"))
	write(t, at("linked wt", "sub", "y"), "y")

	newRepoAt(t, at("lib"))
	git(t, main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", at("lib"), "module")
	git(t, root, "init", "-q", "--bare", at("bare.git"))
	git(t, root, "clone", "-q", "--bare", main, at("barewt.git"))
	git(t, at("barewt.git"), "worktree", "add", "-q", at("of-bare"), "main")
	git(t, root, "init", "-q", "--separate-git-dir", at("elsewhere.git"), at("separate"))
	newRepoAt(t, at("sha256"), "--object-format=sha256")

	git(t, root, "init", "-q", at("pointed"))
	write(t, at("target", "in", "z"), "z")
	git(t, at("pointed"), "config", "core.worktree", "../../target")
	git(t, root, "init", "-q", at("bogus"))
	git(t, at("bogus"), "config", "core.worktree", "../../target")
	git(t, at("bogus"), "config", "core.bare", "true")
	git(t, root, "init", "-q", at("included"))
	write(t, at("included", ".git", "more"), "[core]\n\tbare = true\n\tworktree = ../../target\n")
	git(t, at("included"), "config", "include.path", "more")

	newRepoAt(t, at("perwt"))
	git(t, at("perwt"), "config", "extensions.worktreeConfig", "true")
	git(t, at("perwt"), "worktree", "add", "-q", "-b", "w", at("perwt-linked"))
	write(t, at("target2", "z"), "z")
	git(t, at("perwt-linked"), "config", "--worktree", "core.worktree", at("target2"))

	odd := []string{"sp ace", "co:lon", "new\nline", "ünï-日本", `quo"te`, "-dash", "tab\tbed", `"lead`}
	for _, name := range odd {
		git(t, root, "init", "-q", at("odd", name))
		write(t, at("odd", name, "in "+name, "f"), "f")
	}
	newRepoAt(t, at("nest"))
	git(t, root, "init", "-q", at("nest", "inner"))
	write(t, at("nest", "fake", ".git", "nothing"), "not a repository")
	write(t, at("nest", "decoy", "HEAD"), "ref: refs/heads/main\n")
	write(t, at("broken", ".git"), "gitdir: nowhere\n")
	write(t, at("garbage", ".git"), "hello\n")
	write(t, at("future", "x"), "")
	git(t, root, "init", "-q", at("future"))
	git(t, at("future"), "config", "core.repositoryformatversion", "7")
	git(t, root, "init", "-q", at("unknown"))
	git(t, at("unknown"), "config", "core.repositoryformatversion", "1")
	git(t, at("unknown"), "config", "extensions.fromTheFuture", "true")
	git(t, root, "init", "-q", at("syntax"))
	write(t, at("syntax", ".git", "config"), "[core\nbare = false\n")
	write(t, at("plain", "x"), "x")
	for link, target := range map[string]string{"link": "main", "link-deep": "main/deep", "link-git": "main/.git"} {
		if err := os.Symlink(at(target), at(link)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("dotgit-link", "x"), "x")
	if err := os.Symlink(at("main", ".git"), at("dotgit-link", ".git")); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestDiscoveryAgreesWithGit asks git and Discover the same question from many places and environments.
func TestDiscoveryAgreesWithGit(t *testing.T) {
	t.Parallel()
	root := layout(t)
	var dirs []string
	for _, d := range []string{
		"main", "main/deep/er", "main/.git", "main/.git/refs/heads", "main/.git/worktrees/linked-wt",
		"linked wt", "linked wt/sub", "main/module", "main/.git/modules/module", "bare.git", "bare.git/refs",
		"barewt.git", "of-bare", "separate", "elsewhere.git", "sha256", "pointed", "pointed/.git", "target", "bogus",
		"bogus/.git", "included", "perwt", "perwt-linked", "nest", "nest/inner", "nest/fake", "nest/decoy", "broken",
		"garbage", "future", "unknown", "syntax", "plain", "link", "link/deep", "link-deep", "link-git", "dotgit-link",
	} {
		dirs = append(dirs, filepath.Join(root, d))
	}
	more, err := filepath.Glob(filepath.Join(root, "odd", "*", "in *"))
	if err != nil || len(more) < 8 {
		t.Fatalf("%q %v", more, err)
	}
	dirs = append(dirs, more...)

	dirs = testenv.Some(dirs, 4)
	envs := map[string][]string{
		"nothing set":            nil,
		"GIT_DIR relative":       {"GIT_DIR=.git"},
		"GIT_DIR a gitfile":      {"GIT_DIR=" + filepath.Join(root, "linked wt", ".git")},
		"GIT_DIR absolute":       {"GIT_DIR=" + filepath.Join(root, "main", ".git")},
		"GIT_DIR bare":           {"GIT_DIR=" + filepath.Join(root, "bare.git")},
		"GIT_DIR core.worktree":  {"GIT_DIR=" + filepath.Join(root, "pointed", ".git")},
		"GIT_DIR bogus":          {"GIT_DIR=" + filepath.Join(root, "bogus", ".git")},
		"GIT_DIR linked":         {"GIT_DIR=" + filepath.Join(root, "main/.git/worktrees/linked-wt")},
		"GIT_DIR nowhere":        {"GIT_DIR=" + filepath.Join(root, "plain")},
		"GIT_DIR and work tree":  {"GIT_DIR=" + filepath.Join(root, "main", ".git"), "GIT_WORK_TREE=" + filepath.Join(root, "plain")},
		"bare with a work tree":  {"GIT_DIR=" + filepath.Join(root, "bare.git"), "GIT_WORK_TREE=" + filepath.Join(root, "plain")},
		"work tree alone":        {"GIT_WORK_TREE=" + filepath.Join(root, "plain")},
		"work tree relative":     {"GIT_WORK_TREE=."},
		"no implicit work tree":  {"GIT_DIR=" + filepath.Join(root, "main", ".git"), "GIT_IMPLICIT_WORK_TREE=0"},
		"common dir":             {"GIT_DIR=" + filepath.Join(root, "main", ".git"), "GIT_COMMON_DIR=" + filepath.Join(root, "nest", ".git")},
		"ceiling at the root":    {"GIT_CEILING_DIRECTORIES=" + root},
		"ceiling in the way":     {"GIT_CEILING_DIRECTORIES=/nonexistent:" + filepath.Join(root, "main")},
		"ceiling through a link": {"GIT_CEILING_DIRECTORIES=" + filepath.Join(root, "link")},
		"ceiling, link literal":  {"GIT_CEILING_DIRECTORIES=:" + filepath.Join(root, "link")},
		"ceiling is the start":   {"GIT_CEILING_DIRECTORIES=" + filepath.Join(root, "main/deep/er")},
	}
	for name, env := range envs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dir := range dirs {
				want, got := gitDiscovers(dir, env), weDiscover(t, dir, env)
				if want != got {
					t.Errorf("%q:\n git %s\n we  %s", strings.TrimPrefix(dir, root), want, got)
				}
			}
		})
	}
}

func gitDiscovers(dir string, env []string) string {
	ask := func(arg string) (string, bool) {
		cmd := exec.Command("git", "rev-parse", arg)
		cmd.Dir, cmd.Env = dir, gitEnv(env...)
		out, err := cmd.Output()
		return strings.TrimSuffix(string(out), "\n"), err == nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err.Error()
	}
	gitDir, ok := ask("--absolute-git-dir")
	if !ok {
		return "nothing"
	}
	common, _ := ask("--git-common-dir")
	if !filepath.IsAbs(common) {
		common = filepath.Join(real, common)
	}
	if common, err = filepath.EvalSymlinks(common); err != nil {
		return err.Error()
	}
	top, _ := ask("--show-toplevel")
	format, _ := ask("--show-object-format")
	return fmt.Sprintf("dir=%q common=%q top=%q %s", gitDir, common, top, format)
}

func weDiscover(t *testing.T, dir string, env []string) string {
	repo, err := discoverWith(dir, env)
	if err != nil {
		var failed *GitError
		if !errors.Is(err, ErrNotRepository) && !errors.As(err, &failed) {
			t.Errorf("%q: untyped error: %v", dir, err)
		}
		return "nothing"
	}
	return fmt.Sprintf("dir=%q common=%q top=%q %s", repo.GitDir, repo.CommonDir, repo.WorkTree, repo.Format)
}

// discoverWith is Discover with an environment given instead of the process's own.
func discoverWith(dir string, env []string) (*Repo, error) {
	real, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	lookup := func(key string) (string, bool) {
		i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, key+"=") })
		if i < 0 {
			return "", false
		}
		return env[i][len(key)+1:], true
	}
	return opened((&discovery{cwd: real, lookup: lookup, inherit: gitEnv(env...)}).find())
}

func TestDiscoverHookClimbsFromFilesThatDoNotExistYet(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	for _, path := range []string{"file.txt", "new/dir/file.go", "."} {
		got, err := DiscoverHook(filepath.Join(repo.WorkTree, path))
		if err != nil || !same(got, repo) {
			t.Errorf("%s: %+v %v", path, got, err)
		}
	}
	if _, err := DiscoverHook(filepath.Join(t.TempDir(), "a", "b")); !errors.Is(err, ErrNotRepository) {
		t.Errorf("outside: %v", err)
	}
}

func TestDiscoverHeedsTheEnvironmentAndDiscoverHookDoesNot(t *testing.T) {
	repo, other := newRepo(t), newRepo(t)
	t.Setenv("GIT_DIR", other.GitDir)
	t.Setenv("GIT_WORK_TREE", other.WorkTree)
	if got, err := Discover(repo.WorkTree); err != nil || got.GitDir != other.GitDir || got.WorkTree != other.WorkTree {
		t.Errorf("Discover: %+v %v", got, err)
	}
	if got, err := DiscoverHook(repo.WorkTree); err != nil || !same(got, repo) {
		t.Errorf("DiscoverHook: %+v %v", got, err)
	}
}

func TestARepositoryOfSomebodyElseIsRefusedUnlessGitAcceptsIt(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		testenv.Forbids(t, "only root can give files away")
	}
	repo := newRepo(t)
	if err := os.Chown(repo.WorkTree, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := discoverWith(repo.WorkTree, nil); !errors.Is(err, ErrUnsafe) {
		t.Errorf("foreign work tree: %v", err)
	}
	allowed := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=" + repo.WorkTree}
	config := filepath.Join(t.TempDir(), "config")
	write(t, config, "[safe]\n\tdirectory = "+repo.WorkTree+"\n")
	if _, err := discoverWith(repo.WorkTree, []string{"GIT_CONFIG_GLOBAL=" + config}); err != nil {
		t.Errorf("allowed by the user's configuration: %v", err)
	}
	if _, err := discoverWith(repo.WorkTree, allowed); err != nil {
		t.Errorf("allowed by -c: %v", err)
	}
	if _, err := discoverWith(repo.WorkTree, []string{"GIT_DIR=" + repo.GitDir}); err != nil {
		t.Errorf("named by GIT_DIR: %v", err)
	}
}

func TestABareRepositoryIsRefusedWhereTheUserWantsItNamed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "b.git")
	git(t, filepath.Dir(dir), "init", "-q", "--bare", dir)
	config := filepath.Join(t.TempDir(), "config")
	write(t, config, "[safe]\n\tbareRepository = explicit\n")
	if _, err := discoverWith(dir, []string{"GIT_CONFIG_GLOBAL=" + config}); !errors.Is(err, ErrUnsafe) {
		t.Errorf("found by walking: %v", err)
	}
	if repo, err := discoverWith(dir, []string{"GIT_CONFIG_GLOBAL=" + config, "GIT_DIR=" + dir}); err != nil || !repo.Bare() {
		t.Errorf("named: %v", err)
	}
}

func TestAWorktreeKnowsItsName(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	path := filepath.Join(t.TempDir(), "linked")
	git(t, repo.WorkTree, "worktree", "add", "-q", path)
	linked := discover(t, path)
	if !linked.Linked() || linked.WorktreeName() != "linked" || repo.Linked() || repo.WorktreeName() != "" {
		t.Errorf("%+v %+v", linked, repo)
	}
	if linked.TracesDir() != repo.TracesDir() || linked.WorktreeTracesDir() == repo.WorktreeTracesDir() {
		t.Errorf("traces: %s %s", linked.TracesDir(), linked.WorktreeTracesDir())
	}
}

// same tells whether two are of one repository, whatever each of them has read there.
func same(a, b *Repo) bool {
	x, y := *a, *b
	x.packed, y.packed = nil, nil
	return x == y
}
