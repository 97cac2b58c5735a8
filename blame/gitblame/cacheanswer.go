package gitblame

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// answer does the same as blame, with the cache: if the cache has the answer it is used, otherwise git runs. Both pass
// on the same entries.
func (s *Session) answer(args []string, format Format, each func(*Entry) error) (trailer []byte, err error) {
	if !s.repo.HasTraces() { // do not create files in a repository that is not recorded
		return s.blame(args, format, each)
	}
	q, ok := s.inquiry(format)
	if !ok {
		return s.blame(args, format, each)
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	k, a, lines := q.known()
	if a == nil {
		a, lines = q.bounded(k)
	}
	if a != nil {
		if first, last, ok := q.wanted.in(len(lines)); ok {
			return nil, q.replay(a, lines, first, last, each)
		}
	}
	return q.full(k, args, format, each)
}

// `known` returns the answer from the history, otherwise the stored answer.
func (q *inquiry) known() (k *kept, a *answer, lines [][]byte) {
	if q.opts.History != nil {
		if a, lines = q.opts.History.answer(q); a != nil {
			return nil, a, lines
		}
	}
	k = load(q.repo, q.subject(), q.context)
	a, lines = q.recall(k)
	return k, a, lines
}

// recall returns a stored answer that is still valid, with the lines of the content.
func (q *inquiry) recall(k *kept) (*answer, [][]byte) {
	if len(k.answers) == 0 {
		return nil, nil
	}
	if q.pending {
		q.blob = q.repo.Format.Hash(refs.BlobObject, q.raw)
	}
	a := k.find(q.commit, q.answeredBy)
	if a == nil {
		if a = q.untouched(k); a != nil {
			k.also(a, q.commit)
		}
	}
	if a == nil || q.pending && !q.stored(k) {
		return nil, nil
	}
	content := q.raw
	if !q.pending {
		var ok bool
		if content, ok = q.read(a.content); !ok {
			return nil, nil
		}
	}
	lines := splitLines(content)
	if len(lines) != a.lines() {
		return nil, nil
	}
	q.background.Go(fault.In(func() { k.save(q.repo) }))
	return a, lines
}

// answeredBy reports whether a stored answer for the commit answers this question.
func (q *inquiry) answeredBy(a *answer) bool {
	switch {
	case !q.pending:
		return !a.pending
	case a.content != q.blob:
		return false
	case a.pending: // git gives uncommitted lines the present time
		return q.opts.Format == Human || q.opts.Format.IsJSON()
	}
	return true
}

// read reads a blob: from the work tree if the file has the same content, otherwise from the repository.
func (q *inquiry) read(blob refs.OID) ([]byte, bool) {
	if raw, ok := q.readFile(); ok && q.repo.Format.Hash(refs.BlobObject, raw) == blob {
		return raw, true
	}
	objects, done := q.objects()
	defer done()
	content, err := objects.Blob(blob)
	return content, err == nil
}

// `bounded` asks git for the changes since the stored answers, and composes the answer from both. Without a stored
// answer for a commit it returns nil. But if there are answers for a changed file, it first gets the answer for HEAD,
// which is also useful after the next change.
func (q *inquiry) bounded(k *kept) (*answer, [][]byte) {
	if q.whole {
		return nil, nil
	}
	bases := k.bases()
	if len(q.target.revs) > 0 {
		q.withoutNewer(bases)
	}
	if len(bases) == 0 && q.pending && len(k.answers) > 0 {
		if _, there := q.tracked(); !there { // a new file
			return nil, nil
		}
		head := *q
		head.pending = false
		if a, lines := head.compose(k, nil); a != nil && head.keep(k, a, lines) {
			bases = k.bases()
		}
	}
	if len(bases) == 0 {
		return nil, nil
	}
	if a, ok := bases[q.commit]; ok {
		bases = map[refs.OID]*answer{q.commit: a}
	}
	a, lines := q.compose(k, bases)
	if a != nil {
		q.background.Go(fault.In(func() {
			if q.keep(k, a, lines) {
				k.save(q.repo)
			}
		}))
	}
	return a, lines
}

// withoutNewer removes the bases that are newer than the commit in question, because they cannot be its ancestors.
func (q *inquiry) withoutNewer(bases map[refs.OID]*answer) {
	objects, done := q.objects()
	defer done()
	asked, err := objects.Commit(q.commit)
	if err != nil {
		return
	}
	maps.DeleteFunc(bases, func(commit refs.OID, _ *answer) bool {
		base, err := objects.Commit(commit)
		return err == nil && base.Committer.When.After(asked.Committer.When)
	})
}

var errMisfit = errors.New("does not fit the kept answers")

// compose blames the file with the bases as boundaries, and takes the rest from the stored answers. It returns nil if
// git stopped at another commit.
func (q *inquiry) compose(k *kept, bases map[refs.OID]*answer) (*answer, [][]byte) {
	args := append([]string{"blame", "--porcelain"}, q.how...)
	if !q.pending {
		args = append(args, q.commit.String())
	}
	for commit := range bases {
		args = append(args, "^"+commit.String())
	}
	if q.since != "" {
		args = append(args, q.since)
	}
	b := builder{ends: q.since != "", table: tableOf(k), bases: bases, path: q.path, origins: map[*answer][]run{}}
	defer q.tellLikely(bases)()
	_, warnings, err := q.run(append(args, "--", q.target.file), Porcelain, func(e *Entry) error {
		if !b.take(e) {
			return errMisfit
		}
		return nil
	})
	var refused *Failure
	if errors.As(err, &refused) { // a base may be missing
		k.answers = slices.DeleteFunc(k.answers, func(a *answer) bool { return !a.pending })
	}
	if err != nil || len(warnings) > 0 || len(b.lines) == 0 {
		return nil, nil
	}
	return &b.answer, b.lines
}

// tellLikely calls the caller's Likely in the background with the commits of the stored answers. Most lines are
// unchanged, so the new answer has mostly the same commits. The returned function ends the call, and waits for its end.
func (q *inquiry) tellLikely(bases map[refs.OID]*answer) (stop func()) {
	if q.opts.Likely == nil {
		return func() {}
	}
	likely := Likely{Path: q.path}
	seen := map[*Commit]bool{}
	for _, base := range bases {
		for _, r := range base.runs {
			if !seen[r.from.commit] {
				seen[r.from.commit] = true
				likely.Commits = append(likely.Commits, r.from.commit.ID)
			}
		}
	}
	ctx, cancel := context.WithCancel(q.ctx)
	done := later(q.Session, func() struct{} {
		if q.pending && !q.unchanged() {
			likely.Content = q.raw
		}
		q.opts.Likely(ctx, likely)
		return struct{}{}
	})
	return func() {
		cancel()
		done()
	}
}

// `full` runs git with the user's arguments. It stores the answer if it covers the whole file.
func (q *inquiry) full(k *kept, args []string, format Format, each func(*Entry) error) ([]byte, error) {
	if q.wanted != (lineRange{}) {
		return q.blame(args, format, each)
	}
	b, fits := builder{table: tableOf(k), path: q.path}, true
	if format != Incremental { // entries are passed on as they arrive
		defer q.tellLikely(nil)()
	}
	trailer, warnings, err := q.run(args, format, func(e *Entry) error {
		fits = fits && b.take(e)
		return each(e)
	})
	if err != nil {
		return nil, err
	}
	q.warn(warnings)
	if fits && len(warnings) == 0 && len(b.lines) > 0 {
		q.background.Go(fault.In(func() {
			if q.keep(k, &b.answer, b.lines) {
				k.save(q.repo)
			}
		}))
	}
	return trailer, nil
}

// builder builds an answer from git's entries.
type builder struct {
	answer answer
	lines  [][]byte
	table  *table
	bases  map[refs.OID]*answer
	path   string
	ends   bool // the history does not end where the bases' history ends
	// origins holds the origin of each line of the bases.
	origins map[*answer][]run
}

// take adds the line of an entry. It returns false if the origin of the line is not known, or if git's output could not
// be printed again from the answer.
func (b *builder) take(e *Entry) bool {
	b.lines = append(b.lines, e.Content)
	if e.FinalLine != len(b.lines) || !faithful(e) {
		return false
	}
	base := b.bases[e.Commit.ID]
	switch {
	case base == nil && (len(b.bases) == 0 || b.ends || !e.Commit.Boundary):
		b.answer.add(b.table.source(&e.Line), e.OrigLine, 1)
		return true
	case base == nil || !e.Commit.Boundary || e.OrigPath != b.path:
		return false
	}
	origins, ok := b.origins[base]
	if !ok {
		origins = base.origins()
		b.origins[base] = origins
	}
	if e.OrigLine > len(origins) {
		return false
	}
	r := origins[e.OrigLine-1]
	b.answer.add(r.from, r.line, 1)
	return true
}

// `keep` stores a new answer of git, if the content that it is for is known.
func (q *inquiry) keep(k *kept, a *answer, lines [][]byte) bool {
	content := append(bytes.Join(lines, []byte("\n")), '\n')
	blob, there := q.committed(k)
	if q.incomplete || q.pending && q.moved() || !there && !q.newFile(a) {
		return false
	}
	ids := [...]refs.OID{
		q.repo.Format.Hash(refs.BlobObject, content),
		q.repo.Format.Hash(refs.BlobObject, content[:len(content)-1]), // without the newline at the end
	}
	uncommitted := slices.ContainsFunc(a.runs, func(r run) bool { return !r.from.commit.Committed() })
	switch {
	case there && slices.Contains(ids[:], blob):
		if uncommitted {
			return false
		}
		a.content = blob
	case !q.pending || !slices.Contains(ids[:], q.repo.Format.Hash(refs.BlobObject, q.raw)):
		return false // git would store bytes that differ from the file
	default:
		a.content, a.pending = q.repo.Format.Hash(refs.BlobObject, q.raw), true
		if there && slices.ContainsFunc(a.runs, func(r run) bool {
			return !r.from.commit.Committed() && r.from.previous != (Origin{q.commit, q.path})
		}) {
			return false
		}
	}
	a.commits = []refs.OID{q.commit}
	k.put(a)
	return true
}

// newFile reports whether git found no line of an untracked file in HEAD. With the index that has only this name, git
// takes every file of HEAD for its former name. So the user's index has no part in the answer.
func (q *inquiry) newFile(a *answer) bool {
	if _, limited := q.settings().Get("diff.renamelimit"); limited { // fewer names may give more lines
		return false
	}
	return q.pending && q.beside != nil && !slices.ContainsFunc(a.runs, func(r run) bool {
		return r.from.commit.Committed() || r.from.previous != Origin{}
	})
}

// `unchanged` reports whether the commit has the same content as the work tree. Then every line has a commit.
func (q *inquiry) unchanged() bool {
	blob, ok := q.tracked()
	return ok && blob == q.repo.Format.Hash(refs.BlobObject, q.raw)
}

// `committed` returns the blob of the path in the commit.
func (q *inquiry) committed(k *kept) (refs.OID, bool) {
	if a := k.find(q.commit, func(a *answer) bool { return !a.pending }); a != nil {
		return a.content, true
	}
	return q.tracked()
}

// `tracked` does the same as committed, but reads the repository instead of the kept answers.
func (q *inquiry) tracked() (refs.OID, bool) {
	w := walker{repo: q.repo, path: q.names()}
	if at, ok := w.look(q.commit); ok {
		return at.blob, !at.blob.IsZero()
	}
	objects := q.repo.Objects()
	blob, typ, err := objects.Resolve(q.commit.String() + ":" + q.path)
	_ = objects.Close()
	return blob, err == nil && typ == refs.BlobObject
}

// `moved` reports whether HEAD or the file has changed since the blame began.
func (q *inquiry) moved() bool {
	head, _, err := q.repo.Head()
	raw, ok := q.readFile()
	return err != nil || head != q.commit || !ok || !bytes.Equal(raw, q.raw)
}
