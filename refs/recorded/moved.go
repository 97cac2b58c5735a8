package recorded

import (
	"crypto/subtle"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// mostEntries bounds the entries among which a moved repository is searched.
const mostEntries = 4096

// takeOver finds the entry of a repository that was moved since it was put on the list, and writes it under its new
// place; nil if there is none. A move keeps the device, the number and the time of birth of the git directory, and the
// mark in it. A copy or an unpacked archive cannot have all of them: the system gives the first three. Other files of
// the repository are read only after these agree.
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
			// where the list cannot be written, it is found again each time
			if refs.WriteFileAtomic(filepath.Join(dir, name(common)), e.encode(), 0o600) == nil && !same(was, id) {
				_ = os.Remove(old)
			}
			return e
		}
	}
	return nil
}

// same reports whether a directory is the one with an identity: it may be seen at two places.
func same(dir string, id identity) bool {
	now, err := identify(dir)
	return err == nil && now.inode == id.inode && now.device == id.device
}

// moveTo gives an entry another place. Work trees beside their git directory stay beside it.
func (e *entry) moveTo(common string) {
	from, to := filepath.Dir(e.GitDir), filepath.Dir(common)
	for i, top := range e.tops {
		if rel, err := filepath.Rel(from, top); err == nil && filepath.IsLocal(rel) {
			e.tops[i] = filepath.Join(to, rel)
		}
	}
	e.GitDir = common
}
