package gitblame

import (
	"bytes"
	"strings"
)

// Table adds facts that only git's own table has: before git 2.50 the marks of ignored revisions, and the two numbers
// of --score-debug for each line. Git runs again and prints the table in a form that can be parsed.
func (s *Session) Table(lines []Line) (scores []string, err error) {
	scores = make([]string, len(lines))
	if !s.opts.ScoreDebug && !s.marks() {
		return scores, nil
	}
	args := []string{"-c", "blame.coloring=none", "-c", "blame.blankBoundary=false"}
	args = append(args, s.opts.gitArgs([]string{"--score-debug", "-s", "-l"}, formats, draws)...)
	cmd := s.command(s.ctx, args, &bytes.Buffer{})
	table, err := cmd.Output()
	if err != nil {
		return nil, &Failure{Code: fatalCode, Message: "git blame --score-debug failed"}
	}
	next := 0
	for row := range bytes.Lines(table) {
		const columns = 120 // more columns than sign, id, score and count need
		fields := strings.Fields(string(row[:min(len(row), columns)]))
		if next == len(lines) || len(fields) < 3 {
			break
		}
		l := &lines[next]
		sign := fields[0][:strings.IndexFunc(fields[0]+"0", isHex)]
		l.Ignored = strings.Contains(sign, "?")
		l.Unblamable = strings.Contains(sign, "*")
		if s.opts.ScoreDebug {
			scores[next] = fields[1] + " " + fields[2]
		}
		next++
	}
	return scores, nil
}

// `marks` reports whether configuration selects marks and the options allow them.
func (s *Session) marks() bool {
	got := s.settings()
	_, file := got.Get("blame.ignorerevsfile")
	asked := got.Bool("blame.markignoredlines", false) || got.Bool("blame.markunblamablelines", false)
	return asked && (file || s.opts.IgnoresRevs)
}

func isHex(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' }
