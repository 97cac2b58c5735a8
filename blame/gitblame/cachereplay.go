package gitblame

import (
	"bytes"
)

// replay passes on the entries that git would print for the lines `first` to `last` of a content, counted from 1. It
// makes git's own text only for git's own formats.
func (q *inquiry) replay(a *answer, lines [][]byte, first, last int, each func(*Entry) error) error {
	own := q.opts.Format != Porcelain && q.opts.Format != LinePorcelain
	r := replayer{every: q.opts.Format == LinePorcelain, shown: map[*Commit]bool{}}
	if !own {
		r.several = severalPaths(a.runs, first, last)
	}
	final := 1
	var e Entry // reused for all entries: callers do not keep pointers to it
	for _, run := range a.runs {
		from, to := max(first, final), min(last, final+run.count-1)
		for n := from; n <= to; n++ {
			e = Entry{Line: Line{
				Commit: run.from.commit, OrigLine: run.line + n - final, FinalLine: n, OrigPath: run.from.path,
				Previous: run.from.previous, Content: lines[n-1],
			}}
			if n == from {
				e.Count = to - from + 1
			}
			if !own {
				r.text(&e)
			}
			if err := each(&e); err != nil {
				return err
			}
		}
		final += run.count
	}
	return nil
}

// replayRoom is the number of bytes that are allocated at a time for text, because one growing buffer would be copied
// often.
const replayRoom = 64 << 10

// replayer writes entries in git's porcelain formats.
type replayer struct {
	buf     []byte
	of      *Commit          // the last commit
	hex     string           // id in hex
	details []byte           // details of the commit; empty before they are needed
	every   bool             // --line-porcelain: repeat the details for every line
	shown   map[*Commit]bool // commits whose details have been printed
	several map[*Commit]bool // commits with lines from several paths: each group must name its path
}

// text adds git's text to an entry.
func (r *replayer) text(e *Entry) {
	if r.of != e.Commit {
		r.of, r.hex, r.details = e.Commit, e.Commit.ID.String(), r.details[:0]
	}
	if cap(r.buf)-len(r.buf) < replayRoom/16 {
		r.buf = make([]byte, 0, replayRoom) // earlier entries still use the full buffer
	}
	start := len(r.buf)
	r.buf = appendNumbers(append(r.buf, r.hex...), &e.Line, e.Count)
	if e.Count > 0 || r.every {
		e.Details = r.every || !r.shown[e.Commit]
		if e.Details {
			if len(r.details) == 0 {
				r.details = appendDetails(r.details, e.Commit)
			}
			r.buf = append(r.buf, r.details...)
			r.shown[e.Commit] = true
		}
		if e.Details || r.several[e.Commit] {
			r.buf = appendOrigin(r.buf, &e.Line)
		}
	}
	end := len(r.buf)
	r.buf = append(append(append(r.buf, '\t'), e.Content...), '\n')
	e.Header, e.Text = r.buf[start:end:end], r.buf[end:len(r.buf):len(r.buf)]
}

// severalPaths returns the commits that have lines from several paths, among the shown lines.
func severalPaths(runs []run, first, last int) map[*Commit]bool {
	paths, several := map[*Commit]string{}, map[*Commit]bool{}
	final := 1
	for _, run := range runs {
		if final <= last && final+run.count > first {
			path, seen := paths[run.from.commit]
			if seen && path != run.from.path {
				several[run.from.commit] = true
			}
			paths[run.from.commit] = run.from.path
		}
		final += run.count
	}
	return several
}

// `faithful` reports whether git's text of an entry equals the text that replayer makes. It does not if git prints an
// unknown header, quotes names differently, or has an unreadable date.
func faithful(e *Entry) bool {
	if e.Count == 0 && !e.Details {
		_, numbers, _ := bytes.Cut(e.Header, []byte(" "))
		return len(numbers) == digitsOf(e.OrigLine)+digitsOf(e.FinalLine)+2 &&
			bytes.IndexByte(numbers, '\n') == len(numbers)-1
	}
	header := AppendPosition(nil, &e.Line, e.Count)
	if e.Details {
		header = appendDetails(header, e.Commit)
	}
	if _, name := SplitLastLine(e.Header); bytes.HasPrefix(name, []byte("filename ")) {
		header = appendOrigin(header, &e.Line)
	}
	return bytes.Equal(header, e.Header)
}

func digitsOf(n int) int {
	digits := 1
	for ; n >= 10; n /= 10 {
		digits++
	}
	return digits
}

// splitLines splits a content into lines without their newlines. The last line may have no newline.
func splitLines(content []byte) [][]byte {
	if len(content) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}
