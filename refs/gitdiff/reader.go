package gitdiff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Reader parses git's output from beginning to end.
type Reader struct {
	in *bufio.Reader
	// Bounds; 0 means no bound.
	MaxLine    int // bytes of a line of a patch; the rest is cut off
	MaxRecords int // records of one commit
	MaxPatch   int // total bytes of all lines

	size int // total bytes of the lines read so far
}

// Errors for output that exceeds a bound.
var (
	ErrManyRecords = errors.New("more files changed than were wanted")
	ErrLongPatch   = errors.New("the patch is longer than was wanted")
)

// NewReader returns a reader of `in`.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(in, 32<<10)} }

// Each calls take after it has read the id of a commit, as with --stdin, until the end of the output.
func (r *Reader) Each(take func(commit refs.OID) error) error {
	for {
		commit, err := r.Commit()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(commit)
		}
		if err != nil {
			return err
		}
	}
}

// Commit reads the id of the next commit, as with --stdin. At the end of the output it returns [io.EOF].
func (r *Reader) Commit() (refs.OID, error) {
	if first, err := r.ahead(1); err != nil || len(first) == 0 {
		return refs.OID{}, orEOF(err)
	}
	text, err := r.field()
	if err != nil {
		return refs.OID{}, err
	}
	id, err := refs.ParseOID(string(text))
	if err != nil {
		return refs.OID{}, fmt.Errorf("%w: no commit id: %w", ErrShape, err)
	}
	return id, nil
}

// Counts parses the output of --numstat for a commit: the number of added lines of each file. It leaves out binary
// files.
func (r *Reader) Counts() (map[string]int, error) {
	added := map[string]int{}
	for {
		ahead, err := r.ahead(65)
		if err != nil || len(ahead) == 0 || startsCommit(ahead) {
			return added, err
		}
		row, err := r.field()
		if err != nil {
			return nil, err
		}
		parts := strings.SplitN(string(row), "\t", 3)
		if len(parts) < 3 {
			return nil, fmt.Errorf("%w: bad figures of a file", ErrShape)
		}
		path := parts[2]
		if path == "" { // a renamed file: the old path and the new path follow
			_, err := r.field()
			newer, failed := r.field()
			if err := errors.Join(err, failed); err != nil {
				return nil, err
			}
			path = string(newer)
		}
		if n, err := strconv.Atoi(parts[0]); err == nil && n > 0 {
			added[path] = n
		}
	}
}

func orEOF(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// startsCommit reports whether the next bytes are the id of a commit, followed by NUL as with -z.
func startsCommit(ahead []byte) bool {
	id, _, found := bytes.Cut(ahead, []byte{0})
	if !found {
		return false
	}
	_, err := refs.ParseOID(string(id))
	return err == nil
}

// `ahead` returns the next n bytes without consuming them, or fewer at the end.
func (r *Reader) ahead(n int) ([]byte, error) {
	next, err := r.in.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return next, nil
}

// field reads up to the next NUL.
func (r *Reader) field() ([]byte, error) {
	text, err := r.in.ReadBytes(0)
	if err != nil {
		return nil, cutOff(err)
	}
	return text[:len(text)-1], nil
}

// line reads a line with its line feed; the last line may have none. The result is valid until the next call.
func (r *Reader) line() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return r.whole(text, err)
	}
	long := bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		text, err = r.in.ReadSlice('\n')
		if r.MaxLine == 0 || len(long) < r.MaxLine {
			long = append(long, text...)
		}
	}
	return r.whole(long, err)
}

func (r *Reader) whole(text []byte, err error) ([]byte, error) {
	if err != nil && (len(text) == 0 || !errors.Is(err, io.EOF)) {
		return nil, cutOff(err)
	}
	if r.size += len(text); r.MaxPatch > 0 && r.size > r.MaxPatch {
		return nil, ErrLongPatch
	}
	if r.MaxLine > 0 && len(text) > r.MaxLine {
		text = text[:r.MaxLine]
	}
	return text, nil
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: cut off", ErrShape)
	}
	return err
}
