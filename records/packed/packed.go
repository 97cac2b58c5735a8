// Package packed reads files that are compressed with gzip or zstd, up to a plausible size.
//
// A few bytes can be the compressed form of terabytes. So a stream ends with an error once it is much longer than its
// compressed size allows: transcripts shrink to a fifth, repetitive ones to a hundredth.
package packed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
)

// Unzstd decompresses a zstd stream. It is a parameter, because there is no light library for zstd.
type Unzstd func(packed io.Reader) (io.ReadCloser, error)

// An uncompressed file may have MostSmall bytes plus MostTimes its compressed size.
const (
	MostSmall = 64 << 20
	MostTimes = 400
)

// ErrTooMuch reports a file that becomes implausibly long when it is decompressed.
var ErrTooMuch = fmt.Errorf("it unpacks to more than %d times its size", MostTimes)

var errNoUnzstd = errors.New("this program cannot unpack zstd")

// The first bytes of compressed files.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// `Is` reports whether a file with these first bytes is compressed.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic)
}

// Endings lists the extensions of compressed files.
var Endings = []string{".zst", ".gz"}

// Name returns the name of a file without the extension of a compressed file.
func Name(name string) string {
	for _, end := range slices.Backward(Endings) {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// Reader returns the content of a stream, decompressed if it is compressed.
func Reader(r io.Reader, unzstd Unzstd) (io.ReadCloser, error) {
	counted := &counter{Reader: r}
	in := bufio.NewReaderSize(counted, 64<<10)
	head, _ := in.Peek(len(zstdMagic)) // the first Read returns the error again
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		return &bounded{ReadCloser: z, packed: counted}, nil
	case bytes.HasPrefix(head, zstdMagic):
		if unzstd == nil {
			return nil, fmt.Errorf("read zstd: %w", errNoUnzstd)
		}
		z, err := unzstd(in)
		if err != nil {
			return nil, fmt.Errorf("read zstd: %w", err)
		}
		return &bounded{ReadCloser: z, packed: counted}, nil
	}
	return io.NopCloser(in), nil
}

// counter counts the bytes that were read.
type counter struct {
	io.Reader
	n atomic.Int64 // atomic, because an external decompressor reads in another goroutine
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Fault is the place at which a stream ends with an error, in its uncompressed bytes.
type Fault struct {
	Line   int   // number of the line, from 1
	Offset int64 // the number of bytes before it
	Err    error
}

// Error returns "line N, byte N: cause".
func (f *Fault) Error() string { return fmt.Sprintf("line %d, byte %d: %v", f.Line, f.Offset, f.Err) }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// bounded is a reader that returns an error if a stream becomes too long. All its errors are Faults.
type bounded struct {
	io.ReadCloser
	packed *counter
	out    int64
	lines  int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.out += int64(n)
	b.lines += bytes.Count(p[:n], []byte("\n"))
	if b.out > MostSmall+MostTimes*b.packed.n.Load() {
		n, err = 0, ErrTooMuch
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &Fault{b.lines + 1, b.out, err}
	}
	return n, err
}

// Close stops the decompression. Errors of the stream were already returned by Read.
func (b *bounded) Close() error {
	_ = b.ReadCloser.Close()
	return nil
}
