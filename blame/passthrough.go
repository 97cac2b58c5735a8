package blame

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/git-trace/git-trace/blame/gitblame"
)

// The pass-through formats are git's own with header lines of ours. In the porcelain formats a block of them stands
// after git's headers and before the content line. The first line of each of git's groups has one, and so has every
// line with another owner than the line before; with --line-porcelain, on every line. In the incremental format, where
// one entry speaks of many lines, each block begins with the final lines it is about, and all stand before the file
// name, which ends the entry. Every block begins with trace-contributor and replaces the one before it.

// passPorcelain writes --porcelain and --line-porcelain.
func (s *session) passPorcelain(out io.Writer) error {
	var entries []gitblame.Entry
	var lines []gitblame.Line
	trailer, err := s.AsAsked(func(e *gitblame.Entry) error {
		entries, lines = append(entries, *e), append(lines, e.Line)
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
	var buf []byte
	for i := range entries {
		buf = append(buf[:0], entries[i].Header...)
		if i == 0 || entries[i].Count > 0 || s.opts.Format == gitblame.LinePorcelain || !owners[i].Same(&owners[i-1]) {
			buf = appendHeaders(buf, &owners[i], s.opts.Prompts)
		}
		if _, err := w.Write(append(buf, entries[i].Text...)); err != nil {
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

// passIncremental writes --incremental: every entry as soon as git has found it.
func (s *session) passIncremental(out io.Writer) error {
	shown := map[*gitblame.Commit]bool{}
	trailer, err := s.AsAsked(func(e *gitblame.Entry) error {
		lines := make([]gitblame.Line, e.Count)
		for i := range lines {
			lines[i] = e.Line
			lines[i].OrigLine += i
			lines[i].FinalLine += i
		}
		owners, err := s.owners(lines, s.Content)
		if err != nil {
			return err
		}
		var buf []byte
		if s.opts.OnlyAI {
			buf = s.appendAI(nil, lines, owners, shown)
		} else {
			buf = appendIncremental(nil, e.Header, lines, owners, s.opts.Prompts)
		}
		if _, err := out.Write(buf); err != nil {
			return fmt.Errorf("write blame: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := out.Write(trailer); err != nil {
		return fmt.Errorf("write blame: %w", err)
	}
	return nil
}

// appendIncremental appends an entry with one block of our headers for each run of lines with one owner.
func appendIncremental(buf, header []byte, lines []gitblame.Line, owners []Attribution, prompts bool) []byte {
	body, name := gitblame.SplitLastLine(header)
	buf = append(buf, body...)
	for from := 0; from < len(owners); {
		to := from + 1
		for to < len(owners) && owners[to].Same(&owners[from]) {
			to++
		}
		buf = append(buf, "trace-lines "...)
		buf = strconv.AppendInt(buf, int64(lines[from].FinalLine), 10)
		buf = append(buf, ' ')
		buf = strconv.AppendInt(buf, int64(to-from), 10)
		buf = append(buf, '\n')
		buf = appendHeaders(buf, &owners[from], prompts)
		from = to
	}
	return append(buf, name...)
}
