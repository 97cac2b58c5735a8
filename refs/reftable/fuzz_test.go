package reftable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// bytesFile is a table in memory.
type bytesFile struct{ *bytes.Reader }

func (bytesFile) Close() error { return nil }

func readTables(f *testing.F) [][]byte {
	f.Helper()
	names, err := filepath.Glob("testdata/*/*.ref")
	if err != nil || len(names) == 0 {
		f.Fatalf("no tables: %v", err)
	}
	var out [][]byte
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, raw)
	}
	return out
}

// FuzzTable reads any bytes as a table, with the check sum made right so that what it protects is reached.
func FuzzTable(f *testing.F) {
	for _, raw := range readTables(f) {
		f.Add(raw, "refs/heads/main")
		f.Add(raw, "HEAD")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		for _, n := range []int{headerV1 + footerRest, headerV2 + footerRest} {
			if len(raw) >= n {
				foot := bytes.Clone(raw)
				tail := foot[len(foot)-n:]
				copy(tail, foot[:n-footerRest])
				binary.BigEndian.PutUint32(tail[n-4:], crc32.ChecksumIEEE(tail[:n-4]))
				readAll(t, foot, name)
			}
		}
		readAll(t, raw, name)
	})
}

func readAll(t *testing.T, raw []byte, name string) {
	opened, err := newTable(bytesFile{bytes.NewReader(raw)}, int64(len(raw)))
	if err != nil {
		known(t, err)
		return
	}
	s := &Stack{tables: []*table{opened}}
	ref, found, err := s.Ref(name)
	known(t, err)
	if found && ref.Name != name {
		t.Errorf("asked for %q, got %q", name, ref.Name)
	}
	_, err = s.HasBelow(name)
	known(t, err)
	entries, err := s.Log(name, 0, 100)
	known(t, err)
	if len(entries) > 100 {
		t.Errorf("%d entries", len(entries))
	}
}

func known(t *testing.T, err error) {
	if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
		t.Errorf("an error of another kind: %v", err)
	}
}
