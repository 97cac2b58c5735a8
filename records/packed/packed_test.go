package packed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/git-trace/git-trace/records/packed"
)

func unzstd(r io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r)
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

func gzipped(t testing.TB, text io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.Copy(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstded(t testing.TB, text io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A packed stream gives what was packed. One that breaks off, and one that becomes far too long, is an error.
func TestAStreamIsUnpackedWithinItsBounds(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func(testing.TB, io.Reader) []byte{"gzip": gzipped, "zstd": zstded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("a line of a transcript\n", 10_000)
			raw := pack(t, strings.NewReader(text))
			if !packed.Is(raw) || packed.Is([]byte(text)) {
				t.Error("it is not told from one that is not packed")
			}
			for _, tried := range []struct {
				raw  []byte
				want error
			}{{raw, nil}, {raw[:len(raw)/2], io.ErrUnexpectedEOF}, {pack(t, io.LimitReader(blanks{}, 256<<20)), packed.ErrTooMuch}} {
				in, err := packed.Reader(bytes.NewReader(tried.raw), unzstd)
				if err != nil {
					t.Fatal(err)
				}
				var got bytes.Buffer
				n, err := io.Copy(&got, in)
				if !errors.Is(err, tried.want) {
					t.Errorf("got %v after %d bytes, want %v", err, n, tried.want)
				}
				if err == nil && got.String() != text {
					t.Errorf("%d bytes of %d", n, len(text))
				}
				if limit := int64(packed.MostSmall + packed.MostTimes*len(tried.raw)); n > limit {
					t.Errorf("%d bytes came out, the limit is %d", n, limit)
				}
				if err := in.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestWithoutAReaderOfZstdThatIsSaid(t *testing.T) {
	t.Parallel()
	_, err := packed.Reader(bytes.NewReader(zstded(t, strings.NewReader("x"))), nil)
	if err == nil || err.Error() != "read zstd: this program cannot unpack zstd" {
		t.Errorf("got %v", err)
	}
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whatever a stream is, it gives text within its bounds, or an error with the place at which it breaks off.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"", "one\ntwo\n", strings.Repeat("a line of a transcript\n", 1000)} {
		for _, pack := range []func(testing.TB, io.Reader) []byte{gzipped, zstded} {
			raw := pack(f, strings.NewReader(text))
			f.Add(raw)
			f.Add(raw[:len(raw)/2])
		}
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := packed.Reader(bytes.NewReader(raw), unzstd)
		if err != nil {
			return
		}
		out, err := io.ReadAll(in)
		var fault *packed.Fault
		switch errors.As(err, &fault) {
		case false:
			if err != nil || !packed.Is(raw) && !bytes.Equal(out, raw) {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		default:
			if fault.Line != 1+bytes.Count(out, []byte("\n")) && !errors.Is(err, packed.ErrTooMuch) {
				t.Errorf("%v after %q", fault, out)
			}
		}
		if int64(len(out)) > packed.MostSmall+packed.MostTimes*int64(len(raw)) {
			t.Errorf("%d bytes of %d", len(out), len(raw))
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
}
