//go:build !unix

package userfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits its rights from the directory.
func keepOwner(*os.File, fs.FileInfo) {}
