package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// settings holds the settings of git's configuration on which a snapshot depends.
type settings struct {
	FileMode       bool   // core.fileMode: the executable bit on disk counts
	IgnoreCase     bool   // core.ignoreCase
	Precompose     bool   // core.precomposeUnicode
	AutoCRLF       bool   // core.autocrlf is true or input
	Sparse         bool   // core.sparseCheckout
	AttributesFile string // absolute
	ExcludesFile   string // absolute
	Conversion     string // digest of all settings that control the conversion of contents
	Unsupported    string // the reason why git-trace's own method does not support this configuration; empty if it does
}

// readSettings reads git's configuration. It also returns the paths of the files from which git reads it, including
// missing ones.
func readSettings(ctx context.Context, repo *refs.Repo) (settings, []string, error) {
	items, err := repo.Settings(ctx)
	if err != nil {
		return settings{}, nil, err
	}
	s := settings{FileMode: true}
	h := sha256.New()
	for _, item := range items {
		s.take(item)
		if convertsContent(item.Key) {
			_, _ = h.Write([]byte(item.Key + "\n" + item.Value + "\x00"))
		}
	}
	s.Conversion = hex.EncodeToString(h.Sum(nil)[:16])
	s.AttributesFile = userFile(ctx, repo, "core.attributesfile", s.AttributesFile, "attributes")
	s.ExcludesFile = userFile(ctx, repo, "core.excludesfile", s.ExcludesFile, "ignore")
	return s, configFiles(repo, items), nil
}

func (s *settings) take(item refs.Setting) {
	on := isTrue(item.Value)
	switch item.Key {
	case "core.filemode":
		s.FileMode = on
	case "core.ignorecase":
		s.IgnoreCase = on
	case "core.precomposeunicode":
		s.Precompose = on
	case "core.autocrlf":
		s.AutoCRLF = on || strings.EqualFold(item.Value, "input")
	case "core.attributesfile":
		s.AttributesFile = item.Value
	case "core.excludesfile":
		s.ExcludesFile = item.Value
	case "core.symlinks":
		s.unsupported(!on, "symlinks are kept as plain files (core.symlinks)")
	case "core.sparsecheckout":
		s.Sparse = on
		s.unsupported(on, "sparse checkout")
	default:
		if name, ok := strings.CutPrefix(item.Key, "extensions."); ok {
			s.unsupported(!knownExtension(name), "unknown extension "+name)
		}
	}
}

// `unsupported` sets or removes a reason for the git method. As for git, the last line of a key decides.
func (s *settings) unsupported(is bool, reason string) {
	switch {
	case is && s.Unsupported == "":
		s.Unsupported = reason
	case !is && s.Unsupported == reason:
		s.Unsupported = ""
	}
}

func knownExtension(name string) bool {
	switch name {
	case "noop", "noop-v1", "objectformat", "refstorage", "worktreeconfig", "partialclone", "preciousobjects",
		"relativeworktrees", "compatobjectformat":
		return true
	}
	return false
}

func convertsContent(key string) bool {
	switch key {
	case "core.autocrlf", "core.eol", "core.attributesfile", "core.bigfilethreshold", "core.symlinks", "core.filemode",
		"core.ignorecase", "attr.tree":
		return true
	}
	return strings.HasPrefix(key, "filter.")
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "no", "off", "0":
		return false
	case "input":
		return false
	}
	return true
}

// userFile returns the path of a file that a configuration variable names. If the variable is not set, it returns the
// file name in the user's git directory. Git expands paths that need more than the home directory.
func userFile(ctx context.Context, repo *refs.Repo, key, value, name string) string {
	if value == "" {
		return refs.UserFile(name)
	}
	path, ok := refs.ExpandHome(value)
	if !ok {
		out, err := repo.Git(ctx, nil, "config", "--type=path", "-z", "--get", key)
		if err != nil {
			return ""
		}
		path = strings.TrimSuffix(string(out), "\x00")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(repo.WorkTree, path)
	}
	return path
}

// configFiles lists the files in which a change of configuration can happen: the files that were read, and those that
// git would read if they existed.
func configFiles(repo *refs.Repo, items []refs.Setting) []string {
	files := []string{filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree")}
	if path := os.Getenv("GIT_CONFIG_SYSTEM"); path != "" {
		files = append(files, path)
	} else {
		files = append(files, refs.SystemFiles("gitconfig")...)
	}
	if path := os.Getenv("GIT_CONFIG_GLOBAL"); path != "" {
		files = append(files, path)
	} else if home := os.Getenv("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		files = append(files, filepath.Join(dir, "git", "config"))
	}
	for _, item := range items {
		origin := item.File
		if origin != "" && !filepath.IsAbs(origin) {
			origin = filepath.Join(repo.WorkTree, origin)
		}
		files = append(files, origin)
		if item.Key == "include.path" || strings.HasPrefix(item.Key, "includeif.") {
			files = append(files, includedFile(origin, item.Value))
		}
		if strings.HasPrefix(item.Key, "includeif.onbranch:") {
			files = append(files, repo.HeadFile())
		}
	}
	return uniquePaths(files)
}

func includedFile(origin, value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	if filepath.IsAbs(value) || origin == "" {
		return value
	}
	return filepath.Join(filepath.Dir(origin), value)
}

func uniquePaths(paths []string) []string {
	seen := make(map[string]bool, len(paths))
	var out []string
	for _, p := range paths {
		if p == "" || !filepath.IsAbs(p) || seen[p] {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return out
}

// environment returns a digest of the environment variables that locate configuration.
func environment() string {
	h := sha256.New()
	entries := os.Environ()
	slices.Sort(entries) // a shell may pass them to its children in any order
	for _, entry := range entries {
		name, _, _ := strings.Cut(entry, "=")
		if name == "HOME" || name == "XDG_CONFIG_HOME" || name == "GIT_ATTR_NOSYSTEM" ||
			strings.HasPrefix(name, "GIT_CONFIG") {
			_, _ = h.Write([]byte(entry + "\x00"))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
