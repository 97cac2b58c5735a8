package userfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `made` is a list of directories that were made for files, and are removed with them. Other directories are kept, even
// empty ones. The list is in git-trace's own directory for the user, with one quoted path on each line. An empty name
// means that there is no list: then every directory that becomes empty is removed.
type made string

// `missing` returns the directories above a file, below root, that do not exist.
func missing(path, root string) []string {
	var out []string
	for dir := filepath.Dir(path); len(dir) > len(root) && strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		out = append(out, dir)
	}
	return out
}

// note adds directories to the list. A directory that is not on the list is kept, so a failure here does no harm.
func (m made) note(dirs []string) {
	if m != "" && len(dirs) > 0 {
		list := slices.DeleteFunc(m.read(), func(one string) bool { return slices.Contains(dirs, one) })
		m.write(append(list, dirs...))
	}
}

// take removes a directory from the list, and reports whether it was on the list. If the list also has a directory
// inside it, the directory stays on the list, and is removed with the other one's file.
func (m made) take(dir string) bool {
	if m == "" {
		return true
	}
	list := m.read()
	at := slices.Index(list, dir)
	holds := func(one string) bool { return filepath.Dir(one) == dir }
	if at >= 0 && !slices.ContainsFunc(list, holds) {
		m.write(slices.Delete(list, at, at+1))
	}
	return at >= 0
}

func (m made) read() []string {
	raw, err := os.ReadFile(string(m))
	if err != nil {
		return nil
	}
	var out []string
	for line := range bytes.Lines(raw) {
		if dir, err := strconv.Unquote(string(bytes.TrimSpace(line))); err == nil {
			out = append(out, dir)
		}
	}
	return out
}

func (m made) write(list []string) {
	if len(list) == 0 {
		_ = os.Remove(string(m))
		return
	}
	var text strings.Builder
	for _, dir := range list {
		text.WriteString(strconv.Quote(dir) + "\n")
	}
	if refs.MakeDirs(filepath.Dir(string(m)), 0o700) == nil {
		_ = refs.WriteFileAtomic(string(m), []byte(text.String()), 0o600)
	}
}
