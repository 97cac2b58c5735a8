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

// Turn is the lock for restoring in a work tree. The system releases it if its process is killed.
type Turn struct {
	lock *refs.FileLock
	gone []string
}

// turnWait is the longest time that a restore waits for another one.
const turnWait = 10 * time.Second

// Begin waits for the turn. It removes the files that a killed process left. If that process had moved a file away,
// Begin moves it back, unless there is another file now.
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

// `Gone` returns the files that the killed restore had deleted. A person who repeats that restore may name them,
// although they do not exist.
func (t *Turn) Gone() []string { return t.gone }

func (t *Turn) End() { t.lock.Unlock() }

// stageDir returns the directory in which a restore prepares files. It exists during a restore, and after a killed one.
func stageDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "restore") }

// notesName is the file in the stage that lists temporary files in the work tree before they are made. An entry is the
// kind, the file and its temporary file, each ended by a NUL.
const notesName = "beside"

// besidePrefix begins the name of a temporary file beside a restored file.
const besidePrefix = ".git-trace-"

// clearUp cleans up after a killed restore, and lists the files that it had deleted.
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
	for i := 0; i+3 < len(fields); i += 3 { // an incomplete entry is for a file that was not made
		kind, name, beside := fields[i], fields[i+1], fields[i+2]
		if !strings.HasPrefix(path.Base(beside), besidePrefix) {
			continue
		}
		if _, err := root.Lstat(beside); err == nil { // otherwise it was never made, or has its final name
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

// clearOne removes a temporary file that a restore left. If the restore had not ended and its file is missing, it puts
// the old file back. The snapshot taken before the restore has the former content.
func clearOne(root *os.Root, kind, name, beside string, ended bool) error {
	if _, err := root.Lstat(name); !ended && kind != freshKind && errors.Is(err, fs.ErrNotExist) {
		return root.Rename(beside, name)
	}
	return root.Remove(beside)
}

// endedNote is not a path. It says that every file has its final name, so the temporary files are useless.
const endedNote = "/"

// The kinds of temporary files.
const (
	freshKind    = "fresh"   // the new content of the file
	replacedKind = "old"     // the old content of the file
	deletedKind  = "deleted" // the old content of a file that will be deleted
)

// `beside` returns an unused name in the directory of a file, and notes it before a file gets it.
func (w *work) beside(kind, name string) (string, error) {
	w.n++
	beside := path.Join(path.Dir(name), fmt.Sprintf("%s%d-%d", besidePrefix, os.Getpid(), w.n))
	_, err := w.notes.WriteString(kind + "\x00" + name + "\x00" + beside + "\x00")
	return beside, err
}
