package snapshot

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// metaFlags returns pointers to the boolean meta data, in the order of their bits.
func (m *meta) metaFlags() []*bool {
	s := &m.Settings
	return []*bool{
		&s.FileMode, &s.IgnoreCase, &s.Precompose, &s.AutoCRLF, &s.Sparse, &m.AttrStale, &m.Reseed, &m.Unread, &m.Rejudge,
	}
}

// `other` returns the encoded meta data without the tree, because every record of the journal has another tree. Every
// hook reads and writes this data, and encoding/json would need more time to inspect the types than everything else.
// The state of the git method uses encoding/json, because that method starts processes anyway.
func (m meta) other() ([]byte, error) {
	w := &stateWriter{out: make([]byte, 0, 2048)}
	var flags uint32
	for i, on := range m.metaFlags() {
		if *on {
			flags |= 1 << i
		}
	}
	w.u32(flags)
	s := &m.Settings
	for _, text := range []string{s.AttributesFile, s.ExcludesFile, s.Conversion, s.Unsupported, m.Env, m.AttrSum} {
		w.text(text)
	}
	w.u16(uint16(m.AttrClass))
	w.u64(uint64(m.Index.Mtime))
	w.u64(uint64(m.Index.Ctime))
	w.u64(uint64(m.Index.Size))
	w.u64(m.Index.Ino)
	w.text(m.Index.Sum)
	w.u32(uint32(len(m.Watched)))
	for i := range m.Watched {
		x := &m.Watched[i]
		w.u16(uint16(x.Role))
		w.u16(uint16(x.Class))
		w.text(x.Path)
		w.text(x.Stamp)
		w.text(x.Sum)
	}
	var git []byte
	if m.Git != nil {
		var err error
		if git, err = json.Marshal(m.Git); err != nil {
			return nil, fmt.Errorf("encode state of the git method: %w", err)
		}
	}
	w.text(string(git))
	if h := m.Heard; h.Token != "" {
		w.text(h.Token)
		w.u64(uint64(h.At))
		w.u16(uint16(map[bool]int{true: 1}[h.Relied] + map[bool]int{true: 2}[h.All]))
		w.text(strings.Join(h.Doubts, "\x00"))
		w.text(strings.Join(h.New, "\x00"))
	}
	return w.out, nil
}

func (w *stateWriter) text(s string) {
	w.u32(uint32(len(s)))
	w.out = append(w.out, s...)
}

// parseMeta is the reverse of other.
func parseMeta(in []byte, tree refs.OID) (meta, error) {
	m := meta{Tree: tree}
	r := &recordReader{in: in}
	flags := r.u32()
	for i, on := range m.metaFlags() {
		*on = flags&(1<<i) != 0
	}
	s := &m.Settings
	for _, text := range []*string{&s.AttributesFile, &s.ExcludesFile, &s.Conversion, &s.Unsupported, &m.Env, &m.AttrSum} {
		*text = r.text()
	}
	m.AttrClass = class(r.u16())
	m.Index = indexStamp{Mtime: r.i64(), Ctime: r.i64(), Size: r.i64(), Ino: uint64(r.i64())}
	m.Index.Sum = r.text()
	for n := r.u32(); n > 0 && !r.bad; n-- {
		x := watched{Role: role(r.u16()), Class: class(r.u16())}
		x.Path, x.Stamp, x.Sum = r.text(), r.text(), r.text()
		m.Watched = append(m.Watched, x)
	}
	git := r.text()
	if len(r.in) > 0 {
		m.Heard = heard{Token: r.text(), At: r.i64()}
		bits := r.u16()
		m.Heard.Relied, m.Heard.All = bits&1 != 0, bits&2 != 0
		m.Heard.Doubts, m.Heard.New = strings.Split(r.text(), "\x00"), strings.Split(r.text(), "\x00")
	}
	if r.bad || len(r.in) > 0 {
		return meta{}, fmt.Errorf("%w: meta data", errBadState)
	}
	if git == "" {
		return m, nil
	}
	m.Git = &gitState{}
	if err := json.Unmarshal([]byte(git), m.Git); err != nil {
		return meta{}, fmt.Errorf("%w: %w", errBadState, err)
	}
	return m, nil
}
