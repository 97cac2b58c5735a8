package restore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Do carries out the whole plan, or changes nothing. The caller holds the turn ([Begin]).
func (p *Plan) Do(ctx context.Context) (err error) {
	if len(p.Changes) == 0 {
		return nil
	}
	stage := stageDir(p.repo)
	if err := refs.MakeDirs(stage, 0o700); err != nil {
		return fmt.Errorf("prepare files: %w", err)
	}
	keep := false // the notes stay, so that the next restore can clear up
	defer func() {
		if !keep {
			_ = os.RemoveAll(stage) // if this fails, the next restore removes it
		}
	}()
	notes, err := os.OpenFile(filepath.Join(stage, notesName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("prepare files: %w", err)
	}
	defer func() { _ = notes.Close() }() // after the end the notes are not needed
	if err := p.checkOut(ctx, stage); err != nil {
		return err
	}
	root, err := os.OpenRoot(p.repo.WorkTree) // operations on a root follow no link to the outside
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	defer func() { _ = root.Close() }()
	w := &work{root: root, notes: notes}
	defer func() {
		if err != nil {
			back := w.takeBack()
			err, keep = errors.Join(err, back), back != nil
		}
	}()
	fresh := make([]string, len(p.Changes)) // the temporary name of each new file
	for i := range p.Changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c := &p.Changes[i]; c.Deletes() { // deletions come first, because a file may block a new directory
			if err := w.remove(c); err != nil {
				return err
			}
		}
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.Deletes() {
			if fresh[i], err = w.prepare(c, filepath.Join(stage, "files", filepath.FromSlash(c.Path))); err != nil {
				return err
			}
		}
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.Deletes() {
			if err := w.put(c, fresh[i]); err != nil {
				return err
			}
		}
	}
	keep = w.settle() != nil
	return nil
}

// checkOut lets git write the files into a directory of ours, with the user's filters and line ends.
func (p *Plan) checkOut(ctx context.Context, stage string) error {
	var entries, names strings.Builder
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.Deletes() {
			fmt.Fprintf(&entries, "%06o %s\t%s\x00", c.Mode, c.To, c.Path)
			names.WriteString(c.Path + "\x00")
		}
	}
	if entries.Len() == 0 {
		return nil
	}
	files := filepath.Join(stage, "files") + string(filepath.Separator)
	for _, step := range []struct {
		args  []string
		input string
	}{
		{[]string{"update-index", "-z", "--index-info"}, entries.String()},
		{[]string{"checkout-index", "-q", "-z", "--stdin", "--prefix=" + filepath.ToSlash(files)}, names.String()},
	} {
		var said strings.Builder
		cmd := p.repo.Command(ctx, step.args...)
		cmd.Env = append(append(cmd.Env, p.repo.SideReadEnv()...), "GIT_INDEX_FILE="+filepath.Join(stage, "index"))
		cmd.Stdin, cmd.Stderr = strings.NewReader(step.input), &said
		if err := cmd.Run(); err != nil {
			if lost := p.lost(); lost != nil {
				return lost
			}
			return fmt.Errorf("git %s: %w: %s", step.args[0], err, strings.TrimSpace(said.String()))
		}
	}
	return nil
}

// `lost` returns an error for the first content that no longer exists.
func (p *Plan) lost() error {
	objects := p.repo.Objects()
	defer objects.Close()
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.Deletes() {
			if _, err := objects.Blob(c.To); errors.Is(err, refs.ErrMissing) {
				return fmt.Errorf("%s: %w", c.Path, ErrNotKept)
			}
		}
	}
	return nil
}

// work is the execution of a plan, with the functions that undo it.
type work struct {
	root  *os.Root
	notes *os.File
	undo  []func() error // run from the last to the first
	done  []func() error // run after everything succeeded
	n     int
}

// setAside keeps the present file at a path until everything has succeeded. If the file system has hard links, the file
// also stays at its path, unless it will be deleted.
func (w *work) setAside(c *Change) error {
	info, err := w.root.Lstat(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		w.undo = append(w.undo, func() error {
			if err := w.root.Remove(c.Path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
		return nil
	}
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		return err
	}
	kind := replacedKind
	if c.Deletes() {
		kind = deletedKind
	}
	old, err := w.beside(kind, c.Path)
	if err != nil {
		return err
	}
	if c.Deletes() || !info.Mode().IsRegular() || w.root.Link(c.Path, old) != nil {
		if err := w.root.Rename(c.Path, old); err != nil {
			return err
		}
	}
	w.undo = append(w.undo, func() error {
		if err := w.root.Rename(old, c.Path); err != nil {
			return err
		}
		_ = w.root.Remove(old) // rename(2) does nothing if both names are links to one file
		return nil
	})
	w.done = append(w.done, func() error { return w.root.Remove(old) })
	return nil
}

func (w *work) remove(c *Change) error {
	if err := w.setAside(c); err != nil {
		return fmt.Errorf("delete %s: %w", c.Path, err)
	}
	w.done = append(w.done, func() error { // like git, remove directories that become empty
		for dir := path.Dir(c.Path); dir != "." && w.root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
		return nil
	})
	return nil
}

// prepare writes the new file beside the old one, and returns its temporary name.
func (w *work) prepare(c *Change, from string) (fresh string, err error) {
	if err := w.makeDirs(path.Dir(c.Path)); err != nil {
		return "", fmt.Errorf("restore %s: %w", c.Path, err)
	}
	info, err := os.Lstat(from)
	if err == nil {
		fresh, err = w.beside(freshKind, c.Path)
	}
	if err == nil {
		w.undo = append(w.undo, func() error {
			_ = w.root.Remove(fresh) // fails if the file already has its final name, or was never made
			return nil
		})
		if info.Mode()&os.ModeSymlink != 0 {
			var target string
			if target, err = os.Readlink(from); err == nil {
				err = w.root.Symlink(target, fresh)
			}
		} else {
			err = w.copy(from, fresh, info.Mode().Perm())
		}
	}
	if err != nil {
		return "", fmt.Errorf("restore %s: %w", c.Path, err)
	}
	return fresh, nil
}

func (w *work) copy(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := w.root.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// makeDirs makes the missing directories above a file.
func (w *work) makeDirs(dir string) error {
	if dir == "." {
		return nil
	}
	info, err := w.root.Lstat(dir)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case err == nil:
		return w.makeDirs(path.Dir(dir))
	}
	if err := w.makeDirs(path.Dir(dir)); err != nil {
		return err
	}
	if err := w.root.Mkdir(dir, 0o777); err != nil {
		return err
	}
	w.undo = append(w.undo, func() error { return w.root.Remove(dir) })
	return nil
}

// put renames the new file to its final name.
func (w *work) put(c *Change, fresh string) error {
	err := w.setAside(c)
	if err == nil {
		err = w.root.Rename(fresh, c.Path)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", c.Path, err)
	}
	return nil
}

// settle removes the files that were set aside. If that fails, the next restore removes them.
func (w *work) settle() error {
	_, failed := w.notes.WriteString(endedNote + "\x00")
	for _, step := range w.done {
		failed = errors.Join(failed, step())
	}
	return failed
}

// takeBack undoes all changes.
func (w *work) takeBack() error {
	var failed error
	for i := len(w.undo) - 1; i >= 0; i-- {
		failed = errors.Join(failed, w.undo[i]())
	}
	if failed != nil {
		return fmt.Errorf("undo it: %w", failed)
	}
	return nil
}
