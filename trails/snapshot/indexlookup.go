package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// find returns the entry of a path, or nil if the path is not tracked. For an unmerged path it returns the stage that
// git prefers: ours, otherwise the first one.
func (x *gitIndex) find(path string) *indexEntry {
	i := x.lowerBound(path)
	var found *indexEntry
	for ; i < len(x.entries) && x.entries[i].path == path; i++ {
		if e := &x.entries[i]; found == nil || e.stage == 2 {
			found = e
		}
	}
	return found
}

func (x *gitIndex) lowerBound(path string) int {
	return sort.Search(len(x.entries), func(i int) bool { return x.entries[i].path >= path })
}

// hasBelow reports whether a directory contains a tracked path, at any depth.
func (x *gitIndex) hasBelow(dir string) bool {
	prefix := dir + "/"
	i := x.lowerBound(prefix)
	return i < len(x.entries) && strings.HasPrefix(x.entries[i].path, prefix)
}

// `below` returns the range of entries below a directory. "" means the top.
func (x *gitIndex) below(dir string) []indexEntry {
	if dir == "" {
		return x.entries
	}
	i := x.lowerBound(dir + "/")
	j := x.lowerBound(dir + "0") // '0' is the byte after '/'
	return x.entries[i:j]
}

// hasFolded reports whether a tracked path, or a directory above one, equals `path` except for the case of ASCII
// letters.
func (x *gitIndex) hasFolded(path string) bool {
	if x.folded == nil {
		x.folded = make(map[string]struct{}, len(x.entries))
		last := ""
		for i := range x.entries {
			p := lowerASCII(x.entries[i].path)
			x.folded[p] = struct{}{}
			for dir := parentPath(p); dir != "" && dir != last; dir = parentPath(dir) {
				x.folded[dir] = struct{}{}
			}
			last = parentPath(p)
		}
	}
	_, ok := x.folded[lowerASCII(path)]
	return ok
}

// `matches` reports, by git's rules, whether a file with this stat data has the entry's content. A file written in the
// same second as the index may have changed since, and does not match.
func (e *indexEntry) matches(st fileStat, indexSec int64) bool {
	switch {
	case e.stage != 0 || e.flags != 0 || !st.isFile() && !st.isLink():
		return false
	case e.mode&typeMask != st.mode&typeMask:
		return false
	case e.size != uint32(st.size) || e.ino != uint32(st.ino):
		return false
	case int64(e.mtimeSec) != st.mtime/1e9 || int64(e.ctimeSec) != st.ctime/1e9:
		return false
	case e.mtimeNano != 0 && int64(e.mtimeNano) != st.mtime%1e9:
		return false
	case e.ctimeNano != 0 && int64(e.ctimeNano) != st.ctime%1e9:
		return false
	case e.size == 0 && e.oid != e.oid.Format().Hash(refs.BlobObject, nil): // git's mark for "compare the content"
		return false
	}
	return int64(e.mtimeSec) < indexSec
}

// loadIndex reads the user's index. If only git can join the parts of the index, it asks git; these entries have no
// stat data, so no file matches them.
func loadIndex(ctx context.Context, repo *refs.Repo, path string) (*gitIndex, error) {
	idx, err := readIndex(path, repo.Format)
	if !errors.Is(err, errIndexParts) {
		return idx, err
	}
	out, err := repo.Git(ctx, nil, "ls-files", "-z", "--stage", "-v", "--full-name")
	if err != nil {
		return nil, err
	}
	return parseListing(string(out))
}

// parseListing reads the output of `git ls-files -z --stage -v`: "TAG MODE OID STAGE TAB PATH NUL". The tag is in lower
// case for assume-unchanged entries, and S for skip-worktree.
func parseListing(out string) (*gitIndex, error) {
	idx := &gitIndex{}
	for line := range strings.SplitSeq(out, "\x00") {
		if line == "" {
			continue
		}
		head, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || len(fields[0]) != 1 {
			return nil, fmt.Errorf("read index: %w", errBadIndex)
		}
		mode, err1 := strconv.ParseUint(fields[1], 8, 32)
		oid, err2 := refs.ParseOID(fields[2])
		stage, err3 := strconv.ParseUint(fields[3], 10, 2)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("read index: %w: %w", errBadIndex, err)
		}
		e := indexEntry{path: path, oid: oid, mode: uint32(mode), stage: uint8(stage)}
		switch tag := fields[0][0]; {
		case tag == 'S' || tag == 's':
			e.flags |= skipWorktree
		case tag >= 'a' && tag <= 'z':
			e.flags |= assumeUnchanged
		}
		idx.entries = append(idx.entries, e)
	}
	return idx, nil
}

func lowerASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// parentPath returns the directory of a path, or "" for a path at the top.
func parentPath(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// baseName returns the last component of a path.
func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// join returns DIR/NAME; either may be empty.
func join(dir, name string) string {
	switch {
	case dir == "":
		return name
	case name == "":
		return dir
	}
	return dir + "/" + name
}
