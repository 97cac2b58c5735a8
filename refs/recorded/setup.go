package recorded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Keys of the user's own configuration. A repository cannot set them.
const (
	RecordKey = "trace.record" // a directory: repositories below it are enrolled
	IgnoreKey = "trace.ignore" // a directory: repositories below it are not enrolled
)

// Setup holds the changes that `git trace setup` made to the user's configuration, so that they can be undone. While
// its file exists, repositories are enrolled.
type Setup struct {
	Values [][2]string // pairs of key and value
	Made   string      // path of the configuration file, if setup created it
}

const setupForm = "git-trace setup 1\n"

func setupFile() (string, error) {
	dir, err := StateDir()
	return filepath.Join(dir, "setup"), err
}

// Enrols reports whether the user ran `git trace setup`. It costs one system call.
func Enrols() bool {
	return slices.ContainsFunc(stateDirs(), func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, "setup"))
		return err == nil
	})
}

// ReadSetup reads the file of the setup. The error is fs.ErrNotExist if there is none.
func ReadSetup() (*Setup, error) {
	path, err := setupFile()
	if err != nil {
		return nil, err
	}
	text, err := readSmall(path)
	if err != nil {
		return nil, fmt.Errorf("read what setup wrote: %w", err)
	}
	s := &Setup{}
	rest, _ := strings.CutPrefix(string(text), setupForm)
	for line := range strings.Lines(rest) {
		key, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("read what setup wrote: %w", err)
		}
		if key == "made" {
			s.Made = value
		} else {
			s.Values = append(s.Values, [2]string{key, value})
		}
	}
	return s, nil
}

// Write writes the file of the setup.
func (s *Setup) Write() error {
	if _, err := makeDir(); err != nil {
		return err
	}
	path, err := setupFile()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(setupForm)
	for _, kv := range s.Values {
		fmt.Fprintf(&b, "%s %s\n", kv[0], strconv.QuoteToASCII(kv[1]))
	}
	if s.Made != "" {
		fmt.Fprintf(&b, "made %s\n", strconv.QuoteToASCII(s.Made))
	}
	return refs.WriteFileAtomic(path, []byte(b.String()), 0o600)
}

// RemoveSetup deletes the file of the setup.
func RemoveSetup() error {
	path, err := setupFile()
	if err != nil {
		return err
	}
	return ignoreMissing(os.Remove(path))
}

// ErrNotWanted is returned for a repository that the user's configuration does not ask to enrol.
var ErrNotWanted = errors.New("the configuration does not ask for it")

// Wanted returns the reason why a found repository must not be enrolled, or nil. Repositories from strangers are not
// enrolled: their own configuration could make recording start programs or write elsewhere.
func Wanted(ctx context.Context, found *refs.Found) error {
	config, err := refs.OwnConfig(ctx)
	if err != nil {
		return err
	}
	places := []string{found.Top}
	if filepath.Base(found.CommonDir) == ".git" {
		places = append(places, filepath.Dir(found.CommonDir))
	}
	for _, place := range places {
		if !anyHolds(config.Paths(RecordKey), place) {
			return fmt.Errorf("%w: %s is outside the directories of %s", ErrNotWanted, place, RecordKey)
		}
		if anyHolds(config.Paths(IgnoreKey), place) {
			return fmt.Errorf("%w: %s is below a directory of %s", ErrNotWanted, place, IgnoreKey)
		}
	}
	return judge(ctx, found, false)
}

// Answers returns the reason why git-trace must not contact a repository's remotes on its own, or nil. The result is
// nil only if the repository's own configuration decides neither which programs git starts nor what git sends.
func Answers(ctx context.Context, found *refs.Found) error { return judge(ctx, found, true) }

// anyHolds reports whether a path is one of the directories or below one. Relative directories are ignored.
func anyHolds(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) {
			return false
		}
		rest, err := filepath.Rel(real, path)
		return err == nil && filepath.IsLocal(rest)
	})
}

// StrangeError says why a repository must not be enrolled automatically.
type StrangeError struct{ What string }

func (e *StrangeError) Error() string { return e.What }

// `judge` checks the path of a repository, links in its git directory, and its own settings. The parameter `talks` is
// true if a remote will be contacted.
func judge(ctx context.Context, found *refs.Found, talks bool) error {
	main := filepath.Dir(found.CommonDir)
	switch {
	case filepath.Base(found.CommonDir) != ".git":
		return &StrangeError{"its git directory lies apart from its work tree"}
	case found.GitDir == found.CommonDir && found.Top != main:
		return &StrangeError{"its git directory is that of another work tree"}
	case found.GitDir != found.CommonDir &&
		(filepath.Dir(found.GitDir) != filepath.Join(found.CommonDir, "worktrees") || !pointsBack(found)):
		return &StrangeError{"its git directory names another work tree"}
	}
	for _, dir := range []string{found.Top, found.GitDir, found.CommonDir} {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !ownedByUser(info) {
			return &StrangeError{dir + " is not a directory of this user"}
		}
	}
	for _, dir := range []string{"", "refs", "refs/traces", "traces", "info", "objects", "logs"} {
		if link := linkIn(filepath.Join(found.CommonDir, filepath.FromSlash(dir))); link != "" {
			return &StrangeError{link + " is a link"}
		}
	}
	for _, file := range [][2]string{{found.CommonDir, "config"}, {found.GitDir, "config.worktree"}} {
		if err := judgeConfig(ctx, filepath.Join(file[:]...), main, talks); err != nil {
			return err
		}
	}
	return nil
}

// linkIn returns the path of an entry of a directory that is a link, a FIFO or a device. The socket of git's own daemon
// is allowed.
func linkIn(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dir
	}
	for _, e := range entries {
		if e.Type()&(fs.ModeSymlink|fs.ModeNamedPipe|fs.ModeDevice) != 0 {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}

// judgeConfig searches a repository's own configuration file for three kinds of settings: programs that recording would
// start, other configuration files, places to write to. If `talks` is set, it also searches for settings that affect
// git's connection to a remote.
func judgeConfig(ctx context.Context, file, top string, talks bool) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return &StrangeError{file + " is no configuration"}
	}
	config, err := refs.FileConfig(ctx, file)
	if err != nil {
		return &StrangeError{file + " cannot be read"}
	}
	for key, value := range config.Entries() {
		section, rest, _ := strings.Cut(key, ".")
		strange := false
		switch {
		case key == "core.fsmonitor":
			strange = value != "true" && value != "false"
		case key == "core.hookspath":
			dir := value
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(top, dir)
			}
			rel, err := filepath.Rel(top, filepath.Clean(dir))
			strange = err != nil || !filepath.IsLocal(rel) || passesLink(top, rel)
		case section == "filter":
			strange = !slices.Contains(lfsFilters, value) || !strings.HasPrefix(rest, "lfs.")
		case section == "include", section == "includeif", key == "core.worktree", key == "core.gitproxy",
			key == "core.sshcommand", key == "core.alternaterefscommand":
			strange = true
		case talks && (key == "core.askpass" || slices.Contains(waysToTalk, section)):
			strange = true
		case talks && section == "remote":
			name := rest[strings.LastIndexByte(rest, '.')+1:]
			strange = !slices.Contains(remoteKeys, name) && !strings.HasPrefix(name, "trace")
		}
		if strange {
			return &StrangeError{fmt.Sprintf("its own configuration sets %s", key)}
		}
	}
	return nil
}

// waysToTalk lists sections that affect how git connects to a remote. The variable remoteKeys lists keys of a remote
// that do not affect this.
var (
	waysToTalk = []string{"credential", "http", "protocol", "ssh", "url"}
	remoteKeys = []string{"url", "pushurl", "fetch", "push", "tagopt", "prune"}
)

// lfsFilters lists the values of filter settings that `git lfs install --local` writes.
var lfsFilters = []string{"true", "git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process",
	"git-lfs smudge --skip -- %f", "git-lfs filter-process --skip"}

// passesLink reports whether the path `rel` below a directory passes through a link.
func passesLink(dir, rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		dir = filepath.Join(dir, part)
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
