package recorded

import (
	"crypto/subtle"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// mostEntries limits the number of entries that are searched for a moved repository.
const mostEntries = 4096

// takeOver finds the entry of a repository that was moved after it was added, and writes the entry for its new path. It
// returns nil if there is no such entry. A move keeps four facts: the device number, the inode number and the time of
// birth of the git directory, and the mark in it. A copy or an unpacked archive cannot have all of them, because the
// system sets the first three. Other files of the repository are read only after these facts agree.
func takeOver(common string) *entry {
	id, err := identify(common)
	id.born = born(common)
	if err != nil || id.born == 0 {
		return nil
	}
	for _, state := range stateDirs() {
		dir := filepath.Join(state, "recorded")
		files, _ := os.ReadDir(dir)
		for _, file := range files[:min(len(files), mostEntries)] {
			old := filepath.Join(dir, file.Name())
			e, err := readEntry(old)
			if err != nil || e.id != id || e.mark == "" ||
				subtle.ConstantTimeCompare([]byte(readMark(common)), []byte(e.mark)) != 1 {
				continue
			}
			was := e.GitDir
			e.moveTo(common)
			// if the list cannot be written, the search is repeated each time
			if refs.WriteFileAtomic(filepath.Join(dir, name(common)), e.encode(), 0o600) == nil && !same(was, id) {
				_ = os.Remove(old)
			}
			return e
		}
	}
	return nil
}

// `same` reports whether a directory has an identity: the same directory may be visible at two paths.
func same(dir string, id identity) bool {
	now, err := identify(dir)
	return err == nil && now.inode == id.inode && now.device == id.device
}

// moveTo changes the path of an entry. Paths of work trees at or below the git directory's parent change too.
func (e *entry) moveTo(common string) {
	from, to := filepath.Dir(e.GitDir), filepath.Dir(common)
	for i, top := range e.tops {
		if rel, err := filepath.Rel(from, top); err == nil && filepath.IsLocal(rel) {
			e.tops[i] = filepath.Join(to, rel)
		}
	}
	e.GitDir = common
}
