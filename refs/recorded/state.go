package recorded

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// State is the state of a repository in the list.
type State int

// The states. In all states except Listed, hooks do nothing.
const (
	Unlisted State = iota // not recorded
	Listed                // recorded
	Moved                 // listed at another path, or on another user's list
	Replaced              // the repository replaced a listed one at the same path
	Astray                // listed, but it does not know this work tree
	NoPlace               // there is no directory for the list
)

// Standing describes the state of a repository in the list, for people.
type Standing struct {
	State State
	File  string    // path of the entry, if there is one
	Since time.Time // when it was added
}

// Mendable reports whether the repository was recorded before, and only needs to be added to the list again.
func (s Standing) Mendable() bool {
	return s.State == Moved || s.State == Replaced || s.State == Astray
}

// Look returns the state of a repository in the list. It is not for hooks, because it reads more than they may.
func Look(repo *refs.Repo) Standing {
	dir, err := dir()
	if err != nil {
		return Standing{State: NoPlace}
	}
	_ = Is(repo) // takes over the entry of a moved repository
	file := filepath.Join(dir, name(repo.CommonDir))
	e, err := readEntry(file)
	for _, state := range stateDirs() {
		if err == nil {
			break
		}
		other := filepath.Join(state, "recorded", name(repo.CommonDir))
		if found, failed := readEntry(other); failed == nil {
			file, e, err = other, found, nil
		}
	}
	switch {
	case err == nil && e.matches(repo.CommonDir):
		s := Standing{State: Listed, File: file, Since: e.Since}
		if astray(repo) {
			s.State = Astray
		}
		return s
	case err == nil:
		if readMark(repo.CommonDir) == "" {
			return Standing{State: Unlisted, File: file}
		}
		return Standing{State: Replaced, File: file, Since: e.Since}
	case readMark(repo.CommonDir) != "":
		return Standing{State: Moved}
	case !errors.Is(err, fs.ErrNotExist): // the entry cannot be read
		return Standing{State: Replaced, File: file}
	}
	return Standing{State: Unlisted}
}

// `astray` reports whether the hooks of agents cannot find the repository from this work tree.
func astray(repo *refs.Repo) bool {
	found, err := refs.FindHook(repo.WorkTree)
	return err == nil && found.CommonDir == repo.CommonDir && !Holds(found)
}
