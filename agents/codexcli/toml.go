package codexcli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// errConfig reports a configuration file that is not TOML, as far as this package reads it.
var errConfig = errors.New("not valid TOML")

// setting is one `key = value` of a TOML document. Only strings and booleans have a value here; others are stepped over.
type setting struct {
	path       []string // of its table and its own, unquoted
	text       string   // of a string
	set        bool     // of a boolean
	inline     bool     // an inline table, which nothing can be added to from outside
	start, end int      // of the value in the document
}

// table is one `[header]` of a TOML document.
type table struct {
	path []string
	end  int // behind its line
}

// readTOML lists the settings and the tables of a document. The inside of inline tables is listed like that of others; arrays
// and arrays of tables are stepped over.
func readTOML(doc string) (settings []setting, tables []table, err error) {
	r := tomlReader{doc: doc}
	for err == nil && r.blank(true) {
		if r.peek() == '[' {
			err = r.header()
		} else {
			err = r.pair(r.table)
			if err == nil {
				err = r.endOfLine()
			}
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", 1+strings.Count(doc[:min(r.at, len(doc))], "\n"), err)
	}
	return r.settings, r.tables, nil
}

type tomlReader struct {
	doc      string
	at       int
	table    []string // the header that holds here
	settings []setting
	tables   []table
}

// peek is the next byte, 0 at the end.
func (r *tomlReader) peek() byte {
	if r.at < len(r.doc) {
		return r.doc[r.at]
	}
	return 0
}

// blank steps over white space and, with lines, over line ends and comments. It tells whether something follows.
func (r *tomlReader) blank(lines bool) bool {
	for r.at < len(r.doc) {
		switch c := r.doc[r.at]; {
		case c == ' ' || c == '\t':
			r.at++
		case lines && (c == '\n' || c == '\r'):
			r.at++
		case lines && c == '#':
			r.comment()
		default:
			return true
		}
	}
	return false
}

func (r *tomlReader) comment() {
	if end := strings.IndexByte(r.doc[r.at:], '\n'); end >= 0 {
		r.at += end
	} else {
		r.at = len(r.doc)
	}
}

// endOfLine takes what may follow a header or a value: nothing, or a comment.
func (r *tomlReader) endOfLine() error {
	if !r.blank(false) {
		return nil
	}
	switch r.peek() {
	case '#':
		r.comment()
		return nil
	case '\n', '\r':
		return nil
	}
	return errConfig
}

func (r *tomlReader) header() error {
	list := strings.HasPrefix(r.doc[r.at:], "[[")
	closing := "]"
	if list {
		closing = "]]"
	}
	r.at += len(closing)
	path, err := r.key()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(r.doc[r.at:], closing) {
		return errConfig
	}
	r.at += len(closing)
	if err := r.endOfLine(); err != nil {
		return err
	}
	r.table = path
	if list {
		r.table = slices.Concat(path, []string{"[]"}) // no setting of ours is in an array of tables
		return nil
	}
	r.tables = append(r.tables, table{path, r.at})
	return nil
}

// key reads a dotted key and the white space around it.
func (r *tomlReader) key() ([]string, error) {
	var path []string
	for {
		r.blank(false)
		part, err := r.keyPart()
		if err != nil {
			return nil, err
		}
		path = append(path, part)
		r.blank(false)
		if r.peek() != '.' {
			return path, nil
		}
		r.at++
	}
}

func (r *tomlReader) keyPart() (string, error) {
	if c := r.peek(); c == '"' || c == '\'' {
		return r.str()
	}
	start := r.at
	for r.at < len(r.doc) && bareKey(r.doc[r.at]) {
		r.at++
	}
	if r.at == start {
		return "", errConfig
	}
	return r.doc[start:r.at], nil
}

func bareKey(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func (r *tomlReader) pair(within []string) error {
	key, err := r.key()
	if err != nil {
		return err
	}
	if r.peek() != '=' {
		return errConfig
	}
	r.at++
	r.blank(false)
	path := slices.Concat(within, key)
	return r.value(path, 0)
}

// maxNesting bounds how deep arrays and inline tables are followed.
const maxNesting = 64

// value steps over a value and notes it under the path; a nil path is a value in an array.
func (r *tomlReader) value(path []string, depth int) error {
	if depth > maxNesting {
		return errConfig
	}
	start := r.at
	switch c := r.peek(); c {
	case '"', '\'':
		text, err := r.str()
		if err == nil && path != nil {
			r.settings = append(r.settings, setting{path: path, text: text, start: start, end: r.at})
		}
		return err
	case '[':
		return r.array(depth)
	case '{':
		return r.inline(path, depth)
	}
	for r.at < len(r.doc) && !strings.ContainsRune(",]}#\n\r", rune(r.doc[r.at])) {
		r.at++
	}
	word := strings.TrimRight(r.doc[start:r.at], " \t")
	r.at = start + len(word)
	if word == "" {
		return errConfig
	}
	if path != nil {
		r.settings = append(r.settings, setting{path: path, set: word == "true", start: start, end: r.at})
	}
	return nil
}

func (r *tomlReader) array(depth int) error {
	r.at++
	for r.blank(true) {
		if r.peek() == ']' {
			r.at++
			return nil
		}
		if err := r.value(nil, depth+1); err != nil {
			return err
		}
		r.blank(true)
		if r.peek() == ',' {
			r.at++
		} else if r.peek() != ']' {
			return errConfig
		}
	}
	return errConfig
}

func (r *tomlReader) inline(path []string, depth int) error {
	if path != nil {
		r.settings = append(r.settings, setting{path: path, inline: true, start: r.at})
	}
	r.at++
	for r.blank(true) {
		if r.peek() == '}' {
			r.at++
			return nil
		}
		key, err := r.key()
		if err != nil {
			return err
		}
		if r.peek() != '=' {
			return errConfig
		}
		r.at++
		r.blank(false)
		var full []string
		if path != nil {
			full = slices.Concat(path, key)
		}
		if err := r.value(full, depth+1); err != nil {
			return err
		}
		r.blank(true)
		if r.peek() == ',' {
			r.at++
		} else if r.peek() != '}' {
			return errConfig
		}
	}
	return errConfig
}

// str reads a string of any of the four kinds.
func (r *tomlReader) str() (string, error) {
	quote := r.doc[r.at : r.at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(r.doc[r.at:], long) {
		return r.longStr(long)
	}
	for i := r.at + 1; i < len(r.doc); i++ {
		switch c := r.doc[i]; {
		case c == '\n':
			return "", errConfig
		case c == '\\' && quote == `"`:
			i++
		case c == quote[0]:
			raw := r.doc[r.at : i+1]
			r.at = i + 1
			if quote == "'" {
				return raw[1 : len(raw)-1], nil
			}
			return unquote(raw)
		}
	}
	return "", errConfig
}

// longStr steps over a string of several lines; its text is nothing that this package looks for.
func (r *tomlReader) longStr(quote string) (string, error) {
	for i := r.at + 3; i < len(r.doc); i++ {
		switch {
		case r.doc[i] == '\\' && quote[0] == '"':
			i++
		case strings.HasPrefix(r.doc[i:], quote):
			for i+3 < len(r.doc) && r.doc[i+3] == quote[0] { // quotes at its very end belong to it
				i++
			}
			r.at = i + 3
			return "", nil
		}
	}
	return "", errConfig
}

// unquote undoes the escapes of a basic string: those of Go are a superset but for \e.
func unquote(raw string) (string, error) {
	text, err := strconv.Unquote(strings.ReplaceAll(raw, `\e`, `\x1b`))
	if err != nil {
		return "", errConfig
	}
	return text, nil
}

// quoteTOML is text as a basic string.
func quoteTOML(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
