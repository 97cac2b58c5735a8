package gitblame

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// cacheDir is the directory of the cache. It has sixteen subdirectories with a file for each blamed path, and a file
// for git's configuration.
func cacheDir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "blame") }

// The limits of stored data in bytes.
const (
	maxKept  = 4 << 20 // bytes for one path
	maxShard = 8 << 20 // bytes for one directory
)

func keptFile(repo *refs.Repo, path string) string {
	name := digestOf(path).String()
	return filepath.Join(cacheDir(repo), name[:1], name[1:])
}

// load returns the stored answers of a path for a context. If they have another context or cannot be read, it returns
// none.
func load(repo *refs.Repo, path string, context digest) *kept {
	empty := &kept{path: path, context: context}
	raw, err := os.ReadFile(keptFile(repo, path))
	if err != nil {
		return empty
	}
	k, err := decodeKept(raw)
	if err != nil || k.path != path || k.context != context {
		return empty
	}
	return k
}

// `save` stores the answers if some are new. It does not store them if only this process may use them, or if they are
// longer than maxKept. It ignores errors, because a cache may be incomplete.
func (k *kept) save(repo *refs.Repo) {
	if !k.changed || k.passing {
		return
	}
	k.changed = false
	raw := encodeKept(k, repo.Format)
	if len(raw) > maxKept {
		return
	}
	name := keptFile(repo, k.path)
	if refs.WriteFileAtomic(name, raw, 0o600) == nil {
		trim(filepath.Dir(name))
	}
}

// trim removes the oldest files of a directory until the others fit into its bound.
func trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			total += info.Size()
		}
	}
	if total <= maxShard {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Compare(a.ModTime().UnixNano(),
			b.ModTime().UnixNano())
	})
	for _, info := range files {
		if total <= maxShard {
			return
		}
		if os.Remove(filepath.Join(dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
