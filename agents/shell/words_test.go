package shell_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/shell"
)

func TestQuotingSurvivesAnyPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/a", "/it's", "/'", "/''a''", `/$HOME/"x"/\y`, "/`id`/*", "/é ü", "-n", "a\nb"} {
		word := shell.Quote(path)
		if got := shell.Words(word); !slices.Equal(got, []string{path}) {
			t.Errorf("%s is read as %q", word, got)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+word).Output()
		if err != nil || string(out) != path {
			t.Errorf("the shell reads %s as %q, %v", word, out, err)
		}
	}
}

func TestALineQuotesOnlyWhatNeedsIt(t *testing.T) {
	t.Parallel()
	words := []string{"claude", "--resume=4f2a", "it's", "", "a b", "~", "/usr/bin"}
	line := shell.Line(words)
	if want := `claude --resume=4f2a 'it'\''s' '' 'a b' '~' /usr/bin`; line != want {
		t.Errorf("got %s, want %s", line, want)
	}
	out, err := exec.Command("sh", "-c", "for w in "+line+`; do printf '%s|' "$w"; done`).Output()
	if want := strings.Join(words, "|") + "|"; err != nil || string(out) != want {
		t.Errorf("the shell reads %q, %v, want %q", out, err, want)
	}
}

func TestWhatAShellWouldReadOtherwiseGivesNoWords(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"a; b", "a | b", "a & b", "a > b", "(a)", "$a", "`a`", `"$a"`, "\"`a`\"", "'a", `"a`, `a\`} {
		if got := shell.Words(command); got != nil {
			t.Errorf("%q is read as %q", command, got)
		}
	}
}
