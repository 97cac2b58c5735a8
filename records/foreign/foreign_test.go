package foreign_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/foreign"
)

func rows(r io.Reader, whole func([]byte) bool) (list []string, err error) {
	err = foreign.Documents(r, whole, func(d *foreign.Document) error {
		list = append(list, fmt.Sprintf("%d@%d %s", d.Row, d.Offset, strings.ReplaceAll(string(d.Raw), "\n", " ")))
		return nil
	})
	return list, err
}

func TestTimesAreThoseThatAreWritten(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		1778900000.1: "2026-05-16T02:53:20.1Z", 1778900000: "2026-05-16T02:53:20Z",
		1778900000.9999999: "2026-05-16T02:53:21Z", 0: "", -1: "", 1e12: "",
	} {
		if got := foreign.Epoch(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

func TestRowsAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	list := func(first []byte) bool { return bytes.Contains(first, []byte("role")) }
	for raw, want := range map[string]string{
		"{\"a\":1}\n\n{\"b\":\"}\\\"\\\\\"}\n":   `1@0 {"a":1}|3@9 {"b":"}\"\\"}`,
		"\xef\xbb\xbf{\n\"a\":\n1}{\"b\":2}":     `1@3 { "a": 1}|3@12 {"b":2}`,
		" [ {\"a\":1} ,\n{\"b\":[2]}]\n":         `1@3 {"a":1}|2@13 {"b":[2]}`,
		"[]":                                     "",
		`[{"role":"user"},{"role":"assistant"}]`: `1@0 [{"role":"user"},{"role":"assistant"}]`,
		"[{\"role\":1}]\n[{\"role\":2}]":         `1@0 [{"role":1}]|2@13 [{"role":2}]`,
	} {
		for _, in := range []io.Reader{strings.NewReader(raw), iotest.OneByteReader(strings.NewReader(raw))} {
			got, err := rows(in, list)
			if err != nil || strings.Join(got, "|") != want {
				t.Errorf("%q gives %v, %v", raw, got, err)
			}
		}
	}
}

func TestFaultsNameTheirRowAndByte(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"{\"a\":1}\n{\"b\":":            "line 2, byte 13: JSON ends too early",
		"{\"a\":1}\n{\"b\":\n{\"c\":1}": "line 3, byte 21: JSON ends too early",
		"{\"a\":\"cut\n{\"a\":1}":       "line 1, byte 9: not JSON",
		"[{\"a\":1},{\"b\" 1}]":         "element 2, byte 14: not JSON",
		"[{\"a\":1}":                    "line 1, byte 8: JSON ends too early",
		"[1]":                           "line 1, byte 1: something else than JSON objects, one after the other or in one array",
		"{\"a\":1}]":                    "line 1, byte 7: something else than JSON objects, one after the other or in one array",
		"{}\n\x00":                      "line 2, byte 3: something else than JSON objects, one after the other or in one array",
		"[{}]{}":                        "line 1, byte 4: something else than JSON objects, one after the other or in one array",
		"{\"a\":" + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}": "line 1, byte 516: JSON is nested too deeply",
	} {
		_, err := rows(strings.NewReader(raw), nil)
		var fault *foreign.Fault
		if !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("%.40q gives %v, want %s", raw, err, want)
		}
	}
}

// Rows that are longer than what is read at a time, with strings that end everywhere.
func TestLongRowsAreWhole(t *testing.T) {
	t.Parallel()
	var raw strings.Builder
	for i := range 40 {
		fmt.Fprintf(&raw, "{\"n\":%d,\"text\":\"%s\"}\n", i, strings.Repeat(`\\\"é`, i*5000))
	}
	list, err := rows(strings.NewReader(raw.String()), nil)
	if err != nil || len(list) != 40 || !strings.HasPrefix(list[39], "40@") || !strings.HasSuffix(list[39], `"}`) {
		t.Errorf("%d rows, %v", len(list), err)
	}
}

// Rows that are kept stay as they were while others are read, whether they took the room they were read in or a copy.
func TestKeptRowsStayAsTheyWere(t *testing.T) {
	t.Parallel()
	var raw strings.Builder
	var want, got []string
	for i, n := range []int{10, 9 << 20, 1 << 20, 10, 20 << 20, 7 << 20, 10} {
		want = append(want, fmt.Sprintf("%d:{\"n\":\"%s\"}", i+1, strings.Repeat(string(rune('a'+i)), n)))
		raw.WriteString(want[i][2:] + "\n")
	}
	var kept []*foreign.Document
	err := foreign.Documents(strings.NewReader(raw.String()), nil, func(d *foreign.Document) error {
		d.Keep()
		kept = append(kept, d)
		return nil
	})
	for _, d := range kept {
		got = append(got, fmt.Sprintf("%d:%s", d.Row, d.Raw))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

func unzstd(r io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r)
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

func TestCompressedFilesAreReadAsWhatTheyHold(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("{\"a\":1}\n", 1000)
	var z, s bytes.Buffer
	zip := gzip.NewWriter(&z)
	std, err := zstd.NewWriter(&s)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{zip, std} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, raw := range map[string][]byte{"plain": []byte(text), "gzip": z.Bytes(), "zstd": s.Bytes()} {
		in, err := foreign.Uncompressed(bytes.NewReader(raw), unzstd)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != text || in.Close() != nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if name == "plain" {
			continue
		}
		cut, err := foreign.Uncompressed(bytes.NewReader(raw[:len(raw)/2]), unzstd)
		if err == nil {
			_, err = rows(cut, nil)
		}
		if err == nil {
			t.Errorf("%s: half a file is taken for a whole one", name)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add("{\"a\":1}\n[{\"b\":\"\\\\\"}]", false)
	f.Add("[{\"a\":1},\n{\"b\":2}]", true)
	f.Fuzz(func(t *testing.T, raw string, one bool) {
		whole := func([]byte) bool { return one }
		got, err := rows(strings.NewReader(raw), whole)
		slow, errSlow := rows(iotest.HalfReader(strings.NewReader(raw)), whole)
		if fmt.Sprint(got, err) != fmt.Sprint(slow, errSlow) {
			t.Errorf("read at once %v %v, piece by piece %v %v", got, err, slow, errSlow)
		}
	})
}

// passing is a file that passes over bad rows, and keeps their faults.
type passing struct {
	io.Reader
	faults []error
}

func (p *passing) PassOver(err error) bool {
	p.faults = append(p.faults, err)
	return true
}

// A row without an end is looked for to the end of the file once; from then on a row is a line.
func TestRowsWithoutAnEndArePassedOver(t *testing.T) {
	t.Parallel()
	const rows = 5000
	file := &passing{Reader: strings.NewReader(strings.Repeat("{\"a\":[1,2}\n{\"b\":1}\n", rows))}
	found := 0
	err := foreign.Each(file, nil, func(*foreign.Document) ([]*records.Record, error) {
		found++
		return nil, nil
	}, nil)
	var last *foreign.Fault
	if err != nil || found != rows || len(file.faults) != rows || !errors.As(file.faults[rows-1], &last) || last.Row != 2*rows-1 {
		t.Errorf("%d rows, %d faults, %v, %v", found, len(file.faults), last, err)
	}
}

// A read that fails is no fault of a row.
func TestABrokenFileIsNotPassedOver(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	file := &passing{Reader: io.MultiReader(strings.NewReader("{\"a\":1}\n{\"a\":"), iotest.ErrReader(broken))}
	err := foreign.Each(file, nil, func(*foreign.Document) ([]*records.Record, error) { return nil, nil }, nil)
	if !errors.Is(err, broken) || len(file.faults) > 0 {
		t.Errorf("%v, %v", err, file.faults)
	}
}
