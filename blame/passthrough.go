package blame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
)

// The pass-through formats are git's own formats with additional header lines. In the porcelain formats a block of
// header lines comes after git's headers and before the content line. Each of git's groups begins with a block, and so
// does every line whose owner differs from the previous line's. With --line-porcelain every line has a block. In the
// incremental format one entry has many lines. So each block begins with the numbers of its final lines, and all blocks
// come before the file name, which ends the entry. Every block begins with trace-contributor and replaces the previous
// block.

// passPorcelain writes --porcelain and --line-porcelain.
func (s *session) passPorcelain(out io.Writer) error {
	type text struct {
		header, content []byte
		opens           bool // the line begins a group
	}
	var entries []text
	var lines []gitblame.Line
	trailer, err := s.AsAsked(func(e *gitblame.Entry) error {
		entries = gitblame.Append(entries, &text{e.Header, e.Text, e.Count > 0})
		lines = gitblame.Append(lines, &e.Line)
		return nil
	})
	if err != nil {
		return err
	}
	owners, err := s.owners(lines, s.ContentOf(lines))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, outputBuffer)
	if s.opts.OnlyAI {
		_, _ = w.Write(s.appendAI(nil, lines, owners, map[*gitblame.Commit]bool{}))
		return flush(w)
	}
	var block []byte
	for i := range entries {
		_, _ = w.Write(entries[i].header)
		same := i > 0 && owners[i].Same(owners[i-1])
		if !same {
			block = appendHeaders(block[:0], owners[i], s.opts.Prompts)
		}
		if !same || entries[i].opens || s.opts.Format == gitblame.LinePorcelain {
			_, _ = w.Write(block)
		}
		if _, err := w.Write(entries[i].content); err != nil {
			return fmt.Errorf("write blame: %w", err)
		}
	}
	_, _ = w.Write(trailer)
	return flush(w)
}

const outputBuffer = 64 << 10

func flush(w *bufio.Writer) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write blame: %w", err)
	}
	return nil
}

// Entries of an incremental blame are collected and then written together. The time between two writes is a quarter of
// the time so far, within these bounds, so a reader does not notice the delay.
const (
	firstGathering = 25 * time.Millisecond
	lastGathering  = time.Second
)

// passIncremental writes --incremental. It writes a few times a second, because finding the owners of many entries at
// once takes little longer than finding the owners of one.
func (s *session) passIncremental(out io.Writer) error {
	shown := map[*gitblame.Commit]bool{}
	var found []gitblame.Entry
	begun := time.Now()
	due := begun.Add(firstGathering)
	trailer, err := s.AsAsked(func(e *gitblame.Entry) error {
		found = append(found, *e)
		if time.Now().Before(due) {
			return nil
		}
		err := s.writeFound(out, found, shown)
		found, due = found[:0], time.Now().Add(max(firstGathering, min(time.Since(begun)/4, lastGathering)))
		return err
	})
	// If git fails, the entries found so far are shown, as git does.
	if err := errors.Join(err, s.writeFound(out, found, shown)); err != nil {
		return err
	}
	if _, err := out.Write(trailer); err != nil {
		return fmt.Errorf("write blame: %w", err)
	}
	return nil
}

// writeFound writes incremental entries with the owners of their lines.
func (s *session) writeFound(out io.Writer, entries []gitblame.Entry, shown map[*gitblame.Commit]bool) error {
	var lines []gitblame.Line
	for i := range entries {
		for n := range entries[i].Count {
			line := entries[i].Line
			line.OrigLine += n
			line.FinalLine += n
			lines = append(lines, line)
		}
	}
	owners, err := s.owners(lines, s.Content)
	if err != nil {
		return err
	}
	var buf []byte
	for i := range entries {
		n := entries[i].Count
		if s.opts.OnlyAI {
			buf = s.appendAI(buf, lines[:n], owners[:n], shown)
		} else {
			buf = appendIncremental(buf, entries[i].Header, lines[:n], owners[:n], s.opts.Prompts)
		}
		lines, owners = lines[n:], owners[n:]
	}
	if _, err := out.Write(buf); err != nil {
		return fmt.Errorf("write blame: %w", err)
	}
	return nil
}

// appendIncremental appends an entry. It adds one block of git-trace's headers for each run of lines with the same
// owner.
func appendIncremental(buf, header []byte, lines []gitblame.Line, owners []*Attribution, prompts bool) []byte {
	body, name := gitblame.SplitLastLine(header)
	buf = append(buf, body...)
	for from := 0; from < len(owners); {
		to := from + 1
		for to < len(owners) && owners[to].Same(owners[from]) {
			to++
		}
		buf = append(buf, "trace-lines "...)
		buf = strconv.AppendInt(buf, int64(lines[from].FinalLine), 10)
		buf = append(buf, ' ')
		buf = strconv.AppendInt(buf, int64(to-from), 10)
		buf = append(buf, '\n')
		buf = appendHeaders(buf, owners[from], prompts)
		from = to
	}
	return append(buf, name...)
}
