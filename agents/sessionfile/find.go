package sessionfile

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
)

// maxFiles limits the number of session files of one agent.
const maxFiles = 200_000

// List lists the regular files below root that the function `take` accepts as session files. It visits at most `depth`
// levels of directories, and only files that were changed at the time `since` or later. The function `take` also sets
// the known fields. A missing root has no files; unreadable files are skipped. The oldest file comes first.
func List(root string, depth int, since time.Time, take func(path string) (capability.Session,
	bool)) []capability.Session {
	var found []capability.Session
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(found) >= maxFiles:
			return fs.SkipAll
		case entry.IsDir():
			if path != root && strings.Count(path[len(root):], string(filepath.Separator)) > depth {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		var changed time.Time
		if info, err := entry.Info(); err == nil {
			changed = info.ModTime()
		}
		if changed.Before(since) {
			return nil
		}
		session, taken := take(path)
		if !taken {
			return nil
		}
		if session.Changed.IsZero() {
			session.Changed = changed
		}
		session.Path = path
		found = append(found, session)
		return nil
	})
	Sort(found)
	return found
}

// Sessions lists the files below a root that contain sessions of the project, like List. The function `about` returns
// the session of a file; the zero value if the file has none.
func (p Project) Sessions(root string, depth int, since time.Time,
	about func(path string) capability.Session) []capability.Session {
	return List(root, depth, since, func(path string) (capability.Session, bool) {
		session := about(path)
		return session, session.ID != "" && p.Holds(session.Dir)
	})
}

// Sort sorts sessions, the oldest first.
func Sort(sessions []capability.Session) {
	slices.SortStableFunc(sessions, func(a, b capability.Session) int {
		return cmp.Or(a.Changed.Compare(b.Changed), cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
	})
}

// Project is a directory whose sessions are searched for.
type Project struct{ names []string }

// NewProject returns the project of a directory; "" means all directories. Agents store sessions under the name that
// the system returns, so a project also has the target of a symbolic link.
func NewProject(dir string) Project {
	if dir == "" {
		return Project{}
	}
	names := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != names[0] {
		names = append(names, real)
	}
	return Project{names}
}

// `Any` reports whether the project stands for all directories.
func (p Project) Any() bool { return len(p.names) == 0 }

// Names returns the paths of the directory.
func (p Project) Names() []string { return p.names }

// Holds reports whether a directory is the project's directory or below it; false for "", unless the project is all
// directories.
func (p Project) Holds(dir string) bool {
	if p.Any() {
		return true
	}
	return dir != "" && slices.ContainsFunc(p.names, func(name string) bool {
		return dir == name || strings.HasPrefix(dir, strings.TrimSuffix(name,
			string(filepath.Separator))+string(filepath.Separator))
	})
}
