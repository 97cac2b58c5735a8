package codexcli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// errConfig reports a configuration file that is not TOML.
var errConfig = errors.New("not valid TOML")

// setting is a `key = value` of a TOML document. Only strings and booleans have a value here.
type setting struct {
	path       []string // the path of the table and the key, unquoted
	text       string   // the value of a string
	set        bool     // the value of a boolean
	inline     bool     // the table is an inline one, which cannot be extended from outside
	start, end int      // the position of a string or boolean in the document
}

// table is a `[header]` of a TOML document.
type table struct {
	path []string
	end  int // the position after its closing bracket
}

// readTOML lists the settings and tables of a document with their positions. The positions are needed for edits that
// leave all other bytes unchanged. An inline table is listed as a setting, followed by its own settings. Arrays and
// arrays of tables are left out, because they contain no setting that git-trace needs.
func readTOML(doc string) ([]setting, []table, error) {
	var parser unstable.Parser
	parser.Reset([]byte(doc))
	r := tomlReader{doc: doc}
	for parser.NextExpression() {
		r.expression(parser.Expression())
	}
	err := parser.Error()
	if err == nil {
		return r.settings, r.tables, nil
	}
	var at *unstable.ParserError
	if errors.As(err, &at) && len(at.Highlight) > 0 {
		line := parser.Shape(parser.Range(at.Highlight)).Start.Line
		return nil, nil, fmt.Errorf("line %d: %w: %s", line, errConfig, at.Message)
	}
	return nil, nil, fmt.Errorf("%w: %w", errConfig, err)
}

type tomlReader struct {
	doc      string
	table    []string // the header of the current line
	list     bool     // the table is in an array of tables
	settings []setting
	tables   []table
}

// expression handles one expression: a header, or a key with its value.
func (r *tomlReader) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		path, end := keyPath(n)
		r.table, r.list = path, n.Kind == unstable.ArrayTable
		if !r.list {
			r.tables = append(r.tables, table{path, end + strings.IndexByte(r.doc[end:], ']') + 1})
		}
	case unstable.KeyValue:
		if !r.list {
			r.value(r.table, n)
		}
	}
}

// value lists the settings in the value of a key in the table `within`.
func (r *tomlReader) value(within []string, n *unstable.Node) {
	key, _ := keyPath(n)
	value := n.Value()
	s := setting{path: slices.Concat(within, key), start: int(value.Raw.Offset),
		end: int(value.Raw.Offset + value.Raw.Length)}
	switch value.Kind {
	case unstable.String:
		s.text = string(value.Data)
	case unstable.Bool:
		s.set = string(value.Data) == "true"
	case unstable.InlineTable:
		s.inline = true
	default:
		return
	}
	r.settings = append(r.settings, s)
	if s.inline {
		for inner := value.Children(); inner.Next(); {
			r.value(s.path, inner.Node())
		}
	}
}

// keyPath returns the dotted key of a header or a pair, and the position after it.
func keyPath(n *unstable.Node) (path []string, end int) {
	for key := n.Key(); key.Next(); {
		part := key.Node()
		path, end = append(path, string(part.Data)), int(part.Raw.Offset+part.Raw.Length)
	}
	return path, end
}

// quoteTOML writes text as a basic string.
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
