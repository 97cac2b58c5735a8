package shards

import (
	"fmt"
	"reflect"
	"strings"
)

// Kind is the kind of value in a column.
type Kind string

// The kinds. In JSON, a time is a string in RFC 3339 with microseconds, in UTC. A JSON value stays as it is.
const (
	Text  Kind = "text"
	Word  Kind = "word" // a frequently repeated text: engines store it in a dictionary
	Int   Kind = "int"  // 64-bit integer
	Real  Kind = "real" // 64-bit floating point
	Bool  Kind = "bool"
	Time  Kind = "time" // time in microseconds, UTC
	JSON  Kind = "json" // a text that contains JSON
	Texts Kind = "texts"
)

// Column is a column of a table. Every column except lists may be null.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Table is a table: its name, and the struct of its rows.
type Table struct {
	Name    string
	Columns []Column
	row     reflect.Type
}

// TableOf derives the columns of a table from a struct. Each field has a tag "json", and also a tag "kind" unless it is
// a number, a bool or a list.
func TableOf[Row any](name string) Table {
	t := Table{Name: name, row: reflect.TypeFor[Row]()}
	for field := range t.row.Fields() {
		column := Column{Name: field.Tag.Get("json"), Kind: Kind(field.Tag.Get("kind"))}
		if column.Kind == "" {
			column.Kind = kindOf(field.Type)
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

func kindOf(t reflect.Type) Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return Int
	case reflect.Float64:
		return Real
	case reflect.Bool:
		return Bool
	case reflect.Slice:
		return Texts
	default:
		return Text
	}
}

// unpartitioned is Hive's partition name for null.
const unpartitioned = "__HIVE_DEFAULT_PARTITION__"

// partition returns the directory of a row relative to its table's directory: "repo=a%2Fb/month=2026-11".
func (t *Table) partition(row reflect.Value, by []int) string {
	var out strings.Builder
	for i, field := range by {
		if i > 0 {
			out.WriteByte('/')
		}
		out.WriteString(t.Columns[field].Name + "=")
		value := row.Field(field)
		if value.Kind() == reflect.Pointer {
			value = value.Elem() // zero Value for a nil pointer
		}
		if !value.IsValid() || value.String() == "" {
			out.WriteString(unpartitioned)
			continue
		}
		out.WriteString(escaped(value.String()))
	}
	return out.String()
}

// mostName limits the length of a directory's name, because file systems do.
const mostName = 150

// `escaped` returns a value as a directory's name. Letters, digits and a few signs stay, as in URLs. A long value is
// cut, and a hash at its end identifies it.
func escaped(value string) string {
	var out strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i > 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	if out.Len() > mostName {
		return out.String()[:mostName] + "-" + digest([]byte(value))[:16]
	}
	return out.String()
}

// partitionColumns finds the columns that partition a table. All tables have them.
func (t *Table) partitionColumns(names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		at := -1
		for i, column := range t.Columns {
			if column.Name == name && (column.Kind == Word || column.Kind == Text) {
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("table %s has no column %s to partition by", t.Name, name)
		}
		out = append(out, at)
	}
	return out, nil
}
