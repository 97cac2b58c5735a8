package refs

import (
	"context"
	"fmt"
	"strings"
)

// NamedRef is a ref with the object that it names.
type NamedRef struct {
	Name string
	OID  OID
}

// RefsUnder lists the refs whose names begin with a prefix with a slash at its end, sorted by name. Where there is no
// such ref it starts no process, as far as files can tell that.
func (r *Repo) RefsUnder(ctx context.Context, prefix string) ([]NamedRef, error) {
	if !r.MayHaveRefs(prefix) {
		return nil, nil
	}
	out, err := r.Git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var list []NamedRef
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, err := ParseOID(id)
		if err != nil {
			return nil, fmt.Errorf("list refs: %s: %w", name, err)
		}
		list = append(list, NamedRef{name, oid})
	}
	return list, nil
}
