package refs

import (
	"compress/zlib"
	"io"
	"sync"
)

// A compressor takes more than 1 MB of memory and a decompressor 40 KB: a snapshot that writes a thousand blobs must
// not create one for each. The pools have no visible state.
var (
	deflaters = sync.Pool{New: func() any {
		w, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed) // fails only for a level that does not exist
		return w
	}}
	inflaters sync.Pool
)

func deflater(w io.Writer) *zlib.Writer {
	z, _ := deflaters.Get().(*zlib.Writer)
	z.Reset(w)
	return z
}

// inflater returns a reader of a zlib stream. Callers return it with inflaters.Put, unless it failed.
func inflater(r io.Reader) (io.ReadCloser, error) {
	z, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return zlib.NewReader(r)
	}
	reset, ok := z.(zlib.Resetter)
	if !ok {
		return zlib.NewReader(r)
	}
	return z, reset.Reset(r, nil)
}
