package gitblame

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// context returns a digest of everything, except objects, that can change git's answers: git's version, its
// configuration, the mailmap, the environment. It returns false if something applies that the cache does not support.
func (s *Session) context(config refs.Config) (digest, bool) {
	if s.repo.Bare() || rewritesHistory(s.repo) {
		return digest{}, false
	}
	h := newDigest()
	h.Text(gitProgram())
	h.Text(s.repo.Format.String())
	for key, value := range config.Entries() {
		if !bears(key, value) {
			return digest{}, false
		}
		if shapes(key) {
			h.Text(key)
			h.Text(value)
		}
	}
	h.File(filepath.Join(s.repo.WorkTree, ".mailmap"))
	if file, ok := config.Get("mailmap.file"); ok {
		path, ok := refs.ExpandHome(file)
		if !ok {
			return digest{}, false
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.repo.WorkTree, path)
		}
		h.File(path)
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); shapesGit(name) {
			h.Text(entry)
		}
	}
	return h.Sum(), true
}

// `bears` reports whether the cache supports a setting.
func bears(key, value string) bool {
	switch {
	case key == "blame.ignorerevsfile", key == "mailmap.blob":
		return value == ""
	case isTextconv(key):
		return false
	}
	return true
}

// shapesGit reports whether an environment variable can change git's answer. Variables for other programs or machines
// cannot. Variables that locate the repository do not count, because refs.Repo removes or sets them.
func shapesGit(name string) bool {
	if !strings.HasPrefix(name, "GIT_") {
		return false
	}
	for _, prefix := range [...]string{
		"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TRACE", "GIT_SSH", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR",
		"GIT_ASKPASS", "GIT_TERMINAL_PROMPT", "GIT_PROMPT", "GIT_CONFIG", "GIT_EXEC_PATH", "GIT_DIR", "GIT_WORK_TREE",
		"GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_HTTP_", "GIT_CURL_", "GIT_PS1_", "GIT_OPTIONAL_LOCKS",
	} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

// rewritesHistory reports whether git sees other parents than those in the commits: because of grafts, replacement
// refs, or the end of a shallow clone.
func rewritesHistory(repo *refs.Repo) bool {
	for _, file := range [...]string{filepath.Join("info", "grafts"), "shallow"} {
		if _, err := os.Stat(filepath.Join(repo.CommonDir, file)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	for _, name := range [...]string{"GIT_REPLACE_REF_BASE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return repo.MayHaveRefs("refs/replace/")
}

// shapes reports whether a setting can change the result or the output of git blame.
func shapes(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "attr", "blame", "core", "diff", "extensions", "feature", "filter", "i18n", "log", "mailmap":
		return true
	}
	return false
}
