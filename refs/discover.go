package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Discover finds the repository that git itself would find from dir, with the same environment: git sets GIT_DIR for an
// external command that is called as `git --git-dir=… trace …`.
func Discover(dir string) (*Repo, error) { return opened(Find(dir)) }

// DiscoverHook does the same as Discover, for a hook of an agent: see FindHook.
func DiscoverHook(dir string) (*Repo, error) { return opened(FindHook(dir)) }

func opened(f *Found, err error) (*Repo, error) {
	if err != nil {
		return nil, err
	}
	return f.Open()
}

// Found is a repository that was found but is not open. Discovery read only the files that locate it: HEAD, a .git
// file, commondir. It started no process.
type Found struct {
	GitDir    string // as in Repo
	CommonDir string // as in Repo
	Top       string // directory with the .git entry; empty for GIT_DIR and for a bare layout
	Named     bool   // found by GIT_DIR

	gitFile string // the .git file that names the git directory, if there is one
	search  *discovery
}

// Find does the same as Discover, without opening the repository.
func Find(dir string) (*Found, error) {
	cwd, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	return (&discovery{cwd: cwd, lookup: os.LookupEnv, inherit: os.Environ()}).find()
}

// FindHook does the same as Find, for a hook of an agent. The hook has the agent's environment, and its input may
// contain any paths. FindHook ignores the GIT_* variables. The parameter `dir` may be a file, or may not exist yet:
// then the nearest existing directory above it is used. It skips bare layouts, because files of a work tree may look
// like a git directory. Inside the git directory that it finds, it returns ErrBare.
func FindHook(dir string) (*Found, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		info, err := os.Stat(abs)
		if err == nil && info.IsDir() {
			break
		}
		parent := filepath.Dir(abs)
		if parent == abs {
			return nil, ErrNotRepository
		}
		abs = parent
	}
	cwd, err := realPath(abs)
	if err != nil {
		return nil, err
	}
	nothing := func(string) (string, bool) { return "", false }
	found, err := (&discovery{cwd: cwd, lookup: nothing, inherit: baseEnv(os.Environ()), noBare: true}).find()
	if err != nil {
		return nil, err
	}
	if isWithin(cwd, found.GitDir) || isWithin(cwd, found.CommonDir) {
		return nil, ErrBare
	}
	return found, nil
}

// isWithin reports whether a path is a directory or is below it.
func isWithin(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// discovery is one search for a repository. It holds the start directory without symlinks, and the environment
// variables that apply.
type discovery struct {
	cwd     string
	lookup  func(string) (string, bool)
	inherit []string // environment for calls of git
	noBare  bool     // skip bare layouts

	// the last result of commonDir, which is called twice for the directory that is used
	common struct{ of, is string }
}

func (d *discovery) find() (*Found, error) {
	var at Found
	var err error
	if env, ok := d.lookup("GIT_DIR"); ok {
		at, err = d.fromEnv(env)
	} else {
		at, err = d.walk()
	}
	if err == nil {
		err = d.resolve(&at)
	}
	if err != nil {
		return nil, err
	}
	return &at, nil
}

// resolve resolves the symlinks in the directories, and finds the common directory.
func (d *discovery) resolve(at *Found) (err error) {
	at.search = d
	if !at.plain() {
		if at.GitDir, err = filepath.EvalSymlinks(at.GitDir); err != nil {
			return err
		}
	}
	if at.CommonDir, err = d.commonDir(at.GitDir); err != nil || at.CommonDir == at.GitDir {
		return err
	}
	at.CommonDir, err = filepath.EvalSymlinks(at.CommonDir)
	return err
}

// `plain` reports whether the git directory is the .git of the work tree itself. Neither path has symlinks.
func (f *Found) plain() bool {
	if f.Top == "" || f.GitDir != filepath.Join(f.Top, ".git") {
		return false
	}
	info, err := os.Lstat(f.GitDir)
	return err == nil && info.IsDir()
}

func (d *discovery) fromEnv(env string) (Found, error) {
	path := d.abs(env)
	info, err := os.Stat(path)
	if env == "" || err != nil {
		return Found{}, fmt.Errorf("%w: GIT_DIR", ErrNotRepository)
	}
	if !info.IsDir() {
		if path, err = readGitFile(path); err != nil {
			return Found{}, err
		}
	}
	if !d.isGitDir(path) {
		return Found{}, fmt.Errorf("%w: GIT_DIR", ErrNotRepository)
	}
	return Found{GitDir: path, Named: true}, nil
}

// walk goes up from the start as setup_git_directory does. At each level it checks the .git entry first, then the
// directory itself.
func (d *discovery) walk() (Found, error) {
	ceiling := d.ceiling()
	device, haveDevice := deviceOf(d.cwd)
	across, ok := d.lookup("GIT_DISCOVERY_ACROSS_FILESYSTEM")
	crossing := ok && parseBool(across, false)
	for dir := d.cwd; ; {
		at, ok, err := d.look(dir)
		if err != nil || ok {
			return at, err
		}
		parent := filepath.Dir(dir)
		if parent == dir || (ceiling != "" && len(parent) <= len(ceiling)) {
			return Found{}, ErrNotRepository
		}
		if haveDevice && !crossing {
			if other, ok := deviceOf(parent); ok && other != device {
				return Found{}, fmt.Errorf("%w: stopping at file system boundary", ErrNotRepository)
			}
		}
		dir = parent
	}
}

func (d *discovery) look(dir string) (Found, bool, error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err == nil && info.IsDir():
		if d.isGitDir(dotGit) {
			return Found{GitDir: dotGit, Top: dir}, true, nil
		}
	case err == nil && info.Mode().IsRegular():
		target, err := readGitFile(dotGit)
		if err != nil {
			return Found{}, false, err
		}
		if !d.isGitDir(target) {
			return Found{}, false, fmt.Errorf("%w: the .git file does not name a git directory", ErrNotRepository)
		}
		return Found{GitDir: target, Top: dir, gitFile: dotGit}, true, nil
	}
	if !d.noBare && d.isGitDir(dir) {
		return Found{GitDir: dir}, true, nil
	}
	return Found{}, false, nil
}

// ceiling returns the longest entry of GIT_CEILING_DIRECTORIES that is a proper ancestor of the start. The walk ends
// before that directory. Entries after an empty one count as free of symlinks, as in git(1).
func (d *discovery) ceiling() string {
	list, _ := d.lookup("GIT_CEILING_DIRECTORIES")
	longest, literal := "", false
	for _, entry := range filepath.SplitList(list) {
		if entry == "" {
			literal = true
			continue
		}
		if !filepath.IsAbs(entry) {
			continue
		}
		entry = filepath.Clean(entry)
		if !literal {
			if real, err := filepath.EvalSymlinks(entry); err == nil {
				entry = real
			}
		}
		prefix := strings.TrimSuffix(entry, string(filepath.Separator)) + string(filepath.Separator)
		if len(entry) > len(longest) && strings.HasPrefix(d.cwd, prefix) && d.cwd != prefix {
			longest = entry
		}
	}
	return longest
}

// isGitDir makes the checks of git's is_git_directory: a valid HEAD, an object directory and refs.
func (d *discovery) isGitDir(dir string) bool {
	if !plausibleHead(filepath.Join(dir, "HEAD")) {
		return false
	}
	common, err := d.commonDir(dir)
	if err != nil {
		return false
	}
	objects, ok := d.lookup("GIT_OBJECT_DIRECTORY")
	if ok {
		objects = d.abs(objects)
	} else {
		objects = filepath.Join(common, "objects")
	}
	return exists(objects) && exists(filepath.Join(common, "refs"))
}

// commonDir returns the directory that all work trees of the repository share.
func (d *discovery) commonDir(gitDir string) (string, error) {
	if env, ok := d.lookup("GIT_COMMON_DIR"); ok {
		return d.abs(env), nil
	}
	if d.common.of == gitDir {
		return d.common.is, nil
	}
	is, err := commonDirOf(gitDir)
	if err == nil {
		d.common.of, d.common.is = gitDir, is
	}
	return is, err
}

func commonDirOf(gitDir string) (string, error) {
	text, err := readRegular(filepath.Join(gitDir, "commondir"), maxGitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	path := strings.TrimRight(string(text), "\r\n")
	if path == "" {
		return "", fmt.Errorf("%w: empty commondir file", ErrNotRepository)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(gitDir, path)
	}
	return filepath.Clean(path), nil
}

func (d *discovery) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(d.cwd, path)
}

// plausibleHead makes the checks of git's validate_headref: a symbolic ref below refs/ (a symlink or text), or an
// object id.
func plausibleHead(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return err == nil && strings.HasPrefix(filepath.ToSlash(target), "refs/")
	}
	if !info.Mode().IsRegular() { // every directory above the start is checked, and reading a FIFO would block
		return false
	}
	text, err := readSmall(path)
	if err != nil {
		return false
	}
	head := strings.TrimRight(string(text), "\r\n \t")
	if name, ok := strings.CutPrefix(head, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(name, " \t"), "refs/")
	}
	_, err = ParseOID(head)
	return err == nil
}

// maxGitFile limits the size of a .git file in bytes. Git itself allows 1 MiB.
const maxGitFile = 1 << 20

// readGitFile returns the path in a file of the form "gitdir: <path>" (gitrepository-layout(5)).
func readGitFile(path string) (string, error) {
	text, err := readRegular(path, maxGitFile)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%w: invalid gitfile format", ErrNotRepository)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return filepath.Clean(target), nil
}

// readRegular reads a file only if it is regular: reading a FIFO would block, and a device may have no end.
func readRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%w: %s is not a file of that kind", ErrNotRepository, filepath.Base(path))
	}
	return ReadFile(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// readSmall reads the first kilobytes of a file (HEAD, a ref). These files are short.
func readSmall(path string) ([]byte, error) { return ReadStart(path, 8192) }
