package records

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/records/rawjson"
)

// spoolMemory is the number of bytes that a spool keeps in memory before it uses a file.
const spoolMemory = 8 << 20

// The sizes of the blocks of memory that a spool allocates: small at first, because most conversations are short. A
// single growing slice would be copied to new memory each time. The copies took a twentieth of the time of converting a
// session.
const (
	leastBlock = 4 << 10
	spoolBlock = 256 << 10
)

// Spool is a sink that keeps the steps as JSON lines: first in memory, then in an unnamed temporary file. So a
// conversation of any length can be written as one record with little memory.
type Spool struct {
	dir  string
	mem  [][]byte // blocks, each with whole steps
	file *os.File
	out  *bufio.Writer
	ends []int64 // the end of each step, as an offset
	late map[int][]Observation
}

// NewSpool returns an empty spool. If the spool needs a file, it makes the file in `dir`; "" means the system's
// directory for temporary files.
func NewSpool(dir string) *Spool { return &Spool{dir: dir, late: map[int][]Observation{}} }

// Len returns the number of steps.
func (s *Spool) Len() int { return len(s.ends) }

// Step stores the step.
func (s *Spool) Step(step *Step) error {
	raw, err := EncodeStep(step)
	if err != nil {
		return fmt.Errorf("keep step %d: %w", step.StepIndex, err)
	}
	if err := s.Truncate(step.StepIndex - 1); err != nil {
		return err
	}
	return s.AppendRaw(raw)
}

// Truncate drops the steps after the first n.
func (s *Spool) Truncate(n int) error {
	if n = max(n, 0); n >= len(s.ends) {
		return nil
	}
	s.ends = s.ends[:n]
	for index := range s.late {
		if index > n {
			delete(s.late, index)
		}
	}
	if s.file == nil {
		s.forget()
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("drop steps: %w", err)
	}
	if _, err := s.file.Seek(s.size(), io.SeekStart); err != nil {
		return fmt.Errorf("drop steps: %w", err)
	}
	return nil
}

// forget frees the memory after the last step.
func (s *Spool) forget() {
	left := s.size()
	for i, block := range s.mem {
		if left <= int64(len(block)) {
			s.mem[i] = block[:left]
			clear(s.mem[i+1:])
			s.mem = s.mem[:i+1]
			return
		}
		left -= int64(len(block))
	}
}

// size returns the offset at which the last step ends.
func (s *Spool) size() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// AppendRaw stores a step that is already JSON on one line, in the form in which Each yields it.
func (s *Spool) AppendRaw(raw []byte) error {
	before := s.size()
	s.ends = append(s.ends, before+int64(len(raw))+1)
	if s.file == nil && before+int64(len(raw)) < spoolMemory {
		s.keep(raw)
		return nil
	}
	if s.file == nil {
		if err := s.toFile(); err != nil {
			return fmt.Errorf("keep steps: %w", err)
		}
	}
	if _, err := s.out.Write(raw); err != nil {
		return fmt.Errorf("keep steps: %w", err)
	}
	if err := s.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("keep steps: %w", err)
	}
	return nil
}

// `keep` stores a step in memory: in the last block, if that has room, else in a new block.
func (s *Spool) keep(raw []byte) {
	n, room := len(s.mem)-1, leastBlock
	if n >= 0 {
		room = min(2*cap(s.mem[n]), spoolBlock)
	}
	if n < 0 || cap(s.mem[n])-len(s.mem[n]) <= len(raw) {
		s.mem = append(s.mem, make([]byte, 0, max(room, len(raw)+1)))
		n++
	}
	s.mem[n] = append(append(s.mem[n], raw...), '\n')
}

func (s *Spool) toFile() error {
	file, err := os.CreateTemp(s.dir, "git-trace-steps-*")
	if err != nil {
		return err
	}
	// A file without a name disappears when the process ends. If the system does not allow this, Close removes the file.
	_ = os.Remove(file.Name())
	s.file, s.out = file, bufio.NewWriterSize(file, 256<<10)
	for _, block := range s.mem {
		_, _ = s.out.Write(block) // an error is kept and returned by the next write
	}
	s.mem = nil
	return nil
}

// `Late` stores a result until the steps are read.
func (s *Spool) Late(stepIndex int, result Observation) error {
	s.late[stepIndex] = append(s.late[stepIndex], result)
	return nil
}

// Each yields the JSON of each step, in order. The JSON is valid only until the next step.
func (s *Spool) Each(yield func(raw []byte) error) error {
	if s.file == nil {
		return s.eachInMemory(yield)
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("read steps back: %w", err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), 256<<10)
	var long []byte
	for index := 1; index <= len(s.ends); index++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = in.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if err != nil {
			return fmt.Errorf("read steps back: %w", err)
		}
		if err := s.give(index, line[:len(line)-1], yield); err != nil {
			return err
		}
	}
	return nil
}

// eachInMemory does the same as Each, for a spool without a file.
func (s *Spool) eachInMemory(yield func(raw []byte) error) error {
	index, from := 1, int64(0)
	for _, block := range s.mem {
		for at := int64(0); at < int64(len(block)); index++ {
			end := at + s.ends[index-1] - from
			if err := s.give(index, block[at:end-1:end-1], yield); err != nil {
				return err
			}
			at, from = end, s.ends[index-1]
		}
	}
	return nil
}

// give yields a step with its late results.
func (s *Spool) give(index int, raw []byte, yield func(raw []byte) error) (err error) {
	if results := s.late[index]; len(results) > 0 {
		if raw, err = amend(raw, results); err != nil {
			return err
		}
	}
	return yield(raw)
}

func amend(raw []byte, results []Observation) ([]byte, error) {
	var step Step
	if err := json.Unmarshal(raw, &step); err != nil {
		return nil, fmt.Errorf("read steps back: %w", err)
	}
	for _, result := range results {
		step.setObservation(result)
	}
	return EncodeStep(&step)
}

// WriteRecord writes the whole record, head and steps, as one line of JSON without a line feed. It stores the content
// hash in the written record and in `head`. The steps of `head` are ignored.
func (s *Spool) WriteRecord(w io.Writer, head *Record) error {
	steps := head.Steps
	head.Steps = nil
	defer func() { head.Steps = steps }()
	head.fill()
	head.ContentHash = &hashPlace
	raw, err := marshal(head)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	hash, err := contentHash(raw, s.Each)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	head.ContentHash = &hash
	raw = setHash(raw, hash)
	before, after, err := cutSteps(raw)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	_, err = out.Write(before)
	first := true
	if err == nil {
		err = s.Each(func(raw []byte) error {
			if !first {
				_ = out.WriteByte(',') // an error is kept and returned by Flush
			}
			first = false
			_, err := out.Write(raw)
			return err
		})
	}
	if err == nil {
		_, err = out.Write(after)
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// cutSteps splits the JSON of a record without steps between the brackets of its empty list.
func cutSteps(raw []byte) (before, after []byte, err error) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if string(d.Key()) == "steps" {
			d.Skip()
			return raw[:d.Pos()-1], raw[d.Pos()-1:], nil
		}
	}
	return nil, nil, ErrNotRecord
}

// Close frees the steps and removes the file.
func (s *Spool) Close() error {
	s.mem = nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	_ = os.Remove(s.file.Name())
	return err
}
