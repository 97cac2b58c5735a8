package userfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// ReadIn does the same as Read, for a file below a directory that other people may have filled, such as a work tree. It
// follows only links that stay inside root, and never links into a git directory.
func ReadIn(root, path string) (File, error) {
	if err := staysIn(root, path); err != nil {
		return File{}, err
	}
	file, err := Read(path)
	if err != nil {
		return File{}, err
	}
	file.in = root
	if file.root, err = filepath.EvalSymlinks(root); err != nil {
		return File{}, refs.PathCause(err)
	}
	if file.Data == nil { // its directory may be reached through a link
		if rel, err := filepath.Rel(root, path); err == nil {
			file.real = filepath.Join(file.root, rel)
		}
	}
	return file, nil
}

// staysIn checks each existing part of a path below root.
func staysIn(root, path string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return refs.PathCause(err)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ErrOutside
	}
	at := real
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return refs.PathCause(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if at, err = filepath.EvalSymlinks(at); err != nil {
			return ErrDangling
		}
		inside, err := filepath.Rel(real, at)
		if err != nil || !filepath.IsLocal(inside) || isGit(inside) {
			return ErrOutside
		}
	}
	return nil
}

// isGit reports whether a part of a path has the name of a git directory, in any case.
func isGit(path string) bool {
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// place is the location of a written file: anywhere, or below a directory to which the system confines the writes even
// if directories in between are replaced (os.Root).
type place interface {
	MkdirAll(name string, perm os.FileMode) error
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
	Close() error
}

// place returns the place of the file, and its name there.
func (f File) place() (place, string, error) {
	if f.root == "" {
		return anywhere{}, f.real, nil
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, "", err
	}
	name, err := filepath.Rel(f.root, f.real)
	if err != nil {
		return nil, "", errors.Join(err, root.Close())
	}
	return root, name, nil
}

type anywhere struct{}

func (anywhere) MkdirAll(name string, perm os.FileMode) error { return os.MkdirAll(name, perm) }
func (anywhere) Rename(from, to string) error                 { return os.Rename(from, to) }
func (anywhere) Remove(name string) error                     { return os.Remove(name) }
func (anywhere) Close() error                                 { return nil }
func (anywhere) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
