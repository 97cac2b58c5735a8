package snapshot

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// For automatic line endings git reads the index's entry of a path: a file that was stored with CRs keeps them. The
// scratch index has the entry of the last snapshot, but `git add` would use the user's entry.

// endsOtherwise reports whether git may convert the line endings of a changed file differently with the scratch index
// than with the user's index.
func (e *Engine) endsOtherwise(scratch, user *gitIndex) bool {
	if !e.mayConvert(scratch) && !e.mayConvert(user) {
		return false
	}
	at := 0
	for i := range scratch.entries {
		x := &scratch.entries[i]
		for at < len(user.entries) && user.entries[at].path < x.path {
			at++
		}
		if at < len(user.entries) && user.entries[at].path == x.path && user.entries[at].oid == x.oid &&
			user.entries[at].stage == 0 {
			continue
		}
		if st, err := statTarget(e.onDisk(x.path)); err == nil && !x.matches(st, scratch.mtimeSec) &&
			hasCR(e.onDisk(x.path)) {
			return true
		}
	}
	return false
}

// mayConvert reports whether configuration or attributes ask for a conversion of line endings.
func (e *Engine) mayConvert(idx *gitIndex) bool {
	if e.meta.class() != classRaw {
		return true
	}
	for i := range idx.entries {
		if strings.HasSuffix(idx.entries[i].path, attributesFile) {
			return true
		}
	}
	_, err := os.Lstat(filepath.Join(e.repo.WorkTree, attributesFile)) // an ignored attribute file counts, too
	return err == nil
}

// hasCR reports whether a regular file contains a CR. It returns false for a file that cannot be read.
func hasCR(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if bytes.IndexByte(buf[:n], '\r') >= 0 {
			return true
		}
		if err != nil {
			return err != io.EOF
		}
	}
}
