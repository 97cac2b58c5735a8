package export

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
)

// Files writes all files of the format below a directory. Each file is written completely, or stays unchanged. It
// does not follow a link that leads out of the directory.
func Files(dir string, d *treetrace.Document) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return exit.Fail(exit.Unchecked, fmt.Errorf("make directory '%s': %w", dir, refs.PathCause(err)), "")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return exit.Fail(exit.Unchecked, fmt.Errorf("open directory '%s': %w", dir, refs.PathCause(err)), "")
	}
	defer func() { _ = root.Close() }()
	return treetrace.Files(d, func(file treetrace.File) error {
		if err := writeIn(root, file); err != nil {
			return exit.Fail(exit.Unchecked, fmt.Errorf("write '%s': %w", path.Join(filepath.ToSlash(dir), file.Name),
				refs.PathCause(err)), "")
		}
		return nil
	})
}

func writeIn(root *os.Root, file treetrace.File) error {
	name := filepath.FromSlash(file.Name)
	if below := filepath.Dir(name); below != "." {
		if err := root.MkdirAll(below, 0o777); err != nil {
			return err
		}
	}
	temporary := name + ".new"
	if err := root.WriteFile(temporary, file.Data, 0o666); err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return root.Rename(temporary, name)
}
