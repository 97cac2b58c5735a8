package sqlitefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Table is a table of the database.
type Table struct {
	db      *DB
	name    string
	root    uint32
	columns []string
}

// Table returns a table by its name; false if there is none.
func (db *DB) Table(name string) (*Table, bool, error) {
	var found *Table
	err := db.walk(1, func(row *Row) error {
		kind, err := row.text(0)
		if err != nil || kind != "table" {
			return err
		}
		table, err := row.text(1)
		if err != nil || table != name {
			return err
		}
		sql, err := row.text(4)
		if err != nil {
			return err
		}
		if strings.Contains(strings.ToUpper(sql), "WITHOUT ROWID") {
			return fmt.Errorf("%w: table %s has no row ids", ErrFormat, name)
		}
		root, err := row.int(3)
		found = &Table{db: db, name: name, root: uint32(root), columns: columns(sql)}
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read schema: %w", err)
	}
	return found, found != nil, nil
}

// Each yields the rows in the order of their ids, until the function `yield` returns an error.
func (t *Table) Each(yield func(row *Row) error) error {
	if err := t.db.walk(t.root, yield); err != nil {
		return fmt.Errorf("read table: %w", err)
	}
	return nil
}

// Row returns a row by its id; nil if there is none.
func (t *Table) Row(id int64) (*Row, error) {
	var found *Row
	w := walker{db: t.db, from: id, yield: func(row *Row) error {
		if row.ID < id {
			return nil
		}
		if row.ID == id {
			found = row
		}
		return errStop
	}}
	if err := w.page(t.root, 0); err != nil && !errors.Is(err, errStop) {
		return nil, fmt.Errorf("read row: %w", err)
	}
	return found, nil
}

// errStop stops a walk.
var errStop = errors.New("stop")

// Column returns the index of a column, for Text and Int; -1 if there is none with that name.
func (t *Table) Column(name string) int { return slices.Index(t.columns, name) }

// Values reads the values of a row by the names of its columns.
type Values struct {
	table *Table
	row   *Row
	Err   error // the first error
}

// Values returns the values of a row of the table.
func (t *Table) Values(row *Row) *Values { return &Values{table: t, row: row} }

// Text returns a text, like Row.Text; "" after an error.
func (v *Values) Text(column string) string {
	text, err := v.row.Text(v.table.Column(column))
	v.Err = cmp.Or(v.Err, err)
	return text
}

// Int returns a number, like Row.Int; 0 after an error.
func (v *Values) Int(column string) int64 {
	number, err := v.row.Int(v.table.Column(column))
	v.Err = cmp.Or(v.Err, err)
	return number
}

// Text returns the value of a column if it is a text, otherwise "".
func (r *Row) Text(column int) (string, error) { return r.text(column) }

// Int returns the value of a column if it is a whole number, otherwise 0.
func (r *Row) Int(column int) (int64, error) { return r.int(column) }

// Data returns the value of a column if it is a text or bytes, otherwise nil.
func (r *Row) Data(column int) ([]byte, error) {
	if column < 0 || column >= len(r.cells) || r.cells[column].kind < 12 {
		return nil, nil
	}
	return r.bytes(column)
}

func (r *Row) text(column int) (string, error) {
	if column < 0 || column >= len(r.cells) || r.cells[column].kind < 13 || r.cells[column].kind%2 == 0 {
		return "", nil
	}
	raw, err := r.bytes(column)
	return string(raw), err
}

func (r *Row) int(column int) (int64, error) {
	if column < 0 || column >= len(r.cells) {
		return 0, nil
	}
	switch kind := r.cells[column].kind; {
	case kind == 9:
		return 1, nil
	case kind == 0, kind > 6:
		return 0, nil
	}
	raw, err := r.bytes(column)
	if err != nil || len(raw) == 0 {
		return 0, err
	}
	value := int64(int8(raw[0]))
	for _, b := range raw[1:] {
		value = value<<8 | int64(b)
	}
	return value, nil
}

// columns returns the names of the columns in the CREATE TABLE statement.
func columns(sql string) []string {
	_, body, found := strings.Cut(sql, "(")
	if !found {
		return nil
	}
	var names []string
	for _, part := range definitions(body) {
		name, quoted := firstName(part)
		switch strings.ToUpper(name) {
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			if !quoted {
				return names // constraints follow the columns
			}
		}
		names = append(names, name)
	}
	return names
}

// definitions splits the body of a statement at the commas outside brackets and quotes.
func definitions(body string) []string {
	var parts []string
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'', c == '"', c == '`':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return append(parts, body[from:i])
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, body[from:i])
			from = i + 1
		}
	}
	return append(parts, body[from:])
}

// firstName returns the first word of a definition.
func firstName(part string) (name string, quoted bool) {
	part = strings.TrimSpace(part)
	if part == "" {
		return "", false
	}
	if end, found := map[byte]string{'"': `"`, '`': "`", '[': "]", '\'': "'"}[part[0]]; found {
		name, _, _ = strings.Cut(part[1:], end)
		return name, true
	}
	end := strings.IndexAny(part, " \t\r\n(,")
	if end < 0 {
		return part, false
	}
	return part[:end], false
}
