package refs

import (
	"errors"
	"fmt"
	"strings"
)

// configEntry is one variable of a configuration file, with its key in git's canonical case.
type configEntry struct {
	Key     string
	Value   string
	NoValue bool // the line has only a key, which means true
}

func (e configEntry) bool() bool { return e.NoValue || parseBool(e.Value, false) }

var errConfigSyntax = errors.New("bad config line")

// parseConfig parses the syntax of git-config(1), "CONFIGURATION FILE". It does not follow includes.
func parseConfig(text string) ([]configEntry, error) {
	p := &configParser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	var entries []configEntry
	section := ""
	for {
		c := p.next()
		switch {
		case c == end:
			return entries, nil
		case isSpace(c) || c == '\n':
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			name, ok := p.section()
			if !ok {
				return nil, p.fail()
			}
			section = name
		case isAlpha(c):
			e, ok := p.variable(section, c)
			if !ok {
				return nil, p.fail()
			}
			entries = append(entries, e)
		default:
			return nil, p.fail()
		}
	}
}

// `end` marks the end of the file.
const end = -1

type configParser struct {
	text string
	pos  int
	line int
}

func (p *configParser) fail() error { return fmt.Errorf("%w %d", errConfigSyntax, p.line) }

// `next` reads one byte. It reads CR LF as LF.
func (p *configParser) next() int {
	if p.pos >= len(p.text) {
		return end
	}
	c := p.text[p.pos]
	p.pos++
	if c == '\r' && p.pos < len(p.text) && p.text[p.pos] == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return int(c)
}

func (p *configParser) skipLine() {
	for c := p.next(); c != '\n' && c != end; c = p.next() {
	}
}

// section parses the text after "[": name, name.sub (old form, converted to lower case) or name "sub" (case kept).
func (p *configParser) section() (string, bool) {
	var name strings.Builder
	for {
		c := p.next()
		switch {
		case c == ']':
			return name.String(), name.Len() > 0
		case isSpace(c):
			return p.subsection(name.String())
		case isAlpha(c) || isDigit(c) || c == '-' || c == '.':
			name.WriteByte(lower(c))
		default:
			return "", false
		}
	}
}

func (p *configParser) subsection(name string) (string, bool) {
	c := p.next()
	for isSpace(c) {
		c = p.next()
	}
	if c != '"' || name == "" {
		return "", false
	}
	var sub strings.Builder
	for {
		c = p.next()
		if c == '\n' || c == end {
			return "", false
		}
		if c == '"' {
			break
		}
		if c == '\\' {
			if c = p.next(); c == '\n' || c == end {
				return "", false
			}
		}
		sub.WriteByte(byte(c))
	}
	return name + "." + sub.String(), p.next() == ']'
}

func (p *configParser) variable(section string, first int) (configEntry, bool) {
	var name strings.Builder
	c := first
	for ; isAlpha(c) || isDigit(c) || c == '-'; c = p.next() {
		name.WriteByte(lower(c))
	}
	e := configEntry{Key: name.String()}
	if section != "" { // git accepts a variable before the first section
		e.Key = section + "." + e.Key
	}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	if c == '\n' || c == end {
		e.NoValue = true
		return e, true
	}
	if c != '=' {
		return e, false
	}
	var ok bool
	e.Value, ok = p.value()
	return e, ok
}

// value parses the rest of a line: quotes, escapes, continuation lines, comments. It keeps white space inside the value
// and removes it at both ends.
func (p *configParser) value() (string, bool) {
	var out []byte
	quoted, trim := false, 0
	for {
		c := p.next()
		if c == end || c == '\n' {
			return string(out[:trim]), !quoted
		}
		if !quoted && isSpace(c) {
			if len(out) > 0 {
				out = append(out, byte(c))
			}
			continue
		}
		if !quoted && (c == '#' || c == ';') {
			p.skipLine()
			return string(out[:trim]), true
		}
		switch c {
		case '"':
			quoted = !quoted
			trim = len(out)
			continue
		case '\\':
			escaped := p.next()
			switch escaped {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
				c = escaped
			default:
				return "", false
			}
		}
		out = append(out, byte(c))
		trim = len(out)
	}
}

func isSpace(c int) bool { return c == ' ' || c == '\t' || c == '\r' }
func isDigit(c int) bool { return c >= '0' && c <= '9' }
func isAlpha(c int) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func lower(c int) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return byte(c)
}
