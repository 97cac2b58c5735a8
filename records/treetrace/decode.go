package treetrace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Bounds of a file that is read.
const (
	maxFile  = 256 << 20 // bytes
	maxNodes = 200_000
)

// ErrTooLarge reports a file beyond the bounds.
var ErrTooLarge = errors.New("the file is too large")

// ErrNotTreeTrace reports JSON that is not a TreeTrace document.
var ErrNotTreeTrace = errors.New("not a TreeTrace document")

// Decode reads tree.json of version 0.2 or later. Members that it does not know are dropped, arrays that are absent are
// empty. A document without nodes, nodes without an id or a session, and a parent that is not there are refused.
func Decode(raw []byte) (*Document, error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	walk := rawjson.NewDecoder(raw)
	walk.Skip() // before encoding/json sees it: the depth is limited
	fault := errors.Unwrap(walk.Err())
	if fault == nil && len(bytes.TrimSpace(walk.Rest())) > 0 {
		fault = rawjson.ErrSyntax
	}
	if fault != nil {
		line := 1 + bytes.Count(raw[:walk.Pos()], []byte("\n"))
		return nil, fmt.Errorf("decode treetrace: line %d, byte %d: %w", line, walk.Pos(), fault)
	}
	var has struct {
		Nodes         *json.RawMessage `json:"nodes"`
		SchemaVersion string           `json:"schemaVersion"`
	}
	d := &Document{}
	if err := errors.Join(json.Unmarshal(raw, &has), json.Unmarshal(raw, d)); err != nil {
		return nil, fmt.Errorf("decode treetrace: %w", err)
	}
	if has.Nodes == nil || has.SchemaVersion == "" {
		return nil, fmt.Errorf("decode treetrace: %w: no schemaVersion or no nodes", ErrNotTreeTrace)
	}
	return d, d.check()
}

func (d *Document) check() error {
	if len(d.Nodes) > maxNodes {
		return fmt.Errorf("decode treetrace: %w: %d nodes", ErrTooLarge, len(d.Nodes))
	}
	seen := make(map[string]bool, len(d.Nodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		switch {
		case n.ID == "" || seen[n.ID]:
			return fmt.Errorf("decode treetrace: %w: node %d has no id of its own", ErrNotTreeTrace, i+1)
		case n.Session == "":
			return fmt.Errorf("decode treetrace: %w: node %d has no session", ErrNotTreeTrace, i+1)
		case n.ParentID != nil && !seen[*n.ParentID]:
			return fmt.Errorf("decode treetrace: %w: the parent of node %d does not stand before it", ErrNotTreeTrace, i+1)
		}
		seen[n.ID] = true
	}
	return nil
}

// readAll reads a file of at most so many bytes.
func readAll(r io.Reader, most int) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read treetrace: %w", err)
	case len(raw) > most:
		line := 1 + bytes.Count(raw[:most], []byte("\n"))
		return nil, fmt.Errorf("read treetrace: line %d, byte %d: %w", line, most, ErrTooLarge)
	}
	return raw, nil
}
