package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

// EntireName is the name of Entire's checkpoints as an import format.
const EntireName = "entire"

// EntireFile is a session file in a checkpoint. Its pieces are in order.
type EntireFile struct {
	dir    string // directory in the ref; empty for a subagent's file
	name   string
	pieces []refs.OID
	about  refs.OID // metadata.json of the same directory
	size   int64
}

// EntireReader writes the session files of checkpoints into a directory.
type EntireReader struct {
	Objects *refs.Objects
	Dir     string

	Checkpoints, Files, Again, Unread int
}

var (
	entireMain = compiled(`^(full\.jsonl|raw_transcript)(\.[0-9]{1,6})?$`)
	entireTask = compiled(`^agent-[A-Za-z0-9_-]{1,100}\.jsonl$`)
	entireID   = compiled(`^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$`)
)

// compiled returns a function that compiles an expression on its first call.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// List adds the session files of a tree to the map `files`. The parameter `tree` is the output of git-ls-tree(1).
func (r *EntireReader) List(files map[string]*EntireFile, tree string) {
	about, mine := map[string]refs.OID{}, map[string]*EntireFile{}
	for entry := range strings.SplitSeq(tree, "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head)
		if len(fields) != 4 || fields[1] != "blob" || fields[0] == "120000" {
			continue
		}
		id, err := refs.ParseOID(fields[2])
		size, _ := strconv.ParseInt(fields[3], 10, 64) // "-" if the content is not here
		dir, base := path.Split(name)
		switch {
		case err != nil:
		case base == "metadata.json":
			about[dir] = id
		case entireMain().MatchString(base):
			f := mine[dir]
			if f == nil {
				f = &EntireFile{dir: dir, name: "full.jsonl"}
				mine[dir] = f
			}
			f.pieces, f.size = append(f.pieces, id), f.size+size // git lists the pieces in the order of their numbers
		case entireTask().MatchString(base) && strings.Contains(dir, "/tasks/"):
			mine[name] = &EntireFile{name: base, pieces: []refs.OID{id}, size: size}
		}
	}
	for _, f := range mine {
		if f.dir != "" {
			r.Checkpoints++
			f.about = about[f.dir]
		}
		key := fmt.Sprint(f.pieces)
		if files[key] != nil {
			r.Again++
			continue
		}
		files[key] = f
	}
}

// Write writes the files. It leaves out a file that is only the beginning of another file of its session.
func (r *EntireReader) Write(files map[string]*EntireFile) error {
	sessions := map[string][]*EntireFile{}
	for key, f := range files {
		if id := r.session(f); id != "" {
			f.name = id + ".jsonl"
			key = f.name
		} else if f.dir == "" {
			key = f.name
		}
		sessions[key] = append(sessions[key], f)
	}
	for _, list := range sessions {
		slices.SortFunc(list, func(a, b *EntireFile) int {
			return cmp.Or(cmp.Compare(b.size, a.size), slices.CompareFunc(a.pieces, b.pieces, refs.OID.Compare))
		})
		var longest []byte
		for _, f := range list {
			content, err := r.content(f)
			switch {
			case err != nil:
				r.Unread++
				continue
			case longest != nil && bytes.HasPrefix(longest, bytes.TrimSuffix(content, []byte("\n"))):
				r.Again++
				continue
			case longest == nil:
				longest = content
			}
			r.Files++
			dir := filepath.Join(r.Dir, strconv.Itoa(r.Files))
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, f.name), content, 0o600)); err != nil {
				return err
			}
		}
	}
	return nil
}

// content joins the pieces of a file.
func (r *EntireReader) content(f *EntireFile) ([]byte, error) {
	var all []byte
	for _, id := range f.pieces {
		piece, err := r.Objects.Blob(id)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && all[len(all)-1] != '\n' {
			all = append(all, '\n')
		}
		all = append(all, piece...)
	}
	return all, nil
}

// session returns the session id of a file; empty if unknown.
func (r *EntireReader) session(f *EntireFile) string {
	var about struct {
		ID string `json:"session_id"`
	}
	if f.about.IsZero() {
		return ""
	}
	raw, err := r.Objects.Blob(f.about)
	if err != nil || json.Unmarshal(raw, &about) != nil || !entireID().MatchString(about.ID) {
		return ""
	}
	return about.ID
}
