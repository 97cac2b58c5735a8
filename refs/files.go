package refs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// WriteFileAtomic replaces a file by rename: readers see the old content or the new one, never a part. It creates
// missing directories. It does not flush to disk.
func WriteFileAtomic(path string, data []byte, perm os.FileMode) error {
	return writeFile(path, data, perm, false)
}

// WriteFileDurable does the same as WriteFileAtomic, but waits until the file and its name are on the disk.
func WriteFileDurable(path string, data []byte, perm os.FileMode) error {
	if err := writeFile(path, data, perm, true); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Rename renames a file of the repository. It flushes to disk if Repo.Fsync is set.
func (r *Repo) Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if r.Fsync {
		return syncDir(filepath.Dir(to))
	}
	return nil
}

// WriteJSON replaces a file by the JSON form of a value. Only the user can read the file. The function `write` is
// WriteFileAtomic, or WriteFileDurable if other data depend on the file after a crash.
func WriteJSON(path string, value any, write func(path string, data []byte, perm os.FileMode) error) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return write(path, append(raw, '\n'), 0o600)
}

func writeFile(path string, data []byte, perm os.FileMode, flush bool) error {
	tmp, err := createTemp(filepath.Dir(path), "tmp_", perm)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if _, err = tmp.Write(data); err == nil && flush {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// createTemp creates a new file with the given permissions, reduced by the umask. os.CreateTemp always uses 0600.
func createTemp(dir, prefix string, perm os.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		path := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case err == nil:
			share(path, perm)
			return f, nil
		case errors.Is(err, fs.ErrNotExist) && try < 10: // the directory does not exist yet, or git has just removed it
			if err := MakeDirs(dir, 0o777); err != nil {
				return nil, err
			}
		case errors.Is(err, fs.ErrExist) && try < 10:
		default:
			return nil, err
		}
	}
}

// isGitDir reports whether a directory belongs to a repository, a linked work tree or a submodule
// (gitrepository-layout(5)). It checks the name of the directory, and the name of a directory inside it. For TracesDir,
// which is not part of a ref's name, the name of the directory does not matter.
func isGitDir(dir, inside string) bool {
	base, above := filepath.Base(dir), filepath.Dir(dir)
	if strings.HasSuffix(base, ".git") {
		return true
	}
	if name := filepath.Base(above); name == "worktrees" || name == "modules" {
		if _, err := os.Stat(filepath.Join(filepath.Dir(above), "HEAD")); err == nil {
			return true
		}
	}
	return filepath.Base(inside) == tracesDir && !slices.ContainsFunc(strings.Split(filepath.ToSlash(dir), "/"),
		func(part string) bool { return part == "refs" || part == tracesDir })
}

// MakeDirs does the same as os.MkdirAll, for directories inside a git directory. In a repository that a group shares
// (core.sharedRepository), new directories get the permissions of their parent, as with git. It never creates a git
// directory itself: if that is missing, somebody has removed the repository, the linked work tree or the submodule.
func MakeDirs(dir string, perm os.FileMode) error { return makeDirs(dir, "", perm) }

func makeDirs(dir, inside string, perm os.FileMode) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir || isGitDir(dir, inside) {
		return fs.ErrNotExist
	}
	if err := makeDirs(parent, dir, perm); err != nil {
		return err
	}
	if err := os.Mkdir(dir, perm); err != nil {
		if errors.Is(err, fs.ErrExist) {
			if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
				return nil
			}
		}
		return err
	}
	if info, err := os.Stat(parent); err == nil && isShared(info) {
		_ = os.Chmod(dir, info.Mode().Perm()|os.ModeSetgid)
	}
	return nil
}

// MakeTracesDir creates the directory of TracesDir. Only its owner has access, because snapshots may contain private
// files. In a repository that a group shares, the group has access, as to all its files.
func (r *Repo) MakeTracesDir() error {
	if err := MakeDirs(r.TracesDir(), 0o777); err != nil {
		return err
	}
	info, err := os.Stat(r.TracesDir())
	if err != nil || isShared(info) || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(r.TracesDir(), 0o700)
}

// HasTraces reports whether git-trace has a directory or a ref in the repository. If not, recording is off: then
// reading commands write no caches and leave the repository unchanged.
func (r *Repo) HasTraces() bool {
	_, err := os.Lstat(r.TracesDir())
	return err == nil || r.MayHaveRefs("refs/"+tracesDir+"/")
}

// share adds the group permissions that the umask removed from a new file, if the file is in a shared directory.
func share(path string, perm os.FileMode) {
	if info, err := os.Stat(filepath.Dir(path)); err == nil && isShared(info) {
		_ = os.Chmod(path, perm&(info.Mode().Perm()&0o666|0o600))
	}
}

// isShared reports whether git made a directory for a group: it has the set-group-id bit and is writable by the group.
func isShared(dir os.FileInfo) bool {
	return dir.Mode()&os.ModeSetgid != 0 && dir.Mode().Perm()&0o020 != 0
}

// syncDir makes a rename in a directory durable. It does nothing on systems and file systems that cannot flush a
// directory (Windows, some network mounts).
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	for _, cannot := range []error{errors.ErrUnsupported, fs.ErrPermission, syscall.EINVAL} {
		if errors.Is(err, cannot) {
			return nil
		}
	}
	return err
}
