package redact

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// ErrNotRedacted reports a Record that was not made by a redactor.
var ErrNotRedacted = errors.New("the record was not redacted")

// Record is a conversation from which all secrets and names that were found are removed. Only a redactor makes one. It
// may use a temporary file, so the caller must close it.
type Record struct {
	head  *records.Record // without its steps
	steps *records.Spool
}

// Head returns the record without its steps. The caller must not change it.
func (r *Record) Head() *records.Record {
	if r == nil {
		return nil
	}
	return r.head
}

// Trace returns the id of the conversation; "" if the record was not made by a redactor.
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

// Write writes the record like records.Encode: one line of JSON without a line feed, with its content hash.
func (r *Record) Write(w io.Writer) error {
	if r == nil || r.steps == nil {
		return ErrNotRedacted
	}
	return r.steps.WriteRecord(w, r.head)
}

// Hash returns the content hash that Write puts into the record.
func (r *Record) Hash() (string, error) {
	if err := r.Write(io.Discard); err != nil {
		return "", err
	}
	return *r.head.ContentHash, nil
}

// SetGeneration sets the version number of the record. No other field can be changed.
func (r *Record) SetGeneration(n int) { r.head.GenerationIndex = n }

// Close frees the record and its temporary file.
func (r *Record) Close() error {
	if r == nil || r.steps == nil {
		return nil
	}
	if err := r.steps.Close(); err != nil {
		return fmt.Errorf("drop redacted record: %w", err)
	}
	return nil
}
