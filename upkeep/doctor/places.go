package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// checkWritable writes a test file into each directory in which hooks write.
func (d *Doctor) checkWritable(context.Context) (string, []Finding) {
	for _, dir := range []string{d.repo.TracesDir(), d.repo.WorktreeTracesDir(), d.repo.MainObjects()} {
		err := refs.MakeDirs(dir, 0o777)
		if err == nil {
			err = tryWrite(dir)
		}
		if err != nil {
			return "", []Finding{{
				What: d.shorten(dir) + " cannot be written: " + refs.PathCause(err).Error(),
				Mend: "give this user write access to it; until then hooks record nothing",
			}}
		}
	}
	return "can be written", nil
}

// checkLocks searches for locks that block pull and push.
func (d *Doctor) checkLocks(context.Context) (string, []Finding) {
	if left := d.repo.StaleLocks(); len(left) > 0 {
		return "", []Finding{{
			What: numbers.Count(len(left), "lock") + " of refs of traces left by a killed process, " + d.shorten(left[0]) +
				" for one; pull and push stop at it",
			Mend: "git trace doctor --fix",
			fix: &repair{"locks of killed processes are removed", func(context.Context) error {
				return d.repo.RemoveStaleLocks()
			}},
		}}
	}
	return "", nil
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkTimeline checks the timeline's saved state and its snapshot.
func (d *Doctor) checkTimeline(context.Context) (string, []Finding) {
	anew := &repair{"the timeline begins anew; what changed meanwhile stays unknown", d.restartTimeline}
	interval, tree, err := trails.Position(d.repo)
	if errors.Is(err, fs.ErrNotExist) {
		return "no snapshot in this work tree yet", nil
	}
	if err != nil {
		return "", []Finding{{
			What: "the state of the timeline cannot be used: " + refs.PathCause(err).Error(),
			Mend: "git trace doctor --fix", fix: anew,
		}}
	}
	objects := d.repo.Objects()
	defer objects.Close()
	if !tree.IsZero() {
		if _, _, err := objects.Read(tree); err != nil {
			return "", []Finding{{
				What: "the last snapshot is lost: " + err.Error(),
				Mend: "git trace doctor --fix", fix: anew,
			}}
		}
	}
	return "hooks looked at it " + numbers.Count(int(interval), "time"), nil
}

// restartTimeline deletes the state, and takes a first snapshot.
func (d *Doctor) restartTimeline(ctx context.Context) error {
	lock, err := refs.Flock(filepath.Join(d.repo.WorktreeTracesDir(), "lock"), 10*time.Second)
	if err != nil {
		return err
	}
	for _, name := range []string{trails.StatePath(d.repo), filepath.Join(d.repo.WorktreeTracesDir(), "state")} {
		if removeErr := os.Remove(name); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = removeErr
		}
	}
	lock.Unlock()
	if err != nil {
		return err
	}
	return d.deeds.Start(ctx)
}
