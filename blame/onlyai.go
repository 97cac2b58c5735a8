package blame

import "github.com/git-trace/git-trace/blame/gitblame"

// With --only-ai, the output in git's formats contains only lines of agents, as if -L had selected them. Groups are
// counted again, and the details of a commit come with its first remaining line.

// aiGroup is a run of lines by agents that git would list as one group: they have one commit and path, and consecutive
// numbers.
type aiGroup struct {
	from, to int // indexes in the list of lines; to is exclusive
}

// aiGroups returns the groups of lines that agents wrote.
func aiGroups(lines []gitblame.Line, owners []*Attribution) []aiGroup {
	var groups []aiGroup
	for i := range lines {
		if !owners[i].ByAI() {
			continue
		}
		if n := len(groups); n > 0 && groups[n-1].to == i && follows(&lines[i-1], &lines[i]) {
			groups[n-1].to++
			continue
		}
		groups = append(groups, aiGroup{i, i + 1})
	}
	return groups
}

// `follows` reports whether a line continues the group of the previous line.
func follows(before, l *gitblame.Line) bool {
	return before.Commit == l.Commit && before.OrigPath == l.OrigPath && before.Ignored == l.Ignored &&
		before.Unblamable == l.Unblamable && before.OrigLine+1 == l.OrigLine && before.FinalLine+1 == l.FinalLine
}

// appendAI appends the groups of lines by agents in one of git's formats. The parameter `shown` holds the commits whose
// details have been printed.
func (s *session) appendAI(
	buf []byte, lines []gitblame.Line, owners []*Attribution, shown map[*gitblame.Commit]bool,
) []byte {
	for _, g := range aiGroups(lines, owners) {
		if s.opts.Format == gitblame.Incremental {
			header := gitblame.AppendGroup(nil, &lines[g.from], g.to-g.from, shown)
			buf = appendIncremental(buf, header, lines[g.from:g.to], owners[g.from:g.to], s.opts.Prompts)
			continue
		}
		for i := g.from; i < g.to; i++ {
			l := &lines[i]
			every := s.opts.Format == gitblame.LinePorcelain
			switch {
			case i == g.from:
				buf = gitblame.AppendGroup(buf, l, g.to-g.from, shown)
			case every:
				buf = gitblame.AppendGroup(buf, l, 0, shown)
			default:
				buf = gitblame.AppendPosition(buf, l, 0)
			}
			if i == g.from || every || !owners[i].Same(owners[i-1]) {
				buf = appendHeaders(buf, owners[i], s.opts.Prompts)
			}
			buf = append(append(append(buf, '\t'), l.Content...), '\n')
			if every {
				delete(shown, l.Commit)
			}
		}
	}
	return buf
}
