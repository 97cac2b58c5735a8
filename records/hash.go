package records

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/records/rawjson"
)

// outsideHash lists the members that the content hash does not cover: the hash itself, the id, which was random in
// early versions of the schema, and a summary that existed between 0.3 and 0.4.
var outsideHash = []string{"content_hash", "trace_id", "intent"}

// ContentHash returns the content hash of a record's JSON: the hex SHA-256 of the members that are present, in the form
// of Python's json.dumps with sorted keys. It works for every version of the schema.
func ContentHash(raw []byte) (string, error) {
	return contentHash(raw, nil)
}

// contentHash hashes a record whose steps may be stored elsewhere.
func contentHash(raw []byte, steps func(yield func(raw []byte) error) error) (string, error) {
	members, err := topMembers(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	buf := []byte("{")
	for i, m := range members {
		if i > 0 {
			buf = append(buf, ", "...)
		}
		buf = append(append(append(buf, '"'), m.name...), `": `...)
		each := steps
		if m.name == "steps" && each == nil && len(m.value) > manySteps {
			each = elements(m.value)
		}
		if m.name == "steps" && each != nil {
			buf = append(buf, '[')
			first := true
			err = canonical(each, func(step []byte) {
				if !first {
					buf = append(buf, ", "...)
				}
				first = false
				_, _ = sum.Write(buf) // a hash never returns an error
				_, _ = sum.Write(step)
				buf = buf[:0]
			})
			buf = append(buf, ']')
		} else {
			buf, err = rawjson.AppendCanonical(buf, m.value)
		}
		if err != nil {
			return "", fmt.Errorf("hash record: %w", err)
		}
		_, _ = sum.Write(buf)
		buf = buf[:0]
	}
	_, _ = sum.Write(append(buf, '}'))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// manySteps is the size of the steps, in bytes, from which all processors compute their canonical form. Smaller records
// are usually processed in parallel with each other.
const manySteps = 1 << 20

// elements yields the elements of a JSON array; it is nil for another value.
func elements(raw []byte) func(yield func(raw []byte) error) error {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Array {
		return nil
	}
	return func(yield func(raw []byte) error) error {
		for d.OpenArray(); d.Element(); {
			if err := yield(d.Raw()); err != nil {
				return err
			}
		}
		return d.Err()
	}
}

type topMember struct {
	name  string
	value []byte
}

// topMembers lists the top-level members that the hash covers, in canonical order.
func topMembers(raw []byte) ([]topMember, error) {
	var members []topMember
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object {
		return nil, fmt.Errorf("hash record: %w", ErrNotRecord)
	}
	for d.Open(); d.Member(); {
		name := string(d.Key())
		if slices.Contains(outsideHash, name) {
			continue
		}
		if quoted := rawjson.AppendString(nil, name); len(quoted) != len(name)+2 {
			return nil, fmt.Errorf("hash record: %w: member %.40q", ErrNotRecord, name)
		}
		members = slices.DeleteFunc(members, func(m topMember) bool { return m.name == name })
		members = append(members, topMember{name, d.Raw()})
	}
	if d.Err() != nil {
		return nil, fmt.Errorf("hash record: %w", d.Err())
	}
	slices.SortFunc(members, func(a, b topMember) int { return cmp.Compare(a.name, b.name) })
	return members, nil
}

// HashHolds reports whether the content hash of a record is right; `raw` is the record's JSON. The hash may cover the
// JSON as it is or, if the writer left out members with default values, the complete record.
func (r *Record) HashHolds(raw []byte) (bool, error) {
	if r.ContentHash == nil {
		return false, nil
	}
	carried := *r.ContentHash
	own, err := ContentHash(raw)
	if err != nil || own == carried {
		return err == nil, err
	}
	whole := *r
	if _, err = Encode(&whole); err != nil {
		return false, err
	}
	return *whole.ContentHash == carried, nil
}
