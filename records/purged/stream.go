package purged

import (
	"bufio"
	"errors"
	"io"

	"github.com/git-trace/git-trace/internal/fault"
)

// errFound stops a stream after a match.
var errFound = errors.New("found")

// chunk is the size of the pieces in which a stream is searched.
const chunk = 1 << 20

// HoldsStream does the same as Holds, for a stream: the function `give` writes the stream, and must stop with the
// writer's error. It also finds a text that is split across writes, and matches of expressions of any length.
func (s *Set) HoldsStream(give func(io.Writer) error) (bool, error) {
	if s.Empty() {
		return false, nil
	}
	found, err := Windows(s.finder.longest, func(window string) bool { return len(s.finder.find(window, true)) > 0 }, give)
	if found || err != nil {
		return found, err
	}
	for _, expression := range s.expressions {
		read, write := io.Pipe()
		ended := make(chan struct{})
		fault.Go(func() {
			_ = write.CloseWithError(give(write))
			close(ended)
		})
		in := &runes{in: bufio.NewReaderSize(read, chunk)}
		found := expression.MatchReader(in)
		_ = read.Close()
		<-ended
		if found || in.err != nil {
			return found, in.err
		}
	}
	return false, nil
}

// runes keeps the error of a reader, because regexp treats every error as the end.
type runes struct {
	in  *bufio.Reader
	err error
}

func (r *runes) ReadRune() (rune, int, error) {
	c, size, err := r.in.ReadRune()
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return c, size, err
}

// Windows passes a stream to the function `test` in pieces that overlap by the given number of bytes, until `test`
// returns true. The function `give` writes the stream.
func Windows(overlap int, test func(string) bool, give func(io.Writer) error) (bool, error) {
	w := &windows{overlap: overlap, test: test}
	if err := give(w); errors.Is(err, errFound) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return test(string(w.buffer)), nil
}

type windows struct {
	overlap int
	test    func(string) bool
	buffer  []byte
}

func (w *windows) Write(p []byte) (int, error) {
	w.buffer = append(w.buffer, p...)
	if len(w.buffer) < chunk+w.overlap {
		return len(p), nil
	}
	if w.test(string(w.buffer)) {
		return 0, errFound
	}
	w.buffer = append(w.buffer[:0], w.buffer[len(w.buffer)-w.overlap:]...)
	return len(p), nil
}
