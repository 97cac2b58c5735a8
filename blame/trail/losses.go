package trail

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

// remover is a commit that removed lines.
type remover struct {
	id      refs.OID // zero if the loss is uncommitted
	author  string
	reverts refs.OID
}

// losses finds the commits that removed lines which are neither alive nor replaced.
func (l *looker) losses() error {
	gone := l.tr.Lines - l.now.Alive - lost(l.now.Changed)
	if gone <= 0 || l.reshaped {
		return nil
	}
	end, err := l.end()
	if err != nil || end.IsZero() {
		return err
	}
	steps, err := l.stepsWithin(end)
	if err != nil {
		return err
	}
	if l.brief && !l.takenBack(steps, end) {
		l.lostToSomebody(steps, gone)
		return nil
	}
	by := map[remover]int{}
	found := 0
	for _, step := range steps {
		for _, run := range step.Runs {
			for line := run.Start; line < run.Start+run.Count && found < gone; line++ {
				if l.alive[credit{step.Commit, run.Path, line}] {
					continue
				}
				who, ok, err := l.remover(step.Commit, end, run.Path, line)
				if err != nil {
					return err
				}
				if ok && !l.holds(who.id) {
					by[who]++
					found++
				}
			}
		}
	}
	for who, n := range by {
		loss := Loss{Lines: n, Commit: who.id, Author: who.author}
		if l.holds(who.reverts) {
			l.now.Reverted = append(l.now.Reverted, loss)
		} else {
			l.now.Lost = append(l.now.Lost, loss)
		}
	}
	for _, list := range [][]Loss{l.now.Reverted, l.now.Lost} {
		slices.SortFunc(list, func(a, b Loss) int {
			return cmp.Or(cmp.Compare(b.Lines, a.Lines), a.Commit.Compare(b.Commit))
		})
	}
	l.dropped(gone - found)
	return nil
}

// `dropped` counts lines that were removed before any commit.
func (l *looker) dropped(lines int) {
	l.now.Dropped = max(lines, 0)
	if len(l.tr.Steps) > 0 {
		l.now.Dropped = min(l.now.Dropped, max(l.tr.Lines-mostLines(l.tr.Steps), 0))
	}
}

// mostLines returns the largest number of lines of any step.
func mostLines(steps []Step) int {
	held := 0
	for i := range steps {
		held = max(held, steps[i].Lines())
	}
	return held
}

// stepsWithin returns the steps whose commits are the end of the search, or ancestors of it.
func (l *looker) stepsWithin(end refs.OID) ([]Step, error) {
	var out []Step
	for _, step := range l.tr.Steps {
		within, err := l.isWithin(step.Commit, end)
		if err != nil {
			return nil, err
		}
		if within {
			out = append(out, step)
		}
	}
	return out, nil
}

// takenBack reports whether a later commit reverts, or may revert, one of the steps.
func (l *looker) takenBack(steps []Step, end refs.OID) bool {
	d := l.descents[end]
	return d != nil && (d.broken || slices.ContainsFunc(steps, func(s Step) bool {
		return d.reverted[s.Commit] || d.reverted[s.From]
	}))
}

// lostToSomebody counts the lost committed lines, without a search for the commits that removed them. It skips missing
// contents.
func (l *looker) lostToSomebody(steps []Step, gone int) {
	held := 0
	for i := range steps {
		here := 0
		for _, run := range steps[i].Runs {
			blob, _, err := l.objects.Resolve(steps[i].Commit.String() + ":" + run.Path)
			if err == nil && l.objects.MayBeStored(blob) {
				here += run.Count
			}
		}
		held = max(held, here)
	}
	taken := max(min(gone, held-l.now.Alive-lost(l.now.Changed)), 0)
	if taken > 0 {
		l.now.Lost = []Loss{{Lines: taken}}
	}
	l.dropped(gone - taken)
}

// end returns the commit at which the search ends.
func (l *looker) end() (refs.OID, error) {
	if l.ref == "" {
		head, _, err := l.repo.Head()
		return head, err
	}
	oid, _, err := l.objects.Resolve(l.ref + "^{commit}")
	return oid, err
}

// `holds` reports whether a commit belongs to the trail: in such a commit the patch itself moved or reformatted its
// lines.
func (l *looker) holds(commit refs.OID) bool {
	return !commit.IsZero() &&
		slices.ContainsFunc(l.tr.Steps, func(s Step) bool { return s.Commit == commit || s.From == commit })
}

// remover finds the commit that removed a line. `ok` is false if git still finds the line, or cannot answer.
func (l *looker) remover(commit, end refs.OID, path string, line int) (who remover, ok bool, err error) {
	last, err := l.lastSeen(commit, end, path)
	if err != nil || line > len(last) || last[line-1].IsZero() {
		return remover{}, false, err
	}
	seen := last[line-1]
	if seen == end { // HEAD has the line, the work tree does not
		return remover{}, l.ref == "" && !l.repo.Bare(), nil
	}
	key := end.String() + "\x00" + path
	if l.removers[key] == nil {
		l.removers[key] = map[refs.OID]remover{}
	}
	if who, done := l.removers[key][seen]; done {
		return who, !who.id.IsZero(), nil
	}
	who, err = l.findRemover(commit, seen, end, path, line)
	l.removers[key][seen] = who
	return who, !who.id.IsZero(), err
}

// lastSeen calls git once for each file of a commit.
func (l *looker) lastSeen(commit, end refs.OID, path string) ([]refs.OID, error) {
	key := commit.String() + end.String() + "\x00" + path
	if last, done := l.seen[key]; done {
		return last, nil
	}
	var last []refs.OID
	if commit == end { // git refuses an empty range
		raw, err := l.blob(commit, path)
		if err != nil {
			return nil, err
		}
		for range bytes.Lines(raw) {
			last = append(last, end)
		}
	} else {
		var err error
		if last, err = gitblame.LastSeen(l.ctx, l.repo, commit, end, path); err != nil {
			if l.ctx.Err() != nil {
				return nil, err
			}
			last = nil // git cannot answer for this file: shallow history, or missing object
		}
	}
	l.seen[key] = last
	return last, nil
}

func (t *Tracker) blob(commit refs.OID, path string) ([]byte, error) {
	oid, typ, err := t.objects.Resolve(commit.String() + ":" + path)
	if err != nil || typ != refs.BlobObject {
		return nil, nil //nolint:nilerr // a path that a commit does not have has no lines
	}
	return t.objects.Blob(oid)
}

// findRemover returns the child of the last commit that had a line. If that child is a merge, the removing commit may
// be on another side of the merge.
func (l *looker) findRemover(commit, seen, end refs.OID, path string, line int) (remover, error) {
	d, err := l.descentOf(end)
	if err != nil {
		return remover{}, err
	}
	child := d.child(seen)
	if child.id.IsZero() {
		return remover{}, nil
	}
	if child.merge {
		other, err := l.onOtherSide(commit, seen, child.id, path, line)
		if err != nil || !other.id.IsZero() {
			return other, err
		}
	}
	return l.describe(child.id)
}

// onOtherSide finds the newest commit that removed a line on another side of a merge. It searches the commits that the
// merge joined with the last commit that has the line.
func (l *looker) onOtherSide(commit, seen, merge refs.OID, path string, line int) (remover, error) {
	raw, err := l.blob(commit, path)
	if err != nil {
		return remover{}, err
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	if line > len(lines) {
		return remover{}, nil
	}
	wanted := append([]byte("-"), bytes.TrimRight(lines[line-1], "\r\n")...)
	const mark = "\x1e"
	out, err := l.repo.Git(l.ctx, nil, "log", "--no-merges", "--format="+mark+"%H", "-p", "-U0", "--no-color",
		"--no-ext-diff",
		"--no-textconv", merge.String(), "^"+seen.String(), "--", path)
	if err != nil {
		return remover{}, err
	}
	var at refs.OID
	for row := range bytes.Lines(out) {
		row = bytes.TrimRight(row, "\r\n")
		if id, ok := bytes.CutPrefix(row, []byte(mark)); ok {
			if at, err = refs.ParseOID(string(id)); err != nil {
				return remover{}, err
			}
		} else if bytes.Equal(row, wanted) {
			return l.describe(at)
		}
	}
	return remover{}, nil
}

func (l *looker) describe(id refs.OID) (remover, error) {
	c, err := l.objects.Commit(id)
	if err != nil {
		return remover{}, err
	}
	return remover{id: id, author: c.Author.Name, reverts: takenBack(c.Message)}, nil
}
