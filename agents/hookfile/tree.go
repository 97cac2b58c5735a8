package hookfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of settings files that callers check for.
var (
	ErrSyntax = errors.New("not valid JSON")
	ErrShape  = errors.New("unexpected shape")
)

// node is a JSON value with its position in the document.
type node struct {
	kind       byte // '{', '[', '"', or 0 for numbers, booleans and null
	start, end int
	from       int    // the start of its member: of the key or, in an array, of the value
	key        string // key of a member
	text       string // content of a string
	literal    any    // value of a number, boolean or null
	kids       []*node
}

// parse returns the root of the document; nil if the document has only white space and comments.
func parse(doc []byte) (*node, error) {
	doc = withoutComments(doc)
	if len(bytes.Trim(doc, " \t\r\n")) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(doc, new(json.RawMessage)); err != nil {
		return nil, syntaxError(doc, err)
	}
	p := parser{doc: doc, dec: json.NewDecoder(bytes.NewReader(doc))}
	p.dec.UseNumber() // a number may be too large for every Go type
	root, err := p.value()
	if err != nil {
		return nil, syntaxError(doc, err)
	}
	return root, nil
}

// syntaxError returns an error with the line of the fault in the document. It quotes at most one character of the
// document.
func syntaxError(doc []byte, err error) error {
	var syntax *json.SyntaxError
	line := 1 + bytes.Count(doc, []byte("\n"))
	if errors.As(err, &syntax) {
		line = 1 + bytes.Count(doc[:min(max(syntax.Offset-1, 0), int64(len(doc)))], []byte("\n"))
	}
	return fmt.Errorf("line %d: %w: %w", line, ErrSyntax, err)
}

type parser struct {
	doc []byte
	dec *json.Decoder
}

// value reads the next value of a document that is already known to be valid.
func (p *parser) value() (*node, error) {
	start := p.skip()
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{start: start, from: start}
	switch token := token.(type) {
	case json.Delim:
		n.kind = byte(token)
		err = p.members(n)
	case string:
		n.kind, n.text = '"', token
	default:
		n.literal = token
	}
	n.end = int(p.dec.InputOffset())
	return n, err
}

func (p *parser) members(parent *node) error {
	for p.dec.More() {
		from, key := p.skip(), ""
		if parent.kind == '{' {
			token, err := p.dec.Token()
			if err != nil {
				return err
			}
			key, _ = token.(string)
		}
		kid, err := p.value()
		if err != nil {
			return err
		}
		kid.from, kid.key = from, key
		parent.kids = append(parent.kids, kid)
	}
	_, err := p.dec.Token() // the closing bracket
	return err
}

// skip returns the offset of the next token, after white space and punctuation.
func (p *parser) skip() int {
	at := int(p.dec.InputOffset())
	for at < len(p.doc) && bytes.IndexByte([]byte(" \t\r\n,:"), p.doc[at]) >= 0 {
		at++
	}
	return at
}

// get returns the value of a key; nil if there is none. If a key occurs twice, the last one counts, as in JSON.parse.
func (n *node) get(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].key == key {
			return n.kids[i]
		}
	}
	return nil
}
