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

// add takes rows, which it sorts, as a run: for each the length of its key in two bytes, the key, the place.
func (s *spill) add(rows []row) error {
	sortRows(rows)
	var b []byte
	for _, r := range rows {
		b = appendPlace(append(binary.BigEndian.AppendUint16(b[:0], uint16(len(r.key))), r.key...), r.at) // longestTerm
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
	var head [2]byte
	switch _, err := io.ReadFull(r.in, head[:]); {
	case err == io.EOF:
		r.done = true
		return nil
	case err != nil:
		return fmt.Errorf("sort index: %w", err)
	}
	n := int(binary.BigEndian.Uint16(head[:]))
	r.buf = slices.Grow(r.buf[:0], n+placeSize)[:n+placeSize]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return fmt.Errorf("sort index: %w", err)
	}
	at, err := parsePlace(r.buf[n:])
	r.row = row{r.buf[:n], at}
	return err
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
