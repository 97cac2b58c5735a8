package blame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// Run blames a file in the user's directory dir, asks the resolver who wrote its lines, and writes the result in the
// format that the options name. A refusal of git's is a *Failure, which carries the exit status to end with.
func Run(
	ctx context.Context, repo *refs.Repo, dir string, opts Options, resolver Resolver, out io.Writer, style Style,
) error {
	ctx, stop := context.WithCancel(ctx)
	s, err := newSession(ctx, repo, dir, opts, resolver)
	defer s.background.Wait() // no process outlives the call
	defer stop()
	if err != nil {
		return err
	}
	s.settings = later(s, s.readSettings)
	s.converted = later(s, s.hasTextconv)
	err = s.named(func() error { return s.show(out, style) })
	var refused *Failure
	if errors.As(err, &refused) && refused.ExitCode() == usageCode {
		return s.asTyped(refused)
	}
	return err
}

// show writes the format that the options name.
func (s *session) show(out io.Writer, style Style) error {
	switch s.opts.Format {
	case Porcelain, LinePorcelain:
		return s.passPorcelain(out)
	case Incremental:
		return s.passIncremental(out)
	case JSON:
		return s.json(out)
	}
	return s.human(out, style)
}

// lines blames the file for our own formats and finds the owners.
func (s *session) lines() (lines []Line, owners []Attribution, trailer []byte, err error) {
	args := s.opts.gitArgs([]string{"--porcelain"}, formats)
	trailer, err = s.answer(args, Porcelain, func(e *Entry) error {
		lines = append(lines, e.Line)
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	owners, err = s.owners(lines, s.contentOf(lines))
	return lines, owners, trailer, err
}

// annotate joins lines and owners.
func annotate(lines []Line, owners []Attribution) []Annotated {
	all := make([]Annotated, len(lines))
	for i := range lines {
		all[i] = Annotated{Line: lines[i], Owner: &owners[i]}
	}
	return all
}

// choose leaves out what --only-ai leaves out.
func (s *session) choose(lines []Annotated) []Annotated {
	if !s.opts.OnlyAI {
		return lines
	}
	return slices.DeleteFunc(lines, func(l Annotated) bool { return !l.Owner.ByAI() })
}

func (s *session) json(out io.Writer) error {
	lines, owners, _, err := s.lines()
	if err != nil {
		return err
	}
	revision, err := s.revision()
	if err != nil {
		return err
	}
	return writeJSON(out, s.path, revision, s.choose(annotate(lines, owners)))
}

// revision is the commit whose file was blamed, or "" for the work tree and for --contents.
func (s *session) revision() (string, error) {
	if s.opts.HasContents {
		return "", nil
	}
	rev, err := s.blamedRev()
	if err != nil {
		return "", err
	}
	if rev == "" {
		if !s.repo.Bare() {
			return "", nil
		}
		rev = "HEAD"
	}
	return s.ask(nil, "rev-parse", "--verify", rev+"^{commit}")
}

func (s *session) human(out io.Writer, style Style) error {
	digits := later(s, s.digits)
	lines, owners, trailer, err := s.lines()
	if err != nil {
		return err
	}
	if err := s.settings().err; err != nil {
		return err
	}
	if err := s.columns(&style, digits()); err != nil {
		return err
	}
	configured, _ := s.settings().Get("blame.date")
	dates, err := s.dates(lines, s.dateMode(configured, style.Terminal))
	if err != nil {
		return err
	}
	annotated := annotate(lines, owners)
	for i := range annotated {
		annotated[i].Date = dates[annotated[i].Commit]
	}
	if err := s.readTable(annotated); err != nil {
		return err
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
