package exchange

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
)

// shelf collects the conversations for a format that writes all of them together. It keeps them in a file, so that only
// one at a time is in memory.
type shelf struct {
	file  *os.File
	size  int64
	Books []book
}

// book locates a conversation in the file.
type book struct {
	steering.Begin
	from, to int64
}

// put adds a conversation in its encoded form.
func (s *shelf) put(begin steering.Begin, raw []byte) error {
	if s.file == nil {
		file, err := os.CreateTemp("", "git-trace-records-*")
		if err != nil {
			return fmt.Errorf("keep conversation: %w", err)
		}
		_ = os.Remove(file.Name()) // a file without a name ends with the process; if this fails, close repeats it
		s.file = file
	}
	if _, err := s.file.WriteAt(raw, s.size); err != nil {
		return fmt.Errorf("keep conversation: %w", err)
	}
	from := s.size
	s.size += int64(len(raw))
	s.Books = append(s.Books, book{begin, from, s.size})
	return nil
}

// Each yields the conversations in order of time.
func (s *shelf) Each(yield func(*records.Record)) error {
	slices.SortStableFunc(s.Books, func(a, b book) int { return a.Compare(b.Begin) })
	for _, one := range s.Books {
		raw := make([]byte, one.to-one.from)
		if _, err := s.file.ReadAt(raw, one.from); err != nil {
			return fmt.Errorf("read conversation back: %w", err)
		}
		r, err := records.Decode(raw)
		if err != nil {
			return err
		}
		yield(r)
	}
	return nil
}

func (s *shelf) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
