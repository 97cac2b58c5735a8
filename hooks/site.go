package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// ownDir is the name of our own hooks directory, in the traces directory of the repository.
const ownDir = "hooks"

// keepKey is the setting that stores the value of core.hooksPath from before it was set to our own directory.
const keepKey = "trace.hooksPath"

// site describes the directory in which git would search for the hooks of a work tree without our own directory.
type site struct {
	dir   string // absolute
	raw   string // git's prefix for the path of a hook, relative or absolute; "" by default
	scope string // scope of core.hooksPath: "local", "worktree", "global", "system", "command"; "" if it is not set

	ours string // core.hooksPath if it is a directory of ours, also from before the repository was moved
	kept string // trace.hooksPath as written

	apart   string     // why our own directory is needed, or ""
	outside bool       // dir is outside of the git directory and of every work tree
	keeper  *refs.Repo // the repository whose work tree contains dir, or nil
	open    []string   // hooks in dir that are not ignored: they are tracked, or shown as untracked files
}

// everyones reports whether the setting applies to all repositories.
func (s site) everyones() bool {
	return s.scope == "global" || s.scope == "system" || s.scope == "command"
}

// `shared` reports whether other repositories run, or may run, hooks from the same directory.
func (s site) shared() bool { return s.everyones() || s.outside }

// sharing returns a message that other repositories use the directory too.
func (s site) sharing() string {
	if s.everyones() {
		return s.dir + " is shared by all repositories (" + s.source() + ")"
	}
	return s.dir + " lies outside this repository and may serve others (" + s.source() + ")"
}

// source describes the setting in words.
func (s site) source() string {
	if s.scope == "" {
		return "default directory"
	}
	return "core.hooksPath, " + s.scope + " configuration"
}

// ownDir returns the absolute path of our own directory.
func (in Installer) ownDir() string { return filepath.Join(in.Repo.TracesDir(), ownDir) }

// `top` returns the directory in which git starts hooks. Relative hook paths start there.
func (in Installer) top() string {
	if in.Repo.Bare() {
		return in.Repo.GitDir
	}
	return in.Repo.WorkTree
}

// findSite asks git for core.hooksPath, and examines the directory.
func (in Installer) findSite(ctx context.Context) (site, error) {
	s, err := in.readHooksPath(ctx)
	if err != nil {
		return site{}, err
	}
	if s.scope != "" && (s.raw == "" || isNoDirectory(s.dir)) {
		return s, fmt.Errorf("core.hooksPath is %q: %w", s.raw, ErrHooksOff)
	}
	if isNoDirectory(s.dir) {
		return s, fmt.Errorf("%s is not a directory: %w", s.dir, ErrHooksOff)
	}
	return s, in.judge(ctx, &s)
}

func isNoDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// configured is one value of core.hooksPath.
type configured struct{ scope, value string }

// readHooksPath finds the value that applies without our own directory. git-config(1) lists values with the effective
// one last.
func (in Installer) readHooksPath(ctx context.Context) (site, error) {
	values, err := in.configValues(ctx, "core.hooksPath")
	if err != nil {
		return site{}, err
	}
	var s site
	for len(values) > 0 && in.isOwn(values[len(values)-1].value) {
		last := values[len(values)-1]
		values = values[:len(values)-1]
		if s.ours != "" {
			continue
		}
		s.ours = last.value
		kept, err := in.configValues(ctx, keepKey)
		if err != nil {
			return site{}, err
		}
		if n := len(kept); n > 0 {
			values = append(values, configured{last.scope, kept[n-1].value})
			if s.kept, err = in.rawValue(ctx, last.scope, keepKey); err != nil {
				return site{}, err
			}
		}
	}
	s.dir = filepath.Join(in.Repo.CommonDir, "hooks")
	if n := len(values); n > 0 {
		s.scope, s.raw = values[n-1].scope, values[n-1].value
		if s.dir = s.raw; !filepath.IsAbs(s.dir) {
			s.dir = filepath.Join(in.top(), s.raw)
		}
	}
	return s, nil
}

// isOwn reports whether a value is our own directory, also at the path from before the repository was moved.
func (in Installer) isOwn(value string) bool {
	if value == in.ownDir() {
		return true
	}
	_, err := os.Stat(value)
	return err != nil && filepath.IsAbs(value) && strings.HasSuffix(filepath.ToSlash(value), "/traces/"+ownDir)
}

// configValues returns the values of a key that has paths, with their scopes, least important first.
func (in Installer) configValues(ctx context.Context, key string) ([]configured, error) {
	settings, err := in.Repo.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var values []configured
	toExpand := false
	for _, s := range settings {
		if strings.EqualFold(s.Key, key) {
			toExpand = toExpand || s.NoValue || s.Value == "" || strings.IndexByte("~%:", s.Value[0]) >= 0
			values = append(values, configured{s.Scope, s.Value})
		}
	}
	if !toExpand {
		return values, nil
	}
	out, err := in.Repo.Git(ctx, nil, "config", "-z", "--show-scope", "--type=path", "--get-all", key)
	if isExit(err, 1) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	values = nil
	for i := 0; i+1 < len(fields); i += 2 {
		values = append(values, configured{fields[i], fields[i+1]})
	}
	return values, nil
}

// rawValue returns a value as it is written in one scope, with `~` not expanded, or "" if it is not set there.
func (in Installer) rawValue(ctx context.Context, scope, key string) (string, error) {
	out, err := in.Repo.Git(ctx, nil, "config", "-z", "--"+scope, "--get", key)
	if isExit(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return strings.TrimSuffix(string(out), "\x00"), nil
}

func isExit(err error, code int) bool {
	var exit *refs.GitError
	return errors.As(err, &exit) && exit.Code == code
}

// judge decides whether to use the directory itself or our own one. Hooks under a team's version control are not
// changed, and hooks that are not writable cannot be. An earlier decision stays: switching to a branch without the
// hooks changes nothing.
func (in Installer) judge(ctx context.Context, s *site) error {
	if s.everyones() && !writable(s.dir) {
		s.apart = "nothing can be written to the shared directory " + s.dir
		return nil
	}
	s.keeper = in.keeperOf(s.dir)
	s.outside = s.keeper == nil && !in.inGitDir(realPath(s.dir))
	if s.keeper != nil {
		var err error
		if s.open, err = notIgnored(ctx, s.keeper, s.dir, in.names(ctx)); err != nil {
			return err
		}
	}
	switch tracked, err := s.foreignOpen(); {
	case err != nil:
		return err
	case len(s.open) > 0 && s.keeper.CommonDir != in.Repo.CommonDir:
		s.apart = s.dir + " belongs to the work tree of another repository"
	case tracked != "":
		s.apart = s.dir + " is part of the work tree, with a " + tracked + " of its own"
	case s.raw == "" && s.outside: // no configuration names it: it may come from an archive
		s.apart = s.dir + " is a link that leads out of the repository"
	case s.ours != "":
		s.apart = "as before"
	}
	return nil
}

// foreignOpen returns the first hook of another program that is not ignored: git-status(1) would show our part in it.
func (s site) foreignOpen() (string, error) {
	for _, hook := range s.open {
		f, err := readHook(filepath.Join(s.dir, hook))
		if err != nil && !errors.Is(err, ErrDamaged) {
			return "", err
		}
		if f.exists && (f.block == nil || f.block.kind != own) {
			return hook, nil
		}
	}
	return "", nil
}

// keeperOf returns the repository whose work tree contains a directory, or nil. For example, .git/hooks is in no work
// tree.
func (in Installer) keeperOf(dir string) *refs.Repo {
	real := realPath(dir)
	holds := func(r *refs.Repo) bool {
		return !r.Bare() && within(real, r.WorkTree) && !Installer{Repo: r}.inGitDir(real)
	}
	if in.inGitDir(real) {
		return nil
	}
	if other, err := refs.DiscoverHook(real); err == nil && holds(other) {
		return other
	}
	if holds(in.Repo) {
		return in.Repo
	}
	return nil
}

func (in Installer) inGitDir(path string) bool {
	return within(path, in.Repo.CommonDir) || within(path, in.Repo.GitDir)
}

// notIgnored lists the hooks with the given names that would be part of the work tree. Tracked files are never ignored
// (gitignore(5)).
func notIgnored(ctx context.Context, keeper *refs.Repo, dir string, names []string) ([]string, error) {
	var asked bytes.Buffer
	rel, err := filepath.Rel(keeper.WorkTree, realPath(dir))
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	byPath := map[string]string{}
	for _, hook := range names {
		path := filepath.ToSlash(filepath.Join(rel, hook))
		byPath[path] = hook
		asked.WriteString(path + "\x00")
	}
	out, err := keeper.Git(ctx, &asked, "check-ignore", "-z", "--stdin")
	if err != nil && !isExit(err, 1) {
		return nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		delete(byPath, path)
	}
	var open []string
	for _, hook := range names {
		if _, ok := byPath[filepath.ToSlash(filepath.Join(rel, hook))]; ok {
			open = append(open, hook)
		}
	}
	return open, nil
}

// realPath resolves symbolic links in the existing part of a path.
func realPath(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(realPath(parent), filepath.Base(path))
}

// `within` reports whether a path is a directory or is below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
