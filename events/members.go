package events

import (
	"fmt"
	"time"
)

// memberWriter writes the members of an object in the order of the calls, which must be the canonical order, and leaves
// out empty ones. It stops at the first error.
type memberWriter struct {
	buf  []byte
	some bool // a member was written since buf was set
	err  error
}

func (w *memberWriter) name(name string) {
	if w.some {
		w.buf = append(w.buf, ',')
	}
	w.some = true
	w.buf = append(appendQuoted(w.buf, name), ':')
}

func (w *memberWriter) fail(name string, err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", name, err)
	}
}

func (w *memberWriter) raw(name string, value []byte) {
	w.name(name)
	w.buf = append(w.buf, value...)
}

func (w *memberWriter) text(name, value string) {
	if value == "" {
		return
	}
	if len(value) > MaxField {
		w.fail(name, fmt.Errorf("%d bytes: %w", len(value), ErrTooLong))
		return
	}
	w.name(name)
	var err error
	w.buf, err = appendString(w.buf, value)
	w.fail(name, err)
}

func (w *memberWriter) integer(name string, value int64) {
	if value == 0 {
		return
	}
	w.name(name)
	var err error
	w.buf, err = appendInt(w.buf, value)
	w.fail(name, err)
}

func (w *memberWriter) time(name string, value time.Time) {
	w.name(name)
	var err error
	w.buf, err = appendTime(w.buf, value)
	w.fail(name, err)
}

func (w *memberWriter) list(name string, n int, item func(int) string) {
	if n == 0 {
		return
	}
	w.name(name)
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		var err error
		w.buf, err = appendString(w.buf, item(i))
		w.fail(name, err)
	}
	w.buf = append(w.buf, ']')
}
