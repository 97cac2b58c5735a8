package shards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// File is a finished file.
type File struct {
	Path      string `json:"path"` // below the directory, with slashes
	Table     string `json:"table"`
	Partition string `json:"partition"` // as its directories say it; empty without partitions
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Lines     int64  `json:"lines_bytes"` // of the rows as JSON lines
	SHA256    string `json:"sha256"`
}

// record lists the finished work of a writer, kept in a file to which it appends: one JSON object a line.
type record struct {
	mu     sync.Mutex
	file   *os.File
	files  []File
	closed map[string]bool // tables
	went   bool            // it continues another process's work
}

type entry struct {
	Source string `json:"source,omitempty"`
	File   *File  `json:"file,omitempty"`
	Closed string `json:"closed,omitempty"` // a table
}

// resume reads the finished work on a source. It returns none for another source, or if one of its files is missing. It
// ignores a last line without an end, which a killed writer left.
func resume(path, source string, there func(File) bool) (*record, error) {
	fresh := &record{closed: map[string]bool{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}
	whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
	r := &record{closed: map[string]bool{}, went: true}
	first := true
	for line := range bytes.Lines(whole) {
		var e entry
		if json.Unmarshal(line, &e) != nil || first && e.Source != source {
			return fresh, nil
		}
		first = false
		switch {
		case e.File != nil && !there(*e.File):
			return fresh, nil
		case e.File != nil:
			r.files = append(r.files, *e.File)
		case e.Closed != "":
			r.closed[e.Closed] = true
		}
	}
	if first {
		return fresh, nil
	}
	if r.file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	err = r.file.Truncate(int64(len(whole)))
	if err == nil {
		_, err = r.file.Seek(0, 2)
	}
	return r, err
}

// begin starts the file, unless it is there.
func (r *record) begin(source, dir string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		return nil
	}
	var err error
	path := filepath.Join(dir, progress)
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, fileMode); err != nil {
		return err
	}
	return r.write(entry{Source: source})
}

func (r *record) write(e entry) error {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	return nil
}

func (r *record) finished(f File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = append(r.files, f)
	return r.write(entry{File: &f})
}

func (r *record) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// of returns the finished files of a table, by partition: how many files and rows each has.
func (r *record) of(table string) map[string]*part {
	out := map[string]*part{}
	for _, f := range r.files {
		if f.Table != table {
			continue
		}
		p := out[f.Partition]
		if p == nil {
			p = &part{partition: f.Partition}
			out[f.Partition] = p
		}
		p.shards++
		p.skip += f.Rows
	}
	return out
}

func (r *record) manifest(o Options) *Manifest {
	files := slices.Clone(r.files)
	slices.SortFunc(files, func(a, b File) int {
		switch {
		case a.Path < b.Path:
			return -1
		case a.Path > b.Path:
			return 1
		}
		return 0
	})
	return &Manifest{Schema: ManifestSchema, Name: o.Name, Source: o.Source, Partitions: append([]string{}, o.By...),
		Files: append([]File{}, files...)}
}
