package trails

import (
	"bytes"
	"errors"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// explain takes out of an interval what needs no owner of its own: a content that a tool announced, and, after git
// wrote to the work tree, what git put there. Text that git restores keeps the owner it had; the same text typed anew
// does not, which is why a content seen before explains nothing unless git was at work.
func (s *step) explain(files []*file) ([]*file, error) {
	var rest []*file
	for _, f := range files {
		explained, err := s.explained(f)
		if err != nil {
			return nil, err
		}
		if !explained {
			rest = append(rest, f)
		}
	}
	return rest, nil
}

func (s *step) explained(f *file) (bool, error) {
	if want, ok := s.state.Expected[f.path]; ok && want == f.new.oid {
		delete(s.state.Expected, f.path)
		return true, nil
	}
	work := s.gitAt(f.path)
	if work.elsewhere {
		if done, err := s.fromElsewhere(f); done || err != nil {
			return done, err
		}
	}
	if !work.restored {
		done, err := s.asCommitted(f)
		if done || err != nil {
			return done, err
		}
		from, found := s.repeated(f)
		if found && from.Blob == f.new.oid {
			return true, nil
		}
		if found {
			f.from, err = s.origins(f.path, f.new.lines, []origin.Candidate{{Path: f.oldPath, Blob: f.old.oid}, from})
		}
		return false, err
	}
	if f.new.oid.IsZero() { // git deletes what another commit does not have
		gone, err := s.facts.Blob(s.base, f.path)
		return err == nil && gone.IsZero(), nil
	}
	if _, known := s.known.Get(f.path, f.new.oid); known {
		if work.doubtful && !s.inSources(f.path, f.new.oid) {
			return s.asCommitted(f)
		}
		return true, nil
	}
	if f.new.whole || f.old.whole {
		head, err := s.facts.Blob(s.base, f.path)
		return head == f.new.oid, err
	}
	return s.composed(f)
}

// asCommitted tells whether a file is again what HEAD has, though git is not known to have been at work: somebody took
// his changes back, or git did and no hook ran. To git its lines are as old as their commits. So it is with what a
// commit has that takes an earlier one back, or is one of another branch over again.
func (s *step) asCommitted(f *file) (bool, error) {
	if f.new.oid.IsZero() {
		return false, nil
	}
	if _, known := s.known.Get(f.path, f.new.oid); !known {
		return s.asNamedBefore(f)
	}
	if s.undoes() || s.redoes() {
		return true, nil
	}
	head, err := s.facts.Blob(s.base, f.path)
	return head == f.new.oid, err
}

// asNamedBefore tells whether a file that HEAD does not have is again what HEAD has under an older name of it. For
// example: git mv gave a file a new name, somebody wrote into it, and git restore brought back what the index has.
func (s *step) asNamedBefore(f *file) (bool, error) {
	names := slices.DeleteFunc(slices.Clone(s.known.Names(f.path)), func(name string) bool { return name == f.path })
	if len(names) == 0 {
		return false, nil // git is not asked
	}
	if there, err := s.facts.Blob(s.base, f.path); err != nil || !there.IsZero() {
		return false, err
	}
	for _, name := range names {
		blob, err := s.facts.Blob(s.base, name)
		if err != nil {
			return false, err
		}
		if _, known := s.known.Get(name, blob); known && blob == f.new.oid {
			return true, s.learn(f.path, f.new, []origin.Candidate{{Path: name, Blob: blob}})
		}
	}
	return false, nil
}

// composed finds the owners of what git put into a file: a merge, a stash popped onto other changes, a picked commit.
// Every line that a source has keeps the owner it has there; what is left is a change like any other. A file that is
// all git's is explained; what is new in it is nobody's here.
func (s *step) composed(f *file) (explained bool, err error) {
	head, err := s.facts.Blob(s.base, f.path)
	if err != nil {
		return false, err
	}
	more, err := s.commitSources(f.path, f.new.lines)
	if err != nil {
		return false, err
	}
	// What was there before the change is a source under the name that it had.
	near := slices.Concat([]origin.Candidate{{Path: f.oldPath, Blob: f.old.oid}}, more, s.sourcesElsewhere(f))
	made, err := s.madeByHand(s.gitAt(f.path), f.path)
	if err != nil {
		return false, err
	}
	byGit := !s.gitAt(f.path).MadeByHand(s.base, s.commit) && !made[head]
	if byGit {
		near = append(near, origin.Candidate{Path: f.path, Blob: head})
	}
	if slices.ContainsFunc(near[1:], func(n origin.Candidate) bool { return n.Blob == f.new.oid }) {
		return true, s.learn(f.path, f.new, near)
	}
	if w := s.gitAt(f.path); !w.doubtful && !made[f.new.oid] {
		if from, found := s.broughtFrom(w, f.path, f.new.oid); found {
			return true, s.learn(f.path, f.new, append(near, from))
		}
	}
	if byGit && !head.IsZero() {
		base, err := s.read(0, head)
		if err != nil {
			return false, err
		}
		if !base.whole {
			if err := s.learn(f.path, base, near); err != nil {
				return false, err
			}
			if s.stashedAway(f, base) || s.gitAt(f.path).WentOnFrom(f.oldPath, f.old.oid) ||
				nearer(f.new.lines, base.lines, f.old.lines) && !s.leftAlone(f) {
				// git put this content there first; what is written now replaced its lines, not those from before,
				// which are gone unless something speaks for them.
				near[0].Trust = origin.Faint
				f.old, f.oldPath, f.oldMode = base, f.path, f.newMode
				f.vec = s.vectorOf(f.path, base)
			}
		}
	}
	if made[f.new.oid] {
		base, picked, err := s.resumed(f)
		if err != nil {
			return false, err
		}
		if len(picked) > 0 {
			near[0].Trust = origin.Faint
			near = append(picked, near...)
			f.old, f.oldPath, f.oldMode = base, f.path, f.newMode
			f.vec = s.vectorOf(f.path, base)
		}
	}
	back, found, err := s.popped(f)
	if err != nil {
		return false, err
	}
	if found {
		near[0].Trust = origin.Faint
		f.old, f.oldPath, f.oldMode = back, f.path, f.newMode
		f.vec = s.vectorOf(f.path, back)
	}
	base := origin.Candidate{Path: f.oldPath, Blob: f.old.oid}
	f.from, err = s.origins(f.path, f.new.lines, slices.Concat([]origin.Candidate{base}, origin.AtMost(near, origin.Far)))
	f.from = markers(f.new.lines, f.from)
	return false, err
}

// markers are nobody's: git puts them around the sides of a conflict.
func markers(lines [][]byte, found []vector.Origin) []vector.Origin {
	if !slices.ContainsFunc(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte("<<<<<<< ")) }) {
		return found
	}
	var out []vector.Origin
	for _, run := range found {
		for line := run.Start; line < run.Start+run.Count; line++ {
			one := run
			one.Start, one.Count = line, 1
			if run.Source < 0 && vector.ConflictMarker(lines[line]) {
				one.Source, one.Owner = 0, vector.Unknown
			}
			out = append(out, one)
		}
	}
	return out
}

// inSources tells whether one of the commits that git may have taken a file from has the very content.
func (s *step) inSources(path string, blob refs.OID) bool {
	list, err := s.commitSources(path, nil)
	return err == nil && slices.ContainsFunc(list, func(n origin.Candidate) bool { return n.Blob == blob })
}

// leftAlone tells that git has not written a file since it was seen last, whatever it did to others.
func (s *step) leftAlone(f *file) bool {
	return f.oldPath == f.path && s.findLast() && s.last.LeftAlone(f.path)
}

// nearer tells whether a content is closer to a than to b: whether fewer characters have to be deleted and inserted. A
// counts when it is all the same. That a line stands in a says little: it may be a brace.
func nearer(lines, a, b [][]byte) bool { return distance(a, lines) <= distance(b, lines) }

// distance counts the characters of the lines that differ, white space apart, with one for the end of each.
func distance(from, to [][]byte) int {
	n := 0
	add := func(lines [][]byte) {
		for _, l := range lines {
			n += len(linediff.StripSpace(l)) + 1
		}
	}
	for _, h := range linediff.Diff(from, to, linediff.Options{Key: linediff.NoSpace}).Hunks {
		add(from[h.OldStart : h.OldStart+h.OldCount])
		add(to[h.NewStart : h.NewStart+h.NewCount])
	}
	return n
}

// learn remembers the owners of a content that git brought, as far as other contents tell them.
func (s *step) learn(path string, t text, near []origin.Candidate) error {
	if _, known := s.known.Get(path, t.oid); known {
		return nil
	}
	for _, n := range near { // the same content under another name
		if v, known := s.known.Get(n.Path, n.Blob); known && n.Blob == t.oid && v.Len() == len(t.lines) {
			return s.known.Put(path, t.oid, v)
		}
	}
	for _, name := range s.known.Names(path) {
		if v, known := s.known.Get(name, t.oid); known && v.Len() == len(t.lines) {
			return s.known.Put(path, t.oid, v)
		}
	}
	near = slices.DeleteFunc(slices.Clone(near), func(n origin.Candidate) bool { return n.Blob == t.oid })
	found, err := s.origins(path, t.lines, near)
	if err != nil {
		return err
	}
	var b vector.Builder
	for _, run := range found {
		b.Add(run.Owner, run.Count)
	}
	return s.known.Put(path, t.oid, b.Vector())
}

// missing tells whether the repository does not have an object or a revision.
func missing(err error) bool { return errors.Is(err, refs.ErrMissing) }
