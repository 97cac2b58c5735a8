package sqlitefile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
)

// The sizes of the headers of a write-ahead log and of its frames.
const (
	logHeader   = 32
	frameHeader = 24
)

// readLog finds the newest copy of each page in the write-ahead log, up to the last commit. A file without the log's
// header is ignored: it is empty or not used yet. Frames after an invalid one belong to an older log.
func (db *DB) readLog() error {
	in := bufio.NewReaderSize(db.log.From(0), 1<<20)
	var header [logHeader]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return unlessEnded(err)
	}
	magic := binary.BigEndian.Uint32(header[:])
	if magic&^1 != 0x377f0682 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 == 1 {
		order = binary.BigEndian
	}
	size := binary.BigEndian.Uint32(header[8:])
	var sum checksum
	if sum.add(order, header[:24]); !sum.is(header[24:]) {
		return nil
	}
	if size < 512 || size > 1<<16 || size&(size-1) != 0 {
		return fmt.Errorf("%w: log with pages of %d bytes", ErrFormat, size)
	}
	db.page = int(size)
	pending := map[uint32]int64{}
	frame := make([]byte, frameHeader+int(size))
	for at := int64(logHeader); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil {
			return unlessEnded(err)
		}
		sum.add(order, frame[:8])
		sum.add(order, frame[frameHeader:])
		if string(frame[8:16]) != string(header[16:24]) || !sum.is(frame[16:]) {
			return nil
		}
		pending[binary.BigEndian.Uint32(frame)] = at + frameHeader
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 { // a commit
			maps.Copy(db.logged, pending)
			clear(pending)
			db.last = pages
		}
	}
}

// checksum is the running checksum of the log.
type checksum [2]uint32

func (c *checksum) add(order binary.ByteOrder, data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		c[0] += order.Uint32(data) + c[1]
		c[1] += order.Uint32(data[4:]) + c[0]
	}
}

func (c *checksum) is(stored []byte) bool {
	return c[0] == binary.BigEndian.Uint32(stored) && c[1] == binary.BigEndian.Uint32(stored[4:])
}

// unlessEnded returns the error of a read, nil if the file only ended.
func unlessEnded(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
