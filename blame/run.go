package blame

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

// session is one run of the command.
type session struct {
	*gitblame.Session
	ctx      context.Context // a session lives as long as the call that created it
	repo     *refs.Repo
	opts     gitblame.Options
	resolver Resolver
	written  map[int]credit // the writer of each final line, from a plain blame; nil before it ran
}

// run opens a session and calls the function `show` with it.
func run(
	ctx context.Context, repo *refs.Repo, dir string, opts gitblame.Options, resolver Resolver, show func(*session) error,
) error {
	if r, ok := resolver.(Preparer); ok {
		opts.Likely = r.Prepare
	}
	blame, err := gitblame.Open(ctx, repo, dir, opts)
	if err != nil {
		return err
	}
	defer blame.Close()
	s := &session{Session: blame, ctx: ctx, repo: repo, opts: opts, resolver: resolver}
	return s.Try(func() error { return show(s) })
}

// Run blames a file in the user's directory dir, and uses the resolver to find the owners of its lines. It writes the
// result in the format that the options select. If git refuses, the error is a *gitblame.Failure with the exit status.
func Run(
	ctx context.Context, repo *refs.Repo, dir string, opts gitblame.Options, resolver Resolver, out io.Writer, style Style,
) error {
	return run(ctx, repo, dir, opts, resolver, func(s *session) error { return s.show(out, style) })
}

// show writes the output in the format that the options select.
func (s *session) show(out io.Writer, style Style) error {
	switch s.opts.Format {
	case gitblame.Porcelain, gitblame.LinePorcelain:
		return s.passPorcelain(out)
	case gitblame.Incremental:
		return s.passIncremental(out)
	case gitblame.JSON, gitblame.JSONRuns:
		return s.json(out, style)
	}
	return s.human(out, style)
}

// lines blames the file for git-trace's own formats, and finds the owners.
func (s *session) lines() (lines []gitblame.Line, owners []*Attribution, trailer []byte, err error) {
	lines, trailer, err = s.Lines()
	if err != nil {
		return nil, nil, nil, err
	}
	owners, err = s.owners(lines, s.ContentOf(lines))
	return lines, owners, trailer, err
}

// annotate combines lines with their owners.
func annotate(lines []gitblame.Line, owners []*Attribution) []Annotated {
	all := make([]Annotated, len(lines))
	for i := range lines {
		all[i] = Annotated{Line: lines[i], Owner: owners[i]}
	}
	return all
}

// choose removes the lines that --only-ai hides.
func (s *session) choose(lines []Annotated) []Annotated {
	if !s.opts.OnlyAI {
		return lines
	}
	return slices.DeleteFunc(lines, func(l Annotated) bool { return !l.Owner.ByAI() })
}

func (s *session) json(out io.Writer, style Style) error {
	lines, owners, _, err := s.lines()
	if err != nil {
		return err
	}
	if s.opts.Functions {
		return s.showFunctions(out, style, annotate(lines, owners))
	}
	revision, err := s.Revision()
	if err != nil {
		return err
	}
	annotated := s.choose(annotate(lines, owners))
	if s.opts.Format == gitblame.JSONRuns {
		return writeRuns(out, s.Path(), revision, annotated, style.ShortTrace)
	}
	return writeJSON(out, s.Path(), revision, annotated)
}

func (s *session) human(out io.Writer, style Style) error {
	digits := s.Digits()
	lines, owners, trailer, err := s.lines()
	if err != nil {
		return err
	}
	if style.ColorIn != nil {
		config, err := s.Config()
		if err != nil {
			return err
		}
		style.Color = style.ColorIn(config)
	}
	if err := s.columns(&style, digits()); err != nil {
		return err
	}
	if s.opts.Functions {
		return s.showFunctions(out, style, annotate(lines, owners))
	}
	dates, err := s.Dates(lines, style.Terminal)
	if err != nil {
		return err
	}
	scores, err := s.Table(lines)
	if err != nil {
		return err
	}
	annotated := annotate(lines, owners)
	for i := range annotated {
		annotated[i].Date, annotated[i].Score = dates[annotated[i].Commit], scores[i]
	}
	if err := Render(out, s.choose(annotated), style); err != nil {
		return err
	}
	if s.opts.ShowStats {
		if _, err := out.Write(trailer); err != nil {
			return fmt.Errorf("write blame: %w", err)
		}
	}
	return nil
}
