package hooks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/shell"
)

// forwarded lists the hooks for which our own directory has a file, even if the former directory does not have them
// now: somebody may add one later. They are the hooks of githooks(5) that run on the user's side, and whose mere
// presence changes nothing.
var forwarded = [...]string{
	"applypatch-msg", "commit-msg", "post-applypatch", "post-checkout", "post-commit", "post-merge", "post-rewrite",
	"pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg",
}

// planApart makes a directory of our own the hooks directory. Each file in it runs the file with the same name in the
// former directory, which is not changed.
func (in Installer) planApart(ctx context.Context, p *plan, s site) error {
	if err := in.planWithdraw(p, s); err != nil {
		return err
	}
	dir := in.ownDir()
	p.quietly(&makeDir{path: dir})
	for _, hook := range in.forwardNames(s.dir) {
		our := part{hook: hook, kind: forward, next: s.nextWord(hook)}
		if slices.Contains(in.names(ctx), hook) {
			our.binary = in.Binary
		}
		path, data := filepath.Join(dir, hook), our.file(plainShebang)
		f, err := readHook(path)
		if err == nil && bytes.Equal(f.content, data) && f.mode == hookMode {
			continue
		}
		what := "create"
		if f.exists {
			what = "refresh"
		}
		p.add(Action{Hook: hook, Path: path, What: what, Why: "hands over to " + filepath.Join(s.dir, hook)},
			&writeFile{path: path, data: data, mode: hookMode})
	}
	if s.ours == dir {
		return nil
	}
	p.note("%s: core.hooksPath now names %s, whose hooks run git-trace and then those of %s", s.apart, dir, s.dir)
	return in.planPoint(ctx, p, s)
}

// planWithdraw removes the hooks of an earlier install from the former directory, if they are only ours.
func (in Installer) planWithdraw(p *plan, s site) error {
	if s.keeper == nil {
		return nil
	}
	for _, hook := range all() {
		f, _ := readHook(filepath.Join(s.dir, hook))
		if f.block == nil || f.block.kind != own {
			continue
		}
		if err := planTakeOut(p, f, hook); err != nil {
			return err
		}
	}
	return in.planUnexclude(p)
}

// forwardNames returns the hooks for which our own directory needs a file: the usual ones, and those that the former
// directory has.
func (in Installer) forwardNames(dir string) []string {
	names := slices.Clone(forwarded[:])
	entries, _ := os.ReadDir(dir) // a missing directory has no hooks
	for _, e := range entries {
		if strings.ContainsAny(e.Name(), ".~_") || slices.Contains(names, e.Name()) {
			continue
		}
		if f, err := readHook(filepath.Join(dir, e.Name())); err == nil && f.runs {
			names = append(names, e.Name())
		}
	}
	return names
}

// nextWord returns a shell word for the path of a hook in the former directory. If core.hooksPath was relative, the
// path stays relative: hooks start in the directory from which git resolves it, in every work tree.
func (s site) nextWord(hook string) string {
	if s.raw == "" {
		return `"${0%/*}"/` + shell.Quote("../../hooks/"+hook)
	}
	return shell.Quote(strings.TrimSuffix(filepath.ToSlash(s.raw), "/") + "/" + hook)
}

// scopeForOwn returns the scope in which core.hooksPath is set: the repository's, unless the work tree's own
// configuration would override it.
func (s site) scopeForOwn() string {
	if s.scope == "worktree" {
		return s.scope
	}
	return "local"
}

// planPoint sets core.hooksPath and stores its earlier value.
func (in Installer) planPoint(ctx context.Context, p *plan, s site) error {
	scope := s.scopeForOwn()
	before, err := in.rawValue(ctx, scope, "core.hooksPath")
	if err != nil {
		return err
	}
	if s.ours != "" {
		before = s.kept
	}
	if before != "" {
		p.quietly(&setConfig{in: in, ctx: ctx, scope: scope, key: keepKey, value: before})
	}
	p.add(Action{Path: in.ownDir(), What: "set core.hooksPath to", Why: s.apart},
		&setConfig{in: in, ctx: ctx, scope: scope, key: "core.hooksPath", value: in.ownDir()})
	return nil
}

// planUnforward undoes the changes of planApart, as far as they were made.
func (in Installer) planUnforward(ctx context.Context, p *plan, s site) error {
	if s.ours != "" {
		what := Action{Path: s.kept, What: "set core.hooksPath back to"}
		if s.kept == "" {
			what = Action{Path: s.dir, What: "unset core.hooksPath: git runs hooks from"}
		}
		p.add(what, &setConfig{in: in, ctx: ctx, scope: s.scopeForOwn(), key: "core.hooksPath", value: s.kept})
	}
	for _, scope := range []string{"local", "worktree"} {
		kept, err := in.rawValue(ctx, scope, keepKey)
		if err == nil && kept != "" {
			p.quietly(&setConfig{in: in, ctx: ctx, scope: scope, key: keepKey})
		}
		if scope == "local" && s.scope != "worktree" {
			break
		}
	}
	entries, _ := os.ReadDir(in.ownDir()) // usually the directory is missing
	for _, e := range entries {
		path := filepath.Join(in.ownDir(), e.Name())
		if f, _ := readHook(path); f.block != nil {
			p.add(Action{Hook: e.Name(), Path: path, What: "remove"}, &removeFile{path: path})
		}
	}
	p.quietly(removeDir{in.ownDir()})
	return nil
}

// setConfig sets a key in one scope. If the value is empty, it unsets the key.
type setConfig struct {
	in         Installer
	ctx        context.Context // context of the call that made the plan
	scope, key string
	value      string
	before     string
}

func (c *setConfig) Apply() error {
	var err error
	if c.before, err = c.in.rawValue(c.ctx, c.scope, c.key); err != nil {
		return err
	}
	return c.set(c.value)
}

func (c *setConfig) Revert() error { return c.set(c.before) }

func (c *setConfig) set(value string) error {
	args := []string{"config", "--" + c.scope, c.key, value}
	if value == "" {
		args = []string{"config", "--" + c.scope, "--unset", c.key}
	}
	_, err := c.in.Repo.Git(c.ctx, nil, args...)
	if value == "" && isExit(err, 5) { // it was not set
		return nil
	}
	return err
}
