//go:build !unix

package refs

import (
	"errors"
	"os"
)

// mapFile always fails, because this system does not support it.
func mapFile(*os.File, int64) (data []byte, release func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
