package gitblame

import (
	"slices"
	"strings"
)

// In these cases git credits a line to a commit that did not write it:
//
//   - --reverse names the last commit that still has the line;
//   - --first-parent names the merge that brought the line;
//   - -S replaces the history with another one;
//   - a limited history (A..B, ^A, --since, -5, …) ends in boundary commits, which get all older lines.
//
// Then the question is not "who wrote this line of that commit" but "who wrote this line of the shown content". A
// second blame of the same final content answers it. It runs without these arguments and with all others (-w, -M, -C,
// --ignore-rev, --contents, -L). Both blames have the same final line numbers. With --reverse, the content is from the
// start of the range. A root commit is a boundary too, but it did write its lines. --ignore-rev is not among these
// cases, because the user wants the ignored change not to count.

// CreditsOthers reports whether git may credit some lines to commits that did not write them.
func (s *Session) CreditsOthers(lines []Line) bool {
	o := &s.opts
	if o.Reverse || o.FirstParent || o.Grafted {
		return true
	}
	return (o.Limited || s.target.cutsHistory()) &&
		slices.ContainsFunc(lines, func(l Line) bool { return l.Commit.Boundary })
}

// Plain blames the same content in the whole unchanged history.
func (s *Session) Plain(each func(*Entry) error) error {
	rev, err := s.blamedRev()
	if err != nil {
		return err
	}
	args := s.opts.gitArgs([]string{"--porcelain"}, formats, limits, names)
	if rev != "" {
		args = append(args, rev)
	}
	whole := s.whole(rev)
	defer whole.background.Wait()
	_, err = whole.answer(append(args, "--", s.target.file), Porcelain, each)
	return err
}

// `whole` returns a session that blames a file in a revision, or in the work tree for "", in the whole history.
func (s *Session) whole(rev string) *Session {
	o := s.opts
	o.Format, o.Reverse, o.FirstParent, o.Grafted, o.Limited, o.dashes = Human, false, false, false, false, true
	o.args = slices.DeleteFunc(slices.Clone(o.args), func(a argument) bool {
		return a.role == formats || a.role == limits || a.role == names
	})
	t := target{file: s.target.file}
	if rev != "" {
		t.revs = []string{rev}
	}
	return &Session{ctx: s.ctx, repo: s.repo, dir: s.dir, opts: o, target: t, path: s.path,
		stdin: s.stdin, beside: s.beside, settings: s.settings, converted: s.converted}
}

// blamedRev returns the full id of the revision whose content is blamed, or "" for the work tree.
func (s *Session) blamedRev() (string, error) {
	if len(s.target.revs) == 0 {
		return "", nil
	}
	args := append([]string{"rev-parse", "--revs-only", "--no-flags"}, s.target.revs...)
	out, err := s.Ask(nil, append(args, "--")...)
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
	if s.opts.Reverse && start != "" { // --reverse START means START..HEAD, if no revision is excluded
		return start, nil
	}
	return final, nil
}

// Revision returns the commit whose file was blamed, or "" for the work tree and for --contents.
func (s *Session) Revision() (string, error) {
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
	return s.Ask(nil, "rev-parse", "--verify", rev+"^{commit}")
}
