// Package packed reads files that are compressed with gzip or zstd, up to the size of an honest file.
//
// A few bytes can unpack to terabytes. So a stream ends with an error once it is far longer than its packed bytes
// allow: transcripts shrink to a fifth, repetitive ones to a hundredth.
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

// Unzstd unpacks a stream that is packed with zstd. There is no light library for it.
type Unzstd func(packed io.Reader) (io.ReadCloser, error)

// The limits of an unpacked file: a fixed size, and a multiple of its packed size.
const (
	MostSmall = 64 << 20
	MostTimes = 400
)

// ErrTooMuch reports a file that becomes far longer than an honest one would.
var ErrTooMuch = fmt.Errorf("it unpacks to more than %d times its size", MostTimes)

var errNoUnzstd = errors.New("this program cannot unpack zstd")

// The first bytes of packed files.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Is reports whether the first bytes are of a packed file.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic)
}

// Endings are the endings of the names of packed files.
var Endings = []string{".zst", ".gz"}

// Name returns the name of a file without the extension of packed files.
func Name(name string) string {
	for _, end := range slices.Backward(Endings) {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// Reader returns the content of a stream, unpacked if it is packed.
func Reader(r io.Reader, unzstd Unzstd) (io.ReadCloser, error) {
	counted := &counter{Reader: r}
	in := bufio.NewReaderSize(counted, 64<<10)
	head, _ := in.Peek(len(zstdMagic)) // an error comes again with the first reading
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

// counter counts the read bytes.
type counter struct {
	io.Reader
	n atomic.Int64 // another goroutine reads for a program that unpacks
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Fault is the place at which a stream breaks off, in its unpacked bytes.
type Fault struct {
	Line   int   // from 1
	Offset int64 // bytes that came before
	Err    error
}

// Error is "line N, byte N: cause".
func (f *Fault) Error() string { return fmt.Sprintf("line %d, byte %d: %v", f.Line, f.Offset, f.Err) }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// bounded gives an error if a stream unpacks to too much. Its errors are Faults.
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

// Close ends the unpacking. Faults of the stream were reported while it was read.
func (b *bounded) Close() error {
	_ = b.ReadCloser.Close()
	return nil
}
