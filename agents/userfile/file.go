package userfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// maxSize is the greatest size of a file that is edited, in bytes: a larger one is not a person's own work.
const maxSize = 8 << 20

// Errors that callers check for.
var (
	ErrDangling   = errors.New("dangling symbolic link")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("larger than 8 MiB")
	ErrChanged    = errors.New("changed while it was being edited")
	ErrOutside    = errors.New("a symbolic link leads out of the work tree, or into a git directory")
)

// File is a file as it was when it was read. Data is nil if the file did not exist.
type File struct {
	Path string // path in the caller's spelling
	Data []byte
	real string // Path without symbolic links
	root string // the root of ReadIn, without symbolic links; "" for a file that may be anywhere
	in   string // the root in the caller's spelling
	info fs.FileInfo
}

// Linked reports whether the path itself is a symbolic link.
func (f File) Linked() bool {
	info, err := os.Lstat(f.Path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Read reads a file; a missing file is not an error.
func Read(path string) (File, error) {
	file := File{Path: path, real: path}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if file.Linked() {
			return File{}, ErrDangling
		}
		return file, nil
	}
	if err != nil {
		return File{}, refs.PathCause(err)
	}
	file.real = real
	if file.info, err = os.Stat(real); err != nil {
		return File{}, refs.PathCause(err)
	}
	switch {
	case !file.info.Mode().IsRegular():
		return File{}, ErrNotRegular
	case file.info.Size() > maxSize:
		return File{}, ErrTooLarge
	}
	if file.Data, err = os.ReadFile(real); err != nil {
		return File{}, refs.PathCause(err)
	}
	if file.Data == nil {
		file.Data = []byte{}
	}
	return file, nil
}

// Replace replaces the content of the file. If the file did not exist, Replace creates it and its directory.
func (f File) Replace(data []byte) error {
	in, name, err := f.place()
	if err != nil {
		return refs.PathCause(err)
	}
	defer func() { _ = in.Close() }()
	dir := filepath.Dir(name)
	if err := in.MkdirAll(dir, 0o755); err != nil {
		return refs.PathCause(err)
	}
	tmp, other, err := f.create(in, dir)
	if err != nil {
		return refs.PathCause(err)
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = f.unchanged()
	}
	if err == nil {
		err = in.Rename(other, name)
	}
	if err != nil {
		_ = in.Remove(other)
		return refs.PathCause(err)
	}
	return nil
}

// create creates the file that will be renamed, with the permissions and the owner of the file that it replaces.
func (f File) create(in place, dir string) (tmp *os.File, name string, err error) {
	for try := 0; ; try++ {
		name = filepath.Join(dir, "."+filepath.Base(f.real)+"."+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		tmp, err = in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) && try < 10 {
			continue
		}
		if err != nil || f.info == nil {
			return tmp, name, err
		}
		keepOwner(tmp, f.info)
		if err := tmp.Chmod(f.info.Mode().Perm()); err != nil {
			_ = tmp.Close()
			_ = in.Remove(name)
			return nil, "", err
		}
		return tmp, name, nil
	}
}

// Delete removes the file, and the directories below root that become empty; with a list, only those on the list.
func (f File) Delete(root string, list made) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	in, name, err := f.place()
	if err != nil {
		return refs.PathCause(err)
	}
	defer func() { _ = in.Close() }()
	if err := in.Remove(name); err != nil {
		return refs.PathCause(err)
	}
	for dir := filepath.Dir(f.Path); len(dir) > len(root) && strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if ours := list.take(dir); !ours || err != nil || !info.IsDir() || os.Remove(dir) != nil {
			break // not on the list, a link, or not empty
		}
	}
	return nil
}

func (f File) unchanged() error {
	now, err := os.Open(f.real)
	if errors.Is(err, fs.ErrNotExist) && f.Data == nil {
		return nil
	}
	if err != nil {
		return refs.PathCause(err)
	}
	defer func() { _ = now.Close() }()
	data, err := io.ReadAll(io.LimitReader(now, maxSize+1))
	if err != nil {
		return refs.PathCause(err)
	}
	if f.Data == nil || !bytes.Equal(data, f.Data) {
		return ErrChanged
	}
	return nil
}
