package trails

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// retold follows lines that got another owner through the later contents of a path. A line is known there by its
// owner and its text: a run took some lines of a patch, and the others stay. So a rebuild can repeat it from the
// log alone.
type retold struct {
	known *ledger.Known
	blob  func(refs.OID) ([]byte, error)
	lines map[refs.OID][][]byte
}

// retoldRun says that lines of a content of a path, counted from 0, are another's than was said.
type retoldRun struct {
	path       string
	after      refs.OID
	start, end int
	from, to   vector.Owner
	// took has, for each text of the earlier owner in the content, whether the run took the line, in order.
	took map[string][]bool
}

// of returns the lines of a content; none if it is gone.
func (r *retold) of(blob refs.OID) ([][]byte, error) {
	if lines, read := r.lines[blob]; read {
		return lines, nil
	}
	t, err := readText(r.blob, blob)
	if err != nil {
		return nil, err
	}
	r.lines[blob] = t.lines
	return t.lines, nil
}

func (r *retold) run(path string, after refs.OID, start, end int, from, to vector.Owner) (retoldRun, error) {
	run := retoldRun{path: path, after: after, start: start, end: end, from: from, to: to, took: map[string][]bool{}}
	lines, err := r.of(after)
	if err != nil {
		return run, err
	}
	v, _ := r.known.Get(path, after)
	for line, text := range lines {
		if run.is(v.At(line)) {
			key := string(linediff.StripSpace(text))
			run.took[key] = append(run.took[key], line >= start && line < end)
		}
	}
	return run, nil
}

// is reports whether an owner is the one that the lines were said to be of.
func (r *retoldRun) is(o vector.Owner) bool { return o.Kind == r.from.Kind && o.Patch == r.from.Patch }

// apply gives the lines of a run to their new owner in all contents of some paths.
func (r *retold) apply(run retoldRun, paths []string) error {
	for _, path := range paths {
		since := run.from.Patch != "" // lines that nobody knew are known by their text from then on
		err := r.known.Revise(path, func(blob refs.OID, v vector.Vector) vector.Vector {
			since = since || path == run.path && blob == run.after
			if !since || !slices.ContainsFunc(v.Runs(), func(x vector.Run) bool { return run.is(x.Owner) }) {
				return v
			}
			lines, err := r.of(blob)
			if err != nil || len(lines) != v.Len() {
				return v // its content is gone
			}
			return run.over(blob, v, lines)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// over returns a content's vector with the lines of the run in other hands.
func (r *retoldRun) over(blob refs.OID, v vector.Vector, lines [][]byte) vector.Vector {
	var b vector.Builder
	seen := map[string]int{}
	for line, text := range lines {
		o := v.At(line)
		if !r.is(o) {
			b.Add(o, 1)
			continue
		}
		key := string(linediff.StripSpace(text))
		took, n := r.took[key], seen[key]
		seen[key]++
		mine := line >= r.start && line < r.end
		if blob != r.after {
			mine = len(took) > 0 && took[min(n, len(took)-1)] && (o.Patch != "" || len(key) >= origin.Specific)
		}
		if mine {
			o.Kind, o.Patch = r.to.Kind, r.to.Patch
		}
		if o.Kind == events.OwnerUnknown {
			o = vector.Unknown
		}
		b.Add(o, 1)
	}
	return b.Vector()
}
