package shards

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/git-trace/git-trace/internal/fault"
)

// Writer takes the rows of a table. Only one goroutine may use it.
type Writer struct {
	set   *Set
	table Table
	by    []int
	parts map[string]*part
	open  []*part // parts with an open file, the least recently used first
	busy  chan error
	err   error

	line    bytes.Buffer
	encoder *json.Encoder
}

type part struct {
	partition string
	shards    int   // number of finished files
	skip      int64 // number of next rows that finished files already have
	rows      int64 // rows of the current file
	lines     int64 // size of these rows in bytes
	file      *os.File
	buffer    *bufio.Writer
}

// Table begins a table. It returns nil if the table is already complete, so that the caller need not make its rows.
func (s *Set) Table(t Table) (*Writer, error) {
	if s.done.closed[t.Name] {
		return nil, nil
	}
	by, err := t.partitionColumns(s.By)
	if err != nil {
		return nil, err
	}
	if err := s.done.begin(s.Source, s.stage()); err != nil {
		return nil, err
	}
	w := &Writer{set: s, table: t, by: by, parts: s.done.of(t.Name)}
	w.encoder = json.NewEncoder(&w.line)
	w.encoder.SetEscapeHTML(false)
	return w, nil
}

// Row writes a row: a pointer to the struct of the table.
func (w *Writer) Row(row any) error {
	if w == nil || w.err != nil {
		return w.fault()
	}
	value := reflect.ValueOf(row).Elem()
	partition := w.table.partition(value, w.by)
	p := w.parts[partition]
	if p == nil {
		p = &part{partition: partition}
		w.parts[partition] = p
	}
	if p.skip > 0 {
		p.skip--
		return nil
	}
	w.line.Reset()
	if w.err = w.encoder.Encode(row); w.err == nil {
		w.err = w.put(p, w.line.Bytes())
	}
	return w.err
}

// fault returns the error that ended the writing; nil for a complete table.
func (w *Writer) fault() error {
	if w == nil {
		return nil
	}
	return w.err
}

func (w *Writer) put(p *part, line []byte) error {
	if err := w.use(p); err != nil {
		return err
	}
	if _, err := p.buffer.Write(line); err != nil {
		return err
	}
	p.rows++
	if p.lines += int64(len(line)); p.lines < w.set.Size {
		return nil
	}
	return w.finish(p)
}

// use opens the file of a partition, and marks it as the most recently used.
func (w *Writer) use(p *part) error {
	if p.file != nil {
		if last := len(w.open) - 1; w.open[last] != p {
			at := slices.Index(w.open, p)
			w.open = append(slices.Delete(w.open, at, at+1), p)
		}
		return nil
	}
	if len(w.open) >= openFiles {
		if err := w.shut(w.open[0]); err != nil {
			return err
		}
	}
	path := w.path(p, linesExt+".part")
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if p.rows == 0 { // overwrite the remains of a killed writer
		flags |= os.O_TRUNC
		if err := makeDirs(filepath.Dir(path)); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(path, flags, fileMode)
	if err != nil {
		return err
	}
	p.file, p.buffer = file, bufio.NewWriterSize(file, lineBuffer)
	w.open = append(w.open, p)
	return nil
}

// shut closes the file of a partition. The partition may be opened again.
func (w *Writer) shut(p *part) error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.buffer.Flush(), p.file.Close())
	p.file, p.buffer = nil, nil
	if at := slices.Index(w.open, p); at >= 0 {
		w.open = slices.Delete(w.open, at, at+1)
	}
	return err
}

// path returns the path of a partition's current file while it is written.
func (w *Writer) path(p *part, ext string) string {
	return filepath.Join(w.set.stage(), filepath.FromSlash(w.name(p, ext)))
}

func (w *Writer) name(p *part, ext string) string {
	dir := w.table.Name
	if p.partition != "" {
		dir += "/" + p.partition
	}
	return dir + "/" + fmt.Sprintf(shardName, w.set.Key, p.shards+1, ext)
}

// `finish` ends the current file of a partition. The file is packed while the next one is written.
func (w *Writer) finish(p *part) error {
	if err := w.shut(p); err != nil {
		return err
	}
	lines, path := w.path(p, linesExt+".part"), w.path(p, w.set.Ext)
	f := File{Path: w.name(p, w.set.Ext), Table: w.table.Name, Partition: p.partition, Rows: p.rows, Lines: p.lines}
	p.shards++
	p.rows, p.lines = 0, 0
	if err := w.wait(); err != nil {
		return err
	}
	w.set.made++
	w.busy = make(chan error, 1)
	fault.Go(func() { w.busy <- w.set.pack(w.table.Columns, f, lines, path) })
	return nil
}

// `wait` waits for the file that is being packed.
func (w *Writer) wait() error {
	if w.busy == nil {
		return nil
	}
	err := <-w.busy
	w.busy = nil
	return err
}

// pack packs a finished file, and notes it.
func (s *Set) pack(columns []Column, f File, lines, path string) error {
	if s.Pack == nil {
		if err := os.Rename(lines, path); err != nil {
			return err
		}
	} else {
		if err := s.Pack(columns, lines, path); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		if err := os.Remove(lines); err != nil {
			return err
		}
	}
	var err error
	if f.Bytes, f.SHA256, err = measure(path); err != nil {
		return err
	}
	return s.done.finished(f)
}

func measure(path string) (size int64, sum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// Close ends a table after its last row.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.parts)) {
		if p := w.parts[name]; w.err == nil && p.rows > 0 {
			w.err = w.finish(p)
		}
	}
	if err := w.wait(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		w.Drop()
		return w.err
	}
	w.set.done.mu.Lock()
	defer w.set.done.mu.Unlock()
	w.set.done.closed[w.table.Name] = true
	return w.set.done.write(entry{Closed: w.table.Name})
}

// Drop ends a table before its last row. The next run uses the finished files.
func (w *Writer) Drop() {
	if w == nil {
		return
	}
	_ = w.wait()
	for len(w.open) > 0 {
		_ = w.shut(w.open[0])
	}
}
