package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Turn is the right to restore in a work tree. The system takes it from a process that is killed.
type Turn struct {
	lock *refs.FileLock
	gone []string
}

// turnWait bounds the time that a restore waits for another one.
const turnWait = 10 * time.Second

// Begin waits for the turn. What a killed process left beside the files goes. A file that it had moved away comes back
// to its place, unless something else is there by now.
func Begin(repo *refs.Repo) (*Turn, error) {
	lock, err := refs.Flock(filepath.Join(repo.WorktreeTracesDir(), "restore.lock"), turnWait)
	if err != nil {
		return nil, fmt.Errorf("wait for another restore: %w", err)
	}
	gone, err := clearUp(repo)
	if err != nil {
		lock.Unlock()
		return nil, fmt.Errorf("clear up after a restore that was killed: %w", err)
	}
	return &Turn{lock, gone}, nil
}

// Gone returns the files that the killed restore had deleted. Somebody who repeats that restore may name them, although
// they are not there.
func (t *Turn) Gone() []string { return t.gone }

func (t *Turn) End() { t.lock.Unlock() }

// stageDir returns the directory in which a restore prepares files. It is there as long as one is under way, or was
// killed.
func stageDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "restore") }

// notesName is the file of the stage that names what comes to stand beside the files of the work tree, before it is
// there: its kind, the file and what stands beside it, each ended by a NUL.
const notesName = "beside"

// besidePrefix begins the name of what stands beside a file while it is restored.
const besidePrefix = ".git-trace-"

// clearUp undoes what a killed restore began and did not end, and lists what it had deleted.
func clearUp(repo *refs.Repo) (gone []string, err error) {
	stage := stageDir(repo)
	notes, err := os.ReadFile(filepath.Join(stage, notesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, os.RemoveAll(stage)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(repo.WorkTree)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	fields := strings.Split(string(notes), "\x00")
	ended := slices.Contains(fields, endedNote)
	for i := 0; i+3 < len(fields); i += 3 { // a note that is cut off names nothing that was made
		kind, name, beside := fields[i], fields[i+1], fields[i+2]
		if !strings.HasPrefix(path.Base(beside), besidePrefix) {
			continue
		}
		if _, err := root.Lstat(beside); err == nil { // else it was never made, or is in its place
			if err := clearOne(root, kind, name, beside, ended); err != nil {
				return nil, err
			}
		}
		if _, err := root.Lstat(name); kind == deletedKind && errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, name)
		}
	}
	return gone, os.RemoveAll(stage)
}

// clearOne removes a file that a restore left beside another one. If the restore had not ended and the other one is
// away, it puts the old file back. The earlier content is in the snapshot that was taken before.
func clearOne(root *os.Root, kind, name, beside string, ended bool) error {
	if _, err := root.Lstat(name); !ended && kind != freshKind && errors.Is(err, fs.ErrNotExist) {
		return root.Rename(beside, name)
	}
	return root.Remove(beside)
}

// endedNote, which is not a path, says that every file is in its place. What stands beside them is of no use any
// more.
const endedNote = "/"

// The kinds of what stands beside a file.
const (
	freshKind    = "fresh"   // what the file is to hold
	replacedKind = "old"     // what it held
	deletedKind  = "deleted" // what it held, and it is to go
)

// beside returns a name in the directory of a file that nothing has. It is noted before anything gets it.
func (w *work) beside(kind, name string) (string, error) {
	w.n++
	beside := path.Join(path.Dir(name), fmt.Sprintf("%s%d-%d", besidePrefix, os.Getpid(), w.n))
	_, err := w.notes.WriteString(kind + "\x00" + name + "\x00" + beside + "\x00")
	return beside, err
}
