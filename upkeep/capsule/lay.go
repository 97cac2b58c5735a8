package capsule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Lay writes the files below a directory, as they were after the episode, or before it. What stands at a path is taken
// away first, so that nothing is written through a link.
func (c *Capsule) Lay(dir string, before bool) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("lay files: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for i := range c.Files {
		f := &c.Files[i]
		content := f.After
		if before {
			content = f.Before
		}
		if err := put(root, f, content); err != nil {
			return fmt.Errorf("lay files: %s: %w", f.Path, err)
		}
	}
	return nil
}

func put(root *os.Root, f *File, content *string) (err error) {
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return errors.New(dir + " is not a directory")
		}
	}
	if err := root.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if content == nil {
		return nil
	}
	if dir := path.Dir(f.Path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(*content)
	return errors.Join(err, file.Close())
}
