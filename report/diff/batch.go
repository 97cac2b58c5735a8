package diff

import (
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
)

// batch holds lines whose owners are searched together. The answers of blame need several times the memory of the
// lines, so a long diff is searched in parts.
type batch struct {
	*finder
	sign    byte
	here    Side
	files   map[string]*File
	lines   []*Line
	credits []gitblame.Line
}

const batchLines = 1 << 14

// add adds lines of a file, each with the commit that wrote it.
func (b *batch) add(file *File, lines []*Line, credits []gitblame.Line) error {
	if b.files == nil {
		b.files = map[string]*File{}
	}
	b.files[file.pathOf(b.sign)] = file
	b.lines, b.credits = append(b.lines, lines...), append(b.credits, credits...)
	if len(b.lines) < batchLines {
		return nil
	}
	return b.settle()
}

// answer adds the lines that blame found, unless blame and the diff show different text.
func (b *batch) answer(q *question) error {
	if !q.known {
		return nil
	}
	by := map[int]*gitblame.Line{}
	for i := range q.found {
		by[q.found[i].FinalLine] = &q.found[i]
	}
	var lines []*Line
	var credits []gitblame.Line
	for _, l := range q.lines {
		if at := by[l.New+l.Old]; at != nil && l.same(at) {
			lines, credits = append(lines, l), append(credits, *at)
		}
	}
	q.found = nil
	return b.add(q.file, lines, credits)
}

// settle finds the owners of the lines.
func (b *batch) settle() error {
	resolver := b.from.Resolver
	if b.here.Kind == Moment {
		resolver = b.from.Snapshot
	}
	owners, err := blame.Owners(b.ctx, resolver, b.credits, func(path string) ([]byte, error) {
		return b.content(b.files[path], path, b.sign, b.here)
	})
	if err != nil {
		return err
	}
	give(b.lines, owners)
	b.files, b.lines, b.credits = nil, nil, nil
	return nil
}

// `give` sets the owners of lines. Lines of one run share one value.
func give(lines []*Line, owners []blame.Annotated) {
	var last *blame.Annotated
	for i, l := range lines {
		if o := &owners[i]; last == nil || last.Commit != o.Commit || last.Owner != o.Owner {
			one := *o
			last = &one
		}
		l.Owner = last
	}
}
