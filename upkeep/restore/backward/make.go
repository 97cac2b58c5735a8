package backward

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/upkeep/restore/weave"
)

// Reverted is the work tree's tree without the work.
type Reverted struct {
	Tree  refs.OID
	Files []File // files that the work changed
}

// File is a file that the work changed.
type File struct {
	Path      string // the present path
	From      string // the name that the file gets back; empty if its name stays
	Conflicts int
	Taken     int    // lines of the work to be removed
	Back      int    // lines of others that come back
	Left      string // the reason why the file is not changed
	Refused   bool   // the file contains some of the work, but is not changed

	changed bool
	mode    uint32 // 0: delete the file
	content []byte
	blob    refs.OID // id of the content, if content is nil
	paths   []string // all names that the file had
	steps   []Step
}

func (f *File) Changed() bool { return f.changed }

// maxBytes is the size in bytes of the largest content whose lines are followed.
const maxBytes = 64 << 20

// maker computes a tree.
type maker struct {
	ctx     context.Context
	repo    *refs.Repo
	objects *refs.Objects
	now     refs.OID
	owners  *Owners
	labels  weave.Labels
}

// Make computes the tree without the steps. The parameter `now` is the present tree of the work tree. The function
// `within` selects files by any name that they had.
func Make(ctx context.Context, repo *refs.Repo, now refs.OID, steps []Step, owners *Owners, labels weave.Labels,
	within func(path string) bool,
) (*Reverted, error) {
	m := &maker{ctx, repo, repo.Objects(), now, owners, labels}
	defer m.objects.Close()
	files, err := m.files(steps, within)
	if err != nil {
		return nil, err
	}
	woven := map[*File]*weave.Weave{}
	back := map[string]bool{}
	for _, f := range files {
		w, err := m.weave(f)
		switch {
		case errors.Is(err, refs.ErrMissing):
			f.refuse("its content of then is not kept any more")
		case err != nil:
			return nil, fmt.Errorf("%s: %w", gitdiff.Quote(f.Path), err)
		case w != nil:
			woven[f] = w
			w.Back(back)
		}
	}
	out := &Reverted{}
	for _, f := range files {
		if w := woven[f]; w != nil {
			w.Keep(back)
			if err := m.settle(f, w); err != nil {
				return nil, err
			}
		}
		out.Files = append(out.Files, *f)
	}
	out.Tree, err = m.tree(files)
	return out, err
}

func (f *File) refuse(why string) { f.Left, f.Refused = why, true }

// files groups the steps by file, and finds the present name of each file.
func (m *maker) files(steps []Step, within func(string) bool) ([]*File, error) {
	var all []*File
	named := map[string]*File{}
	for i := range steps {
		s := steps[i]
		name := s.Path
		if s.OldPath != "" {
			name = s.OldPath
		}
		f := named[name]
		if f == nil && !s.Own {
			continue // the file has none of the work yet
		}
		if f == nil {
			f = &File{}
			all = append(all, f)
		}
		if s.OldPath != "" {
			delete(named, s.OldPath)
			f.paths = append(f.paths, s.OldPath)
		}
		named[s.Path] = f
		f.Path, f.steps, f.paths = s.Path, append(f.steps, s), append(f.paths, s.Path)
	}
	known := ledger.NewKnown(m.repo)
	var out []*File
	for _, f := range all {
		names := append([]string{f.Path}, known.Names(f.Path)...)
		for _, name := range names {
			e, err := m.objects.EntryAt(m.now, name)
			if err != nil {
				return nil, fmt.Errorf("read the present tree: %w", err)
			}
			if e.Mode != 0 && e.Mode != refs.ModeDir {
				f.Path, f.mode, f.blob = name, e.Mode, e.OID
				break
			}
		}
		if f.paths = append(f.paths, f.Path); slices.ContainsFunc(f.paths, within) {
			out = append(out, f)
		}
	}
	return out, nil
}

// weave weaves the history of a file from its first step to the present content. It returns nil for a file without
// lines, and decides the result for that file.
func (m *maker) weave(f *File) (*weave.Weave, error) {
	first, last := &f.steps[0], &f.steps[len(f.steps)-1]
	here := f.mode != 0
	switch {
	case !here && m.creates(first), !here && !(last.Own && last.After.IsZero()):
		f.Left = "it is gone already"
		return nil, nil
	case here && !regular(f.mode):
		return nil, m.whole(f)
	}
	var w *weave.Weave
	var content text
	for i := range f.steps {
		s := &f.steps[i]
		from, err := m.blob(s.Before)
		var to text
		if err == nil {
			to, err = m.blob(s.After)
		}
		if errors.Is(err, refs.ErrMissing) && !s.Own {
			continue // a later content shows the others' change
		}
		if err != nil {
			return nil, err
		}
		if from.whole || to.whole {
			return nil, m.whole(f)
		}
		if i == 0 {
			content, w = from, weave.New(from.lines)
		}
		if from.id != content.id {
			if err := step(w, content, from, nil, m.owners.then(s.Path, from.raw)); err != nil {
				return nil, err
			}
		}
		if err := step(w, from, to, s.Mine, m.owners.then(s.Path, to.raw)); err != nil {
			return nil, err
		}
		content = to
	}
	today, err := m.blob(f.blob)
	if err != nil {
		return nil, err
	}
	if today.whole {
		return nil, m.whole(f)
	}
	whose := func(int) weave.Whose { return weave.NotKnown }
	if here {
		if whose, err = m.owners.now(f.Path); err != nil {
			return nil, err
		}
	}
	if today.id != content.id {
		if err := step(w, content, today, nil, whose); err != nil {
			return nil, err
		}
	}
	w.Owned(func(line int) bool { return whose(line) == weave.Anothers })
	return w, nil
}

func regular(mode uint32) bool { return mode&0o170000 == 0o100000 }

// text is a content, split into lines.
type text struct {
	id    refs.OID
	raw   []byte
	lines [][]byte
	whole bool // the file has no lines, for example binary
}

func (m *maker) blob(id refs.OID) (text, error) {
	if id.IsZero() {
		return text{}, nil
	}
	raw, err := m.objects.Blob(id)
	if err != nil {
		return text{}, fmt.Errorf("read an earlier content: %w", err)
	}
	t := text{id: id, raw: raw, whole: len(raw) > maxBytes || gitdiff.Binary(raw)}
	if !t.whole {
		t.lines = linediff.Split(raw)
	}
	return t, nil
}

func step(w *weave.Weave, from, to text, mine []linediff.Hunk, whose func(int) weave.Whose) error {
	hunks, err := changes(from, to, mine)
	if err == nil {
		w.Step(hunks, to.lines, whose)
	}
	return err
}

// changes returns the change from one content to another: the work's hunks in mine, and the hunks of others between
// them. Hunks of others that change only white space are left out.
func changes(from, to text, mine []linediff.Hunk) ([]weave.Hunk, error) {
	mine = slices.Clone(mine)
	slices.SortFunc(mine, func(a, b linediff.Hunk) int {
		return cmp.Or(cmp.Compare(a.OldStart, b.OldStart), cmp.Compare(a.NewStart, b.NewStart))
	})
	var out []weave.Hunk
	oldAt, newAt := 0, 0
	for _, p := range append(mine, linediff.Hunk{OldStart: len(from.lines), NewStart: len(to.lines)}) {
		if p.OldStart < oldAt || p.NewStart < newAt || p.OldCount < 0 || p.NewCount < 0 ||
			p.OldCount > len(from.lines)-p.OldStart || p.NewCount > len(to.lines)-p.NewStart {
			return nil, fmt.Errorf("its patch does not fit: %w", refs.ErrMissing)
		}
		between := linediff.Diff(from.lines[oldAt:p.OldStart], to.lines[newAt:p.NewStart],
			linediff.Options{Key: linediff.NoSpace})
		for _, h := range between.Hunks {
			h.OldStart, h.NewStart = h.OldStart+oldAt, h.NewStart+newAt
			out = append(out, weave.Hunk{Hunk: h})
		}
		if oldAt, newAt = p.OldStart+p.OldCount, p.NewStart+p.NewCount; p.OldCount+p.NewCount > 0 {
			out = append(out, weave.Hunk{Hunk: p, Mine: true})
		}
	}
	return out, nil
}

// settle decides the result for a file with lines.
func (m *maker) settle(f *File, w *weave.Weave) error {
	first, last := &f.steps[0], &f.steps[len(f.steps)-1]
	r := w.Without(m.labels)
	f.Taken, f.Back, f.Conflicts = r.Taken, r.Back, r.Conflicts
	switch {
	case m.creates(first) && r.Conflicts+r.Others > 0 && r.Conflicts+r.Taken > 0:
		f.Taken, f.Conflicts = 0, 0
		f.refuse("it was created there, and others have changed it since")
		return nil
	case m.creates(first) && r.Others == 0:
		f.changed, f.mode = true, 0
		return nil
	}
	if f.mode == 0 {
		f.changed = true
		if f.mode = m.modeBefore(last); f.mode == 0 {
			f.mode = refs.ModeFile
		}
	}
	content, err := m.join(f, r.Lines)
	if err != nil {
		return err
	}
	today, err := m.blob(f.blob)
	if err != nil {
		return err
	}
	if !bytes.Equal(content, today.raw) || f.blob.IsZero() {
		f.changed, f.content, f.blob = true, content, refs.OID{}
	}
	m.nameAndMode(f)
	if !f.changed && f.Left == "" {
		f.Left = "nothing of it is there any more"
	}
	return nil
}

// join makes a content from lines. The last line ends with or without a newline, as in the content that it comes from.
func (m *maker) join(f *File, lines [][]byte) ([]byte, error) {
	if len(lines) == 0 {
		return []byte{}, nil
	}
	out := append(bytes.Join(lines, []byte("\n")), '\n')
	for _, id := range []refs.OID{f.blob, f.steps[0].Before} {
		t, err := m.blob(id)
		if err != nil {
			return nil, err
		}
		if n := len(t.lines); n > 0 && bytes.Equal(t.lines[n-1], lines[len(lines)-1]) {
			if !linediff.Terminated(t.raw) {
				out = out[:len(out)-1]
			}
			break
		}
	}
	return out, nil
}

// `whole` decides the result for a file without lines: it gets its former content if nobody changed it after the work.
func (m *maker) whole(f *File) error {
	first, last := &f.steps[0], &f.steps[len(f.steps)-1]
	if f.blob == first.Before && !m.creates(first) {
		f.Left = "nothing of it is there any more"
		return nil
	}
	if last.After != f.blob || slices.ContainsFunc(f.steps, func(s Step) bool { return !s.Own }) {
		f.refuse("others have changed it since, and it has no lines")
		return nil
	}
	mode := f.mode
	if mode == 0 || first.Mode != 0 {
		mode = m.modeBefore(first)
	}
	if f.changed = true; m.creates(first) {
		f.mode = 0
		return nil
	}
	if mode == 0 {
		mode = refs.ModeFile
	}
	f.blob, f.mode = first.Before, mode
	if _, err := m.objects.Blob(first.Before); err != nil {
		f.changed = false
		return fmt.Errorf("read an earlier content: %w", err)
	}
	m.nameAndMode(f)
	return nil
}

// `creates` reports whether the file did not exist before a step. Edit tools report a new file as a change of an empty
// one.
func (m *maker) creates(s *Step) bool {
	if s.Before.IsZero() {
		return true
	}
	empty := m.repo.Format.Hash(refs.BlobObject, nil)
	return s.Before == empty && !m.owners.before(s.Call).IsZero() && m.modeBefore(s) == 0
}

// modeBefore returns the mode of a file before a step; 0 if unknown.
func (m *maker) modeBefore(s *Step) uint32 {
	tree := m.owners.before(s.Call)
	if tree.IsZero() {
		return 0
	}
	name := s.Path
	if s.OldPath != "" {
		name = s.OldPath
	}
	e, err := m.objects.EntryAt(tree, name)
	if err != nil {
		return 0
	}
	return e.Mode
}

// nameAndMode restores the name and the mode that the work changed, unless others changed them afterwards.
func (m *maker) nameAndMode(f *File) {
	for i := len(f.steps) - 1; i >= 0; i-- {
		s := &f.steps[i]
		if s.Own && s.Mode != 0 && !s.Before.IsZero() && s.Mode == f.mode {
			if mode := m.modeBefore(s); mode != 0 && regular(mode) == regular(f.mode) {
				f.changed, f.mode = true, mode
			}
		}
	}
	last := f.steps[len(f.steps)-1].Path
	for i := range f.steps {
		old := f.steps[i].OldPath
		if old == "" || old == f.Path || last != f.Path || f.steps[i].Call == "" {
			continue // for a commit, nobody knows who renamed the file
		}
		if e, err := m.objects.EntryAt(m.now, old); err != nil || e.Mode != 0 {
			f.Left = "it keeps its name: another file is at " + gitdiff.Quote(old)
			return
		}
		f.changed, f.From = true, old
		return
	}
}

// tree stores the resulting tree.
func (m *maker) tree(files []*File) (refs.OID, error) {
	var entries strings.Builder
	zero := strings.Repeat("0", len(m.now.String()))
	for _, f := range files {
		if !f.changed {
			continue
		}
		name := f.Path
		if f.From != "" || f.mode == 0 {
			fmt.Fprintf(&entries, "0 %s\t%s\x00", zero, f.Path)
			name = f.From
		}
		if f.mode == 0 {
			continue
		}
		if name == "" {
			name = f.Path
		}
		if f.blob.IsZero() {
			var err error
			if f.blob, err = m.repo.WriteLoose(m.repo.SideObjects(), refs.BlobObject, f.content); err != nil {
				return refs.OID{}, fmt.Errorf("store a content: %w", err)
			}
		}
		fmt.Fprintf(&entries, "%06o %s\t%s\x00", f.mode, f.blob, name)
	}
	if entries.Len() == 0 {
		return m.now, nil
	}
	return m.writeTree(entries.String())
}
