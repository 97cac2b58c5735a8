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

// Begin waits for the turn. It removes the files that a killed process left, and moves a file back that it had moved
// away, unless another file is there by now.
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

// stageDir returns the directory in which a restore prepares files. It exists while one is under way, or after one was
// killed.
func stageDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "restore") }

// notesName is the file of the stage that lists new files beside the files of the work tree, before they are made:
// kind, file and new file, each ended by a NUL.
const notesName = "beside"

// besidePrefix begins the name of a temporary file beside a file that is restored.
const besidePrefix = ".git-trace-"

// clearUp undoes the work of a killed restore that had not ended, and lists the files that it had deleted.
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
	for i := 0; i+3 < len(fields); i += 3 { // a note that is cut off names a file that was not made
		kind, name, beside := fields[i], fields[i+1], fields[i+2]
		if !strings.HasPrefix(path.Base(beside), besidePrefix) {
			continue
		}
		if _, err := root.Lstat(beside); err == nil { // else it was never made, or has its final name
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

// endedNote, which is not a path, says that every file has its final name. The temporary files are then useless.
const endedNote = "/"

// The kinds of temporary files.
const (
	freshKind    = "fresh"   // the new content of the file
	replacedKind = "old"     // its old content
	deletedKind  = "deleted" // its old content, if it will be deleted
)

// beside returns a name in the directory of a file that nothing has. It is noted before anything gets it.
func (w *work) beside(kind, name string) (string, error) {
	w.n++
	beside := path.Join(path.Dir(name), fmt.Sprintf("%s%d-%d", besidePrefix, os.Getpid(), w.n))
	_, err := w.notes.WriteString(kind + "\x00" + name + "\x00" + beside + "\x00")
	return beside, err
}
