package capsule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Lay writes the files below a directory, in their state after the episode or, if `before` is set, before it. It first
// removes whatever is at their paths. So nothing is written through a link, and a file may replace a directory.
func (c *Capsule) Lay(dir string, before bool) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("lay files: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for i := range c.Files {
		if err := takeAway(root, c.Files[i].Path); err != nil {
			return fmt.Errorf("lay files: %s: %w", c.Files[i].Path, err)
		}
	}
	for i := range c.Files {
		f := &c.Files[i]
		content := f.After
		if before {
			content = f.Before
		}
		if content == nil {
			continue
		}
		if err := put(root, f, *content); err != nil {
			return fmt.Errorf("lay files: %s: %w", f.Path, err)
		}
	}
	return nil
}

// takeAway removes the file or directory at a path. If a regular file is in the place of a directory above it, there is
// nothing to remove.
func takeAway(root *os.Root, name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(dir)
		switch {
		case err != nil || info.IsDir():
		case info.Mode().IsRegular():
			return nil
		default:
			return errors.New(dir + " is not a directory")
		}
	}
	return root.RemoveAll(name)
}

func put(root *os.Root, f *File, content string) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}
