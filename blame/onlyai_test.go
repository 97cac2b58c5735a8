package blame

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
)

// With --only-ai every group says its owner at its beginning and where it changes; a line of its own says all of it.
func TestTheGroupsOfAgentsAsGitWouldPrintThem(t *testing.T) {
	t.Parallel()
	one, two := &gitblame.Commit{ID: commitID(1), Summary: "first"}, &gitblame.Commit{ID: commitID(2), Summary: "second"}
	line := func(c *gitblame.Commit, orig, final int) gitblame.Line {
		return gitblame.Line{Commit: c, OrigPath: "a", OrigLine: orig, FinalLine: final, Content: []byte("text")}
	}
	lines := []gitblame.Line{line(one, 1, 1), line(one, 2, 2), line(one, 3, 3), line(one, 5, 4), line(two, 1, 5), line(one, 7, 6)}
	ai := func(call string) *Attribution {
		return &Attribution{Kind: events.OwnerAI, Session: "S", ToolCall: call}
	}
	owners := []*Attribution{ai("a"), ai("a"), ai("b"), ai("b"), {Kind: events.OwnerHuman}, ai("b")}
	for format, want := range map[gitblame.Format]string{
		gitblame.Porcelain:     "1:1:1:3 details call=a | 1:2:2 | 1:3:3 call=b | 1:5:4:1 call=b | 1:7:6:1 call=b",
		gitblame.LinePorcelain: "1:1:1:3 details call=a | 1:2:2 details call=a | 1:3:3 details call=b | 1:5:4:1 details call=b | 1:7:6:1 details call=b",
	} {
		s := &session{opts: gitblame.Options{Format: format}}
		var got []string
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(s.appendAI(nil, lines, owners, map[*gitblame.Commit]bool{})), "\n"), "\ttext\n") {
			entry = strings.TrimSuffix(entry, "\ttext")
			if entry == "" {
				continue
			}
			head, rest, _ := strings.Cut(entry, "\n")
			fields := strings.Fields(head)
			fields[0] = strings.TrimLeft(fields[0], "0")
			text := strings.Join(fields, ":")
			if strings.Contains(rest, "summary first\n") {
				text += " details"
			}
			for header := range strings.Lines(rest) {
				if call, ok := strings.CutPrefix(header, "trace-tool-call "); ok {
					text += " call=" + strings.TrimSpace(call)
				}
			}
			got = append(got, text)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%v: %s\nwant %s", format, strings.Join(got, " | "), want)
		}
	}
}

// A line that no commit has is asked about by its place in what is blamed.
func TestWhomToAskAboutALine(t *testing.T) {
	t.Parallel()
	l := gitblame.Line{Commit: &gitblame.Commit{ID: commitID(1)}, OrigPath: "a", OrigLine: 3, FinalLine: 9, Content: []byte("x")}
	if c := creditOf(&l); c.line != 3 || c.path != "a" || c.commit != commitID(1) || string(c.text) != "x" {
		t.Errorf("of a commit: %+v", c)
	}
	l.Commit = &gitblame.Commit{}
	if c := creditOf(&l); c.line != 9 || !c.commit.IsZero() {
		t.Errorf("of none: %+v", c)
	}
}
