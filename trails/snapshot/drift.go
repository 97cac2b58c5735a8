package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// `drifted` reports whether the scratch index has entries that git would not make from the user's index. There are four
// cases. A tracked file may have come back: the scratch index does not have it as tracked, and would leave it out if it
// is ignored. A former repository may be a plain directory now: git treats its entry as a submodule that is not checked
// out, at the commit that the user added. All tracked files in a repository may be missing. Or git may convert line
// endings differently (lineends.go).
func (e *Engine) drifted(ctx context.Context, scratch *gitIndex) bool {
	user, err := loadIndex(ctx, e.repo, e.userIndex())
	if err != nil {
		return true
	}
	exists := func(path string) bool {
		_, err := os.Lstat(filepath.Join(e.repo.WorkTree, filepath.FromSlash(path)))
		return err == nil
	}
	for i := range scratch.entries {
		x := &scratch.entries[i]
		if x.mode != refs.ModeGitlink || exists(x.path+"/.git") {
			continue
		}
		if u := user.find(x.path); u == nil || u.oid != x.oid {
			return true
		}
	}
	at := 0
	for i := range user.entries {
		path := user.entries[i].path
		if u := &user.entries[i]; u.mode == refs.ModeGitlink && e.emptied(path) {
			if x := scratch.find(path); x == nil || x.mode != u.mode || x.oid != u.oid {
				return true
			}
		}
		for at < len(scratch.entries) && scratch.entries[at].path < path {
			at++
		}
		if (at == len(scratch.entries) || scratch.entries[at].path != path) && exists(path) {
			return true
		}
	}
	return e.splitOff(scratch, user) || e.splitOff(user, scratch) || e.endsOtherwise(scratch, user)
}

// `emptied` reports whether a path is a directory without a repository in it.
func (e *Engine) emptied(path string) bool {
	info, err := os.Lstat(e.onDisk(path))
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Lstat(e.onDisk(path + "/.git"))
	return err != nil
}

// splitOff reports whether a directory with a repository in it has entries in only one of two indexes. If an index has
// no entry below the directory, git treats the directory as a separate repository. So git leaves the directory out when
// the last tracked file is gone, and adds it as a repository the next time.
func (e *Engine) splitOff(one, other *gitIndex) bool {
	last := ""
	for i := range other.entries {
		dir := parentPath(other.entries[i].path)
		if dir == last {
			continue
		}
		for last = dir; dir != "" && !one.hasBelow(dir); dir = parentPath(dir) {
			if _, err := os.Lstat(e.onDisk(dir + "/.git")); err == nil {
				return true
			}
		}
	}
	return false
}

// rulesSum returns a digest of the ignore and attribute files in the directories of an index, including ignored ones.
// If a file may have changed since start, the digest differs from every other one.
func (e *Engine) rulesSum(idx *gitIndex, start int64) string {
	h := sha256.New()
	add := func(path string) {
		full := filepath.Join(e.repo.WorkTree, filepath.FromSlash(path))
		if info, err := os.Lstat(full); err != nil || !info.Mode().IsRegular() || info.Size() > maxRuleFile {
			return
		}
		if st, err := statTarget(full); err != nil || st.racy(start, fineSlack) {
			_, _ = fmt.Fprintf(h, "%s at %d\x00", path, start)
		}
		if content, err := refs.ReadFile(full); err == nil {
			_, _ = fmt.Fprintf(h, "%s\x00%d\x00", path, len(content))
			_, _ = h.Write(content)
		}
	}
	there := func(string, string) bool { return true }
	if tree, err := openWorkTree(e.repo.WorkTree); err == nil { // faster, because most directories have none
		defer tree.close()
		st := newStatter(tree)
		there = func(dir, name string) bool {
			_, err := st.lstat(dir, name)
			return err == nil
		}
	}
	for _, dir := range idx.directories() {
		for _, name := range []string{ignoreFile, attributesFile} {
			if there(dir, name) {
				add(join(dir, name))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
