// Package opentraces reads and writes TraceRecords as opentraces exchanges them: one record a line.
//
// The record is git-trace's own form, so writing is encoding it. Reading takes records of the schema's version 0.3.0
// and of its earlier ones, and checks what they claim. It refuses a record that does not match its content hash.
// Members that later versions of the schema brought are dropped, and with them such a record's hash changes; the hash
// that it came with is checked before.
package opentraces

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/jsonl"
)

// Name is the name of the format on the command line.
const Name = "opentraces"

// ErrHash reports a record that does not match its content hash.
var ErrHash = errors.New("content_hash is not that of the record")

// Read gives the records of a file in order. The first fault ends the reading; it names its line.
func Read(r io.Reader, yield func(line int, record *records.Record) error) error {
	in := jsonl.NewReader(r, 0)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := decode(raw)
		if err != nil {
			return in.Fault(err)
		}
		if err := yield(in.Line(), record); err != nil {
			return err
		}
	}
}

func decode(raw []byte) (*records.Record, error) {
	record, err := records.DecodeForeign(raw)
	if err != nil {
		return nil, err
	}
	if record.ContentHash != nil && !isHash(*record.ContentHash) {
		record.ContentHash = nil // documents elide it: "a1b2…"
	}
	if record.ContentHash != nil {
		if holds, err := record.HashHolds(raw); err != nil {
			return nil, err
		} else if !holds {
			return nil, ErrHash
		}
	}
	countFromOne(record)
	if faults := record.CheckForeign(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %s", records.ErrNotRecord, faults[0])
	}
	return record, nil
}

// isHash reports whether a text has the form of a content hash: a SHA-256 in hexadecimal.
func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// countFromOne numbers the steps of a record from 1, where its writer began with 0: both are found in the wild. Its
// hash counts the other numbers then, and goes.
func countFromOne(record *records.Record) {
	if len(record.Steps) == 0 || record.Steps[0].StepIndex != 0 {
		return
	}
	record.ContentHash = nil
	for i := range record.Steps {
		s := &record.Steps[i]
		s.StepIndex++
		if s.ParentStep != nil {
			parent := *s.ParentStep + 1
			s.ParentStep = &parent
		}
	}
}

// Write writes a record and a line feed.
func Write(w io.Writer, record *records.Record) error {
	raw, err := records.Encode(record)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}
