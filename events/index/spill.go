package index

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// spill puts many rows in order outside of memory: sorted runs in a temporary file, merged when they are read.
type spill struct {
	file *os.File
	w    *bufio.Writer
	ends []int64 // of the runs
	size int64
	rows int64
}

func newSpill(dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, "index-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("sort index: %w", err)
	}
	return &spill{file: f, w: bufio.NewWriterSize(f, 1<<20)}, nil
}

func (s *spill) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// add takes sorted rows: for each the lengths of its key and its run in two bytes each, the key, the run.
func (s *spill) add(rows []row) error {
	var b []byte
	for _, r := range rows {
		b = binary.BigEndian.AppendUint16(b[:0], uint16(len(r.key))) // longestTerm
		b = binary.BigEndian.AppendUint16(b, uint16(len(r.run)))     // mostInRun
		b = append(append(b, r.key...), r.run...)
		if _, err := s.w.Write(b); err != nil {
			return fmt.Errorf("sort index: %w", err)
		}
		s.size += int64(len(b))
	}
	s.rows += int64(len(rows))
	s.ends = append(s.ends, s.size)
	return nil
}

func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
}

// sorted gives all rows in the order of their keys. A key is good until the next.
func (s *spill) sorted(yield func(row) error) error {
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("sort index: %w", err)
	}
	var runs runHeap
	start := int64(0)
	for _, end := range s.ends {
		r := &sortedRun{in: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), 64<<10)}
		if err := r.next(); err != nil {
			return err
		}
		if !r.done {
			runs = append(runs, r)
		}
		start = end
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		r := runs[0]
		if err := yield(r.row); err != nil {
			return err
		}
		if err := r.next(); err != nil {
			return err
		}
		if r.done {
			heap.Pop(&runs)
		} else {
			heap.Fix(&runs, 0)
		}
	}
	return nil
}

// sortedRun reads one run.
type sortedRun struct {
	in   *bufio.Reader
	row  row // the next
	buf  []byte
	done bool
}

func (r *sortedRun) next() error {
	var head [4]byte
	switch _, err := io.ReadFull(r.in, head[:]); {
	case err == io.EOF:
		r.done = true
		return nil
	case err != nil:
		return fmt.Errorf("sort index: %w", err)
	}
	n, all := int(binary.BigEndian.Uint16(head[:])), int(binary.BigEndian.Uint16(head[2:]))
	all += n
	r.buf = slices.Grow(r.buf[:0], all)[:all]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return fmt.Errorf("sort index: %w", err)
	}
	r.row = row{r.buf[:n], r.buf[n:]}
	return nil
}

// runHeap has the run with the least next row on top.
type runHeap []*sortedRun

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].row.key, h[j].row.key) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*sortedRun)) } // as heap.Interface says
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
