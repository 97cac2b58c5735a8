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

// ErrUnlisted is returned if a repository is not on the list, or was found by a path that its entry does not allow.
var ErrUnlisted = errors.New("not recorded")

// Around opens the recorded work tree that contains a path, for a hook that an agent started. It uses refs.FindHook.
func Around(path string) (*refs.Repo, error) {
	found, err := refs.FindHook(path)
	if err != nil {
		return nil, err
	}
	return Open(found)
}

// `Here` opens the recorded work tree that git's variables and the current directory give, for a hook that git started.
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

// Holds reports whether a found repository is on the list, and knows the way by which it was found.
func Holds(found *refs.Found) bool {
	e, err := read(found.CommonDir)
	return err == nil && e.matches(found.CommonDir) && e.leads(found)
}

// `Is` reports whether an open repository is on the list.
func Is(repo *refs.Repo) bool {
	e, err := read(repo.CommonDir)
	return err == nil && e.matches(repo.CommonDir)
}

// Add adds a repository to the list because its user asked for it. It keeps an existing mark, because the repository
// may be on the lists of other users too.
func Add(repo *refs.Repo) error { return add(repo, false) }

// Enrol does the same as Add, for a repository that setup found (Setup).
func Enrol(repo *refs.Repo) error {
	if err := add(repo, true); err != nil {
		return err
	}
	return refs.WriteFileAtomic(untoldFile(repo), nil, 0o644)
}

// Enrolled reports whether only [Enrol] added a repository to the list.
func Enrolled(repo *refs.Repo) bool {
	e, err := read(repo.CommonDir)
	return err == nil && e.enrolled
}

// AllEnrolled returns the git directories of the repositories that only [Enrol] added to the list.
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

// untoldFile returns the path of a file that exists until the user was told that the repository was enrolled.
func untoldFile(repo *refs.Repo) string { return filepath.Join(repo.CommonDir, "traces", "enrolled") }

// Untold reports whether the user was not yet told that the repository was enrolled.
func Untold(repo *refs.Repo) bool {
	_, err := os.Lstat(untoldFile(repo))
	return err == nil
}

// Told records that the user was told.
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

// alsoAtHome also writes an entry to the usual directory if XDG_STATE_HOME names another one: hooks that start without
// that variable search there.
func alsoAtHome(dir string, e *entry) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return
	}
	usual := filepath.Join(below(home), "recorded")
	if usual == dir || os.MkdirAll(usual, 0o700) != nil {
		return
	}
	_ = refs.WriteFileAtomic(filepath.Join(usual, name(e.GitDir)), e.encode(), 0o600) // if this fails, hooks leave a note
}

// youngest is the age below which an entry is not dropped: its repository may be moving at the moment.
const youngest = 24 * time.Hour

// dropGone removes the entries of deleted repositories from the list. A repository on an unmounted volume does not
// count as deleted: the directory at its path is on another device.
func dropGone(dir string) {
	files, _ := os.ReadDir(dir) // if the list cannot be read, it stays unchanged
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		if e, err := readEntry(path); err == nil && time.Since(e.Since) > youngest && e.gone() {
			_ = os.Remove(path) // an entry that cannot be removed does no harm
		}
	}
}

// `gone` reports whether the git directory of an entry was deleted.
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

// Remove removes a repository from the list, and removes its mark.
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

// markSize is the length of a mark in bytes. A mark is written as hexadecimal digits.
const markSize = 16

// markFile returns the path of the file that contains a repository's mark. In older versions the file alone showed that
// the repository is recorded.
func markFile(common string) string { return filepath.Join(common, "traces", "recording") }

// readMark returns the mark of a repository, or "" if it has none.
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
