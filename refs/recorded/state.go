package recorded

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// State is the standing of a repository in the list.
type State int

// The states. In all but Listed hooks do nothing.
const (
	Unlisted State = iota // not recorded
	Listed                //
	Moved                 // it was on the list in another place, or is on another user's list
	Replaced              // it replaced a listed repository
	Astray                // it is on the list, and does not know this work tree
	NoPlace               // there is no list
)

// Standing is the standing of a repository in the list, for people.
type Standing struct {
	State State
	File  string    // the entry, if there is one
	Since time.Time // when it was put on the list
}

// Mendable reports whether the repository was recorded once and only needs to be put on the list again.
func (s Standing) Mendable() bool {
	return s.State == Moved || s.State == Replaced || s.State == Astray
}

// Look returns the standing of a repository in the list. It is not for hooks: it reads more than they do.
func Look(repo *refs.Repo) Standing {
	dir, err := dir()
	if err != nil {
		return Standing{State: NoPlace}
	}
	_ = Is(repo) // takes over a moved one
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
	case !errors.Is(err, fs.ErrNotExist): // an entry that cannot be read
		return Standing{State: Replaced, File: file}
	}
	return Standing{State: Unlisted}
}

// astray reports whether hooks of agents do not find the way to the work tree.
func astray(repo *refs.Repo) bool {
	found, err := refs.FindHook(repo.WorkTree)
	return err == nil && found.CommonDir == repo.CommonDir && !Holds(found)
}
