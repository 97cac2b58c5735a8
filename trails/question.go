package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
)

// workAfter returns git's work after a mark, without conclusions.
func (s *workTree) workAfter(mark gitfacts.Mark) *gitfacts.Work {
	return gitfacts.Between(s.repo, s.asks.Git, mark, s.now)
}

func (s *workTree) workSince(mark gitfacts.Mark, at int64) *origin.Work {
	w := &origin.Work{Work: s.workAfter(mark)}
	if s.state.Interval == 0 {
		return w
	}
	sure := s.state.RestoredAt > at || w.Wrote()
	w.Doubtful = !sure && w.MayHaveApplied()
	w.Restored = sure || w.Doubtful
	w.Elsewhere = !sure && mark.Index != s.now.Index && len(otherWorkTrees(s.repo)) > 0
	return w
}

// gitAt returns git's work since the last look at a path.
func (s *workTree) gitAt(path string) *origin.Work {
	at := s.seen(path)
	if w := s.since[at]; w != nil {
		return w
	}
	i := slices.IndexFunc(s.state.Marks, func(m lookMark) bool { return m.At == at })
	if i < 0 {
		return s.asks.Whole
	}
	if s.since == nil {
		s.since = map[int64]*origin.Work{}
	}
	s.since[at] = s.workSince(s.state.Marks[i].Git, at)
	return s.since[at]
}

// newCase makes the common facts of the questions after origins.
func (s *workTree) newCase() *origin.Case {
	return &origin.Case{
		Memory: s.known, Git: gitfacts.NewGit(s.ctx, s.repo, s.objects), Read: told{s}.Text, Stored: s.objects.MayBeStored,
		Store: s.storeText, Others: s.otherTrees, Young: func(refs.OID) bool { return false },
		Reported:  func(string) bool { return false },
		LeftAlone: func(path string) bool { return s.findLast() && s.last.LeftAlone(path) },
		MadeOf:    s.madeOf, UnderOlderName: s.underOlderName,
	}
}

// storeText puts a content that git made, and that nobody saw, beside the repository.
func (s *workTree) storeText(raw []byte) (origin.Text, error) {
	oid, err := s.repo.WriteLoose(s.repo.SideObjects(), refs.BlobObject, raw)
	return newText(oid, raw).asOrigin(), err
}

// question asks for the origin of a path's content. The content is not set yet.
func (s *workTree) question(path string) *origin.Query {
	return &origin.Query{Case: s.asks, Work: s.gitAt(path), Path: path, OldPath: path}
}

// questionOf asks it of a changed file.
func (s *workTree) questionOf(f *file) *origin.Query {
	q := s.question(f.path)
	q.OldPath, q.Old, q.New = f.oldPath, f.old.asOrigin(), f.new.asOrigin()
	q.Buffer, q.ByEditor = s.state.bufferOf(f.path, f.old.oid), f.reported
	return q
}

// committed asks it of a committed content.
func (s *workTree) committed(m moment.Moment, c Committed) *origin.Query {
	q := c.question(s.asks, s.gitAt(c.Path))
	q.Moment = m
	return q
}

func (c Committed) question(ask *origin.Case, work *origin.Work) *origin.Query {
	return &origin.Query{
		Case: ask, Work: work, Path: c.Path, OldPath: c.OldPath, Old: origin.Text{OID: c.Old},
		New: origin.Text{Lines: c.Lines}, Replaced: c.Replaced, Renamed: c.Renamed,
	}
}
