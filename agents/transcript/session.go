package transcript

import "io"

// Size returns the size that the file had when it was opened.
func (t *Tail) Size() int64 { return t.size }

// From reads the file forwards from an offset on, up to the size that it had when it was opened.
func (t *Tail) From(offset int64) io.Reader {
	return io.NewSectionReader(t.file, offset, max(t.size-offset, 0))
}
