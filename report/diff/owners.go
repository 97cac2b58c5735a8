package diff

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// finder finds the owners for one diff.
type finder struct {
	*Diff
	ctx     context.Context // a finder lives for one call
	repo    *refs.Repo
	dir     string
	o       *Options
	from    Source
	sides   sides
	objects *refs.Objects

	base    string   // the merge base of the sides; "" until it is needed
	history *history // between the sides; nil if it was not read
}

var noCommit = &gitblame.Commit{}

// own finds the owners of the added lines and, if requested, of the removed lines.
func (f *finder) own() error {
	if err := f.between(); err != nil {
		return err
	}
	if err := f.side(Added, f.New, f.Old); err != nil {
		return err
	}
	if f.o.Removed || f.o.JSON {
		if err := f.side(Removed, f.Old, f.New); err != nil {
			return err
		}
	}
	return f.churn()
}

// question is a request to blame lines of a file.
type question struct {
	blame.Query
	chain []touch
	file  *File
	lines []*Line
	found []gitblame.Line
	known bool
	err   error
}

// side finds the owners of the lines that only one side has.
func (f *finder) side(sign byte, here, there Side) error {
	b := &batch{finder: f, sign: sign, here: here}
	var questions, chained []*question
	for _, file := range f.Files {
		var own []*Line
		file.each(sign, func(l *Line) { own = append(own, l) })
		if len(own) == 0 || here.Kind == Tree || file.Record == nil ||
			file.OldMode == refs.ModeGitlink || file.NewMode == refs.ModeGitlink {
			continue
		}
		q, err := f.ask(file, sign, here, there)
		if err != nil {
			return err
		}
		if q.commit != nil {
			err = b.add(file, own, credited(q.commit, file.pathOf(sign), own))
			if err != nil {
				return err
			}
			continue
		}
		one := &question{Query: q.with(file.pathOf(sign), own), chain: q.chain, file: file, lines: own}
		if one.Config = &f.from.Config; one.chain != nil {
			chained = append(chained, one)
		} else {
			questions = append(questions, one)
		}
	}
	rest, err := f.follow(b, chained)
	if err != nil {
		return err
	}
	questions = append(questions, rest...)
	if err := f.blame(questions); err != nil {
		return err
	}
	for _, q := range questions {
		if err := b.answer(q); err != nil {
			return err
		}
	}
	if err := b.settle(); err != nil {
		return err
	}
	unknown := nobody()
	for _, file := range f.Files {
		file.each(sign, func(l *Line) {
			if l.Owner == nil {
				l.Owner = unknown
			}
		})
	}
	return nil
}

// `same` reports whether blame and the diff have the same text. A conversion may change it in between.
func (l *Line) same(at *gitblame.Line) bool { return bytes.Equal(l.Content(), at.Content) }

func (f *File) pathOf(sign byte) string {
	if sign == Added {
		return f.Path
	}
	return f.OldPath
}

// `credited` returns the lines as written by one commit; the parameter `c` may be noCommit.
func credited(c *gitblame.Commit, path string, lines []*Line) []gitblame.Line {
	out := make([]gitblame.Line, len(lines))
	for i, l := range lines {
		n := l.New + l.Old
		out[i] = gitblame.Line{Commit: c, OrigPath: path, OrigLine: n, FinalLine: n, Content: l.Content()}
	}
	return out
}

// inquiry says how to find the commits that wrote lines: one commit wrote all, patches show it, or git must blame.
type inquiry struct {
	commit   *gitblame.Commit
	chain    []touch // if a line leads beyond it, git must blame
	revs     []string
	contents []byte
	bounded  bool // the history ends at the other side
}

// ask chooses the way to find the commits.
func (f *finder) ask(file *File, sign byte, here, there Side) (inquiry, error) {
	converts := f.o.textconv && f.converts()
	forward := sign == Added && !f.o.reverse
	switch {
	case here.Kind == Commit && f.history != nil && forward:
		plain := !converts && !f.o.compares
		if c := f.history.only(file); c != nil && plain {
			return inquiry{commit: c}, nil
		}
		if f.history.straight {
			q := inquiry{revs: []string{here.Rev}}
			if there.Kind == Commit {
				q.revs, q.bounded = append(q.revs, "^"+there.Rev), true
			}
			if plain && !f.otherHunks() {
				q.chain = f.history.chain(file)
			}
			return q, nil
		}
		return inquiry{revs: []string{here.Rev}}, nil
	case here.Kind == Commit:
		rev, err := f.revOf(here)
		return inquiry{revs: []string{rev}}, err
	case here.Kind == Moment && f.has(here.Head, file, sign):
		return inquiry{revs: []string{here.Head}}, nil
	case here.Kind == Moment:
		return inquiry{commit: noCommit}, nil
	case here.Kind == Work && there.Kind == Moment:
		if id, err := f.inHead(file.pathOf(sign)); err != nil || id.IsZero() {
			return inquiry{commit: noCommit}, err
		}
	}
	isHead, err := f.isHead(file, sign, here, there)
	if err != nil {
		return inquiry{}, err
	}
	switch {
	case isHead && forward && !converts && !f.merging():
		return inquiry{commit: noCommit}, nil
	case here.Kind == Work:
		return inquiry{}, nil
	case isHead && sign == Removed:
		return inquiry{revs: []string{head}}, nil
	}
	contents, err := f.content(file, file.pathOf(sign), sign, here)
	return inquiry{contents: contents}, err
}

// isHead reports whether the older content is the one in HEAD. The older content is on the other side, or on this side
// for removed lines.
func (f *finder) isHead(file *File, sign byte, here, there Side) (bool, error) {
	base := there
	if sign == Removed {
		base = here
	}
	switch base.Kind {
	case Index:
		had, err := f.inHead(file.OldPath)
		return had == file.Old, err
	case Commit:
		return isHeadRev(base.Rev) || f.history.untouched(file), nil
	case Work, Moment, Tree:
	}
	return false, nil
}

// `has` reports whether a commit has the content of one side of a file.
func (f *finder) has(commit string, file *File, sign byte) bool {
	id := file.New
	if sign == Removed {
		id = file.Old
	}
	if commit == "" {
		return false
	}
	found, _, err := f.objects.Resolve(commit + ":" + file.pathOf(sign))
	return err == nil && found == id
}

// revOf returns the commit id of a side.
func (f *finder) revOf(s Side) (string, error) {
	if f.sides.fork && s == f.sides.old {
		if f.base == "" {
			var err error
			if f.base, err = forked(f.ctx, f.repo, f.dir, f.sides); err != nil {
				return "", err
			}
		}
		return f.base, nil
	}
	return s.Rev, nil
}

func isHeadRev(rev string) bool { return rev == head || rev == "@" }

// `with` returns the query for blame.
func (q inquiry) with(path string, lines []*Line) blame.Query {
	const most = 100 // ranges of one query
	out := blame.Query{Revs: q.revs, Path: path, Contents: q.contents}
	if q.bounded {
		for _, l := range lines {
			n := l.New + l.Old
			if last := len(out.Ranges) - 1; last >= 0 && out.Ranges[last][1] == n-1 {
				out.Ranges[last][1] = n
			} else {
				out.Ranges = append(out.Ranges, [2]int{n, n})
			}
		}
	}
	if len(out.Ranges) == 0 || len(out.Ranges) > most { // a single range: the cached answer of an earlier blame may serve
		first, last := lines[0], lines[len(lines)-1]
		out.Ranges = [][2]int{{first.New + first.Old, last.New + last.Old}}
	}
	return out
}

// blame runs git blame for several files at a time.
func (f *finder) blame(list []*question) error {
	next := make(chan *question)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		workers.Go(fault.In(func() {
			for q := range next {
				q.found, q.known, q.err = blame.Credited(f.ctx, f.repo, q.Query)
			}
		}))
	}
	for _, q := range list {
		next <- q
	}
	close(next)
	workers.Wait()
	for _, q := range list {
		var refused *gitblame.Failure
		if q.err != nil && !errors.As(q.err, &refused) { // git cannot blame the path, so its lines stay unknown
			return q.err
		}
	}
	return nil
}

// content returns the content of a path on a side that is not a commit, in the form in which git stores it.
func (f *finder) content(file *File, path string, sign byte, here Side) ([]byte, error) {
	id := file.New
	if sign == Removed {
		id = file.Old
	}
	if here.Kind == Index || here.Kind == Moment {
		return f.objects.Blob(id)
	}
	if sign == Added && !f.o.compares && !f.converts() {
		if before, err := f.older(file); err == nil {
			if text, fits := file.apply(before); fits {
				return text, nil
			}
		}
	}
	return blame.Content(f.ctx, f.repo, path)
}

func (f *finder) older(file *File) ([]byte, error) {
	if file.Old.IsZero() {
		return nil, nil
	}
	return f.objects.Blob(file.Old)
}

// apply applies the hunks to the old content. The result `fits` is false if they do not fit.
func (f *File) apply(before []byte) (after []byte, fits bool) {
	old := bytes.SplitAfter(before, []byte("\n"))
	if len(old[len(old)-1]) == 0 {
		old = old[:len(old)-1]
	}
	at := 0
	for i := range f.Hunks {
		h := &f.Hunks[i]
		to := h.OldStart
		if h.OldCount > 0 {
			to--
		}
		if to < at || to > len(old) {
			return nil, false
		}
		after = append(after, bytes.Join(old[at:to], nil)...)
		at = to
		for k := range h.Lines {
			l := &h.Lines[k]
			text := l.Text
			if k+1 < len(h.Lines) && h.Lines[k+1].Sign == '\\' {
				text = l.Content()
			}
			switch l.Sign {
			case ' ', '-':
				if at == len(old) || !bytes.Equal(old[at], text) {
					return nil, false
				}
				at++
			case '\\':
				continue
			}
			if l.Sign != '-' {
				after = append(after, text...)
			}
		}
	}
	return append(after, bytes.Join(old[at:], nil)...), true
}

// inHead returns the object at a path in HEAD; zero if there is none. It starts no process, and reads no file content.
func (f *finder) inHead(path string) (refs.OID, error) {
	head, _, err := f.repo.Head()
	if err != nil || head.IsZero() {
		return refs.OID{}, err
	}
	e, err := f.objects.EntryAt(head, path)
	return e.OID, err
}

// merging reports whether a merge is in progress. Then the work tree has several parents for git blame.
func (f *finder) merging() bool {
	_, err := os.Lstat(filepath.Join(f.repo.GitDir, "MERGE_HEAD"))
	return err == nil
}

// otherHunks reports whether the user's configuration may make git compare lines in another way than it did for our
// patches.
func (f *finder) otherHunks() bool {
	_, algorithm := f.from.Config.Get("diff.algorithm")
	_, heuristic := f.from.Config.Get("diff.indentheuristic")
	return algorithm || heuristic
}

// `converts` reports whether the configuration converts some files before they are compared.
func (f *finder) converts() bool {
	for key := range f.from.Config.Entries() {
		if strings.HasPrefix(key, "diff.") && strings.HasSuffix(key, ".textconv") {
			return true
		}
	}
	return false
}
