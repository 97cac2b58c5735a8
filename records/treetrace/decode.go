package treetrace

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// maxNodes limits the number of nodes in a document that is read.
const maxNodes = 200_000

// The errors of a document.
var (
	ErrTooLarge     = errors.New("more nodes than a document can have")
	ErrNotTreeTrace = errors.New("not a TreeTrace document")
)

// Decode reads a tree.json of version 0.2 or later. Unknown members are dropped, and missing arrays become empty. It
// rejects a document without nodes, nodes without an id or a session, and unknown parents. If the byte is known, the
// error is a [foreign.At].
func Decode(raw []byte) (*Document, error) {
	var has struct {
		Nodes         *json.RawMessage `json:"nodes"`
		SchemaVersion string           `json:"schemaVersion"`
	}
	d := &Document{}
	err := errors.Join(json.Unmarshal(raw, &has), json.Unmarshal(raw, d))
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil, &foreign.At{Byte: int(wrong.Offset),
			Err: fmt.Errorf("%w: %s is a JSON %s", ErrNotTreeTrace, wrong.Field, wrong.Value)}
	}
	if err != nil {
		return nil, fmt.Errorf("decode treetrace: %w", err)
	}
	if has.Nodes == nil || has.SchemaVersion == "" {
		return nil, fmt.Errorf("%w: no schemaVersion or no nodes", ErrNotTreeTrace)
	}
	if node, err := d.check(); err != nil {
		return nil, &foreign.At{Byte: nodeAt(raw, node), Err: err}
	}
	return d, nil
}

// check returns the index of the first invalid node.
func (d *Document) check() (node int, err error) {
	seen := make(map[string]bool, min(len(d.Nodes), maxNodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		switch {
		case i == maxNodes:
			return i, fmt.Errorf("%w: %d", ErrTooLarge, len(d.Nodes))
		case n.ID == "" || seen[n.ID]:
			return i, fmt.Errorf("%w: node %d has no id of its own", ErrNotTreeTrace, i+1)
		case n.Session == "":
			return i, fmt.Errorf("%w: node %d has no session", ErrNotTreeTrace, i+1)
		case n.ParentID != nil && !seen[*n.ParentID]:
			return i, fmt.Errorf("%w: the parent of node %d does not stand before it", ErrNotTreeTrace, i+1)
		}
		seen[n.ID] = true
	}
	return 0, nil
}

// nodeAt returns the byte at which a node begins.
func nodeAt(raw []byte, node int) (at int) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if string(d.Key()) != "nodes" {
			continue
		}
		d.OpenArray()
		for i := 0; d.Element(); i++ {
			if d.Kind(); i == node {
				at = d.Pos()
			}
		}
	}
	return at
}
