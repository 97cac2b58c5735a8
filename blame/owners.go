package blame

import (
	"fmt"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
)

// owners finds the owner of each line. If git credits commits that did not write the lines, it runs a second blame
// (gitblame/plain.go). The function `content` returns the blamed content; it is called only if needed.
func (s *session) owners(lines []gitblame.Line, content func() ([]byte, error)) ([]*Attribution, error) {
	if s.Converted() {
		return s.nobodys(lines)
	}
	credits, err := s.credits(lines)
	if err != nil {
		return nil, err
	}
	return resolve(s.ctx, s.resolver, credits, func(string) ([]byte, error) { return content() })
}

// nobodys returns attributions for lines of a converted text, whose owners are not known.
func (s *session) nobodys(lines []gitblame.Line) (out []*Attribution, err error) {
	out = make([]*Attribution, len(lines))
	for i := range lines {
		c := creditOf(&lines[i])
		if out[i], err = nobody(s.resolver, unknown, &c); err != nil {
			return nil, fmt.Errorf("find owners: %w", err)
		}
	}
	return out, nil
}

// credits returns the question to the resolver for each line.
func (s *session) credits(lines []gitblame.Line) ([]credit, error) {
	plain := s.CreditsOthers(lines)
	if plain && s.written == nil {
		s.written = map[int]credit{}
		err := s.Plain(func(e *gitblame.Entry) error {
			s.written[e.FinalLine] = creditOf(&e.Line)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	credits := make([]credit, len(lines))
	for i := range lines {
		credits[i] = creditOf(&lines[i])
		if plain {
			if c, ok := s.written[lines[i].FinalLine]; ok {
				credits[i] = c
			}
		}
	}
	return credits, nil
}

// creditOf makes a question from git's own answer: about the line in its commit, or in the blamed content if it is
// uncommitted.
func creditOf(l *gitblame.Line) credit {
	c := credit{commit: l.Commit.ID, path: l.OrigPath, line: l.OrigLine, text: l.Content}
	if !l.Commit.Committed() {
		c.line = l.FinalLine
	} else {
		c.made = time.Unix(l.Commit.Committer.Time, 0)
	}
	return c
}
