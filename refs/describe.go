package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// Open reads the repository's own configuration and returns the repository, with its format and work tree. It follows
// git's setup_explicit_git_dir and setup_discovered_git_dir. It calls git only if git alone can decide.
func (f *Found) Open() (*Repo, error) {
	return f.search.describe(f)
}

func (d *discovery) describe(at *Found) (*Repo, error) {
	repo := &Repo{GitDir: at.GitDir, CommonDir: at.CommonDir, Format: SHA1, RefFormat: "files",
		packed: &packedRefs{}}
	_, repo.commonFromEnv = d.lookup("GIT_COMMON_DIR")

	facts, err := d.readFacts(at.GitDir, at.CommonDir)
	if err != nil {
		return nil, err
	}
	if repo.WorkTree, err = d.workTree(at, facts); err != nil {
		return nil, err
	}
	// git may refuse a bare layout above the start (safe.bareRepository), depending on its protected configuration; this
	// is rare, so git decides
	bareWalk := !at.Named && at.Top == ""
	if !at.Named && (bareWalk || !ownedHere(at.Top, at.GitDir, at.gitFile)) {
		if err := d.askAccepted(); err != nil {
			return nil, err
		}
	}
	if facts.unsure {
		return repo, d.askFormat(repo)
	}
	repo.Format, repo.RefFormat = facts.format, facts.refStorage
	return repo, nil
}

func (d *discovery) workTree(at *Found, facts facts) (string, error) {
	env, haveEnv := d.lookup("GIT_WORK_TREE")
	path := at.Top
	switch {
	case haveEnv:
		path = d.abs(env)
	case facts.bare: // core.worktree does not count: git rejects both together
		return "", nil
	case facts.worktree != "":
		path = facts.worktree
		if !filepath.IsAbs(path) {
			path = filepath.Join(at.GitDir, path)
		}
	case at.Named:
		if implicit, ok := d.lookup("GIT_IMPLICIT_WORK_TREE"); ok && !parseBool(implicit, true) {
			return "", nil
		}
		path = d.cwd
	case at.Top == "":
		return "", nil
	default:
		return path, nil // it is above a directory without symlinks, so it has none
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("find work tree: %w", err)
	}
	return real, nil
}

// askAccepted asks git whether it would work in this repository (safe.directory, safe.bareRepository).
func (d *discovery) askAccepted() error {
	_, err := d.ask("rev-parse", "--git-dir")
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return ErrUnsafe
	}
	return fmt.Errorf("%w: %w", ErrUnsafe, err)
}

// askFormat asks git for the hash and the ref storage, if the configuration has values that this code does not know.
func (d *discovery) askFormat(repo *Repo) error {
	out, err := d.ask("rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	if out == "sha256" {
		repo.Format = SHA256
	}
	// Git before 2.45 has no ref storage other than files, and prints the unknown option.
	if out, err = d.ask("rev-parse", "--show-ref-format"); err == nil && !strings.HasPrefix(out, "-") {
		repo.RefFormat = out
	}
	return nil
}

func (d *discovery) ask(args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir, cmd.Env = d.cwd, d.inherit
	out, err := runGit(cmd, args[0])
	return string(bytes.TrimRight(out, "\n")), err
}

// facts holds the settings in the repository's own configuration files that discovery needs.
type facts struct {
	format     ObjectFormat
	refStorage string
	bare       bool
	worktree   string
	unsure     bool // the files have settings that only a newer git understands
}

// readFacts reads <common>/config as git's check_repository_format does: only that file, without includes. A linked
// work tree ignores core.bare and core.worktree unless config.worktree is enabled (extensions.worktreeConfig). The
// values in config.worktree win.
func (d *discovery) readFacts(gitDir, common string) (facts, error) {
	entries, err := d.configFile(filepath.Join(common, "config"))
	if err != nil {
		return facts{}, fmt.Errorf("read configuration: %w", err)
	}
	out := facts{refStorage: "files"}
	version, newer, perWorktree := "0", false, false
	var format, storage string
	for _, e := range entries {
		switch e.Key {
		case "core.repositoryformatversion":
			version = e.Value
		case "extensions.objectformat":
			format = e.Value
		case "extensions.refstorage":
			storage = e.Value
		case "extensions.worktreeconfig":
			perWorktree = e.bool()
		case "extensions.noop", "extensions.noop-v1", "extensions.preciousobjects", "extensions.partialclone",
			"extensions.relativeworktrees":
		default:
			newer = newer || strings.HasPrefix(e.Key, "extensions.")
		}
	}
	switch version {
	case "0":
		out.unsure = format != "" || storage != ""
	case "1":
		out.unsure = newer || !out.take(format, storage)
	default:
		out.unsure = true
	}
	if perWorktree {
		more, err := d.configFile(filepath.Join(gitDir, "config.worktree"))
		if err != nil {
			return facts{}, fmt.Errorf("read configuration: %w", err)
		}
		entries = append(entries, more...)
	} else if gitDir != common {
		return out, nil
	}
	for _, e := range entries {
		switch e.Key {
		case "core.bare":
			out.bare = e.bool()
		case "core.worktree":
			out.worktree = e.Value
		}
	}
	return out, nil
}

// configFile reads one configuration file, which may be missing. If this parser fails, git must read or reject the
// file.
func (d *discovery) configFile(path string) ([]configEntry, error) {
	text, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := parseConfig(string(text))
	if err == nil {
		return entries, nil
	}
	out, err := d.ask("config", "-z", "--list", "--no-includes", "--file", path)
	if err != nil {
		return nil, err
	}
	return parseConfigList(out).entries, nil
}

func (f *facts) take(format, storage string) bool {
	switch format {
	case "", "sha1":
	case "sha256":
		f.format = SHA256
	default:
		return false
	}
	switch storage {
	case "", "files":
	case "reftable":
		f.refStorage = storage
	default:
		return false
	}
	return true
}
