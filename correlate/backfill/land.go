package backfill

import "slices"

// alive identifies lines of edits that a file has now, so that their removal can be followed.
type alive struct {
	group int32
	print print
}

// landed is a line of an edit that a commit has.
type landed struct {
	posting
	commit int32
}

// may reports whether a commit can be credited with a line of a block: a line is credited only once on each line of
// history. For example: an agent wrote a line once, and two commits in a row add it. Only the first one has it from the
// agent.
func (f *finder) may(b *block, at int, commit int32) bool {
	if in := b.landed[at]; in > 0 && f.isAncestor(in, commit) {
		return false
	}
	return !slices.ContainsFunc(f.also[posting{b, int32(at)}], func(in int32) bool { return f.isAncestor(in, commit) })
}

// `settle` notes that a file has a line of an edit since a commit.
func (f *finder) settle(line posting, group, commit int32) {
	if in := line.b.landed[line.at]; in > 0 && in != commit {
		f.also[line] = append(f.also[line], in)
	}
	line.b.landed[line.at] = commit
	f.touched[group] = true
	key := alive{group, line.b.prints[line.at]}
	f.alive[key] = append(f.alive[key], landed{line, commit})
}

// lift marks a removed line of an edit as free, so that it can be found again: for example after a move or a second
// revert. It finds the line by file and fingerprint. If the parameter `only` is set, it must be that line.
func (f *finder) lift(group int32, p print, commit int32, only *posting) posting {
	key := alive{group, p}
	list := f.alive[key]
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		if only != nil && l.posting != *only || !f.isAncestor(l.commit, commit) {
			continue
		}
		f.alive[key] = slices.Delete(list, i, i+1)
		if l.b.landed[l.at] == l.commit {
			l.b.landed[l.at] = -l.commit
		}
		if also := f.also[l.posting]; len(also) > 0 {
			f.also[l.posting] = slices.DeleteFunc(also, func(in int32) bool { return in == l.commit })
		}
		return l.posting
	}
	return posting{}
}

// takeAway lifts the lines that a hunk removes. Common lines are identified by their neighbours.
func (f *finder) takeAway(group int32, removed []print, commit int32) []posting {
	out := make([]posting, len(removed))
	for i, p := range removed {
		if f.weights.speaks(p) {
			out[i] = f.lift(group, p, commit, nil)
		}
	}
	beside := func(i, step int) {
		if from := i - step; from >= 0 && from < len(out) && out[from].b != nil && out[i].b == nil && !removed[i].Blank() {
			want := posting{out[from].b, out[from].at + int32(step)}
			out[i] = f.lift(group, removed[i], commit, &want)
		}
	}
	for i := range removed {
		beside(i, 1)
	}
	for i := len(removed) - 1; i >= 0; i-- {
		beside(i, -1)
	}
	return out
}

// carry lifts the lines that a commit removes. Lines that the commit moves or indents keep their owners.
func (f *finder) carry(commit int32, out []fileOrigins) {
	p := &f.pasts[commit-1]
	var hunks []twoSides
	var files, numbers []int // key: hunk; index of the file, and the hunk's number in the file
	var lifted [][]posting
	for j := range p.files {
		for h, one := range p.files[j].hunks() {
			hunks = append(hunks, twoSides{one.removed, one.added})
			files, numbers = append(files, j), append(numbers, h)
			lifted = append(lifted, f.takeAway(f.group(p.files[j].old), one.removed, commit))
		}
	}
	kept := carried(hunks, func(hunk, line int) bool { return f.weights.speaks(hunks[hunk].added[line]) })
	f.single(hunks, lifted, kept)
	for i := range hunks {
		lines := out[files[i]][numbers[i]]
		for k, s := range kept[i] {
			if s.hunk < 0 {
				continue
			}
			was := lifted[s.hunk][s.line]
			if was.b == nil {
				lines[k].nobody = true
				continue
			}
			lines[k] = landing{b: was.b, at: int(was.at), tier: tierMovedLines}
			f.settle(was, f.group(p.files[files[i]].place), commit)
		}
	}
}

// `single` finds single lines of edits that the commit moved: distinctive lines that another hunk removed.
func (f *finder) single(hunks []twoSides, lifted [][]posting, kept [][]source) {
	taken := map[source]bool{}
	for _, list := range kept {
		for _, s := range list {
			taken[s] = true
		}
	}
	free := map[print]source{}
	for i, list := range lifted {
		for k, line := range list {
			if s := (source{i, k}); line.b != nil && !taken[s] && f.weights.of(hunks[i].removed[k]) == 1 {
				free[hunks[i].removed[k]] = s
			}
		}
	}
	if len(free) == 0 {
		return
	}
	for i := range hunks {
		for k, p := range hunks[i].added {
			if s, found := free[p]; found && kept[i][k].hunk < 0 {
				kept[i][k] = s
				delete(free, p)
			}
		}
	}
}

// `returns` reports whether the history had the lines of a run before. Then somebody typed or copied them again. For
// example: a commit removed an agent's lines, and a later one has them again. The agent wrote them once.
func (f *finder) returns(r *run, commit int32) bool {
	for i := range r.length {
		if in := r.b.landed[r.at+i]; in < 0 && f.isAncestor(-in, commit) && f.weights.of(r.b.prints[r.at+i]) > 0 {
			return true
		}
	}
	return false
}
