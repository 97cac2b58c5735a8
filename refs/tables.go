package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs/reftable"
)

// errAskGit says that only git can read the refs.
var errAskGit = errors.New("refs are stored in a way that only git can read")

// tables opens the tables that contain a ref of this work tree. Each linked work tree has its own tables for refs that
// are not shared.
func (r *Repo) tables(name string) (*reftable.Stack, error) {
	if r.RefFormat != refTables {
		return nil, errAskGit
	}
	dir := r.CommonDir
	if perWorktree(name) {
		dir = r.GitDir
	}
	stack, err := reftable.Open(filepath.Join(dir, "reftable"))
	if err != nil {
		return nil, errors.Join(errAskGit, err)
	}
	return stack, nil
}

// tableRef reads one ref without following it.
func (r *Repo) tableRef(name string) (oid OID, target string, update uint64, err error) {
	stack, err := r.tables(name)
	if err != nil {
		return OID{}, "", 0, err
	}
	defer stack.Close()
	ref, found, err := stack.Ref(name)
	switch {
	case err != nil:
		return OID{}, "", 0, errors.Join(errAskGit, err)
	case !found:
		return OID{}, "", 0, ErrRefMissing
	case ref.ID == nil:
		return OID{}, ref.Target, ref.Update, nil
	}
	oid, err = OIDFromBytes(ref.ID)
	return oid, "", ref.Update, err
}

// fileRef reports whether a ref is a file in every storage: git lists several commits in such files (git-fetch(1),
// git-merge(1)).
func (r *Repo) fileRef(name string) bool {
	return r.RefFormat == refFiles || r.RefFormat == "" || name == "MERGE_HEAD" || name == "FETCH_HEAD"
}

// HasRef reports whether a ref exists and can be read.
func (r *Repo) HasRef(name string) bool {
	_, err := r.ReadRef(name)
	return err == nil
}

// RefWritten returns a number that changes when git writes a ref, or 0 for a missing ref. Numbers of different ref
// storages cannot be compared.
func (r *Repo) RefWritten(name string) int64 {
	if r.fileRef(name) {
		return modified(r.refPath(name))
	}
	_, _, update, err := r.tableRef(name)
	if errors.Is(err, errAskGit) {
		return 0
	}
	return int64(update)
}

// HeadFile returns the path of a file that changes when HEAD switches to another branch. It may change more often.
func (r *Repo) HeadFile() string {
	if r.fileRef("HEAD") {
		return filepath.Join(r.GitDir, "HEAD")
	}
	return filepath.Join(r.GitDir, "reftable", "tables.list")
}

// MayHaveRefs reports whether there may be refs whose names begin with prefix; the parameter `prefix` ends in a slash.
// It starts no process. If it cannot read the refs, it returns true.
func (r *Repo) MayHaveRefs(prefix string) bool {
	if r.fileRef(prefix) {
		return r.mayHaveRefFiles(prefix)
	}
	stack, err := r.tables(prefix)
	if err != nil {
		return true
	}
	defer stack.Close()
	has, err := stack.HasBelow(prefix)
	return has || err != nil
}

func (r *Repo) mayHaveRefFiles(prefix string) bool {
	entries, err := os.ReadDir(filepath.Join(r.CommonDir, filepath.FromSlash(prefix)))
	if len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	packed, err := r.packedText()
	return err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Contains(packed, " "+prefix)
}

// `modified` returns the time of a file's last write in nanoseconds, or 0 for a missing file.
func modified(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}
