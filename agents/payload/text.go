package payload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes is the greatest size of a payload, in bytes. The largest payload seen had a file of some megabytes three
// times.
const MaxBytes = 64 << 20

// Errors of payloads that callers check for.
var (
	ErrTooLarge = errors.New("payload is larger than 64 MiB")
	ErrEmpty    = errors.New("payload is empty")
)

// Read reads a whole payload. If the payload is too large, it returns an error and does not read on.
func Read(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read payload: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	return data, nil
}

// UTF8 returns the payload as UTF-8 without a byte order mark. UTF-16 is recognised only by its mark: some shells on
// Windows re-encode piped text. The result shares memory with `data` unless it had to be converted.
func UTF8(data []byte) ([]byte, error) {
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		data = fromUTF16(data[2:], binary.BigEndian)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, ErrEmpty
	}
	return data, nil
}

// fromUTF16 converts UTF-16 to UTF-8; an odd byte at the end and unpaired surrogates become U+FFFD.
func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(data)/2+len(data)/8)
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if len(data) >= 2 {
				low = rune(order.Uint16(data))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				data = data[2:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
	if len(data) != 0 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return out
}
