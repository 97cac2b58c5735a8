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
	Path      string `json:"path"` // relative to the directory, with slashes
	Table     string `json:"table"`
	Partition string `json:"partition"` // directories of the partition; empty without partitions
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Lines     int64  `json:"lines_bytes"` // size of the rows as JSON lines
	SHA256    string `json:"sha256"`
}

// record is the list of a writer's finished work. Its file gets one JSON object a line, appended.
type record struct {
	mu     sync.Mutex
	file   *os.File
	files  []File
	closed map[string]bool // finished tables
	went   bool            // continues the work of an earlier process
}

type entry struct {
	Source string `json:"source,omitempty"`
	File   *File  `json:"file,omitempty"`
	Closed string `json:"closed,omitempty"` // name of a finished table
}

// resume reads the finished work for a source. The result is empty if the file is about another source, or if a listed
// file is missing. It ignores an incomplete last line, which a killed writer left.
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

// `begin` starts the file, if it does not exist.
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

// `of` returns the number of finished files and their rows for each partition of a table.
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
