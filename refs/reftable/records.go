package reftable

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// refRecord is the record of a ref, or of its deletion, in a table.
type refRecord struct {
	Ref
	deleted bool
}

// scanRefs calls the function `each` for the refs of one table in order, beginning with the first ref whose name is not
// before `name`.
func (t *table) scanRefs(name []byte, each func(refRecord) bool) error {
	return t.scan(t.refs, name, func(key []byte, kind byte, value *reader) (bool, error) {
		r, err := t.refValue(kind, value)
		if err != nil {
			return false, err
		}
		r.Name = string(key)
		return each(r), nil
	})
}

func (t *table) refValue(kind byte, value *reader) (refRecord, error) {
	delta, err := value.varint()
	if err != nil {
		return refRecord{}, err
	}
	r := refRecord{Ref: Ref{Update: t.first + delta}}
	switch kind {
	case 0:
		r.deleted = true
	case 1:
		r.ID, err = value.bytes(uint64(t.idSize))
	case 2: // and the target of the tag
		r.ID, err = value.bytes(2 * uint64(t.idSize))
		r.ID = r.ID[:min(len(r.ID), t.idSize)]
	case 3:
		var target []byte
		target, err = value.text()
		r.Target = string(target)
	default:
		err = fmt.Errorf("%w: ref of kind %d", ErrUnsupported, kind)
	}
	return r, err
}

// Entry is one entry of a reflog (git-reflog(1)).
type Entry struct {
	Update   uint64 // number of the change; it grows with each change of the stack
	Old, New []byte // object ids; all zeros for no object
	Message  string
}

// Log lists the entries of a ref's reflog that are newer than the change `after`, oldest first. If there are more than
// `most` entries, it returns the newest ones.
func (s *Stack) Log(name string, after uint64, most int) ([]Entry, error) {
	var out []Entry
	said := map[uint64]bool{} // a newer table has the entry, or its deletion
	for _, t := range slices.Backward(s.tables) {
		prefix := append([]byte(name), 0)
		taken := 0
		err := t.scan(t.logs, prefix, func(key []byte, kind byte, value *reader) (bool, error) {
			if !bytes.HasPrefix(key, prefix) || len(key) != len(prefix)+8 {
				return false, nil
			}
			update := ^binary.BigEndian.Uint64(key[len(prefix):]) // the number is inverted, so newer entries come first
			if update <= after || taken == most {
				return false, nil
			}
			e, deleted, err := t.logValue(kind, value)
			if err != nil {
				return false, err
			}
			if !said[update] && !deleted && !(zero(e.Old) && zero(e.New)) { // two zero ids mean an empty reflog
				e.Update = update
				out = append(out, e)
				taken++
			}
			said[update] = true
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Update, b.Update) })
	return out[max(0, len(out)-most):], nil
}

func (t *table) logValue(kind byte, value *reader) (e Entry, deleted bool, err error) {
	switch kind {
	case 0:
		return Entry{}, true, nil
	case 1:
	default:
		return Entry{}, false, fmt.Errorf("%w: reflog entry of kind %d", ErrUnsupported, kind)
	}
	ids, err := value.bytes(2 * uint64(t.idSize))
	if err != nil {
		return Entry{}, false, err
	}
	e.Old, e.New = ids[:t.idSize:t.idSize], ids[t.idSize:]
	for range 2 { // the name and the address of the person
		if _, err := value.text(); err != nil {
			return Entry{}, false, err
		}
	}
	if _, err := value.varint(); err != nil { // when
		return Entry{}, false, err
	}
	if _, err := value.bytes(2); err != nil { // the time zone
		return Entry{}, false, err
	}
	message, err := value.text()
	e.Message = string(bytes.TrimRight(message, "\n"))
	return e, false, err
}

// skip reads a value that is not wanted.
func (t *table) skip(section, kind byte, value *reader) error {
	var err error
	if section == 'g' {
		_, _, err = t.logValue(kind, value)
	} else {
		_, err = t.refValue(kind, value)
	}
	return err
}

func zero(id []byte) bool {
	for _, b := range id {
		if b != 0 {
			return false
		}
	}
	return true
}
