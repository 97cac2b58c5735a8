package aider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
)

// heading begins a conversation; the time follows.
const heading = "# aider chat started at "

// stamp is the form of the time in a heading.
const stamp = "2006-01-02 15:04:05"

// maxSessions limits the number of conversations in one file.
const maxSessions = 100_000

// part is the position of one conversation in the file.
type part struct {
	id, began string
	from, to  int64 // offsets
	lines     int64 // the number of lines before it
}

// `begins` reports whether a line begins a conversation, and returns the time.
func begins(line []byte) (began string, found bool) {
	rest, found := bytes.CutPrefix(bytes.TrimRight(line, " \r\n"), []byte(heading))
	if !found || len(rest) != len(stamp) {
		return "", false
	}
	for i, c := range rest {
		if digit := c >= '0' && c <= '9'; digit != (stamp[i] >= '0' && stamp[i] <= '9') || !digit && c != stamp[i] {
			return "", false
		}
	}
	return string(rest), true
}

// idOf returns the id of a conversation: its time, with only the characters that an id may have.
func idOf(began string, same int) string {
	id := strings.NewReplacer(" ", "T", ":", "-").Replace(began)
	if same > 1 {
		id += "." + strconv.Itoa(same)
	}
	return id
}

// partsOf lists the conversations of a file in order. Several conversations may have started in the same second.
func partsOf(in io.Reader) ([]part, error) {
	var parts []part
	same := map[string]int{}
	r := bufio.NewReaderSize(in, 64<<10)
	offset, number := int64(0), int64(0)
	whole := true // the read data begins at the start of a line
	for {
		line, err := r.ReadSlice('\n')
		if began, found := begins(line); whole && found && len(parts) < maxSessions {
			same[began]++
			if n := len(parts); n > 0 {
				parts[n-1].to = offset
			}
			parts = append(parts, part{id: idOf(began, same[began]), began: began, from: offset, lines: number})
		}
		offset += int64(len(line))
		if whole = err == nil; whole {
			number++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if n := len(parts); n > 0 {
				parts[n-1].to = offset
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return parts, err
		}
	}
}

// errNoSession reports a conversation that the file lacks.
var errNoSession = errors.New("no such conversation in the chat history")

// history is one conversation of a chat history.
type history struct {
	*transcript.Tail
	part part
}

// index caches the positions of the conversations in the last history: a history with a thousand conversations is
// opened a thousand times.
type index struct {
	sync.Mutex
	path    string
	size    int64
	changed time.Time
	parts   []part
}

// `of` returns the conversations of a history.
func (x *index) of(path string, tail *transcript.Tail) ([]part, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	x.Lock()
	defer x.Unlock()
	if x.path == path && x.size == tail.Size() && info.Size() == x.size && x.changed.Equal(info.ModTime()) {
		return x.parts, nil
	}
	parts, err := partsOf(tail.From(0))
	if err != nil {
		return nil, err
	}
	x.path, x.size, x.changed, x.parts = path, tail.Size(), info.ModTime(), parts
	return parts, nil
}

// open opens a conversation; "" means the last one.
func (s sessions) open(path, session string) (sessionfile.File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	parts, err := s.index.of(path, tail)
	if err != nil {
		_ = tail.Close()
		return nil, err
	}
	for i := len(parts) - 1; i >= 0; i-- {
		if session == "" || parts[i].id == session {
			return history{tail, parts[i]}, nil
		}
	}
	_ = tail.Close()
	return nil, errNoSession
}

// Start returns "": a conversation is short, and is read from its beginning.
func (h history) Start() (string, error) { return "", nil }

// maxPart is the number of bytes of one conversation that are read.
const maxPart = 256 << 20

// `From` returns the blocks of the conversation.
func (h history) From(int64, int64) sessionfile.Source {
	in := io.LimitReader(h.Tail.From(h.part.from), min(h.part.to-h.part.from, maxPart))
	return &blocks{in: bufio.NewReaderSize(in, 64<<10), at: h.part.from, line: h.part.lines}
}

// The kinds of blocks; each is the first byte of the block's object.
const (
	blockHeading = 'h'
	blockPrompt  = 'p'
	blockTool    = 't'
	blockAnswer  = 'a'
)

// blocks reads the blocks of a conversation: consecutive lines of one kind. An object is the kind of the block,
// followed by its unchanged lines.
type blocks struct {
	in     *bufio.Reader
	at     int64  // the offset of the next line
	line   int64  // the number of lines before it
	ahead  []byte // the line that begins the next block
	buf    []byte
	faults jsonlines.Faults
	done   bool
}

// Faults returns the counts so far.
func (b *blocks) Faults() jsonlines.Faults { return b.faults }

// End returns the offset after the blocks returned so far.
func (b *blocks) End() int64 { return b.at }

// Lines returns the number of lines before End.
func (b *blocks) Lines() int64 { return b.line }

// `next` reads a line; nil at the end.
func (b *blocks) next() ([]byte, error) {
	if b.ahead != nil {
		line := b.ahead
		b.ahead = nil
		return line, nil
	}
	if b.done {
		return nil, nil
	}
	line, err := b.in.ReadBytes('\n')
	if err != nil {
		b.done = true
		if !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	if len(line) == 0 {
		return nil, nil
	}
	return line, nil
}

// `took` counts a line that was returned.
func (b *blocks) took(line []byte) {
	b.at += int64(len(line))
	b.line++
}

// Next returns the next block; io.EOF after the last.
func (b *blocks) Next() (jsonlines.Object, error) {
	var line []byte
	for { // empty lines between blocks
		var err error
		if line, err = b.next(); err != nil || line == nil {
			return jsonlines.Object{}, errors.Join(err, endOf(line, err))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		b.took(line)
	}
	kind := kindOf(line, 0)
	object := jsonlines.Object{Offset: b.at, Line: b.line + 1}
	b.buf = append(b.buf[:0], kind)
	long := false
	for {
		b.took(line)
		if len(b.buf)+len(line) > jsonlines.MaxLine {
			long = true
		} else {
			b.buf = append(b.buf, line...)
		}
		var err error
		if line, err = b.next(); err != nil {
			return jsonlines.Object{}, err
		}
		if line == nil || kindOf(line, kind) != kind || kind == blockHeading {
			break
		}
	}
	b.ahead = line
	if long {
		b.faults.TooLong++
	}
	object.Raw = b.buf
	return object, nil
}

func endOf(line []byte, err error) error {
	if line == nil && err == nil {
		return io.EOF
	}
	return nil
}

// kindOf returns the kind of a line, from its text and the kind of the previous line. Aider ends each line of a prompt
// and each of its own lines with two spaces; similar lines in answers lack them.
func kindOf(line []byte, before byte) byte {
	text := bytes.TrimRight(line, "\r\n")
	blanks := bytes.HasSuffix(text, []byte("  "))
	if _, found := begins(text); found {
		return blockHeading
	}
	switch {
	case bytes.HasPrefix(text, []byte("#### ")) && (blanks || before == blockPrompt):
		return blockPrompt
	case (bytes.HasPrefix(text, []byte("> ")) || string(text) == ">") && (blanks || before == blockTool):
		return blockTool
	}
	return blockAnswer
}
