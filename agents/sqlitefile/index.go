package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ErrNoIndex reports a table that lacks SQLite's automatic index of the first column.
var ErrNoIndex = fmt.Errorf("%w: no index of the first column", ErrFormat)

// Prefix yields the rows whose first column begins with a prefix, in the order of these texts, until the function
// `yield` returns an error. It reads only the index that SQLite makes for a unique column (sqlite_autoindex_TABLE_1),
// and not the rows.
func (t *Table) Prefix(prefix string, yield func(text string, id int64) error) error {
	root, err := t.db.autoIndex(t.name)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	w := indexWalker{db: t.db, prefix: prefix, yield: yield}
	if err := w.page(root, 0); err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("read index: %w", err)
	}
	return nil
}

func (db *DB) autoIndex(table string) (uint32, error) {
	var root int64
	err := db.walk(1, func(row *Row) error {
		name, err := row.text(1)
		if err != nil || name != "sqlite_autoindex_"+table+"_1" {
			return err
		}
		root, err = row.int(3)
		return err
	})
	if err == nil && root == 0 {
		err = ErrNoIndex
	}
	return uint32(root), err
}

// indexWalker visits the pages of an index.
type indexWalker struct {
	db     *DB
	prefix string
	yield  func(text string, id int64) error
	visited
}

func (w *indexWalker) page(number uint32, depth int) error {
	return w.node(w.db, number, depth, indexPages, func(data []byte, inner bool) error {
		child := 0
		if inner {
			child = 4
		}
		return w.cell(data, child, depth)
	}, w.page)
}

// cell handles a cell of a page: first the page before it, then the cell itself.
func (w *indexWalker) cell(data []byte, child, depth int) error {
	size, n := varint(data[child:])
	if n == 0 || size > MaxRow {
		return fmt.Errorf("%w: bad length of an entry: %d bytes", ErrFormat, size)
	}
	row, err := w.db.record(data[child+n:], int(size), (w.db.usable-12)*64/255-23)
	if err != nil {
		return err
	}
	text, err := row.text(0)
	if err != nil || text < w.prefix {
		return err
	}
	if child > 0 {
		if err := w.page(binary.BigEndian.Uint32(data), depth+1); err != nil {
			return err
		}
	}
	if !strings.HasPrefix(text, w.prefix) {
		return errStop
	}
	id, err := row.int(1)
	if err != nil {
		return err
	}
	return w.yield(text, id)
}
