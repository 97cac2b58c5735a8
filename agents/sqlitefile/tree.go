package sqlitefile

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxTree is the greatest depth of a b-tree.
const maxTree = 24

// MaxRow is the greatest size of a row that is read, in bytes.
const MaxRow = 64 << 20

// Row is a row of a table. It stays valid; values on other pages are read when needed.
type Row struct {
	ID    int64
	db    *DB
	cells []cell
	local []byte // the part of the record on its own page
	size  int64
	more  uint32 // the first page with the rest
}

// cell is the position of a column in the record, and its type.
type cell struct {
	kind uint64
	at   int64
}

// walk yields the rows of a table's b-tree in the order of their ids.
func (db *DB) walk(root uint32, yield func(row *Row) error) error {
	w := walker{db: db, yield: yield, from: math.MinInt64}
	return w.page(root, 0)
}

// walker visits the pages of a b-tree.
type walker struct {
	db    *DB
	yield func(row *Row) error
	from  int64 // pages with only smaller ids are skipped
	visited
}

func (w *walker) page(number uint32, depth int) error {
	return w.node(w.db, number, depth, tablePages, func(data []byte, inner bool) error {
		if !inner {
			return w.db.leaf(data, w.yield)
		}
		if last, n := varint(data[4:]); n > 0 && int64(last) < w.from {
			return nil
		}
		return w.page(binary.BigEndian.Uint32(data), depth+1)
	}, w.page)
}

// pageKinds holds the first bytes of the two kinds of pages in a b-tree.
type pageKinds struct{ inner, leaf byte }

var (
	tablePages = pageKinds{0x05, 0x0d}
	indexPages = pageKinds{0x02, 0x0a}
)

// visited counts the visited pages of a b-tree, because a broken b-tree may contain a cycle.
type visited struct{ pages int }

// node reads a page. It calls the function `cell` for each cell on the page. For an inner page, it then calls the
// function `rest` with the page after the last cell.
func (v *visited) node(db *DB, number uint32, depth int, kinds pageKinds,
	cell func(data []byte, inner bool) error, rest func(number uint32, depth int) error) error {
	if v.pages++; depth > maxTree || v.pages > int(db.last)+1 {
		return fmt.Errorf("%w: its pages form a cycle", ErrFormat)
	}
	page, err := db.read(number)
	if err != nil {
		return err
	}
	header := page
	if number == 1 {
		header = page[headerSize:]
	}
	inner, width := header[0] == kinds.inner, 8
	if inner {
		width = 12
	}
	count := int(binary.BigEndian.Uint16(header[3:]))
	if !inner && header[0] != kinds.leaf || width+2*count > len(header) {
		return fmt.Errorf("%w: page %d has an unexpected type", ErrFormat, number)
	}
	for i := range count {
		at := int(binary.BigEndian.Uint16(header[width+2*i:]))
		if at+leastCell > db.usable {
			return fmt.Errorf("%w: page %d is broken", ErrFormat, number)
		}
		if err := cell(page[at:db.usable], inner); err != nil {
			return err
		}
	}
	if inner {
		return rest(binary.BigEndian.Uint32(header[8:]), depth+1)
	}
	return nil
}

// leastCell is the length of the shortest cell, in bytes.
const leastCell = 4

// leaf reads a cell of a leaf page.
func (db *DB) leaf(data []byte, yield func(row *Row) error) error {
	size, n := varint(data)
	id, m := varint(data[n:])
	data = data[n+m:]
	if n == 0 || m == 0 || size > MaxRow {
		return fmt.Errorf("%w: bad length of a row: %d bytes", ErrFormat, size)
	}
	row, err := db.record(data, int(size), db.usable-35)
	if err != nil {
		return err
	}
	row.ID = int64(id)
	return yield(row)
}

// record reads the record of a cell; the parameter `most` is the greatest number of its bytes on the page of the cell.
func (db *DB) record(data []byte, size, most int) (*Row, error) {
	row := &Row{db: db, size: int64(size)}
	local := db.localSize(size, most)
	if local > len(data) {
		return nil, fmt.Errorf("%w: a row goes beyond its page", ErrFormat)
	}
	row.local = data[:local]
	if local < size {
		if local+4 > len(data) {
			return nil, fmt.Errorf("%w: a row goes beyond its page", ErrFormat)
		}
		row.more = binary.BigEndian.Uint32(data[local:])
	}
	return row, row.header()
}

// localSize returns the size of a record's part on its own page.
func (db *DB) localSize(size, most int) int {
	if size <= most {
		return size
	}
	least := (db.usable-12)*32/255 - 23
	if local := least + (size-least)%(db.usable-4); local <= most {
		return local
	}
	return least
}

// maxColumns is the greatest number of columns of a table.
const maxColumns = 2000

// header reads the types of the columns.
func (r *Row) header() error {
	size, n := varint(r.local)
	if n == 0 || size > uint64(len(r.local)) || size < uint64(n) {
		return fmt.Errorf("%w: bad header of a row", ErrFormat)
	}
	at := int64(size)
	for rest := r.local[n:size]; len(rest) > 0; {
		kind, n := varint(rest)
		if n == 0 || len(r.cells) >= maxColumns {
			return fmt.Errorf("%w: bad header of a row", ErrFormat)
		}
		rest = rest[n:]
		r.cells = append(r.cells, cell{kind, at})
		if at += width(kind); at > r.size {
			return fmt.Errorf("%w: bad columns of a row", ErrFormat)
		}
	}
	return nil
}

// width returns the number of bytes of a value of a type.
func width(kind uint64) int64 {
	switch {
	case kind < 5:
		return int64(kind)
	case kind == 5:
		return 6
	case kind == 6, kind == 7:
		return 8
	case kind < 12:
		return 0
	case kind > 2*MaxRow:
		return MaxRow + 1
	}
	return int64(kind-12) / 2
}

// bytes returns the value of a column; nil if it is missing.
func (r *Row) bytes(column int) ([]byte, error) {
	if column < 0 || column >= len(r.cells) {
		return nil, nil
	}
	from := r.cells[column].at
	to := from + width(r.cells[column].kind)
	if to <= int64(len(r.local)) {
		return r.local[from:to], nil
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	return r.local[from:to], nil
}

// load reads the rest of the record from its other pages.
func (r *Row) load() error {
	whole := append(make([]byte, 0, r.size), r.local...)
	for next := r.more; int64(len(whole)) < r.size; {
		page, err := r.db.read(next)
		if err != nil {
			return err
		}
		next = binary.BigEndian.Uint32(page)
		part := page[4:r.db.usable]
		whole = append(whole, part[:min(int64(len(part)), r.size-int64(len(whole)))]...)
	}
	r.local = whole
	return nil
}

// varint reads a number of one to nine bytes, and returns the number of bytes; 0 if the data ends too early.
func varint(data []byte) (value uint64, n int) {
	for i := range min(len(data), 9) {
		if i == 8 {
			return value<<8 | uint64(data[i]), 9
		}
		value = value<<7 | uint64(data[i]&0x7f)
		if data[i] < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}
