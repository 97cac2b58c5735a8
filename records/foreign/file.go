package foreign

import (
	"io"
	"path/filepath"

	"github.com/git-trace/git-trace/records/packed"
)

// Uncompressed returns a reader of the uncompressed bytes of a file. Its name lacks the extension of compressed files.
func Uncompressed(r io.Reader, unzstd packed.Unzstd) (io.ReadCloser, error) {
	in, err := packed.Reader(r, unzstd)
	if err != nil {
		return nil, err
	}
	return uncompressed{in, baseName(r)}, nil
}

type uncompressed struct {
	io.ReadCloser
	name string
}

func (u uncompressed) Name() string { return u.name }

// baseName returns the last part of a file's name, without the extension of compressed files.
func baseName(r io.Reader) string {
	named, ok := r.(interface{ Name() string })
	if !ok || named.Name() == "" {
		return ""
	}
	return packed.Name(filepath.Base(named.Name()))
}
