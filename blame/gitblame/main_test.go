package gitblame

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestMain gives git a home without configuration, one clock and one identity for all tests, which may then run in
// parallel.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

// repo is a repository of a test.
type repo struct{ *blamerepo.Repo }

func newRepo(t testing.TB) *repo { return &repo{blamerepo.New(t)} }

func history(t testing.TB, initArgs ...string) *repo {
	return &repo{blamerepo.History(t, initArgs...)}
}

// open asks as the words say.
func (r *repo) open(dir, stdin string, words ...string) (*Session, error) {
	opts, err := Parse(words)
	if err != nil {
		return nil, err
	}
	opts.Stdin = strings.NewReader(stdin)
	return Open(context.Background(), r.Discover(dir), dir, opts)
}

// blame answers as the words say: git's own formats as git prints them, for ours all that is known of the lines.
func (r *repo) blame(dir, stdin string, words ...string) (string, error) {
	s, err := r.open(dir, stdin, words...)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var out bytes.Buffer
	err = s.Try(func() error {
		out.Reset()
		if s.opts.Format == Human || s.opts.Format == JSON {
			return s.describe(&out)
		}
		trailer, err := s.AsAsked(func(e *Entry) error {
			out.Write(e.Header)
			out.Write(e.Text)
			return nil
		})
		out.Write(trailer)
		return err
	})
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

// describe writes what our own formats are drawn of.
func (s *Session) describe(out *bytes.Buffer) error {
	digits := s.Digits()
	lines, trailer, err := s.Lines()
	if err != nil {
		return err
	}
	scores, err := s.Table(lines)
	if err != nil {
		return err
	}
	dates, err := s.Dates(lines, true)
	if err != nil {
		return err
	}
	rev, err := s.Revision()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.Path(), rev, digits(), s.Converted())
	for i, l := range lines {
		c := *l.Commit
		l.Commit = nil
		if !c.Committed() { // its time is the present
			c.Author.Time, c.Committer.Time = 0, 0
		}
		fmt.Fprintf(out, "%+v %+v %s %s\n", c, l, dates[lines[i].Commit], scores[i])
	}
	out.Write(trailer)
	return nil
}
