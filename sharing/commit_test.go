package sharing

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
)

// Whoever makes the commit of a publication, it has the names that git gives one, whatever they are set by. What git
// makes itself is left to it: names that it changes, a date or an encoding that is chosen.
func TestAPublicationHasTheNamesThatGitGives(t *testing.T) { // not parallel: it changes the environment
	for name, tt := range map[string]struct {
		config []string
		env    []string
		here   bool
	}{
		"the user's":                {nil, nil, true},
		"an author's":               {[]string{"author.name", "Änne", "author.email", "a@b"}, nil, true},
		"half of a committer's":     {[]string{"committer.name", "C"}, nil, true},
		"of the environment":        {nil, []string{"GIT_AUTHOR_NAME", "Env Ö", "GIT_COMMITTER_EMAIL", "e@f"}, true},
		"with marks at the end":     {[]string{"user.name", "A. U. Thor Jr."}, nil, false},
		"with marks before":         {nil, []string{"GIT_AUTHOR_EMAIL", "<a@b>"}, false},
		"with brackets in it":       {[]string{"user.name", "A <B> C"}, nil, false},
		"with blanks around":        {[]string{"user.email", " a@b "}, nil, false},
		"a date":                    {nil, []string{"GIT_AUTHOR_DATE", "2001-02-03T04:05:06Z"}, false},
		"an encoding":               {[]string{"i18n.commitEncoding", "ISO-8859-1"}, nil, false},
		"signed, which nobody does": {[]string{"commit.gpgSign", "false"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := recording.New(t)
			for _, variable := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
				"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
				unset(t, variable)
			}
			w.Git("config", "user.name", "A U Thor")
			w.Git("config", "user.email", "author@example.com")
			for i := 0; i < len(tt.config); i += 2 {
				w.Git("config", tt.config[i], tt.config[i+1])
			}
			for i := 0; i < len(tt.env); i += 2 {
				t.Setenv(tt.env[i], tt.env[i+1])
			}
			s, err := ReadSettings(t.Context(), w.Repo)
			w.Check(err)
			_, author := s.identity("author")
			if _, committer := s.identity("committer"); (author && committer) != tt.here {
				t.Errorf("made here: %v and %v", author, committer)
			}
			tree, err := events.OpenLog(w.Repo).EmptyTree()
			w.Check(err)
			made, err := s.commit(t.Context(), w.Repo, "traces: 1 commit\n", tree, nil)
			w.Check(err)
			if at := w.Git("show", "-s", "--format=%ct %cd", "--date=format:%z", made.String()); at != "0 +0000" {
				t.Errorf("committed at %s", at)
			}
			t.Setenv("GIT_COMMITTER_DATE", "@0 +0000")
			by := exec.Command("git", "commit-tree", "-m", "traces: 1 commit", tree.String())
			by.Dir = w.Repo.WorkTree
			out, err := by.Output()
			w.Check(err)
			seconds := regexp.MustCompile(`> \d+ `)
			said := func(id string) string { return seconds.ReplaceAllString(w.Git("cat-file", "commit", id), "> N ") }
			if got, want := said(made.String()), said(strings.TrimSpace(string(out))); got != want {
				t.Errorf("%s\nand git makes\n%s", got, want)
			}
		})
	}
}

// unset takes a variable out of the environment until the test ends.
func unset(t *testing.T, variable string) {
	t.Helper()
	t.Setenv(variable, "") // which puts back what was there
	if err := os.Unsetenv(variable); err != nil {
		t.Fatal(err)
	}
}
