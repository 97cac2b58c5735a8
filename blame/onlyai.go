package blame

import (
	"fmt"
	"strconv"
)

// With --only-ai a stream in git's format is what git would print if the other lines had not been asked for, as with
// -L: groups are counted anew, and what is said once for each commit stands with the first line of it that is left.

// aiGroup is a run of lines by agents that git would list as one group: one commit and path, numbers that go on.
type aiGroup struct {
	from, to int // positions in the lines; to is behind the last
}

// aiGroups finds the groups of lines that agents wrote.
func aiGroups(lines []Line, owners []Attribution) []aiGroup {
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

// follows tells whether one line continues the group of another.
func follows(before, l *Line) bool {
	return before.Commit == l.Commit && before.OrigPath == l.OrigPath && before.Ignored == l.Ignored &&
		before.Unblamable == l.Unblamable && before.OrigLine+1 == l.OrigLine && before.FinalLine+1 == l.FinalLine
}

// appendAI appends the groups of lines by agents in a format of git's. shown holds the commits whose details have been
// printed.
func (s *session) appendAI(buf []byte, lines []Line, owners []Attribution, shown map[*Commit]bool) []byte {
	for _, g := range aiGroups(lines, owners) {
		if s.opts.Format == Incremental {
			header := appendGroup(nil, &lines[g.from], g.to-g.from, shown)
			buf = appendIncremental(buf, header, lines[g.from:g.to], owners[g.from:g.to], s.opts.Prompts)
			continue
		}
		for i := g.from; i < g.to; i++ {
			l := &lines[i]
			every := s.opts.Format == LinePorcelain
			switch {
			case i == g.from:
				buf = appendGroup(buf, l, g.to-g.from, shown)
			case every:
				buf = appendGroup(buf, l, 0, shown)
			default:
				buf = appendPosition(buf, l, 0)
			}
			if i == g.from || every || !owners[i].same(&owners[i-1]) {
				buf = appendHeaders(buf, &owners[i], s.opts.Prompts)
			}
			buf = append(append(append(buf, '\t'), l.Content...), '\n')
			if every {
				delete(shown, l.Commit)
			}
		}
	}
	return buf
}

// appendGroup appends all that git prints before a content line.
func appendGroup(buf []byte, l *Line, count int, shown map[*Commit]bool) []byte {
	buf = appendPosition(buf, l, count)
	if !shown[l.Commit] {
		buf = appendDetails(buf, l.Commit)
		shown[l.Commit] = true
	}
	return appendOrigin(buf, l)
}

func appendPosition(buf []byte, l *Line, count int) []byte {
	return appendNumbers(append(buf, l.Commit.ID.String()...), l, count)
}

// appendNumbers appends what follows the commit's id in the line that opens an entry.
func appendNumbers(buf []byte, l *Line, count int) []byte {
	buf = strconv.AppendInt(append(buf, ' '), int64(l.OrigLine), 10)
	buf = strconv.AppendInt(append(buf, ' '), int64(l.FinalLine), 10)
	if count > 0 {
		buf = strconv.AppendInt(append(buf, ' '), int64(count), 10)
	}
	return append(buf, '\n')
}

func appendDetails(buf []byte, c *Commit) []byte {
	buf = appendPerson(buf, "author", &c.Author)
	buf = appendPerson(buf, "committer", &c.Committer)
	buf = fmt.Appendf(buf, "summary %s\n", c.Summary)
	if c.Boundary {
		buf = append(buf, "boundary\n"...)
	}
	return buf
}

func appendPerson(buf []byte, role string, p *Person) []byte {
	return fmt.Appendf(buf, "%[1]s %[2]s\n%[1]s-mail %[3]s\n%[1]s-time %[4]d\n%[1]s-tz %[5]s\n",
		role, p.Name, p.Mail, p.Time, p.TZ)
}

func appendOrigin(buf []byte, l *Line) []byte {
	if l.Unblamable {
		buf = append(buf, "unblamable\n"...)
	}
	if l.Ignored {
		buf = append(buf, "ignored\n"...)
	}
	if !l.Previous.Commit.IsZero() {
		buf = fmt.Appendf(buf, "previous %s %s\n", l.Previous.Commit, quote(l.Previous.Path))
	}
	return fmt.Appendf(buf, "filename %s\n", quote(l.OrigPath))
}
