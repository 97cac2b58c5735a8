package blame

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
)

// context is a digest of what git's answers depend on beside the objects: git itself, its configuration, the names that
// the mailmap gives people, the environment. False means that something is in force that the cache does not know how to
// take into account.
func (s *session) context(config settings) (digest, bool) {
	if config.err != nil || s.repo.Bare() || rewritesHistory(s.repo) {
		return digest{}, false
	}
	h := newDigester()
	h.text(gitProgram())
	h.text(s.repo.Format.String())
	for _, item := range config.items {
		if !config.bears(item) {
			return digest{}, false
		}
		if shapesAnswers(item.key) {
			h.text(item.key)
			h.text(item.value)
		}
	}
	h.file(filepath.Join(s.repo.WorkTree, ".mailmap"))
	if file, ok := config.get("mailmap.file"); ok {
		path, ok := expandHome(file)
		if !ok {
			return digest{}, false
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.repo.WorkTree, path)
		}
		h.file(path)
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); shapesGit(name) {
			h.text(entry)
		}
	}
	return h.sum(), true
}

// bears tells whether the cache can be used beside a setting.
func (c settings) bears(item configItem) bool {
	switch {
	case item.key == "blame.ignorerevsfile", item.key == "mailmap.blob":
		return item.value == ""
	case isTextconv(item.key):
		return false
	}
	return true
}

// shapesAnswers tells whether a setting can change what git blame finds or prints.
func shapesAnswers(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "attr", "blame", "core", "diff", "extensions", "feature", "filter", "i18n", "log", "mailmap":
		return true
	}
	return false
}

// shapesGit tells whether an environment variable can change what git finds. Those that say how to reach other programs
// or other machines cannot; refs.Repo drops or sets those that say where the repository is.
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

// rewritesHistory tells whether the history is other than the commits say: grafts, replacement refs, or an end of what
// was fetched.
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

// gitProgram names the git that answers: an update of git may answer otherwise. The program is often there under
// several names, one of which git itself puts before the others, so neither its path nor its inode is looked at.
func gitProgram() string {
	path, err := exec.LookPath("git")
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// digester makes a digest of texts and files.
type digester struct {
	hash *blake3.Hasher
}

func newDigester() *digester { return &digester{hash: blake3.New()} }

func (d *digester) text(s string) {
	_, _ = d.hash.WriteString(s)
	_, _ = d.hash.Write([]byte{0})
}

// file takes in whether a file can be read, and its content.
func (d *digester) file(path string) {
	d.text(path)
	content, err := os.ReadFile(path)
	if err != nil {
		d.text("none")
		return
	}
	d.text("file")
	d.text(string(content))
}

func (d *digester) sum() digest {
	var out digest
	copy(out[:], d.hash.Sum(nil))
	return out
}

func digestOf(text string) digest {
	d := newDigester()
	d.text(text)
	return d.sum()
}

// String is the digest in hexadecimal, fit for a file name.
func (d digest) String() string { return hex.EncodeToString(d[:]) }
