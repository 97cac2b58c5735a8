package gitblame

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// decodeKept is the reverse of encodeKept.
func decodeKept(raw []byte) (*kept, error) {
	body := len(raw) - 4
	if body < len(cacheMagic) || string(raw[:len(cacheMagic)]) != cacheMagic ||
		crc32.ChecksumIEEE(raw[:body]) != binary.BigEndian.Uint32(raw[body:]) {
		return nil, errCacheFile
	}
	d := &decoder{Reader: codec.Reader{In: string(raw[len(cacheMagic):body])}}
	d.readTexts()
	k := &kept{path: d.text()}
	copy(k.context[:], d.Take(uint64(len(k.context))))
	copy(k.attributes[:], d.Take(uint64(len(k.attributes))))
	k.filtered = d.int()&flagFiltered != 0
	d.size = d.int()
	if d.size != refs.SHA1.Size() && d.size != refs.SHA256.Size() {
		return nil, errCacheFile
	}
	commits := make([]Commit, d.count(d.size+leastCommit))
	for i := range commits {
		d.commit(&commits[i])
	}
	sources := make([]source, d.count(d.size+leastSource))
	for i := range sources {
		s := &sources[i]
		if at := d.int(); at < len(commits) {
			s.commit = &commits[at]
		} else {
			return nil, errCacheFile
		}
		s.path = d.text()
		s.previous = Origin{Commit: d.oid(), Path: d.text()}
		if s.previous.Commit.IsZero() {
			s.previous.Commit = refs.OID{}
		}
	}
	for range d.count(1) {
		a := d.answer(sources)
		if d.Failed {
			break
		}
		k.answers = append(k.answers, a)
	}
	if d.End() != nil {
		return nil, errCacheFile
	}
	return k, nil
}

// The minimum sizes of a commit and of a source, without object ids. They bound the sizes of tables that a file can ask
// for.
const (
	leastCommit = 10
	leastSource = 3
)

// maxLine is the greatest line number that is accepted.
const maxLine = 1<<31 - 1

// decoder reads the tables and the indexes into them.
type decoder struct {
	codec.Reader
	texts []string
	size  int
}

func (d *decoder) int() int {
	n := d.Uvarint()
	if n > maxLine {
		d.Fail()
		return 0
	}
	return int(n)
}

// count reads the number of items. The parameter `least` is the smallest size of an item in bytes.
func (d *decoder) count(least int) int {
	n := d.int()
	if n > len(d.In)/least {
		d.Fail()
		return 0
	}
	return n
}

// readTexts reads all texts as slices of one string.
func (d *decoder) readTexts() {
	lengths := make([]int, d.count(1))
	total := 0
	for i := range lengths {
		lengths[i] = d.int()
		total += lengths[i]
	}
	all := d.Take(uint64(total))
	if d.Failed {
		return
	}
	d.texts = make([]string, len(lengths))
	for i, n := range lengths {
		d.texts[i], all = all[:n], all[n:]
	}
}

func (d *decoder) text() string {
	at := d.int()
	if at >= len(d.texts) {
		d.Fail()
		return ""
	}
	return d.texts[at]
}

// oid reads an id. Zeros are git's zero id, which means "no commit".
func (d *decoder) oid() refs.OID {
	id, err := refs.OIDFromBytes([]byte(d.Take(uint64(d.size))))
	if err != nil {
		d.Fail()
	}
	return id
}

func (d *decoder) person(p *Person) {
	p.Name, p.Mail = d.text(), d.text()
	p.Time, p.TZ = d.Varint(), d.text()
}

func (d *decoder) commit(c *Commit) {
	c.ID = d.oid()
	c.Boundary = d.int()&flagBoundary != 0
	d.person(&c.Author)
	d.person(&c.Committer)
	c.Summary = d.text()
}

func (d *decoder) answer(sources []source) *answer {
	a := &answer{pending: d.int()&flagPending != 0}
	for range d.count(max(d.size, 1)) {
		a.commits = append(a.commits, d.oid())
	}
	a.content = d.oid()
	a.runs = make([]run, d.count(3))
	lines := 0
	for i := range a.runs {
		at := d.int()
		r := run{line: d.int(), count: d.int()}
		if at >= len(sources) || r.line < 1 || r.count < 1 || r.count > maxLine-r.line ||
			lines > maxLine-r.count {
			d.Fail()
			return a
		}
		r.from = &sources[at]
		lines += r.count
		a.runs[i] = r
	}
	if len(a.commits) == 0 {
		d.Fail()
	}
	return a
}
