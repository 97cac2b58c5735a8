package main

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// unzstdMemory bounds the window that a stream may ask for, in bytes.
const unzstdMemory = 256 << 20

// unzstd writes what a stream compressed with zstd holds. git-trace does not link the library, because it would slow
// down hooks.
func unzstd(in io.Reader, out io.Writer) error {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(unzstdMemory))
	if err != nil {
		return err
	}
	defer z.Close()
	if _, err := io.Copy(out, z); err != nil {
		return fmt.Errorf("uncompress: %w", err)
	}
	return nil
}
