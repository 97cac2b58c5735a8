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

// readEnds reads the generation from the beginning of a copy and finds its last whole batch, which it checks.
func readEnds(f *os.File, header string) (gen string, end flatEnd, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", end, 0, err
	}
	size = info.Size()
	head := make([]byte, len(header)+17)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), head); err != nil {
		return "", end, size, errNoEnd
	}
	gen = strings.TrimSuffix(string(head[len(header):]), "\n")
	if string(head[:len(header)]) != header || checkWriter(gen) != nil {
		return "", end, size, errNoEnd
	}
	end, err = lastEndBefore(f, int64(len(head)), size)
	return gen, end, size, err
}

// lastEndBefore finds the last whole batch after the first line of a file of the given size.
func lastEndBefore(f *os.File, first, size int64) (end flatEnd, err error) {
	for reach := int64(endWindow); ; reach = min(8*reach, lastEndWindow) {
		start := max(first, size-reach)
		window := make([]byte, size-start)
		if _, err := f.ReadAt(window, start); err != nil && !errors.Is(err, io.EOF) {
			return end, err
		}
		if end, err = lastEnd(window, start, first); err == nil || start == first || reach == lastEndWindow {
			return end, err
		}
	}
}

// lastEnd searches backwards for an end line whose batch is complete.
func lastEnd(window []byte, start, first int64) (flatEnd, error) {
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
		end.offset = start + int64(feed) + 1
		if batch := window[max(0, from-length):from]; end.offset-int64(length) < first || !endsIn(batch, end) {
			return flatEnd{}, errNoEnd
		}
		return end, nil
	}
	if start == first {
		return flatEnd{offset: first}, nil
	}
	return flatEnd{}, errNoEnd
}

// endsIn reports whether the last line of a batch is the event that its end line names.
func endsIn(batch []byte, end flatEnd) bool {
	batch, ok := bytes.CutSuffix(batch, []byte("\n"))
	if !ok {
		return false
	}
	e, err := DecodeLine(batch[bytes.LastIndexByte(batch, '\n')+1:])
	return err == nil && e.CheckID() == nil && e.Seq == end.seq && e.ID == end.id
}

// newGeneration returns a random name for a new build of a file.
func newGeneration() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand
	return hex.EncodeToString(raw[:])
}
