package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// packedRefs caches the content of packed-refs (git-pack-refs(1)), and lists made from it. The file is read each time,
// and the cache is valid while the bytes are equal.
type packedRefs struct {
	mu    sync.Mutex
	known bool // the file was read at least once
	text  string
	under map[string][]NamedRef // refs by prefix
}

// mostPacked is the size of the largest file that is cached, in bytes.
const mostPacked = 8 << 20

// packedText returns the text of packed-refs.
func (r *Repo) packedText() (string, error) {
	if r.packed == nil {
		return ReadText(r.packedPath())
	}
	r.packed.mu.Lock()
	defer r.packed.mu.Unlock()
	return r.packed.read(r.packedPath())
}

func (r *Repo) packedPath() string { return filepath.Join(r.CommonDir, "packed-refs") }

func (p *packedRefs) read(path string) (string, error) {
	if p.known {
		if same, err := holds(path, p.text); same || err != nil {
			return p.text, err
		}
	}
	text, err := ReadText(path)
	if p.known = err == nil && len(text) <= mostPacked; p.known {
		p.text, p.under = text, map[string][]NamedRef{}
	} else {
		p.text, p.under = "", nil
	}
	return text, err
}

func holds(path, text string) (bool, error) {
	same, rest := true, text
	err := ReadParts(path, func(part []byte, _ int64) bool {
		if same = len(part) <= len(rest) && rest[:len(part)] == string(part); same {
			rest = rest[len(part):]
		}
		return same
	})
	return same && rest == "", err
}

// packedUnder lists the packed refs below a prefix. Callers must not change the list.
func (r *Repo) packedUnder(prefix string) ([]NamedRef, error) {
	p := r.packed
	if p == nil {
		p = new(packedRefs)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text, err := p.read(r.packedPath())
	if err != nil {
		return nil, err
	}
	if list, known := p.under[prefix]; known {
		return list, nil
	}
	list, err := parsePackedUnder(text, prefix)
	if err == nil && p.known {
		p.under[prefix] = list
	}
	return list, err
}

func parsePackedUnder(rest, prefix string) ([]NamedRef, error) {
	needle := " " + prefix
	list := make([]NamedRef, 0, strings.Count(rest, needle))
	for at := strings.Index(rest, needle); at >= 0; at = strings.Index(rest, needle) {
		id := rest[strings.LastIndexByte(rest[:at], '\n')+1 : at]
		name, behind, _ := strings.Cut(rest[at+1:], "\n")
		name, rest = strings.TrimSuffix(name, "\r"), behind
		oid, err := ParseOID(id)
		if err := errors.Join(err, checkRefName(name)); err != nil {
			return nil, err
		}
		list = append(list, NamedRef{name, oid})
	}
	return list, nil
}

// packedRef finds a name in packed-refs.
func (r *Repo) packedRef(name string) (OID, error) {
	text, err := r.packedText()
	if errors.Is(err, fs.ErrNotExist) {
		return OID{}, ErrRefMissing
	}
	if err != nil {
		return OID{}, err
	}
	return findPacked(text, name, r.Format)
}

// findPacked searches for "<id> SP <name> LF" in the text of packed-refs. The last line may have no line feed.
func findPacked(text, name string, format ObjectFormat) (OID, error) {
	needle := " " + name
	digits := 2 * format.Size()
	for at := 0; ; {
		i := strings.Index(text[at:], needle)
		if i < 0 {
			return OID{}, ErrRefMissing
		}
		start, after := at+i-digits, at+i+len(needle)
		at = after
		if after < len(text) && text[after] != '\n' && text[after] != '\r' {
			continue
		}
		if start < 0 || start > 0 && text[start-1] != '\n' {
			continue
		}
		oid, err := ParseOID(text[start : start+digits])
		if err != nil {
			return OID{}, fmt.Errorf("%w: packed-refs", ErrCorrupt)
		}
		return oid, nil
	}
}
