package refs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// Modes of tree entries (git-fast-import(1)).
const (
	ModeFile    uint32 = 0o100644
	ModeExec    uint32 = 0o100755
	ModeSymlink uint32 = 0o120000
	ModeDir     uint32 = 0o040000
	ModeGitlink uint32 = 0o160000
)

const modeType uint32 = 0o170000

// TreeEntry is one name in a tree. Names are raw bytes and may be anything without "/" and NUL: a tree from elsewhere
// may contain "..", ".git" or control characters.
type TreeEntry struct {
	Name string
	Mode uint32
	OID  OID
}

func (e TreeEntry) IsDir() bool { return e.Mode&modeType == ModeDir }

// Type returns the type of the object that the entry names.
func (e TreeEntry) Type() ObjectType {
	switch {
	case e.IsDir():
		return TreeObject
	case e.Mode == ModeGitlink:
		return CommitObject
	}
	return BlobObject
}

// EncodeTree returns the content of a tree object. It sorts the entries in git's order.
func EncodeTree(entries []TreeEntry) []byte {
	if !slices.IsSortedFunc(entries, compareEntries) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, compareEntries)
	}
	size := 0
	for _, e := range entries {
		size += len("100644 ") + len(e.Name) + 1 + int(e.OID.size)
	}
	out := make([]byte, 0, size)
	for _, e := range entries {
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(out, ' ')
		out = append(out, e.Name...)
		out = append(out, 0)
		out = e.OID.AppendTo(out)
	}
	return out
}

// compareEntries compares names by bytes. A directory is compared as if its name ended in "/".
func compareEntries(a, b TreeEntry) int {
	n := min(len(a.Name), len(b.Name))
	if c := compareStrings(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return int(byteAfter(a, n)) - int(byteAfter(b, n))
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func byteAfter(e TreeEntry, n int) byte {
	switch {
	case n < len(e.Name):
		return e.Name[n]
	case e.IsDir():
		return '/'
	}
	return 0
}

// DecodeTree reads the content of a tree object.
func DecodeTree(format ObjectFormat, raw []byte) ([]TreeEntry, error) {
	size := format.Size()
	entries := make([]TreeEntry, 0, len(raw)/(size+24))
	for len(raw) > 0 {
		space := bytes.IndexByte(raw[:min(len(raw), 8)], ' ')
		if space < 1 {
			return nil, fmt.Errorf("%w: tree entry without a mode", ErrCorrupt)
		}
		mode, err := strconv.ParseUint(string(raw[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: bad mode in tree", ErrCorrupt)
		}
		raw = raw[space+1:]
		nul := bytes.IndexByte(raw, 0)
		if nul < 1 || len(raw) < nul+1+size {
			return nil, fmt.Errorf("%w: tree entry is cut off", ErrCorrupt)
		}
		name := string(raw[:nul])
		if bytes.IndexByte(raw[:nul], '/') >= 0 {
			return nil, fmt.Errorf("%w: name with a slash in tree", ErrCorrupt)
		}
		oid, err := OIDFromBytes(raw[nul+1 : nul+1+size])
		if err != nil {
			return nil, err
		}
		entries = append(entries, TreeEntry{Name: name, Mode: uint32(mode), OID: oid})
		raw = raw[nul+1+size:]
	}
	return entries, nil
}
