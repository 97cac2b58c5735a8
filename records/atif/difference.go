package atif

import (
	"bufio"
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/rawjson"
)

// difference describes the change of one JSON value into another: members that are set, members that go, and members
// or elements that differ within.
type difference struct {
	Set  map[string]json.RawMessage `json:"set,omitempty"`
	Drop []string                   `json:"drop,omitempty"`
	In   map[string]*difference     `json:"in,omitempty"`
}

// member is a member of an object or an element of an array, named by its place.
type member struct {
	name  string
	value []byte
}

// split returns the parts of a value; ok is false for one that is made of nothing.
func split(raw []byte) (kind rawjson.Kind, list []member, ok bool) {
	d := rawjson.NewDecoder(raw)
	switch kind = d.Kind(); kind {
	case rawjson.Object:
		for d.Open(); d.Member(); {
			list = append(list, member{string(d.Key()), d.Raw()})
		}
		list = lastOnly(list)
	case rawjson.Array:
		for d.OpenArray(); d.Element(); {
			list = append(list, member{strconv.Itoa(len(list)), d.Raw()})
		}
	default:
		return kind, nil, false
	}
	return kind, list, d.Err() == nil
}

// lastOnly leaves the last of the members of one name.
func lastOnly(list []member) []member {
	const few = 16
	seen := map[string]int{}
	if len(list) <= few {
		seen = nil
	}
	for i := 0; i < len(list); i++ {
		before, found := seen[list[i].name]
		if seen == nil {
			before = slices.IndexFunc(list[:i], func(m member) bool { return m.name == list[i].name })
			found = before >= 0
		} else if !found {
			seen[list[i].name] = i
		}
		if found {
			list[before].value = list[i].value
			list = slices.Delete(list, i, i+1)
			i--
		}
	}
	return list
}

func find(list []member, name string) ([]byte, bool) {
	for i := range list {
		if list[i].name == name {
			return list[i].value, true
		}
	}
	return nil, false
}

// between returns the difference that turns made into wanted; nil if they are equal. whole is true if one must replace
// the other.
func between(made, wanted []byte) (d *difference, whole bool) {
	if bytes.Equal(made, wanted) {
		return nil, false
	}
	kindA, a, okA := split(made)
	kindB, b, okB := split(wanted)
	if !okA || !okB || kindA != kindB || kindA == rawjson.Array && len(a) != len(b) {
		return nil, !same(made, wanted)
	}
	d = &difference{}
	for _, m := range b {
		value, found := find(a, m.name)
		d.member(m.name, value, m.value, found)
	}
	for _, m := range a {
		if _, found := find(b, m.name); !found {
			d.Drop = append(d.Drop, m.name)
		}
	}
	return d.orNone(), false
}

// member notes what makes a wanted member of the one that is made, if there is one.
func (d *difference) member(name string, made, wanted []byte, found bool) {
	inner, whole := between(made, wanted)
	switch {
	case !found || whole:
		d.set(name, wanted)
	case inner != nil:
		d.within(name, inner)
	}
}

func (d *difference) within(name string, inner *difference) {
	if d.In == nil {
		d.In = map[string]*difference{}
	}
	d.In[name] = inner
}

// orNone is nil for one that changes nothing.
func (d *difference) orNone() *difference {
	if len(d.Set)+len(d.Drop)+len(d.In) == 0 {
		return nil
	}
	return d
}

// lacks returns the difference that makes a document of what is made, but for the members that the format does not
// have. Both are compared step by step: neither is put together.
func (made *made) lacks(raw []byte) *difference {
	d := &difference{}
	_, wanted, _ := split(raw)
	wanted = slices.DeleteFunc(wanted, func(m member) bool { return !slices.Contains(documentMembers, m.name) })
	for _, m := range wanted {
		value, found := find(made.members, m.name)
		switch m.name {
		case "steps":
			inner, whole := made.lacksSteps(m.value)
			if whole {
				d.set(m.name, knownSteps(m.value))
			} else if inner != nil {
				d.within(m.name, inner)
			}
		case "subagent_trajectories":
			d.member(m.name, value, onlyKnownEach(m.value), found)
		default:
			d.member(m.name, value, m.value, found)
		}
	}
	for _, m := range made.members {
		if _, found := find(wanted, m.name); !found {
			d.Drop = append(d.Drop, m.name)
		}
	}
	return d.orNone()
}

// lacksSteps is between for the steps. The processors compare them.
func (made *made) lacksSteps(wanted []byte) (d *difference, whole bool) {
	var steps [][]byte
	walk := rawjson.NewDecoder(wanted)
	for walk.OpenArray(); walk.Element(); {
		steps = append(steps, walk.Raw())
	}
	if len(steps) != made.steps {
		return nil, true
	}
	parts := make([]difference, runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for n := range parts {
		work.Go(fault.In(func() {
			for place := n; place < len(steps); place += len(parts) {
				parts[n].member(strconv.Itoa(place), made.step(place), knownStep(steps[place]), true)
			}
		}))
	}
	work.Wait()
	d = &difference{}
	for _, part := range parts {
		for name, value := range part.Set {
			d.set(name, value)
		}
		for name, inner := range part.In {
			d.within(name, inner)
		}
	}
	return d.orNone(), false
}

// onlyKnown returns a document without members that the format does not have.
func onlyKnown(raw []byte) []byte {
	_, list, _ := split(raw)
	var o rawjson.Members
	for _, m := range list {
		switch {
		case m.name == "steps":
			o.Raw(m.name, knownSteps(m.value))
		case m.name == "subagent_trajectories":
			o.Raw(m.name, onlyKnownEach(m.value))
		case slices.Contains(documentMembers, m.name):
			o.Raw(m.name, m.value)
		}
	}
	return o.End()
}

func onlyKnownEach(raw []byte) []byte {
	_, subs, _ := split(raw)
	all := make([][]byte, len(subs))
	for i := range subs {
		all[i] = onlyKnown(subs[i].value)
	}
	return array(all)
}

func knownSteps(raw []byte) []byte {
	_, steps, _ := split(raw)
	out := make([][]byte, len(steps))
	for i := range steps {
		out[i] = knownStep(steps[i].value)
	}
	return array(out)
}

func knownStep(raw []byte) []byte {
	_, list, _ := split(raw)
	if !slices.ContainsFunc(list, func(m member) bool { return !slices.Contains(stepMembers, m.name) }) {
		return raw
	}
	var o rawjson.Members
	for _, m := range list {
		if slices.Contains(stepMembers, m.name) {
			o.Raw(m.name, m.value)
		}
	}
	return o.End()
}

func (d *difference) set(name string, value []byte) {
	if d.Set == nil {
		d.Set = map[string]json.RawMessage{}
	}
	d.Set[name] = rawjsonClean(value)
}

func rawjsonClean(value []byte) []byte {
	clean, err := rawjson.AppendClean(nil, value)
	if err != nil {
		return []byte("null")
	}
	return clean
}

func same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || rawjson.NewDecoder(a).Kind() != rawjson.NewDecoder(b).Kind() {
		return false
	}
	one, errA := rawjson.AppendCanonical(nil, a)
	two, errB := rawjson.AppendCanonical(nil, b)
	return errA == nil && errB == nil && bytes.Equal(one, two)
}

// apply makes of a value what the difference says. Places that are not there are passed over: somebody changed the
// record meanwhile.
func (d *difference) apply(made []byte) []byte {
	if d == nil {
		return made
	}
	kind, list, ok := split(made)
	if !ok {
		return made
	}
	for i := range list {
		m := &list[i]
		if value, found := d.Set[m.name]; found {
			m.value = value
		} else if inner := d.In[m.name]; inner != nil {
			m.value = inner.apply(m.value)
		}
	}
	if kind == rawjson.Array {
		out := []byte("[")
		for i := range list {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, list[i].value...)
		}
		return append(out, ']')
	}
	for _, name := range sortedNames(d.Set) {
		if _, found := find(list, name); !found {
			list = append(list, member{name, d.Set[name]})
		}
	}
	var o rawjson.Members
	written := false
	for _, m := range list {
		if !slices.Contains(d.Drop, m.name) {
			o.Raw(m.name, m.value)
			written = true
		}
	}
	if !written {
		return []byte("{}")
	}
	return o.End()
}

// write writes what is made as the difference says: what apply makes of it, step by step.
func (d *difference) write(w *bufio.Writer, made *made) {
	if d == nil {
		d = &difference{}
	}
	before := byte('{') // errors stay, and are given by Flush
	name := func(name string) {
		_ = w.WriteByte(before)
		_, _ = w.Write(append(rawjson.AppendString(nil, name), ':'))
		before = ','
	}
	list := slices.Clone(made.members)
	for _, name := range sortedNames(d.Set) {
		if _, found := find(list, name); !found {
			list = append(list, member{name: name})
		}
	}
	for _, m := range list {
		value, set := d.Set[m.name]
		switch {
		case slices.Contains(d.Drop, m.name):
		case set:
			name(m.name)
			_, _ = w.Write(value)
		case m.name == "steps":
			name(m.name)
			d.In[m.name].writeSteps(w, made)
		default:
			name(m.name)
			_, _ = w.Write(d.In[m.name].apply(m.value))
		}
	}
	if before == '{' {
		_ = w.WriteByte('{')
	}
	_ = w.WriteByte('}')
}

func (d *difference) writeSteps(w *bufio.Writer, made *made) {
	if d == nil {
		d = &difference{}
	}
	_ = w.WriteByte('[')
	for place := range made.steps {
		if place > 0 {
			_ = w.WriteByte(',')
		}
		name := strconv.Itoa(place)
		value, set := d.Set[name]
		if !set {
			value = d.In[name].apply(made.step(place))
		}
		_, _ = w.Write(value)
	}
	_ = w.WriteByte(']')
}

func sortedNames(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
