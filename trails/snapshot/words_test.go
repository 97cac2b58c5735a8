package snapshot

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// withSums puts the right check sums into a state, so that a fuzzer gets past them.
func withSums(data []byte) []byte {
	hash := refs.SHA1.Size()
	if len(data) < headerSize+hash {
		return data
	}
	data = slices.Clone(data)
	number := func(i int) int { return int(binary.LittleEndian.Uint32(data[len(stateMagic)+1+4*i:])) }
	head := headerSize + hash + number(2)
	if head+4 > len(data) {
		return data
	}
	binary.LittleEndian.PutUint32(data[head:], crc32.ChecksumIEEE(data[:head]))
	h, err := readHead(data, refs.SHA1)
	if err != nil {
		return data
	}
	f, size := h.file, rowSize(hash)
	part := func(from []byte, at, n uint32) []byte {
		at = min(at, uint32(len(from)))
		return from[at : at+min(n, uint32(len(from))-at)]
	}
	for row := f.table; len(row) >= size; row = row[size:] {
		r := &stateReader{in: row[8:]}
		name, pathLen, namesLen := r.u32(), uint32(r.u16()), r.u32()
		record, entries, others := r.u32(), r.u32(), r.u32()
		names := part(f.names, name, pathLen+namesLen)
		records := part(f.records, record, entries*uint32(entrySize(hash))+others*othersSize)
		binary.LittleEndian.PutUint32(row, rowSum(row[4:size], names, records))
	}
	return data
}

func TestNamesThatGitMayRefuse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".gitignore": false, ".gitattributes": false, ".gitmodules": false, ".github": false, ".gitlab-ci.yml": false,
		".gitkeep": false, "git": false, "gitx": false, "a.git": false, "x": false, "é": false, "GIT": false, ".g": false,
		".GIT": true, ".git ": true, ".git.": true, ".Git...": true, ".git::$INDEX_ALLOCATION": true, "git~1": true, "GIT~12": true,
		"a\\b": true, "\\": true, ".g\u200cit": true, "\u200c.git": true, ".git\u200d": true, ".GITMODULES": true,
	} {
		if got := OddName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestClassesOfAttributeFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]class{
		"":                                      classRaw,
		"# * text\n":                            classRaw,
		"*.go diff=golang linguist-generated\n": classRaw,
		"text export-ignore\n":                  classEOL, // a pattern named like an attribute: more than needed, never less
		"*.txt text\n":                          classEOL,
		"*.txt -text\n":                         classEOL,
		"*.txt !eol merge=union\n":              classEOL,
		"*.png binary\r\n":                      classEOL,
		"[attr]mine text\n":                     classEOL,
		"*.bin filter=lfs diff=lfs -text\n":     classGit,
		"\"a b\" ident\n":                       classGit,
		"*.rc working-tree-encoding=UTF-16\n":   classGit,
	} {
		if got := classOf([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSettingsFollowTheLastLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list []refs.Setting
		want settings
	}{
		{[]refs.Setting{}, settings{}},
		{[]refs.Setting{{Key: "core.filemode", Value: "true"}}, settings{FileMode: true}},
		{[]refs.Setting{{Key: "core.filemode", Value: "true"}, {Key: "core.filemode", Value: "false"}}, settings{}},
		{[]refs.Setting{{Key: "core.autocrlf", Value: "input"}}, settings{AutoCRLF: true}},
		{[]refs.Setting{{Key: "core.autocrlf", Value: "false"}}, settings{}},
		{[]refs.Setting{{Key: "core.sparsecheckout", Value: "true"}}, settings{Sparse: true, Unsupported: "sparse checkout"}},
		{[]refs.Setting{{Key: "core.sparsecheckout", Value: "true"}, {Key: "core.sparsecheckout", Value: "false"}}, settings{}},
		{[]refs.Setting{{Key: "extensions.unheardof", Value: "1"}}, settings{Unsupported: "unknown extension unheardof"}},
		{[]refs.Setting{{Key: "extensions.objectformat", Value: "sha256"}}, settings{}},
	} {
		var got settings
		for _, item := range c.list {
			got.take(item)
		}
		if got != c.want {
			t.Errorf("%v: %+v, want %+v", c.list, got, c.want)
		}
	}
}

func TestStampsThatMayHideAChange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC).UnixNano()
	for name, c := range map[string]struct {
		mtime, ctime int64
		want         bool
	}{
		"long ago":                       {now - 1e12, now - 1e12, false},
		"just now":                       {now, now, true},
		"within the tick":                {now - 4e6 - 1, now - 4e6 - 1, true},
		"half a second ago":              {now - 5e8 - 1, now - 5e8 - 1, false},
		"half a second ago, in coarse":   {now/1e9*1e9 - 1e9, now/1e9*1e9 - 1e9, true},
		"time set back, changed now":     {now - 1e12, now - 1, true},
		"time set to the future":         {now + 1e12 + 1, now - 1e12, true},
		"coarse but three seconds ago":   {now/1e9*1e9 - 3e9, now/1e9*1e9 - 3e9, false},
		"time set back, changed earlier": {now - 1e12, now - 1e10 - 1, false},
	} {
		st := fileStat{mtime: c.mtime, ctime: c.ctime, mode: typeFile}
		if got := st.racy(now, fineSlack); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPathsThatLieInTheWorkTree(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a": "a", "./a//b/.": "a/b", "a/b/": "a/b", " ": " ", ".gitignore": ".gitignore", "a/.git/b": "a/.git/b",
		"..": "", "a/../b": "", "/a": "", ".git": "", ".git/config": "", "./.git/x": "", "a\x00b": "", "": "", ".": "",
	} {
		got, ok := cleanPath(path)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", path, got, ok, want)
		}
	}
}
