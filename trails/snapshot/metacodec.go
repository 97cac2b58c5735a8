package snapshot

import (
	"fmt"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// `other` returns the encoded meta data without the tree, because every record of the journal has another tree.
func (m meta) other() []byte {
	m.Tree = refs.OID{}
	w := &codec.Writer{Out: make([]byte, 0, 2048)}
	codec.Value(w, &m)
	return w.Out
}

// parseMeta is the reverse of other.
func parseMeta(in []byte, tree refs.OID) (m meta, err error) {
	r := &codec.Reader{In: string(in)}
	codec.Value(r, &m)
	if r.End() != nil {
		return meta{}, fmt.Errorf("%w: meta data", errBadState)
	}
	m.Tree = tree
	return m, nil
}
