package gitdiff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Text is a patch in the form for people, after raw records: `git diff --raw -p` without colour.
type Text struct {
	Records  []Record
	Before   []byte // the text before the first file, such as requested statistics
	Sections []Section
}

// Section is the part of the patch for one file. Submodules, and files without relevant differences, have no section.
type Section struct {
	Record   *Record
	Head     []byte // the lines before the first hunk, unchanged
	Passages []Passage
}

// Passage is a hunk with its context.
type Passage struct {
	Hunk
	Head  []byte // the header line of the hunk
	Lines []TextLine
}

// TextLine is one line of a passage.
type TextLine struct {
	Sign     byte   // ' ', '-', '+', or '\\' for a note about the previous line
	Text     []byte // text after the sign, with the line feed
	Old, New int    // number of the line on each side; 0 if the side does not have it
}

// ErrCombined is returned for a combined diff, as during an unfinished merge.
var ErrCombined = errors.New("a patch of several versions")

// ParseText parses a patch. The parameters `oldPrefix` and `newPrefix` are the prefixes that git adds to paths. The
// result shares the bytes of `out`.
func ParseText(out []byte, oldPrefix, newPrefix string) (*Text, error) {
	t := &Text{}
	var raw []byte
	for bytes.HasPrefix(out, []byte(":")) {
		var line []byte
		var err error
		line, out = cutLine(out)
		if raw, err = appendRaw(raw, line); err != nil {
			return nil, err
		}
	}
	var err error
	if t.Records, err = Records(raw); err != nil {
		return nil, err
	}
	if len(t.Records) > 0 && bytes.HasPrefix(out, []byte("\n")) {
		out = out[1:]
	}
	p := textParser{Text: t, old: oldPrefix, new: newPrefix, rest: out}
	return t, p.parse()
}

func cutLine(text []byte) (line, rest []byte) {
	at := bytes.IndexByte(text, '\n') + 1
	if at == 0 {
		at = len(text)
	}
	return text[:at], text[at:]
}

// appendRaw converts a raw record that git wrote without -z to the form with -z, and appends it.
func appendRaw(raw, line []byte) ([]byte, error) {
	fields := bytes.Split(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
	if bytes.HasPrefix(line, []byte("::")) || bytes.HasSuffix(fields[0], []byte(" U")) {
		return nil, ErrCombined
	}
	raw = append(append(raw, fields[0]...), 0)
	for _, field := range fields[1:] {
		path, ok := Unquote(field)
		if !ok || strings.ContainsRune(path, 0) {
			return nil, fmt.Errorf("%w: bad path of a record", ErrShape)
		}
		raw = append(append(raw, path...), 0)
	}
	return raw, nil
}

// textParser is the state of the parser.
type textParser struct {
	*Text
	old, new string
	rest     []byte
	at       int // index of the current record
}

func (p *textParser) parse() error {
	start := p.rest
	var section *Section
	for len(p.rest) > 0 {
		line, rest := cutLine(p.rest)
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			record, err := p.record(line)
			if err != nil {
				return err
			}
			p.Sections = append(p.Sections, Section{Record: record})
			section, start = &p.Sections[len(p.Sections)-1], p.rest
		case bytes.HasPrefix(line, []byte("diff --c")), bytes.HasPrefix(line, []byte("* Unmerged path ")):
			return ErrCombined
		case bytes.HasPrefix(line, []byte("Submodule ")):
			p.Sections = append(p.Sections, Section{})
			section, start = &p.Sections[len(p.Sections)-1], p.rest
		case section != nil && section.Record != nil && bytes.HasPrefix(line, []byte("@@ -")):
			var err error
			if p.rest, err = section.passage(line, rest); err != nil {
				return err
			}
			continue
		case section != nil && len(section.Passages) > 0:
			return fmt.Errorf("%w: text after a hunk", ErrShape)
		}
		p.rest = rest
		head := start[:len(start)-len(rest)]
		if section == nil {
			p.Before = head
		} else {
			section.Head = head
		}
	}
	return nil
}

// record finds the record for a header line: the current one or a later one.
func (p *textParser) record(line []byte) (*Record, error) {
	names := bytes.TrimSuffix(line[len("diff --git "):], []byte("\n"))
	for i := p.at; i < len(p.Records); i++ {
		if r := &p.Records[i]; isHeader(names, p.old+r.OldPath, p.new+r.Path) {
			p.at = i
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w: a file that no record names", ErrShape)
}

// isHeader reports whether a header has the two names. Each may be quoted.
func isHeader(names []byte, old, now string) bool {
	if string(names) == old+" "+now {
		return true
	}
	for at := 0; ; at++ {
		next := bytes.IndexByte(names[at:], ' ')
		if next < 0 {
			return false
		}
		at += next
		first, ok1 := Unquote(names[:at])
		second, ok2 := Unquote(names[at+1:])
		if ok1 && ok2 && first == old && second == now {
			return true
		}
	}
}

// passage parses a hunk. It counts lines, so it never takes a line for a header.
func (s *Section) passage(head, rest []byte) ([]byte, error) {
	h, err := ParseHunk(head)
	if err != nil {
		return nil, err
	}
	p := Passage{Hunk: h, Head: head}
	old, now := h.OldStart, h.NewStart
	oldEnd, newEnd := old+h.OldCount, now+h.NewCount
	for old < oldEnd || now < newEnd || bytes.HasPrefix(rest, []byte(`\`)) {
		var line []byte
		if line, rest = cutLine(rest); len(line) == 0 {
			return nil, fmt.Errorf("%w: hunk cut short", ErrShape)
		}
		l := TextLine{Sign: line[0], Text: line[1:]}
		switch l.Sign {
		case '-':
			l.Old, old = old, old+1
		case '+':
			l.New, now = now, now+1
		case '\\':
		case '\n': // an empty context line (diff.suppressBlankEmpty)
			l = TextLine{Sign: ' ', Text: line}
			fallthrough
		case ' ':
			l.Old, l.New, old, now = old, now, old+1, now+1
		default:
			return nil, fmt.Errorf("%w: bad line of a hunk", ErrShape)
		}
		if old > oldEnd || now > newEnd {
			return nil, fmt.Errorf("%w: a hunk of more lines than it says", ErrShape)
		}
		p.Lines = append(p.Lines, l)
	}
	s.Passages = append(s.Passages, p)
	return rest, nil
}
