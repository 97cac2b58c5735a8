package redact

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// ErrNotRedacted reports a Record that no redactor made.
var ErrNotRedacted = errors.New("the record was not redacted")

// Record is a conversation without the secrets and names that were found. Only a redactor makes one. It may use a
// temporary file: close it.
type Record struct {
	head  *records.Record // without steps
	steps *records.Spool
}

// Head returns the record without its steps. It must not be changed.
func (r *Record) Head() *records.Record {
	if r == nil {
		return nil
	}
	return r.head
}

// Trace returns the id of the conversation; "" when no redactor made the record.
func (r *Record) Trace() events.TraceID {
	if r == nil || r.head == nil {
		return ""
	}
	return events.TraceID(r.head.TraceID)
}

func (r *Record) Steps() int {
	if r == nil || r.steps == nil {
		return 0
	}
	return r.steps.Len()
}

// Write writes the record as records.Encode does: one line of JSON without a line feed, with its content hash.
func (r *Record) Write(w io.Writer) error {
	if r == nil || r.steps == nil {
		return ErrNotRedacted
	}
	return r.steps.WriteRecord(w, r.head)
}

// Hash returns the content hash that the record is written with.
func (r *Record) Hash() (string, error) {
	if err := r.Write(io.Discard); err != nil {
		return "", err
	}
	return *r.head.ContentHash, nil
}

// SetGeneration numbers the version of the record. Other changes are not possible.
func (r *Record) SetGeneration(n int) { r.head.GenerationIndex = n }

// Close drops the record.
func (r *Record) Close() error {
	if r == nil || r.steps == nil {
		return nil
	}
	if err := r.steps.Close(); err != nil {
		return fmt.Errorf("drop redacted record: %w", err)
	}
	return nil
}
