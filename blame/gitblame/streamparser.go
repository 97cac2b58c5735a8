package gitblame

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Parser reads the output of `git blame --porcelain`, `--line-porcelain` or `--incremental`. It passes on unknown
// headers without interpreting them, as git-blame(1) asks of readers.
type Parser struct {
	in          *bufio.Reader
	incremental bool
	lineNumber  int // number of the last line that was read
	long        []byte
	head        []byte // the header of the current entry
	arena       []byte
	commits     map[string]*commitState // commits by id in hex
	current     *commitState
	ignored     bool // values for the current group
	unblamable  bool
	hasPrevious bool // the current entry has a previous header
	trailer     []byte
}

// commitState holds the fields of a commit that later entries inherit: git prints them once, or once for each path.
type commitState struct {
	hex      []byte
	commit   Commit
	path     string
	previous Origin
}

// NewParser returns a parser of a stream. With the format Incremental entries end with their file name, otherwise with
// their content line.
func NewParser(r io.Reader, format Format) *Parser {
	return &Parser{
		in:          bufio.NewReaderSize(r, 64<<10),
		incremental: format == Incremental,
		commits:     map[string]*commitState{},
	}
}

// Trailer returns the bytes after the last entry: the output of --show-stats. It is complete after Next has returned
// io.EOF.
func (p *Parser) Trailer() []byte { return p.trailer }

// Next returns the next entry, or io.EOF after the last one. The bytes of an entry stay valid.
func (p *Parser) Next() (Entry, error) {
	var e Entry
	line, err := p.readLine()
	if err != nil {
		return e, err
	}
	if bytes.HasPrefix(line, []byte("num ")) {
		return e, p.readTrailer(line)
	}
	if err := p.open(&e, line); err != nil {
		return e, err
	}
	p.head, p.hasPrevious = append(p.head[:0], line...), false
	for ended := false; !ended; {
		line, err := p.readLine()
		if errors.Is(err, io.EOF) {
			return e, p.fail("ends within an entry")
		}
		if err != nil {
			return e, err
		}
		if line[0] == '\t' && !p.incremental {
			e.Text = p.keep(line)
			e.Content = e.Text[1 : len(e.Text)-1]
			break
		}
		p.head = append(p.head, line...)
		isName, err := p.header(&e, line[:len(line)-1])
		if err != nil {
			return e, err
		}
		ended = isName && p.incremental
	}
	e.Header = p.keep(p.head)
	e.Commit, e.OrigPath, e.Previous = &p.current.commit, p.current.path, p.current.previous
	e.Ignored, e.Unblamable = p.ignored, p.unblamable
	return e, nil
}

// open reads "<id> <original line> <final line>[ <lines in the group>]".
func (p *Parser) open(e *Entry, line []byte) error {
	id, rest, _ := bytes.Cut(line[:len(line)-1], []byte{' '})
	if p.current == nil || !bytes.Equal(p.current.hex, id) {
		state, ok := p.commits[string(id)]
		if !ok {
			oid, err := refs.ParseOID(string(id))
			if err != nil {
				return p.fail("bad object id")
			}
			state = &commitState{hex: bytes.Clone(id), commit: Commit{ID: oid}}
			p.commits[string(id)] = state
		}
		p.current = state
	}
	numbers, n := [3]int{}, 0
	for ; len(rest) > 0 && n < len(numbers); n++ {
		var word []byte
		word, rest, _ = bytes.Cut(rest, []byte{' '})
		if numbers[n] = lineNumber(word); numbers[n] == 0 {
			return p.fail("bad line number")
		}
	}
	if len(rest) > 0 || n < 2 || n < 3 && p.incremental {
		return p.fail("bad line numbers of an entry")
	}
	e.OrigLine, e.FinalLine, e.Count = numbers[0], numbers[1], numbers[2]
	if e.Count > 0 {
		p.ignored, p.unblamable = false, false
	}
	return nil
}

// header reads one header line, without its newline, and reports whether it is the file name.
func (p *Parser) header(e *Entry, line []byte) (bool, error) {
	key, value, _ := bytes.Cut(line, []byte{' '})
	c := &p.current.commit
	switch string(key) {
	case "author":
		setText(&c.Author.Name, value)
		e.Details = true
	case "author-mail":
		setText(&c.Author.Mail, value)
	case "author-time":
		c.Author.Time = seconds(value)
	case "author-tz":
		setText(&c.Author.TZ, value)
	case "committer":
		setText(&c.Committer.Name, value)
	case "committer-mail":
		setText(&c.Committer.Mail, value)
	case "committer-time":
		c.Committer.Time = seconds(value)
	case "committer-tz":
		setText(&c.Committer.TZ, value)
	case "summary":
		setText(&c.Summary, value)
	case "boundary":
		c.Boundary = true
	case "ignored":
		p.ignored = true
	case "unblamable":
		p.unblamable = true
	case "previous":
		return false, p.previous(value)
	case "filename":
		return true, p.filename(value)
	}
	return false, nil
}

// `previous` reads "<id> <name>"; it always comes before its file name.
func (p *Parser) previous(value []byte) error {
	id, name, _ := bytes.Cut(value, []byte{' '})
	if p.current.previous.Commit.IsZero() || p.current.previous.Commit.String() != string(id) {
		oid, err := refs.ParseOID(string(id))
		if err != nil {
			return p.fail("bad object id")
		}
		p.current.previous.Commit = oid
	}
	p.hasPrevious = true
	return p.name(&p.current.previous.Path, name)
}

// filename reads the path of the following lines. If no previous header came before, the commit created the path.
func (p *Parser) filename(value []byte) error {
	if !p.hasPrevious {
		p.current.previous = Origin{}
	}
	return p.name(&p.current.path, value)
}

func (p *Parser) name(into *string, value []byte) error {
	if len(value) == 0 || value[0] != '"' {
		setText(into, value)
		return nil
	}
	name, ok := gitdiff.Unquote(value)
	if !ok {
		return p.fail("badly quoted name")
	}
	*into = name
	return nil
}

// readTrailer reads the rest of the stream.
func (p *Parser) readTrailer(line []byte) error {
	for {
		p.trailer = append(p.trailer, line...)
		var err error
		if line, err = p.readLine(); err != nil {
			return err
		}
	}
}

// readLine returns one line with its newline, valid until the next call. It returns io.EOF only at the end of a line.
func (p *Parser) readLine() ([]byte, error) {
	line, err := p.in.ReadSlice('\n')
	p.lineNumber++
	if err == nil {
		return line, nil
	}
	p.long = p.long[:0]
	for ; errors.Is(err, bufio.ErrBufferFull); line, err = p.in.ReadSlice('\n') {
		p.long = append(p.long, line...)
	}
	p.long = append(p.long, line...)
	switch {
	case err == nil:
		return p.long, nil
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read blame stream: %w", err)
	case len(p.long) > 0:
		return nil, p.fail("ends within a line")
	}
	return nil, io.EOF
}

// `keep` copies bytes out of the read buffer. It allocates memory for many entries at once.
func (p *Parser) keep(b []byte) []byte {
	const chunk = 64 << 10
	if len(b) > cap(p.arena)-len(p.arena) {
		p.arena = make([]byte, 0, max(chunk, len(b)))
	}
	start := len(p.arena)
	p.arena = append(p.arena, b...)
	return p.arena[start:len(p.arena):len(p.arena)]
}

func (p *Parser) fail(what string) error {
	return fmt.Errorf("%w: line %d: %s", ErrStream, p.lineNumber, what)
}

// setText stores a text. It allocates nothing if the text is the same as before, as it mostly is.
func setText(into *string, value []byte) {
	if *into != string(value) {
		*into = string(value)
	}
}

// lineNumber reads a positive decimal number that fits into an int32. It returns 0 for anything else.
func lineNumber(word []byte) int {
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' || n > (1<<31-1)/10-1 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// seconds reads a time stamp, which git prints unsigned. It returns 0 for a number that is too large, as for a damaged
// commit.
func seconds(value []byte) int64 {
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' || n > (1<<63-1)/10-1 {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
