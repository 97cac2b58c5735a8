package exchange

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/refs"
)

// EachRecord reads a file completely once, then yields its records. So a file with a fault yields nothing. It reports
// the elements that no record contains.
func (r *Rules) EachRecord(format Format, name string, yield func(int, *records.Record) error) error {
	if r.full() {
		return nil
	}
	file, err := r.OpenRecords(format, name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return r.readRecords(format, file, name, yield)
}

// readRecords yields the records of a file, and reports the elements that no record contains.
func (r *Rules) readRecords(format Format, file *foreignFile, name string,
	yield func(int, *records.Record) error) error {
	var told records.Captured
	read := func(yield func(int, *records.Record) error, over func(error) bool) error {
		file.over = func(err error) bool { return r.Skip && over(err) }
		return format.Read(file, yield)
	}
	err := ahead(read, func(row int, record *records.Record) error {
		told.Add(record)
		return r.take(yield(row, record))
	}, func(err error) { r.Pass(FileFault(name, err)) })
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && len(told.Skipped) > 0 {
		fmt.Fprintf(r.Err, "git-trace: hint: %s\n", cells.Message(name+": "+told.String()))
	}
	return err
}

// errStopped ends a reading when the caller needs no more records.
var errStopped = errors.New("stopped")

// ahead reads the next records while the caller handles one: both take about the same time. Faults of skipped rows
// arrive between the records, in order.
func ahead(read func(yield func(int, *records.Record) error, over func(error) bool) error,
	yield func(int, *records.Record) error, passed func(error)) error {
	type row struct {
		number int
		record *records.Record
		fault  error
	}
	rows, stop := make(chan row, 1), make(chan struct{})
	give := func(one row) error {
		select {
		case rows <- one:
			return nil
		case <-stop:
			return errStopped
		}
	}
	var failed error
	fault.Go(func() {
		defer close(rows)
		failed = read(func(number int, record *records.Record) error { return give(row{number: number, record: record}) },
			func(err error) bool { return give(row{fault: err}) == nil })
	})
	for one := range rows {
		if one.fault != nil {
			passed(one.fault)
			continue
		}
		if err := yield(one.number, one.record); err != nil {
			close(stop)
			for range rows { // wait for the end of the reading: the caller closes the file next
			}
			return err
		}
	}
	return failed
}

// OpenRecords opens a file that an earlier reading found free of faults.
func (r *Rules) OpenRecords(format Format, name string) (*foreignFile, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	file.over = func(error) bool { return r.Skip }
	ahead := Rules{Most: r.Most, Taken: r.Taken}
	err = format.Read(file, func(int, *records.Record) error { return ahead.take(nil) })
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, refs.PathCause(err)
	}
	return Open(name)
}

// foreignFile is a file of another program, decompressed.
type foreignFile struct {
	io.ReadCloser
	file *os.File
	over func(fault error) bool // nil if no row may be skipped
}

// PassOver reports whether a row with this fault is skipped.
func (f *foreignFile) PassOver(err error) bool { return f.over != nil && f.over(err) }

func Open(name string) (*foreignFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, refs.PathCause(err)
	}
	in, err := foreign.Uncompressed(file, companion.Unzstd)
	if err != nil {
		return nil, errors.Join(refs.PathCause(err), file.Close())
	}
	return &foreignFile{ReadCloser: in, file: file}, nil
}

func (f *foreignFile) Name() string { return f.file.Name() }

// Close closes the decompressor and the file.
func (f *foreignFile) Close() error { return errors.Join(f.ReadCloser.Close(), f.file.Close()) }
