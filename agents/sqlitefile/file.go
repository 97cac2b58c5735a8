package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/agents/transcript"
)

// ErrFormat reports a database that is broken or not supported.
var ErrFormat = errors.New("not an SQLite database that can be read")

// Magic begins every SQLite database.
const Magic = "SQLite format 3\x00"

// `Is` reports whether a file is a database.
func Is(path string) (bool, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file.From(0), int64(len(Magic))))
	return string(head) == Magic, err
}

// DB is an open database.
type DB struct {
	main, log *transcript.Tail
	page      int              // the size of a page
	usable    int              // the usable size of a page
	last      uint32           // the number of the last page
	logged    map[uint32]int64 // offset of the newest copy of a page in the log, by page
}

// Open opens a database.
func Open(path string) (*DB, error) {
	main, err := transcript.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{main: main, logged: map[uint32]int64{}}
	if log, err := transcript.Open(path + "-wal"); err == nil {
		db.log = log
	} else if !errors.Is(err, os.ErrNotExist) {
		_ = main.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := db.open(); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	return db, nil
}

// Close closes the files.
func (db *DB) Close() error {
	var err error
	if db.log != nil {
		err = db.log.Close()
	}
	return errors.Join(err, db.main.Close())
}

// headerSize is the size of the header of the first page.
const headerSize = 100

func (db *DB) open() error {
	if db.log != nil {
		if err := db.readLog(); err != nil {
			return err
		}
	}
	var header [headerSize]byte
	if at, found := db.logged[1]; found {
		if err := readAt(db.log, header[:], at); err != nil {
			return err
		}
	} else if err := readAt(db.main, header[:], 0); err != nil {
		return err
	}
	if string(header[:16]) != Magic {
		return fmt.Errorf("%w: no header", ErrFormat)
	}
	size := int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if size < 512 || size&(size-1) != 0 || db.page != 0 && db.page != size {
		return fmt.Errorf("%w: pages of %d bytes", ErrFormat, size)
	}
	db.page, db.usable = size, size-int(header[20])
	if db.usable < 480 {
		return fmt.Errorf("%w: too much of a page is reserved", ErrFormat)
	}
	if encoding := binary.BigEndian.Uint32(header[56:]); encoding > 1 {
		return fmt.Errorf("%w: its text is not UTF-8", ErrFormat)
	}
	db.last = max(db.last, uint32(min(db.main.Size()/int64(size), 1<<31)))
	return nil
}

// read reads a page.
func (db *DB) read(number uint32) ([]byte, error) {
	if number == 0 || number > db.last {
		return nil, fmt.Errorf("%w: page %d of %d", ErrFormat, number, db.last)
	}
	page := make([]byte, db.page)
	if at, found := db.logged[number]; found {
		return page, readAt(db.log, page, at)
	}
	return page, readAt(db.main, page, int64(number-1)*int64(db.page))
}

func readAt(file *transcript.Tail, buf []byte, at int64) error {
	if _, err := io.ReadFull(file.From(at), buf); err != nil {
		return fmt.Errorf("%w: it ends too early: %w", ErrFormat, err)
	}
	return nil
}
