package gitblame

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/git-trace/git-trace/refs"
)

// The answers of a path are in one file: a magic word, then unsigned varints and the tables to which they refer, then a
// CRC-32 of everything before, big-endian.
//
//	texts    count, the length of each, then all texts
//	path, context, attributes, flags, size of an object id in bytes
//	commits  count, each: id, flags, author, committer, summary     (a person: name, mail, time, zone)
//	sources  count, each: commit, path, previous commit and path
//	answers  count, each: flags, commits, content, runs             (a run: source, line, count)
//
// A file that cannot be read counts as missing, because a cache can be lost.

const cacheMagic = "git-trace blame 1\n"

var errCacheFile = errors.New("not a blame cache")

// Flags in the file.
const (
	flagBoundary = 1
	flagPending  = 1
	flagFiltered = 1
)

func flag(on bool, bit byte) byte {
	if on {
		return bit
	}
	return 0
}

// encoder fills the tables while it encodes the answers. In the file the tables come first.
type encoder struct {
	texts    []string
	textAt   map[string]int
	commits  []byte
	commitAt map[*Commit]int
	sources  []byte
	sourceAt map[*source]int
	size     int
}

// encodeKept encodes the answers of a path.
func encodeKept(k *kept, format refs.ObjectFormat) []byte {
	e := &encoder{
		textAt: map[string]int{}, commitAt: map[*Commit]int{}, sourceAt: map[*source]int{}, size: format.Size(),
	}
	path := e.text(k.path)
	answers := appendInt(nil, len(k.answers))
	for _, a := range k.answers {
		answers = e.answer(answers, a)
	}
	out := appendInt(nil, len(e.texts))
	for _, text := range e.texts {
		out = appendInt(out, len(text))
	}
	for _, text := range e.texts {
		out = append(out, text...)
	}
	out = appendInt(out, path)
	out = append(append(out, k.context[:]...), k.attributes[:]...)
	out = append(out, flag(k.filtered, flagFiltered))
	out = appendInt(out, e.size)
	out = append(appendInt(out, len(e.commitAt)), e.commits...)
	out = append(appendInt(out, len(e.sourceAt)), e.sources...)
	return sealed(append(out, answers...))
}

// `sealed` adds the magic word at the beginning and the check sum at the end.
func sealed(body []byte) []byte {
	out := append([]byte(cacheMagic), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func appendInt(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(max(n, 0))) } // never negative

func (e *encoder) text(s string) int {
	at, ok := e.textAt[s]
	if !ok {
		at = len(e.texts)
		e.textAt[s], e.texts = at, append(e.texts, s)
	}
	return at
}

// oid writes an id in the size of the repository's hash. Zeros mean "no id".
func (e *encoder) oid(b []byte, id refs.OID) []byte {
	raw := id.Bytes()
	return append(append(b, raw...), make([]byte, max(0, e.size-len(raw)))...)
}

func (e *encoder) person(b []byte, p *Person) []byte {
	b = appendInt(appendInt(b, e.text(p.Name)), e.text(p.Mail))
	return appendInt(binary.AppendVarint(b, p.Time), e.text(p.TZ))
}

func (e *encoder) commit(c *Commit) int {
	at, ok := e.commitAt[c]
	if ok {
		return at
	}
	at = len(e.commitAt)
	e.commitAt[c] = at
	b := append(e.oid(e.commits, c.ID), flag(c.Boundary, flagBoundary))
	b = e.person(e.person(b, &c.Author), &c.Committer)
	e.commits = appendInt(b, e.text(c.Summary))
	return at
}

func (e *encoder) source(s *source) int {
	at, ok := e.sourceAt[s]
	if ok {
		return at
	}
	at = len(e.sourceAt)
	e.sourceAt[s] = at
	b := appendInt(appendInt(e.sources, e.commit(s.commit)), e.text(s.path))
	b = e.oid(b, s.previous.Commit)
	e.sources = appendInt(b, e.text(s.previous.Path))
	return at
}

func (e *encoder) answer(b []byte, a *answer) []byte {
	b = appendInt(append(b, flag(a.pending, flagPending)), len(a.commits))
	for _, c := range a.commits {
		b = e.oid(b, c)
	}
	b = appendInt(e.oid(b, a.content), len(a.runs))
	for _, r := range a.runs {
		b = appendInt(appendInt(appendInt(b, e.source(r.from)), r.line), r.count)
	}
	return b
}
