package rawjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Difference describes the change from one JSON value to another: members that are set, members that are dropped, and
// members or elements with differences inside.
type Difference struct {
	Set  map[string]json.RawMessage `json:"set,omitempty"`
	Drop []string                   `json:"drop,omitempty"`
	In   map[string]*Difference     `json:"in,omitempty"`
}

// Part is a member of an object or an element of an array. The name of an element is its index.
type Part struct {
	Name  string
	Value []byte
}

// Parts returns the parts of an object or array; `ok` is false for another value.
func Parts(raw []byte) (kind Kind, list []Part, ok bool) {
	d := NewDecoder(raw)
	switch kind = d.Kind(); kind {
	case Object:
		for d.Open(); d.Member(); {
			list = append(list, Part{string(d.Key()), d.Raw()})
		}
		list = lastOnly(list)
	case Array:
		for d.OpenArray(); d.Element(); {
			list = append(list, Part{strconv.Itoa(len(list)), d.Raw()})
		}
	default:
		return kind, nil, false
	}
	return kind, list, d.Err() == nil
}

// lastOnly keeps only the last of several members with the same name.
func lastOnly(list []Part) []Part {
	const few = 16
	seen := map[string]int{}
	if len(list) <= few {
		seen = nil
	}
	for i := 0; i < len(list); i++ {
		before, found := seen[list[i].Name]
		if seen == nil {
			before = slices.IndexFunc(list[:i], func(m Part) bool { return m.Name == list[i].Name })
			found = before >= 0
		} else if !found {
			seen[list[i].Name] = i
		}
		if found {
			list[before].Value = list[i].Value
			list = slices.Delete(list, i, i+1)
			i--
		}
	}
	return list
}

func Find(list []Part, name string) ([]byte, bool) {
	for i := range list {
		if list[i].Name == name {
			return list[i].Value, true
		}
	}
	return nil, false
}

// `Between` returns the difference from `made` to `wanted`; nil if they are equal. The result `whole` is true if the
// value can only be replaced as a whole.
func Between(made, wanted []byte) (d *Difference, whole bool) {
	if bytes.Equal(made, wanted) {
		return nil, false
	}
	kindA, a, okA := Parts(made)
	kindB, b, okB := Parts(wanted)
	if !okA || !okB || kindA != kindB || kindA == Array && len(a) != len(b) {
		return nil, !same(made, wanted)
	}
	d = &Difference{}
	for _, m := range b {
		value, found := Find(a, m.Name)
		d.Member(m.Name, value, m.Value, found)
	}
	for _, m := range a {
		if _, found := Find(b, m.Name); !found {
			d.Drop = append(d.Drop, m.Name)
		}
	}
	return d.OrNone(), false
}

// Member records the difference between a member of the made and of the wanted value, if there is one.
func (d *Difference) Member(name string, made, wanted []byte, found bool) {
	inner, whole := Between(made, wanted)
	switch {
	case !found || whole:
		d.Put(name, wanted)
	case inner != nil:
		d.Within(name, inner)
	}
}

// Within records a difference inside a member.
func (d *Difference) Within(name string, inner *Difference) {
	if d.In == nil {
		d.In = map[string]*Difference{}
	}
	d.In[name] = inner
}

// OrNone returns nil for an empty difference.
func (d *Difference) OrNone() *Difference {
	if len(d.Set)+len(d.Drop)+len(d.In) == 0 {
		return nil
	}
	return d
}

// Put records the new value of a member.
func (d *Difference) Put(name string, value []byte) {
	if d.Set == nil {
		d.Set = map[string]json.RawMessage{}
	}
	d.Set[name] = Clean(value)
}

// Clean returns a value as strict JSON; null for text that is not JSON.
func Clean(value []byte) []byte {
	clean, err := AppendClean(nil, value)
	if err != nil {
		return []byte("null")
	}
	return clean
}

func same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || NewDecoder(a).Kind() != NewDecoder(b).Kind() {
		return false
	}
	one, errA := AppendCanonical(nil, a)
	two, errB := AppendCanonical(nil, b)
	return errA == nil && errB == nil && bytes.Equal(one, two)
}

// Apply applies the difference to a value. It skips places that no longer exist, because the record may have changed.
func (d *Difference) Apply(made []byte) []byte {
	if d == nil {
		return made
	}
	kind, list, ok := Parts(made)
	if !ok {
		return made
	}
	for i := range list {
		m := &list[i]
		if value, found := d.Set[m.Name]; found {
			m.Value = value
		} else if inner := d.In[m.Name]; inner != nil {
			m.Value = inner.Apply(m.Value)
		}
	}
	if kind == Array {
		out := []byte("[")
		for i := range list {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, list[i].Value...)
		}
		return append(out, ']')
	}
	for _, name := range slices.Sorted(maps.Keys(d.Set)) {
		if _, found := Find(list, name); !found {
			list = append(list, Part{name, d.Set[name]})
		}
	}
	var o Members
	written := false
	for _, m := range list {
		if !slices.Contains(d.Drop, m.Name) {
			o.Raw(m.Name, m.Value)
			written = true
		}
	}
	if !written {
		return []byte("{}")
	}
	return o.End()
}
