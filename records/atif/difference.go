package atif

import (
	"bufio"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `lacks` returns the difference from the made document to another one, without members that the format lacks. It
// compares step by step, so that the made document is never whole in memory.
func (made *made) lacks(raw []byte) *rawjson.Difference {
	d := &rawjson.Difference{}
	_, wanted, _ := rawjson.Parts(raw)
	wanted = slices.DeleteFunc(wanted, func(m rawjson.Part) bool { return !slices.Contains(documentMembers, m.Name) })
	for _, m := range wanted {
		value, found := rawjson.Find(made.members, m.Name)
		switch m.Name {
		case "steps":
			inner, whole := made.lacksSteps(m.Value)
			if whole {
				d.Put(m.Name, knownSteps(m.Value))
			} else if inner != nil {
				d.Within(m.Name, inner)
			}
		case "subagent_trajectories":
			d.Member(m.Name, value, onlyKnownEach(m.Value), found)
		default:
			d.Member(m.Name, value, m.Value, found)
		}
	}
	for _, m := range made.members {
		if _, found := rawjson.Find(wanted, m.Name); !found {
			d.Drop = append(d.Drop, m.Name)
		}
	}
	return d.OrNone()
}

// lacksSteps returns the difference between the steps. It compares several steps in parallel.
func (made *made) lacksSteps(wanted []byte) (d *rawjson.Difference, whole bool) {
	var steps [][]byte
	walk := rawjson.NewDecoder(wanted)
	for walk.OpenArray(); walk.Element(); {
		steps = append(steps, walk.Raw())
	}
	if len(steps) != made.steps {
		return nil, true
	}
	parts := make([]rawjson.Difference, runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for n := range parts {
		work.Go(fault.In(func() {
			for place := n; place < len(steps); place += len(parts) {
				parts[n].Member(strconv.Itoa(place), made.step(place), knownStep(steps[place]), true)
			}
		}))
	}
	work.Wait()
	d = &rawjson.Difference{}
	for _, part := range parts {
		for name, value := range part.Set {
			d.Put(name, value)
		}
		for name, inner := range part.In {
			d.Within(name, inner)
		}
	}
	return d.OrNone(), false
}

// onlyKnown returns a document without members that the format lacks.
func onlyKnown(raw []byte) []byte {
	_, list, _ := rawjson.Parts(raw)
	var o rawjson.Members
	for _, m := range list {
		switch {
		case m.Name == "steps":
			o.Raw(m.Name, knownSteps(m.Value))
		case m.Name == "subagent_trajectories":
			o.Raw(m.Name, onlyKnownEach(m.Value))
		case slices.Contains(documentMembers, m.Name):
			o.Raw(m.Name, m.Value)
		}
	}
	return o.End()
}

func onlyKnownEach(raw []byte) []byte {
	_, subs, _ := rawjson.Parts(raw)
	all := make([][]byte, len(subs))
	for i := range subs {
		all[i] = onlyKnown(subs[i].Value)
	}
	return array(all)
}

func knownSteps(raw []byte) []byte {
	_, steps, _ := rawjson.Parts(raw)
	out := make([][]byte, len(steps))
	for i := range steps {
		out[i] = knownStep(steps[i].Value)
	}
	return array(out)
}

func knownStep(raw []byte) []byte {
	_, list, _ := rawjson.Parts(raw)
	if !slices.ContainsFunc(list, func(m rawjson.Part) bool { return !slices.Contains(stepMembers, m.Name) }) {
		return raw
	}
	var o rawjson.Members
	for _, m := range list {
		if slices.Contains(stepMembers, m.Name) {
			o.Raw(m.Name, m.Value)
		}
	}
	return o.End()
}

// writeAs writes the made document with the difference applied, step by step.
func writeAs(w *bufio.Writer, d *rawjson.Difference, made *made) {
	if d == nil {
		d = &rawjson.Difference{}
	}
	before := byte('{') // errors are kept and returned by Flush
	name := func(name string) {
		_ = w.WriteByte(before)
		_, _ = w.Write(append(rawjson.AppendString(nil, name), ':'))
		before = ','
	}
	list := slices.Clone(made.members)
	for _, name := range slices.Sorted(maps.Keys(d.Set)) {
		if _, found := rawjson.Find(list, name); !found {
			list = append(list, rawjson.Part{Name: name})
		}
	}
	for _, m := range list {
		value, set := d.Set[m.Name]
		switch {
		case slices.Contains(d.Drop, m.Name):
		case set:
			name(m.Name)
			_, _ = w.Write(value)
		case m.Name == "steps":
			name(m.Name)
			writeSteps(w, d.In[m.Name], made)
		default:
			name(m.Name)
			_, _ = w.Write(d.In[m.Name].Apply(m.Value))
		}
	}
	if before == '{' {
		_ = w.WriteByte('{')
	}
	_ = w.WriteByte('}')
}

func writeSteps(w *bufio.Writer, d *rawjson.Difference, made *made) {
	if d == nil {
		d = &rawjson.Difference{}
	}
	_ = w.WriteByte('[')
	for place := range made.steps {
		if place > 0 {
			_ = w.WriteByte(',')
		}
		name := strconv.Itoa(place)
		value, set := d.Set[name]
		if !set {
			value = d.In[name].Apply(made.step(place))
		}
		_, _ = w.Write(value)
	}
	_ = w.WriteByte(']')
}
