package sessionfile

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/records/rawjson"
)

// AnyObject reports whether the function `such` returns true for one of the first objects in the head of a file of JSON
// lines.
func AnyObject(head []byte, most int, such func(raw []byte) bool) bool {
	in := jsonlines.NewReader(bytes.NewReader(head), 0, 0)
	for range most {
		object, err := in.Next()
		if err != nil {
			return false
		}
		if such(object.Raw) {
			return true
		}
	}
	return false
}

// Members holds the members of a document that identify its agent, each with a test of its value.
type Members map[string]func(value *rawjson.Decoder) bool

// Text reports whether a value is a text that is not empty.
func Text(value *rawjson.Decoder) bool { return value.Text() != "" }

// `Of` returns a test for a value of a kind.
func Of(kind rawjson.Kind) func(*rawjson.Decoder) bool {
	return func(value *rawjson.Decoder) bool { return value.Kind() == kind }
}

// `Before` reports whether a document has all the members before a list, in the head of its file.
func (m Members) Before(list string, head []byte) bool {
	held := map[string]bool{}
	d := rawjson.NewDecoder(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")))
	for d.Open(); d.Member(); {
		key := string(d.Key())
		if key == list {
			return len(held) == len(m) && d.Kind() == rawjson.Array
		}
		if is := m[key]; is != nil && is(d) {
			held[key] = true
		}
	}
	return false
}

// Peek calls the function `read` with an opened file of JSON lines; it returns the zero value if the file cannot be
// opened.
func Peek[T any](path string, read func(File) T) T { return PeekIn(Lines, path, read) }

// PeekIn is like Peek, for a file that is opened with the function `open`.
func PeekIn[T any](open Opener, path string, read func(File) T) (told T) {
	file, err := open(path, "")
	if err != nil {
		return told
	}
	defer func() { _ = file.Close() }()
	return read(file)
}

// InDir returns the session's id in the name of a directory that contains a file; "" for a file with another name.
func InDir(path, file string) string {
	if filepath.Base(path) != file {
		return ""
	}
	return payload.CheckedID(filepath.Base(filepath.Dir(path)))
}

// NamedID returns the session's id in a file name, before one of the endings; "" for another name.
func NamedID(path string, endings ...string) string {
	for _, ending := range endings {
		if id, found := strings.CutSuffix(filepath.Base(path), ending); found {
			return payload.CheckedID(id)
		}
	}
	return ""
}

// Small reads a regular file up to a size in bytes; nil for larger files, other files and symbolic links.
func Small(path string, most int64) []byte {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return raw
}

// PathOfURI returns the path in a URI with one of the schemes: C:/work for file:///C:/work. It returns "" for another
// URI.
func PathOfURI(uri string, schemes ...string) string {
	u, err := url.Parse(uri)
	if err != nil || !slices.Contains(schemes, u.Scheme) {
		return ""
	}
	if path := u.Path; len(path) > 2 && path[0] == '/' && path[2] == ':' {
		return path[1:]
	}
	return u.Path
}
