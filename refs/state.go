package refs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RefsState returns a text that changes whenever git-rev-list(1) --all starts at other commits: if a ref, or the HEAD
// of a work tree, has moved. Refs whose names begin with except do not count; the parameter `except` ends in a slash.
// If refs are files, it starts no process.
func (r *Repo) RefsState(ctx context.Context, except string) ([]byte, error) {
	if !r.fileRef("refs/") {
		return r.Git(ctx, nil, "rev-list", "--no-walk=unsorted", "--exclude="+except+"*", "--all")
	}
	var out bytes.Buffer
	take := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out.WriteString(path + " " + string(bytes.TrimSpace(text)) + "\n")
		return nil
	}
	heads, err := filepath.Glob(filepath.Join(QuoteGlob(r.CommonDir), "worktrees", "*", "HEAD"))
	if err != nil {
		return nil, err
	}
	for _, head := range append(heads, filepath.Join(r.CommonDir, "HEAD"), filepath.Join(r.GitDir, "HEAD")) {
		if err := take(head); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	// When git packs refs it adds a line before it removes a file, so this order misses no ref.
	dirs := []string{r.CommonDir}
	if r.Linked() {
		dirs = append(dirs, r.GitDir)
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(dir, path)
			switch {
			case errors.Is(err, fs.ErrNotExist): // the file was removed; if the ref was not deleted, it is packed
				return nil
			case err != nil:
				return err
			case strings.HasPrefix(filepath.ToSlash(name)+"/", except) && d.IsDir():
				return fs.SkipDir
			case d.IsDir(), strings.HasSuffix(name, ".lock"):
				return nil
			}
			if err := take(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	skipped := false
	for line := range bytes.Lines(packed) {
		_, name, _ := bytes.Cut(line, []byte(" "))
		if line[0] != '^' { // the line after a tag names the object of the tag
			skipped = line[0] == '#' || bytes.HasPrefix(name, []byte(except))
		}
		if !skipped {
			out.Write(line)
		}
	}
	return out.Bytes(), nil
}
