package events

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// The flat form of a log, for this clone's and for copies, is a header line, then for each batch its events, one a
// line, and an end line:
//
//	git-trace log 1 <object format> <generation>
//	{…}
//	{…}
//	#<commit> <number of the last event> <its id> <length of the batch> <check sum>
//
// A batch counts if its end line is complete. So a process may be killed at any moment: the next one cuts off the bytes
// after the last end line and continues. Bytes before an end line never change. The commit is the source of a copy;
// this clone's log has a dash instead.

// errNoEnd reports a file whose first or last line is not as in a flat log.
var errNoEnd = errors.New("it has an unknown form")

// flatEnd holds the values of the last end line.
type flatEnd struct {
	commit refs.OID
	seq    int64
	id     ID
	offset int64 // offset after the end line
}

// noCommit is written in an end line of a batch without a commit.
const noCommit = "-"

// The end of the file is searched for an end line: first a small part, which is nearly always enough, then eight times
// as much, and so on, up to twice the longest batch.
const (
	endWindow     = 32 << 10
	lastEndWindow = 2 * maxBatch
)

func (e flatEnd) line(length int) string {
	commit := noCommit
	if !e.commit.IsZero() {
		commit = e.commit.String()
	}
	body := fmt.Sprintf("#%s %d %s %d", commit, e.seq, e.id, length)
	return body + " " + checkSum(body) + "\n"
}

func parseEnd(line string) (end flatEnd, length int, ok bool) {
	space := strings.LastIndexByte(line, ' ')
	if space < 0 || !strings.HasPrefix(line, "#") || checkSum(line[:space]) != line[space+1:] {
		return end, 0, false
	}
	fields := strings.Split(line[1:space], " ")
	if len(fields) != 4 {
		return end, 0, false
	}
	var commit refs.OID
	if fields[0] != noCommit {
		var err error
		if commit, err = refs.ParseOID(fields[0]); err != nil {
			return end, 0, false
		}
	}
	seq, seqErr := strconv.ParseInt(fields[1], 10, 64)
	length, lenErr := strconv.Atoi(fields[3])
	id, idErr := ParseID(fields[2])
	if seqErr != nil || lenErr != nil || idErr != nil || seq < 1 || length < 1 {
		return end, 0, false
	}
	return flatEnd{commit: commit, seq: seq, id: id}, length, true
}

// `in` returns the end with the commit that includes it.
func (e flatEnd) in(commit refs.OID) flatEnd {
	e.commit = commit
	return e
}

// writeMark notes an end in a build of a file: the generation, and an end line with the offset.
func writeMark(path, gen string, end flatEnd) error {
	return refs.WriteFileAtomic(path, []byte(gen+" "+end.line(int(end.offset))), 0o666)
}

// readMark reads what writeMark wrote; nothing from any other file.
func readMark(path string) (gen string, end flatEnd) {
	text, err := refs.ReadFile(path)
	gen, line, _ := strings.Cut(string(text), " ")
	end, offset, ok := parseEnd(strings.TrimSuffix(line, "\n"))
	if err != nil || !ok {
		return "", flatEnd{}
	}
	end.offset = int64(offset)
	return gen, end
}

// foundBatch is the last batch before an offset.
type foundBatch struct {
	end   flatEnd
	begin int64
	text  []byte // its events
	last  Event
}

// readEnds reads the generation from the beginning of a copy and finds its last whole batch, which it checks.
func readEnds(f *os.File, header string) (gen string, b foundBatch, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", b, 0, err
	}
	size = info.Size()
	head := make([]byte, len(header)+17)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), head); err != nil {
		return "", b, size, errNoEnd
	}
	gen = strings.TrimSuffix(string(head[len(header):]), "\n")
	if string(head[:len(header)]) != header || checkWriter(gen) != nil {
		return "", b, size, errNoEnd
	}
	b, err = batchBefore(f, int64(len(head)), size)
	return gen, b, size, err
}

// batchBefore finds the last whole batch between the first line of a file and an offset.
func batchBefore(f io.ReaderAt, first, to int64) (b foundBatch, err error) {
	for reach := int64(endWindow); ; reach = min(8*reach, lastEndWindow) {
		start := max(first, to-reach)
		window := make([]byte, to-start)
		if _, err := f.ReadAt(window, start); err != nil && !errors.Is(err, io.EOF) {
			return b, err
		}
		if b, err = batchIn(window, start, first); err == nil || start == first || reach == lastEndWindow {
			return b, err
		}
	}
}

// batchIn searches backwards for an end line whose batch is complete.
func batchIn(window []byte, start, first int64) (b foundBatch, err error) {
	for {
		feed := bytes.LastIndexByte(window, '\n')
		if feed < 0 {
			break
		}
		from := bytes.LastIndexByte(window[:feed], '\n') + 1
		end, length, ok := parseEnd(string(window[from:feed]))
		if !ok {
			window = window[:feed]
			continue
		}
		if end.offset = start + int64(feed) + 1; from < length {
			return b, errNoEnd
		}
		b = foundBatch{end: end, begin: start + int64(from-length), text: window[from-length : from]}
		line, ok := bytes.CutSuffix(b.text, newline)
		b.last, err = DecodeChecked(line[bytes.LastIndexByte(line, '\n')+1:])
		if !ok || err != nil || b.last.Seq != end.seq || b.last.ID != end.id {
			return foundBatch{}, errNoEnd
		}
		return b, nil
	}
	if start == first {
		return foundBatch{end: flatEnd{offset: first}}, nil
	}
	return b, errNoEnd
}

// newGeneration returns a random name for a new build of a file.
func newGeneration() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand
	return hex.EncodeToString(raw[:])
}
