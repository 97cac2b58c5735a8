package refs

import (
	"errors"
	"io/fs"
	"os"
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

// QuoteGlob keeps the characters of a path from being read as a pattern.
func QuoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
