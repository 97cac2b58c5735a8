package vector

import (
	"slices"
	"sort"

	"github.com/git-trace/git-trace/events"
)

// Vector holds the owner of every line of one content. The zero value is the vector of a content without lines. A
// vector is immutable.
type Vector struct {
	runs []Run
}

// Run is a run of Count lines with one owner. Start is its first line, from 0.
type Run struct {
	Start, Count int
	Owner        Owner
}

// Uniform returns a vector of n lines with the same owner.
func Uniform(n int, owner Owner) Vector {
	var b Builder
	b.Add(owner, n)
	return b.Vector()
}

// Len returns the number of lines.
func (v Vector) Len() int {
	if len(v.runs) == 0 {
		return 0
	}
	last := v.runs[len(v.runs)-1]
	return last.Start + last.Count
}

// `At` returns the owner of a line, or Unknown if the vector does not have the line.
func (v Vector) At(line int) Owner {
	if line < 0 || line >= v.Len() {
		return Unknown
	}
	return v.runs[v.find(line)].Owner
}

// find returns the index of the run that contains a line.
func (v Vector) find(line int) int {
	return sort.Search(len(v.runs), func(i int) bool { return line < v.runs[i].Start+v.runs[i].Count })
}

// Runs lists the runs in order. Neighbouring runs have different owners.
func (v Vector) Runs() []Run { return slices.Clone(v.runs) }

// HasPatch reports whether a patch owns at least one line.
func (v Vector) HasPatch(id events.PatchID) bool {
	return slices.ContainsFunc(v.runs, func(r Run) bool { return r.Owner.Patch == id })
}

// Slice returns the vector of the lines `start` ≤ line < `end`. Lines that the vector does not have are Unknown.
func (v Vector) Slice(start, end int) Vector {
	var b Builder
	b.AddSlice(v, start, end)
	return b.Vector()
}

// Map returns a vector in which each owner is replaced by the result of a function.
func (v Vector) Map(owner func(Owner) Owner) Vector {
	var b Builder
	for _, r := range v.runs {
		b.Add(owner(r.Owner), r.Count)
	}
	return b.Vector()
}

// Equal reports whether both vectors give every line the same owner.
func (v Vector) Equal(other Vector) bool { return slices.Equal(v.runs, other.runs) }

// Builder builds a vector from the first line to the last. The zero value is ready for use.
type Builder struct {
	runs  []Run
	lines int
}

// Add appends n lines with one owner.
func (b *Builder) Add(owner Owner, n int) {
	if n <= 0 {
		return
	}
	owner = owner.normal()
	if last := len(b.runs) - 1; last >= 0 && b.runs[last].Owner == owner {
		b.runs[last].Count += n
	} else {
		b.runs = append(b.runs, Run{b.lines, n, owner})
	}
	b.lines += n
}

// AddSlice appends the owners of the lines `start` ≤ line < `end` of v. Lines that v does not have are Unknown.
func (b *Builder) AddSlice(v Vector, start, end int) {
	if start < 0 {
		b.Add(Unknown, min(end, 0)-start)
		start = 0
	}
	if have := v.Len(); start < have {
		for i := v.find(start); i < len(v.runs) && start < end; i++ {
			stop := min(end, v.runs[i].Start+v.runs[i].Count)
			b.Add(v.runs[i].Owner, stop-start)
			start = stop
		}
	}
	b.Add(Unknown, end-start)
}

// Len returns the number of lines added so far.
func (b *Builder) Len() int { return b.lines }

// Vector returns the vector built so far. More lines can be added afterwards, and do not change it.
func (b *Builder) Vector() Vector { return Vector{slices.Clone(b.runs)} }
