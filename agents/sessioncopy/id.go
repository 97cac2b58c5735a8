package sessioncopy

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"
)

// NewID returns a new UUID (RFC 9562): version 7, which begins with the time, or version 4 for the zero time.
func NewID(at time.Time) string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	version := byte(4)
	if !at.IsZero() {
		version = 7
		var ms [8]byte
		binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
		copy(id[:6], ms[2:])
	}
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
