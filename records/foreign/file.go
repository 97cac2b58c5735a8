package foreign

import (
	"io"
	"path/filepath"

	"github.com/git-trace/git-trace/records/packed"
)

// Uncompressed gives what a file holds, unpacked if it is packed, under its name without what tells that it is.
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

// baseName is the last part of the name of a file, without what tells that it is compressed.
func baseName(r io.Reader) string {
	named, ok := r.(interface{ Name() string })
	if !ok || named.Name() == "" {
		return ""
	}
	return packed.Name(filepath.Base(named.Name()))
}
