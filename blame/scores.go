package blame

import (
	"bytes"
	"strings"
)

// scores are the two figures of --score-debug for each line: how much of it git found moved, and its count of
// references. Only git's own table has them, so git draws that once more, in a form that can be read.
func (s *session) scores(lines []Line) (map[int]string, error) {
	if !s.opts.ScoreDebug {
		return nil, nil
	}
	args := []string{"-c", "blame.coloring=none", "-c", "blame.blankBoundary=false"}
	args = append(args, s.opts.gitArgs([]string{"--score-debug", "-s", "-l", "--abbrev=40"}, formats, draws)...)
	cmd := s.repo.CommandUser(s.ctx, s.dir, args...)
	if s.stdin != nil {
		cmd.Stdin = bytes.NewReader(s.stdin)
	}
	table, err := cmd.Output()
	if err != nil {
		return nil, &Failure{Code: fatalCode, Message: "git blame --score-debug failed"}
	}
	scores := map[int]string{}
	next := 0
	for row := range bytes.Lines(table) {
		fields := strings.Fields(string(row[:min(len(row), 120)]))
		if next < len(lines) && len(fields) > 2 {
			scores[lines[next].FinalLine] = fields[1] + " " + fields[2]
		}
		next++
	}
	return scores, nil
}
