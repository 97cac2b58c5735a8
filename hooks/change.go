package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// plan is a list of steps in order, with messages for the user. Between any two steps, all earlier hooks still run.
type plan struct {
	steps userfile.Plan[Action]
	notes []string
}

func (p *plan) add(a Action, c userfile.Change) { p.steps.Add(a, c) }
func (p *plan) quietly(c userfile.Change)       { p.steps.Quietly(c) }
func (p *plan) note(f string, args ...any)      { p.notes = append(p.notes, fmt.Sprintf(f, args...)) }

// writeFile replaces a whole file and sets exactly the given permissions. A symbolic link is replaced, and not
// followed.
type writeFile struct {
	path   string
	data   []byte
	mode   fs.FileMode
	before *savedFile
}

// savedFile holds an earlier file or link; nil if there was none.
type savedFile struct {
	data []byte
	mode fs.FileMode
	link string
}

func (c *writeFile) Apply() error {
	var err error
	if c.before, err = saveFile(c.path); err != nil {
		return err
	}
	return replaceFile(c.path, c.data, c.mode)
}

func (c *writeFile) Revert() error { return restoreFile(c.path, c.before) }

// removeFile deletes a file or link.
type removeFile struct {
	path   string
	before *savedFile
}

func (c *removeFile) Apply() error {
	var err error
	if c.before, err = saveFile(c.path); err != nil || c.before == nil {
		return err
	}
	return named(os.Remove(c.path), "remove", c.path)
}

func (c *removeFile) Revert() error { return restoreFile(c.path, c.before) }

func saveFile(path string) (*savedFile, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, named(err, "look at", path)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		link, err := os.Readlink(path)
		return &savedFile{link: link}, named(err, "look at", path)
	}
	data, err := os.ReadFile(path)
	return &savedFile{data: data, mode: info.Mode().Perm()}, named(err, "read", path)
}

func restoreFile(path string, before *savedFile) error {
	switch {
	case before == nil:
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return named(err, "remove", path)
		}
		return nil
	case before.link != "":
		return replaceLink(path, before.link)
	}
	return replaceFile(path, before.data, before.mode)
}

func replaceFile(path string, data []byte, mode fs.FileMode) error {
	// The umask may remove bits that the earlier file had.
	if err := refs.WriteFileAtomic(path, data, mode); err != nil {
		return named(err, "write", path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() == mode {
		return nil
	}
	return named(os.Chmod(path, mode), "set permissions of", path)
}

func replaceLink(path, target string) error {
	tmp := path + ".git-trace-new"
	_ = os.Remove(tmp)
	err := os.Symlink(target, tmp)
	if err == nil {
		if err = os.Rename(tmp, path); err != nil {
			_ = os.Remove(tmp)
		}
	}
	return named(err, "link", path)
}

// setAside renames a hook before ours takes its name. The bytes and permissions stay the same. If the file system has
// hard links, the file itself stays the same, too.
type setAside struct {
	from, to string
	made     bool
}

func (c *setAside) Apply() error {
	if link, err := os.Readlink(c.from); err == nil {
		return c.done(replaceLink(c.to, moveLink(link, c.from, c.to)))
	}
	if err := os.Link(c.from, c.to); err == nil || errors.Is(err, fs.ErrExist) && sameFile(c.from, c.to) {
		return c.done(nil)
	}
	info, err := os.Lstat(c.from)
	if err != nil {
		return named(err, "look at", c.from)
	}
	data, err := os.ReadFile(c.from)
	if err != nil {
		return named(err, "read", c.from)
	}
	return c.done(replaceFile(c.to, data, info.Mode().Perm()))
}

func (c *setAside) done(err error) error {
	c.made = err == nil
	return err
}

func (c *setAside) Revert() error {
	if !c.made {
		return nil
	}
	return named(os.Remove(c.to), "remove", c.to)
}

// putBack is the reverse of setAside: the earlier hook replaces ours, in one rename.
type putBack struct {
	from, to string
	before   *savedFile
}

func (c *putBack) Apply() error {
	var err error
	if c.before, err = saveFile(c.to); err != nil {
		return err
	}
	if link, err := os.Readlink(c.from); err == nil {
		if err := replaceLink(c.to, moveLink(link, c.from, c.to)); err != nil {
			return err
		}
		return named(os.Remove(c.from), "remove", c.from)
	}
	if sameFile(c.from, c.to) { // rename(2) does nothing if both names are the same file
		return named(os.Remove(c.from), "remove", c.from)
	}
	return named(os.Rename(c.from, c.to), "put back", c.to)
}

func (c *putBack) Revert() error {
	again := setAside{from: c.to, to: c.from}
	if err := again.Apply(); err != nil {
		return err
	}
	return restoreFile(c.to, c.before)
}

// moveLink adapts a relative link that moves from the hooks directory into one of its subdirectories, or back.
func moveLink(link, from, to string) string {
	up := ".." + string(filepath.Separator)
	switch {
	case filepath.IsAbs(link) || filepath.Dir(from) == filepath.Dir(to):
		return link
	case len(filepath.Dir(to)) > len(filepath.Dir(from)):
		return up + link
	}
	return strings.TrimPrefix(link, up)
}

func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	two, err := os.Lstat(b)
	if err != nil {
		return false
	}
	if os.SameFile(one, two) {
		return true
	}
	if !one.Mode().IsRegular() || one.Mode() != two.Mode() || one.Size() != two.Size() {
		return false
	}
	x, err := os.ReadFile(a)
	if err != nil {
		return false
	}
	y, _ := os.ReadFile(b) // nil equals the other only if that is empty too
	return bytes.Equal(x, y)
}

// makeDir creates a directory and its missing parents.
type makeDir struct {
	path string
	made []string
}

func (c *makeDir) Apply() error {
	var missing []string
	for dir := c.path; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	if err := os.MkdirAll(c.path, 0o777); err != nil {
		return named(err, "make directory", c.path)
	}
	c.made = missing
	return nil
}

func (c *makeDir) Revert() error {
	for _, dir := range c.made {
		_ = os.Remove(dir)
	}
	return nil
}

// removeDir deletes a directory that an install created, unless it has other files.
type removeDir struct{ path string }

func (c removeDir) Apply() error {
	_ = os.Remove(c.path)
	return nil
}

func (c removeDir) Revert() error { return nil }

// `named` adds the action and the path, if it is missing, to an error.
func named(err error, verb, path string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", verb, path, refs.PathCause(err))
}
