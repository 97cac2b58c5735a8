//go:build !unix

package snapshot

import (
	"errors"
	"os"
)

// mapFile is not supported here.
func mapFile(*os.File, int64) (data []byte, release func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
