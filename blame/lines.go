package blame

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

// Query selects lines of one content of a path.
type Query struct {
	Revs     []string // revisions as git-blame(1) takes them; none for the work tree
	Path     string   // relative to the top of the work tree, in raw bytes
	Contents []byte   // replaces the file in the work tree; nil if unused
	Ranges   [][2]int // first and last line of each range; none for all lines

	Config  *refs.Config      // git's configuration, if the caller has already read it
	History *gitblame.History // history of many commits, if the caller has already read it
}

func (q *Query) options() (gitblame.Options, error) {
	var args []string
	for _, r := range q.Ranges {
		args = append(args, fmt.Sprintf("-L%d,%d", r[0], r[1]))
	}
	if q.Contents != nil {
		args = append(args, "--contents", "-")
	}
	opts, err := gitblame.Parse(append(append(args, q.Revs...), "--", q.Path))
	opts.Config, opts.History = q.Config, q.History
	if q.Contents != nil {
		opts.Stdin = bytes.NewReader(q.Contents)
	}
	return opts, err
}

// Lines blames a path in a revision, or in the work tree if rev is empty, and finds the owners. The parameter `path` is
// relative to the top of the work tree, in raw bytes. If git refuses, the error is a *gitblame.Failure, as for Run.
func Lines(ctx context.Context, repo *refs.Repo, rev, path string, resolver Resolver) ([]Annotated, error) {
	return Asked(ctx, repo, At(rev, path), resolver)
}

// `At` returns a query for all lines of a path in a revision, or in the work tree if rev is empty.
func At(rev, path string) Query {
	q := Query{Path: path}
	if rev != "" {
		q.Revs = []string{rev}
	}
	return q
}

// Asked returns the lines that a query selects, with their owners.
func Asked(ctx context.Context, repo *refs.Repo, q Query, resolver Resolver) (out []Annotated, err error) {
	opts, err := q.options()
	if err != nil {
		return nil, err
	}
	err = run(ctx, repo, repo.Top(), opts, resolver, func(s *session) error {
		lines, owners, _, err := s.lines()
		if err == nil {
			out = annotate(lines, owners)
		}
		return err
	})
	return out, err
}

// Credited returns lines with the commits that wrote them. [Owners] can then find the owners. The result `known` is
// false if git converted the file to text: the owners of converted lines are not known.
func Credited(ctx context.Context, repo *refs.Repo, q Query) (lines []gitblame.Line, known bool, err error) {
	opts, err := q.options()
	if err != nil {
		return nil, false, err
	}
	err = run(ctx, repo, repo.Top(), opts, nil, func(s *session) error {
		if lines, _, err = s.Lines(); err != nil || s.Converted() {
			return err
		}
		known = true
		if !s.CreditsOthers(lines) {
			return nil
		}
		lines = nil
		return s.Plain(func(e *gitblame.Entry) error {
			lines = gitblame.Append(lines, &e.Line)
			return nil
		})
	})
	return lines, known, err
}

// Owners returns the owners of lines of several files. Each line has the commit that wrote it. The function `content`
// returns the content of a path; it is needed for lines without a commit.
func Owners(
	ctx context.Context, resolver Resolver, lines []gitblame.Line, content func(path string) ([]byte, error),
) ([]Annotated, error) {
	credits := make([]credit, len(lines))
	for i := range lines {
		credits[i] = creditOf(&lines[i])
	}
	owners, err := resolve(ctx, resolver, credits, content)
	if err != nil {
		return nil, err
	}
	return annotate(lines, owners), nil
}

// Content returns the content of a path in the work tree, as git would store it.
func Content(ctx context.Context, repo *refs.Repo, path string) (content []byte, err error) {
	opts, err := gitblame.Parse([]string{"--", path})
	if err != nil {
		return nil, err
	}
	err = run(ctx, repo, repo.Top(), opts, nil, func(s *session) error {
		content, err = s.Content()
		return err
	})
	return content, err
}
