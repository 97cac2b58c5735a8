package blame

import (
	"strings"

	"github.com/git-trace/git-trace/events"
)

// Git credits a line to a commit that did not write it in these cases:
//
//   - --reverse names the last commit that still has the line;
//   - --first-parent names the merge that brought the line in;
//   - -S replaces the history by another;
//   - a limited history (A..B, ^A, --since, -5, …) ends in boundary commits, which get every older line.
//
// What is asked then is not "who wrote this line of that commit" but "who wrote this line of the content on the
// screen". A second blame, without those arguments but with all others (-w, -M, -C, --ignore-rev, --contents, -L), of
// the same final content answers it: final line numbers are the same in both, since the content is. For --reverse the
// content is that of the start of the range. A root commit is a boundary too, but it did write its lines, as far as the
// repository knows; nor is --ignore-rev such a case: the user says that the ignored change does not count.

// owners finds who wrote each line. content gives the blamed content if it comes to that.
func (s *session) owners(lines []Line, content func() ([]byte, error)) ([]Attribution, error) {
	if s.converted() {
		owners := make([]Attribution, len(lines))
		for i := range owners {
			owners[i].Kind = events.OwnerUnknown
		}
		return owners, nil
	}
	credits, err := s.credits(lines)
	if err != nil {
		return nil, err
	}
	return resolve(s.ctx, s.resolver, credits, content)
}

// credits tells, for each line, whom to ask about.
func (s *session) credits(lines []Line) ([]credit, error) {
	plain := s.opts.Reverse || s.opts.FirstParent || s.opts.Grafted
	if !plain && (s.opts.Limited || s.target.cutsHistory()) {
		for i := range lines {
			plain = plain || lines[i].Commit.Boundary
		}
	}
	if plain && s.written == nil {
		if err := s.plainBlame(); err != nil {
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

// creditOf is what git's own answer says: that line of that commit, or of the blamed content if no commit has it.
func creditOf(l *Line) credit {
	c := credit{commit: l.Commit.ID, path: l.OrigPath, line: l.OrigLine, text: l.Content}
	if !l.Commit.Committed() {
		c.line = l.FinalLine
	}
	return c
}

// plainBlame blames the same content through the whole history as it is.
func (s *session) plainBlame() error {
	rev, err := s.blamedRev()
	if err != nil {
		return err
	}
	args := s.opts.gitArgs([]string{"--porcelain"}, formats, limits, names)
	if rev != "" {
		args = append(args, rev)
	}
	s.written = map[int]credit{}
	_, err = s.blame(append(args, "--", s.target.file), Porcelain, func(e *Entry) error {
		s.written[e.FinalLine] = creditOf(&e.Line)
		return nil
	})
	return err
}

// blamedRev is the full id of the revision whose content is blamed, or "" for the work tree.
func (s *session) blamedRev() (string, error) {
	if len(s.target.revs) == 0 {
		return "", nil
	}
	args := append([]string{"rev-parse", "--revs-only", "--no-flags"}, s.target.revs...)
	out, err := s.ask(nil, append(args, "--")...)
	if err != nil {
		return "", err
	}
	final, start := "", ""
	for id := range strings.FieldsSeq(out) {
		if negative, ok := strings.CutPrefix(id, "^"); ok {
			start = negative
		} else {
			final = id
		}
	}
	if s.opts.Reverse && start != "" { // --reverse START is START..HEAD: then there is no negative one
		return start, nil
	}
	return final, nil
}
