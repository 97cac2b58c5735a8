package transcript

import "io"

// Size returns the size of the file when it was opened.
func (t *Tail) Size() int64 { return t.size }

// `From` returns a reader from an offset on, up to the size of the file when it was opened.
func (t *Tail) From(offset int64) io.Reader {
	return io.NewSectionReader(t.file, offset, max(t.size-offset, 0))
}
