//go:build !unix

package snapshot

import (
	"errors"
	"io/fs"
	"os"
)

// ownEngine reports whether this system supports git-trace's own method, which needs an inode and a change time from
// lstat(2). On this system git takes every snapshot, and the rest only has to compile.
const ownEngine = false

var errNoOwnEngine = errors.New("no lstat on this system")

type workTree struct{}

func openWorkTree(string) (*workTree, error) { return nil, errNoOwnEngine }

func (w *workTree) close() {}

func (w *workTree) another() (*workTree, error) { return nil, errNoOwnEngine }

func (w *workTree) lstat(string) (fileStat, error) { return fileStat{}, errNoOwnEngine }

// statTarget follows symbolic links. It has no change time, because this system has none.
func statTarget(path string) (fileStat, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{mtime: info.ModTime().UnixNano(), size: info.Size(), mode: typeFile}, nil
}

func fdStat(*os.File) (fileStat, error) { return fileStat{}, errNoOwnEngine }

func (w *workTree) open(string) (*os.File, error) { return nil, errNoOwnEngine }

func (w *workTree) readLink(string) ([]byte, error) { return nil, errNoOwnEngine }

func (w *workTree) readDir(string) ([]dirName, error) { return nil, errNoOwnEngine }

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

type statter struct{}

func newStatter(*workTree) *statter { return &statter{} }

func (s *statter) lstat(string, string) (fileStat, error) { return fileStat{}, errNoOwnEngine }

func remoteFileSystem(string) bool { return false }
