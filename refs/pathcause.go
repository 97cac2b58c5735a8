package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// PathCause returns the cause of an error without the paths that package os adds. It is for callers that name the file
// themselves.
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

// QuoteGlob escapes a path so that filepath.Glob takes it literally.
func QuoteGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // this system has no escapes, and names cannot have these characters
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
