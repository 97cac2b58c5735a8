package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// PathCause is the cause of an error without the paths that package os adds, for callers that name the file themselves.
func PathCause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// QuoteGlob makes filepath.Glob take a path literally.
func QuoteGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // escapes do not exist there, and names cannot have these characters
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
