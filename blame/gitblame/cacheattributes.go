package gitblame

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `stored` reports whether git would store the file's bytes unchanged, so that the hash of the file is the id of the
// blob. Attributes may select other line endings, which change only text with carriage returns, or a filter, a keyword
// or an encoding (gitattributes(5)). Git is asked once for each state of the attribute files.
func (q *inquiry) stored(k *kept) bool {
	config := q.settings()
	if _, fromTree := config.Get("attr.tree"); fromTree || os.Getenv("GIT_ATTR_SOURCE") != "" {
		return false
	}
	state := newDigest()
	var all conversion
	if value, ok := config.Get("core.autocrlf"); ok && !isFalse(value) {
		all.lineEnds = true
	}
	for _, file := range q.attributeFiles(config.Config) {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		state.Text(file)
		state.Text(string(content))
		all.read(content)
	}
	if all.lineEnds && bytes.IndexByte(q.raw, '\r') >= 0 {
		return false
	}
	if !all.content {
		return true
	}
	if sum := state.Sum(); k.attributes != sum {
		filtered, ok := q.filtered()
		if !ok {
			return false
		}
		k.attributes, k.filtered, k.changed = sum, filtered, true
	}
	return !k.filtered
}

// attributeFiles returns all files that can set an attribute of the path. Git also reads an attribute file that is only
// in the index; such a file is not in the list.
func (q *inquiry) attributeFiles(config refs.Config) []string {
	const name = ".gitattributes"
	files := []string{filepath.Join(q.repo.WorkTree, name)}
	for dir := path.Dir(q.path); dir != "."; dir = path.Dir(dir) {
		files = append(files, filepath.Join(q.repo.WorkTree, filepath.FromSlash(dir), name))
	}
	files = append(files, filepath.Join(q.repo.CommonDir, "info", "attributes"))
	users := refs.UserFile("attributes")
	if value, ok := config.Get("core.attributesfile"); ok {
		users, _ = refs.ExpandHome(value)
	}
	files = append(files, users)
	if os.Getenv("GIT_ATTR_NOSYSTEM") == "" {
		files = append(files, refs.SystemFiles("gitattributes")...)
	}
	return files
}

// conversion holds the conversions that attribute files mention, for any path.
type conversion struct {
	lineEnds bool
	content  bool
}

// read reads an attribute file. It takes each word as an attribute, also in the definition of a macro.
func (c *conversion) read(text []byte) {
	for word := range strings.FieldsSeq(string(text)) {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-!"), "=")
		switch name {
		case "text", "eol", "crlf", "binary":
			c.lineEnds = true
		case "filter", "ident", "working-tree-encoding":
			c.content = true
		}
	}
}

// `filtered` asks git whether the path has one of the attributes that change its content.
func (q *inquiry) filtered() (filtered, ok bool) {
	out, err := q.repo.Git(q.ctx, nil, "check-attr", "-z", "filter", "ident", "working-tree-encoding", "--", q.path)
	if err != nil {
		return false, false
	}
	fields := strings.Split(string(out), "\x00") // repeated: path, attribute, value
	for i := 2; i < len(fields); i += 3 {
		if fields[i] != "unspecified" && fields[i] != "unset" {
			filtered = true
		}
	}
	return filtered, len(fields) > 9
}

func isFalse(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "no", "off", "0":
		return true
	}
	return false
}
