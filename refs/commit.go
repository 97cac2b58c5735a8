package refs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is a commit object without the headers that this project does not need (signature, encoding, merge tags).
type Commit struct {
	Tree      OID
	Parents   []OID
	Author    Signature
	Committer Signature
	Message   string
}

// Signature is a person with a time. When has the zone, and whole seconds only.
type Signature struct {
	Name  string
	Email string
	When  time.Time
}

// EncodeCommit returns the content of a commit object.
func EncodeCommit(c Commit) []byte {
	out := make([]byte, 0, 256+len(c.Message))
	out = append(append(append(out, "tree "...), c.Tree.String()...), '\n')
	for _, p := range c.Parents {
		out = append(append(append(out, "parent "...), p.String()...), '\n')
	}
	out = append(c.Author.appendTo(append(out, "author "...)), '\n')
	out = append(c.Committer.appendTo(append(out, "committer "...)), '\n')
	return append(append(out, '\n'), c.Message...)
}

func (s Signature) appendTo(out []byte) []byte {
	out = append(append(out, cleanIdent(s.Name)...), " <"...)
	out = append(append(out, cleanIdent(s.Email)...), "> "...)
	out = strconv.AppendInt(out, max(s.When.Unix(), 0), 10)
	return append(append(out, ' '), s.When.Format("-0700")...)
}

// cleanIdent removes characters that would end the field early. Git does the same for user.name and user.email.
func cleanIdent(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '<' || r == '>' || r == 0 {
			return -1
		}
		return r
	}, text))
}

// DecodeCommit parses the content of a commit object. Headers must be in git's order; unknown headers are skipped.
// Names, dates and the message may contain anything. An invalid date becomes the epoch.
func DecodeCommit(raw []byte) (Commit, error) {
	var c Commit
	value, rest, ok := cutHeader(raw, "tree")
	if !ok {
		return c, fmt.Errorf("%w: commit without a tree", ErrCorrupt)
	}
	var err error
	if c.Tree, err = ParseOID(string(value)); err != nil {
		return c, fmt.Errorf("%w: commit's tree: %w", ErrCorrupt, err)
	}
	for {
		var next []byte
		if value, next, ok = cutHeader(rest, "parent"); !ok {
			break
		}
		parent, err := ParseOID(string(value))
		if err != nil {
			return c, fmt.Errorf("%w: commit's parent: %w", ErrCorrupt, err)
		}
		c.Parents, rest = append(c.Parents, parent), next
	}
	if value, rest, ok = cutHeader(rest, "author"); !ok {
		return c, fmt.Errorf("%w: commit without an author", ErrCorrupt)
	}
	c.Author = parseSignature(value)
	if value, rest, ok = cutHeader(rest, "committer"); !ok {
		return c, fmt.Errorf("%w: commit without a committer", ErrCorrupt)
	}
	c.Committer = parseSignature(value)
	for len(rest) > 0 && rest[0] != '\n' {
		_, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			return c, nil
		}
		rest = after
	}
	if len(rest) > 0 {
		c.Message = string(rest[1:])
	}
	return c, nil
}

func cutHeader(raw []byte, key string) (value, rest []byte, ok bool) {
	raw, ok = bytes.CutPrefix(raw, []byte(key+" "))
	if !ok {
		return nil, raw, false
	}
	value, rest, ok = bytes.Cut(raw, []byte("\n"))
	return value, rest, ok
}

// parseSignature parses "Name <email> seconds zone". Like git it searches for the fields from both ends, because names
// and addresses may contain extra brackets.
func parseSignature(line []byte) Signature {
	var s Signature
	text := string(line)
	open, end := strings.IndexByte(text, '<'), strings.LastIndexByte(text, '>')
	if open < 0 || end < open {
		s.Name = strings.TrimSpace(text)
		s.When = time.Unix(0, 0).UTC()
		return s
	}
	s.Name = strings.TrimSpace(text[:open])
	s.Email = text[open+1 : end]
	s.When = parseWhen(strings.Fields(text[end+1:]))
	return s
}

func parseWhen(fields []string) time.Time {
	if len(fields) == 0 {
		return time.Unix(0, 0).UTC()
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return time.Unix(0, 0).UTC()
	}
	when := time.Unix(seconds, 0).UTC()
	if len(fields) < 2 {
		return when
	}
	zone, err := strconv.Atoi(fields[1])
	if err != nil || zone < -9999 || zone > 9999 {
		return when
	}
	offset := zone/100*3600 + zone%100*60
	if offset == 0 {
		return when
	}
	return when.In(time.FixedZone("", offset))
}
