package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `Each` runs one git-diff-tree(1) for a list of lines. Each line is a commit, or a commit and the parent to compare it
// with. The function `take` parses one section and returns the function `keep`, which is called when the section is
// known to be complete. There is one section for each line, in the order of the list; it is empty if nothing changed.
//
// Git stops at the first missing or damaged object. Each adds the index of the affected line to the result `skipped`,
// and starts git again for the following lines. In a partial clone it first compares only trees, which shows all lines
// that need missing contents.
func Each(ctx context.Context, repo *refs.Repo, args, lines []string,
	take func(i int, r *Reader) (keep func() error, err error)) (skipped []int, err error) {
	e := &each{ctx: ctx, repo: repo, args: args, lines: lines, take: take}
	left := make([]int, len(lines))
	for i := range left {
		left[i] = i
	}
	surveyed := false
	for len(left) > 0 {
		done, err := e.some(left)
		left = left[done:]
		var failed *refs.GitError
		var given *refusal
		switch {
		case err == nil:
			continue
		case errors.As(err, &given):
			return nil, given.text
		case ctx.Err() != nil || !errors.As(err, &failed) || len(left) == 0:
			return nil, err
		case !surveyed:
			surveyed = true
			lacking := e.survey(left)
			left = slices.DeleteFunc(left, func(i int) bool { return lacking[i] })
			if e.skipped = slices.AppendSeq(e.skipped, maps.Keys(lacking)); len(lacking) > 0 {
				continue
			}
		}
		// The section before git's failure may be complete, although nothing after it shows this.
		if _, err := e.some(left[:1]); errors.As(err, &given) {
			return nil, given.text
		} else if err != nil {
			e.skipped = append(e.skipped, left[0])
		}
		left = left[1:]
	}
	slices.Sort(e.skipped)
	return e.skipped, nil
}

// `each` holds the state of one call of Each.
type each struct {
	ctx   context.Context
	repo  *refs.Repo
	args  []string
	lines []string
	take  func(int, *Reader) (func() error, error)

	skipped []int
}

// refusal wraps an error of the function `take`.
type refusal struct{ text error }

func (r *refusal) Error() string { return r.text.Error() }

// some runs git once, and returns the number of lines that are done. Git failed at the next line, or at the one after
// it: a section is known to be complete only when another one begins. For a missing commit git prints nothing: its line
// is done, and skipped.
func (e *each) some(left []int) (done int, err error) {
	var in strings.Builder
	for _, i := range left {
		in.WriteString(e.lines[i] + "\n")
	}
	args := append([]string{"--literal-pathspecs", "diff-tree", "--stdin", "--always"}, e.args...)
	err = Run(e.ctx, e.repo, strings.NewReader(in.String()), args, func(r *Reader) error {
		keep := func() error { return nil }
		for {
			commit, err := r.Commit()
			ended := errors.Is(err, io.EOF)
			if err != nil && !ended {
				return err
			}
			if err := keep(); err != nil {
				return &refusal{err}
			}
			for done < len(left) && (ended || !strings.HasPrefix(e.lines[left[done]], commit.String())) {
				e.skipped = append(e.skipped, left[done])
				done++
			}
			if ended {
				return nil
			}
			if done == len(left) {
				return fmt.Errorf("%w: a commit that was not asked for", ErrShape)
			}
			kept, err := e.take(left[done], r)
			if err != nil {
				return err
			}
			keep = func() error { done++; return kept() }
		}
	})
	return done, err
}

// survey makes git compare only trees, and returns the lines whose contents are missing in this clone.
func (e *each) survey(left []int) map[int]bool {
	objects := e.repo.Objects()
	defer func() { _ = objects.Close() }()
	stored := func(id refs.OID, mode uint32) bool {
		return id.IsZero() || mode == refs.ModeGitlink || objects.MayBeStored(id)
	}
	lacking := map[int]bool{}
	rooted := func(id string) bool { // in a clone without trees, git would fail at each commit
		oid, err := refs.ParseOID(id)
		c, failed := objects.Commit(oid)
		return err == nil && failed == nil && (c.Tree == e.repo.Format.EmptyTree() || objects.MayBeStored(c.Tree))
	}
	left = slices.DeleteFunc(slices.Clone(left), func(i int) bool {
		lacking[i] = slices.ContainsFunc(strings.Fields(e.lines[i]), func(id string) bool { return !rooted(id) })
		return lacking[i]
	})
	trees := &each{ctx: e.ctx, repo: e.repo, args: append([]string{"--root", "--no-renames"}, Raw()...), lines: e.lines}
	trees.take = func(i int, r *Reader) (func() error, error) {
		records, err := r.Records()
		lacking[i] = slices.ContainsFunc(records, func(f Record) bool {
			return !stored(f.Old, f.OldMode) || !stored(f.New, f.NewMode)
		})
		return func() error { return nil }, err
	}
	_, _ = trees.some(left) // if git fails here too, the following lines are processed one by one
	maps.DeleteFunc(lacking, func(_ int, is bool) bool { return !is })
	return lacking
}

// Run starts git, and parses its output while git is running ([refs.Repo.GitRead]).
func Run(ctx context.Context, repo *refs.Repo, stdin io.Reader, args []string, read func(*Reader) error) error {
	return repo.GitRead(ctx, stdin, func(out io.Reader) error { return read(NewReader(out)) }, args...)
}
