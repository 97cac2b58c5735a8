package recorded

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// ErrUnlisted says that a repository is not on the list, or that another one's path led to it.
var ErrUnlisted = errors.New("not recorded")

// Around opens the recorded work tree around a path, for a hook that an agent started. refs.FindHook finds it.
func Around(path string) (*refs.Repo, error) {
	found, err := refs.FindHook(path)
	if err != nil {
		return nil, err
	}
	return Open(found)
}

// Here opens the recorded work tree that git's variables and the current directory name, for a hook that git started.
func Here() (*refs.Repo, error) {
	found, err := refs.Find(".")
	if err != nil {
		return nil, err
	}
	return Open(found)
}

// Open opens a work tree of a repository that is on the list.
func Open(found *refs.Found) (*refs.Repo, error) {
	if !Holds(found) {
		return nil, ErrUnlisted
	}
	repo, err := found.Open()
	if err == nil && repo.Bare() {
		err = refs.ErrBare
	}
	if err != nil {
		return nil, err
	}
	return repo, nil
}

// Holds reports whether the repository that discovery found is on the list, and was come by as the repository itself
// says.
func Holds(found *refs.Found) bool {
	e, err := read(found.CommonDir)
	return err == nil && e.matches(found.CommonDir) && e.leads(found)
}

// Is reports whether a repository that is open is on the list.
func Is(repo *refs.Repo) bool {
	e, err := read(repo.CommonDir)
	return err == nil && e.matches(repo.CommonDir)
}

// Add puts a repository on the list, by the wish of its user. It keeps an existing mark, because the repository may be
// on the list of other users, too.
func Add(repo *refs.Repo) error { return add(repo, false) }

// Enrol is Add for a repository that setup found (Setup).
func Enrol(repo *refs.Repo) error {
	if err := add(repo, true); err != nil {
		return err
	}
	return refs.WriteFileAtomic(untoldFile(repo), nil, 0o644)
}

// Enrolled reports whether a repository is on the list by [Enrol] alone.
func Enrolled(repo *refs.Repo) bool {
	e, err := read(repo.CommonDir)
	return err == nil && e.enrolled
}

// AllEnrolled returns the git directories of repositories that are on the list by [Enrol] alone.
func AllEnrolled() []string {
	var out []string
	for _, state := range stateDirs() {
		dir := filepath.Join(state, "recorded")
		files, _ := os.ReadDir(dir)
		for _, file := range files {
			e, err := readEntry(filepath.Join(dir, file.Name()))
			if err == nil && e.enrolled && e.matches(e.GitDir) && !slices.Contains(out, e.GitDir) {
				out = append(out, e.GitDir)
			}
		}
	}
	return out
}

// untoldFile is there until the user has a message that the repository was enrolled.
func untoldFile(repo *refs.Repo) string { return filepath.Join(repo.CommonDir, "traces", "enrolled") }

// Untold reports whether the user has not yet had the message that the repository was enrolled.
func Untold(repo *refs.Repo) bool {
	_, err := os.Lstat(untoldFile(repo))
	return err == nil
}

// Told notes that the user had the message.
func Told(repo *refs.Repo) error { return ignoreMissing(os.Remove(untoldFile(repo))) }

func add(repo *refs.Repo, enrolled bool) error {
	id, err := identify(repo.CommonDir)
	if err != nil {
		return fmt.Errorf("put on the list of recorded repositories: %w", err)
	}
	id.born = born(repo.CommonDir)
	mark := readMark(repo.CommonDir)
	if mark == "" {
		raw := make([]byte, markSize)
		_, _ = rand.Read(raw) // never fails
		mark = hex.EncodeToString(raw)
		if err := refs.WriteFileAtomic(markFile(repo.CommonDir), []byte(mark+"\n"), 0o644); err != nil {
			return fmt.Errorf("put on the list of recorded repositories: %w", err)
		}
	}
	now := time.Now().UTC().Truncate(time.Second)
	e := entry{GitDir: repo.CommonDir, id: id, mark: mark, enrolled: enrolled, Since: now}
	if old, err := read(repo.CommonDir); err == nil && old.matches(repo.CommonDir) {
		e.Since, e.tops = old.Since, old.tops
	}
	if !repo.Linked() && !slices.Contains(e.tops, repo.WorkTree) {
		e.tops = append(e.tops, repo.WorkTree)
	}
	dir, err := makeDir()
	if err != nil {
		return err
	}
	if err := refs.WriteFileAtomic(filepath.Join(dir, name(repo.CommonDir)), e.encode(), 0o600); err != nil {
		return fmt.Errorf("put on the list of recorded repositories: %w", err)
	}
	dropGone(dir)
	alsoAtHome(dir, &e)
	return nil
}

// alsoAtHome puts an entry in the usual place, too, where XDG_STATE_HOME names another: hooks that are started without
// it look there.
func alsoAtHome(dir string, e *entry) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return
	}
	usual := filepath.Join(below(home), "recorded")
	if usual == dir || os.MkdirAll(usual, 0o700) != nil {
		return
	}
	_ = refs.WriteFileAtomic(filepath.Join(usual, name(e.GitDir)), e.encode(), 0o600) // else hooks leave a note
}

// youngest is the least age of an entry that may be dropped: a newer one may be of a repository that is being
// moved.
const youngest = 24 * time.Hour

// dropGone removes the entries of deleted repositories from the list. A repository on an unmounted volume still exists:
// the directory at its path is on another device.
func dropGone(dir string) {
	files, _ := os.ReadDir(dir) // a list that cannot be read stays unchanged
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		if e, err := readEntry(path); err == nil && time.Since(e.Since) > youngest && e.gone() {
			_ = os.Remove(path) // it does no harm
		}
	}
}

// gone reports whether the git directory of an entry was deleted.
func (e *entry) gone() bool {
	for at := e.GitDir; ; at = filepath.Dir(at) {
		id, err := identify(at)
		switch {
		case err == nil:
			return at != e.GitDir && id.device == e.id.device
		case !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at):
			return false
		}
	}
}

// Remove takes a repository off the list, and removes its mark.
func Remove(repo *refs.Repo) error {
	gone := errors.Join(ignoreMissing(os.Remove(markFile(repo.CommonDir))), Told(repo))
	for _, state := range stateDirs() {
		entry := filepath.Join(state, "recorded", name(repo.CommonDir))
		gone = errors.Join(ignoreMissing(gone), ignoreMissing(os.Remove(entry)))
	}
	if err := ignoreMissing(gone); err != nil {
		return fmt.Errorf("take off the list of recorded repositories: %w", err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// markSize is the length of a mark in bytes; it is written as hexadecimal digits.
const markSize = 16

// markFile returns the file of a repository that holds its mark. In older versions the file alone showed that the
// repository is recorded.
func markFile(common string) string { return filepath.Join(common, "traces", "recording") }

// readMark returns the mark of a repository, "" without one.
func readMark(common string) string {
	text, err := readSmall(markFile(common))
	if err != nil {
		return ""
	}
	mark := strings.TrimSuffix(string(text), "\n")
	if raw, err := hex.DecodeString(mark); err != nil || len(raw) != markSize {
		return ""
	}
	return mark
}
