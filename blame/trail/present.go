package trail

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/refs"
)

// settle finds the lines of a patch that are left, and sets its state.
func (t *Tracker) settle(tr *Trail) error {
	if tr.Lines == 0 && len(tr.Steps) == 0 && tr.Created != nil {
		tr.Now = Now{State: NoLines}
		return nil
	}
	if err := t.look(tr, ""); err != nil {
		return err
	}
	if n := &tr.Now; n.Alive+lost(n.Changed) > 0 || len(n.Reverted)+len(n.Lost) > 0 {
		n.State = n.state(tr)
		return nil
	}
	return t.elsewhere(tr)
}

// look finds the patch's lines in a ref. An empty ref means the work tree.
func (t *Tracker) look(tr *Trail, ref string) error {
	tr.Now = Now{Ref: ref}
	l := &looker{Tracker: t, tr: tr, ref: ref, now: &tr.Now, alive: map[credit]bool{}, changed: map[refs.OID]*Loss{}}
	paths, err := l.paths()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := l.path(path); err != nil {
			return err
		}
	}
	if ref == "" && l.now.Alive+l.replaced < tr.Lines { // an uncommitted change may have moved a block
		if paths, err = l.pending(paths); err != nil {
			return err
		}
		for _, path := range paths {
			if err := l.path(path); err != nil {
				return err
			}
		}
	}
	l.tidy()
	return l.losses()
}

// looker collects the lines of one patch in a ref.
type looker struct {
	*Tracker
	tr  *Trail
	ref string
	now *Now

	alive    map[credit]bool // lines of commits that still exist
	changed  map[refs.OID]*Loss
	replaced int
	reshaped bool // white space changed, so several old lines may be one now
}

type credit struct {
	commit refs.OID
	path   string
	line   int
}

// path counts the patch's lines in one file.
func (l *looker) path(path string) error {
	lines, err := l.lines(l.ref, path)
	if err != nil {
		return err
	}
	for i := range lines {
		line := &lines[i]
		owner := line.Owner.AnchorOwner()
		switch {
		case KeyOf(&owner, l.tr.Path) == l.tr.key && l.ownFile(line):
			l.keep(path, line)
		case line.Owner.Previous == l.tr.Patch && l.tr.Patch != "":
			l.change(line)
		}
	}
	return nil
}

// ownFile reports whether a line without a patch belongs to the trail's own file. One call may have written two files,
// and one of them may get the other's name later. The path in the anchor distinguishes their lines.
func (l *looker) ownFile(line *blame.Annotated) bool {
	if l.tr.Patch != "" || !line.Commit.Committed() || line.OrigPath == l.tr.Path {
		return true
	}
	return slices.ContainsFunc(l.tr.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Runs, func(r Run) bool { return r.Path == line.OrigPath })
	})
}

func (l *looker) keep(path string, line *blame.Annotated) {
	moved := path != l.tr.Path || line.Owner.Evidence == correlate.TierMovedLines
	l.reshaped = l.reshaped || line.Owner.Evidence == correlate.TierReformatted
	l.now.Alive++
	if moved {
		l.now.Moved++
	}
	var commit refs.OID
	if line.Commit.Committed() {
		commit = line.Commit.ID
		l.alive[credit{commit, line.OrigPath, line.OrigLine}] = true
	}
	if last := len(l.now.Places) - 1; last >= 0 {
		p := &l.now.Places[last]
		if p.Path == path && p.Start+p.Count == line.FinalLine && p.Commit == commit && p.Moved == moved {
			p.Count++
			return
		}
	}
	l.now.Places = append(l.now.Places, Place{Run{path, line.FinalLine, 1}, commit, moved})
}

func (l *looker) change(line *blame.Annotated) {
	var commit refs.OID
	author := ""
	if line.Commit.Committed() {
		commit, author = line.Commit.ID, line.Commit.Author.Name
	}
	loss := l.changed[commit]
	if loss == nil {
		owner := line.Owner.AnchorOwner()
		loss = &Loss{Commit: commit, Author: author, Owner: &owner}
		l.changed[commit] = loss
	}
	loss.Lines++
	l.replaced++
}

// `tidy` limits the numbers to the number of lines of the patch: copied lines, and lines that several lines replaced,
// would make them larger.
func (l *looker) tidy() {
	n := l.now
	if l.tr.Created == nil { // lines that several commits added to the path, or lines of a patch that the log lacks
		l.tr.Lines = max(l.tr.Lines, n.Alive)
	}
	lines := l.tr.Lines
	n.Alive = min(n.Alive, lines)
	n.Moved = min(n.Moved, n.Alive)
	left := max(lines-n.Alive, 0)
	for _, loss := range l.changed {
		n.Changed = append(n.Changed, *loss)
	}
	slices.SortFunc(n.Changed, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), a.Commit.Compare(b.Commit))
	})
	for i := range n.Changed {
		n.Changed[i].Lines = min(n.Changed[i].Lines, left)
		left -= n.Changed[i].Lines
	}
	n.Changed = slices.DeleteFunc(n.Changed, func(loss Loss) bool { return loss.Lines == 0 })
}

// paths returns the files in which the patch may have lines.
func (l *looker) paths() ([]string, error) {
	var out []string
	add := func(list ...string) {
		for _, path := range list {
			if path != "" && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	add(l.namesOf(l.tr.Path)...)
	there := 0 // number of leading paths that HEAD is known to have
	for i := range l.tr.Steps {
		step := &l.tr.Steps[i]
		for _, run := range step.Runs {
			add(l.namesOf(run.Path)...)
		}
		if l.ref == "" && (len(out) == there || l.inHead(out[there:])) {
			there = len(out) // git follows a rename only if the old path is missing now
			continue
		}
		for _, path := range slices.Clone(out) {
			later, err := l.renames(step.Commit, l.ref, path)
			if err != nil {
				return nil, err
			}
			add(later...)
		}
	}
	if l.ref == "" && !l.repo.Bare() {
		out = slices.DeleteFunc(out, func(path string) bool {
			return !isFile(filepath.Join(l.repo.WorkTree,
				filepath.FromSlash(path)))
		})
	}
	slices.Sort(out)
	return out, nil
}

// inHead reports whether HEAD is known to contain all the paths.
func (l *looker) inHead(paths []string) bool {
	head, _, err := l.repo.Head()
	return err == nil && !head.IsZero() && !slices.ContainsFunc(paths, func(path string) bool {
		_, _, err := l.objects.Resolve(head.String() + ":" + path)
		return err != nil
	})
}

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

func lost(list []Loss) int {
	n := 0
	for _, one := range list {
		n += one.Lines
	}
	return n
}

// state returns the state that follows from the numbers.
func (n *Now) state(tr *Trail) State {
	whole := lost(n.Changed)+lost(n.Reverted)+lost(n.Lost)+n.Dropped == 0
	switch {
	case n.Alive > 0 && whole && n.Moved > 0:
		return Moved
	case n.Alive > 0 && whole:
		return Alive
	case n.Alive > 0 || len(n.Changed) > 0:
		return Changed
	case lost(n.Reverted) > 0 && lost(n.Reverted) >= lost(n.Lost):
		return Reverted
	case len(n.Lost) > 0:
		return Lost
	case len(tr.Steps) == 0:
		return Dropped
	}
	return Unsettled
}
