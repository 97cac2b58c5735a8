package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// role is the purpose of a watched file outside the work tree.
type role uint8

const (
	roleConfig role = iota + 1
	roleExclude
	roleAttributes
)

// watched is a file outside the work tree on which snapshots depend. It is read again only if its stamp changed, or if
// a change may have left the stamp unchanged.
type watched struct {
	Path  string
	Role  role
	Stamp string // size, times and inode; empty if the file is missing or its time stamps are not reliable
	Sum   string // digest of the content; empty if the file is missing
	Class class  // the class that an attribute file needs
}

// look compares a watched file with the disk, and updates the record.
func (w *watched) look(now int64) (changed bool) {
	stamp, err := stampOf(w.Path, now)
	if err != nil && w.Sum == "" && w.Stamp == "" {
		return false
	}
	if err == nil && stamp != "" && stamp == w.Stamp {
		return false
	}
	before := w.Sum
	w.read(stamp)
	return w.Sum != before
}

func (w *watched) read(stamp string) {
	content, err := readSmallFile(w.Path)
	if err != nil {
		w.Stamp, w.Sum, w.Class = "", "", classRaw
		return
	}
	w.Stamp, w.Sum = stamp, digest(content)
	if w.Role == roleAttributes {
		w.Class = classOf(content)
	}
}

// stampOf returns the size, times and inode of a file, or "" if the file may change again without a change of its
// times.
func stampOf(path string, now int64) (string, error) {
	st, err := statTarget(path)
	if err != nil || max(st.mtime, st.ctime) >= now-coarseSlack {
		return "", err
	}
	return fmt.Sprint(st.size, st.mtime, st.ctime, st.ino), nil
}

// newWatch reads all files outside the work tree that matter with the given settings.
func newWatch(repo *refs.Repo, s settings, configs []string, now int64) []watched {
	var list []watched
	add := func(r role, paths ...string) {
		for _, p := range uniquePaths(paths) {
			w := watched{Path: p, Role: r}
			stamp, _ := stampOf(p, now)
			w.read(stamp)
			list = append(list, w)
		}
	}
	info := filepath.Join(repo.CommonDir, "info")
	add(roleConfig, configs...)
	add(roleExclude, filepath.Join(info, "exclude"), s.ExcludesFile)
	attributes := []string{filepath.Join(info, "attributes"), s.AttributesFile}
	if os.Getenv("GIT_ATTR_NOSYSTEM") == "" {
		attributes = append(attributes, refs.SystemFiles("gitattributes")...)
	}
	add(roleAttributes, attributes...)
	return list
}

// sumOf returns one digest of all watched files of a role.
func sumOf(list []watched, r role) string {
	sum := ""
	for i := range list {
		if list[i].Role == r {
			sum += list[i].Path + "\x00" + list[i].Sum + "\x00"
		}
	}
	return digest([]byte(sum))
}

// maxRuleFile limits the number of bytes that are read of an ignore, attribute or configuration file. Git's own bound
// is also 100 MiB.
const maxRuleFile = 100 << 20

var errNotFile = errors.New("not a regular file")

func readSmallFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRuleFile {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotFile}
	}
	return refs.ReadFile(path)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// indexStamp identifies a state of the user's index file. The zero value means that there is no index.
type indexStamp struct {
	Mtime, Ctime, Size int64
	Ino                uint64
	Sum                string // the checksum that git writes at the end of the file
}

// stampIndex reads the stamp of an index file.
func stampIndex(path string, format refs.ObjectFormat) (indexStamp, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return indexStamp{}, nil
	}
	if err != nil {
		return indexStamp{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return indexStamp{}, err
	}
	s := indexStamp{Mtime: info.ModTime().UnixNano(), Size: info.Size()}
	if st, err := fdStat(f); err == nil {
		s.Ctime, s.Ino = st.ctime, st.ino
	}
	tail := make([]byte, format.Size())
	if _, err := f.ReadAt(tail, max(0, info.Size()-int64(len(tail)))); err != nil {
		return indexStamp{}, err
	}
	s.Sum = hex.EncodeToString(tail)
	return s, nil
}
