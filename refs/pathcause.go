package refs

import (
	"errors"
	"io/fs"
)

// PathCause is the cause of an error without the path that goes with it.
func PathCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
