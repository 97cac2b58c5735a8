package correlate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// rebasing is a repository with files of a rebase under way.
func rebasing(t *testing.T, files map[string]string) *refs.Repo {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(repo.WorktreeTracesDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, repo.GitDir, filepath.Join("rebase-merge", name), text)
	}
	return repo
}

// Only picks that follow each other at once are announced, and only for a process that can be told from others.
func TestPicksThatFollowAreAnnounced(t *testing.T) {
	t.Parallel()
	pick := "pick " + strings.Repeat("a", 40) + " subject\n"
	short := "p " + strings.Repeat("b", 40) + "\n"
	for name, c := range map[string]struct {
		git          int
		number, todo string
		want         string // the first line
	}{
		"two picks":                   {77, "3\n", pick + short, "77 4 5"},
		"up to another command":       {77, "1\n", pick + "exec make\n" + pick, "77 2 2"},
		"up to a comment":             {77, "1\n", pick + pick + "# subject\n" + pick, "77 2 3"},
		"another command comes next":  {77, "1\n", "fixup " + strings.Repeat("a", 40) + "\n" + pick, ""},
		"a stop comes next":           {77, "1\n", "break\n" + pick, ""},
		"nothing comes next":          {77, "9\n", "", ""},
		"an id that is abbreviated":   {77, "1\n", "pick aaaaaaa subject\n", ""},
		"no process":                  {0, "1\n", pick, ""},
		"a process like every parent": {1, "1\n", pick, ""},
		"no number":                   {77, "", pick, ""},
		"a number that is none":       {77, "x\n", pick, ""},
	} {
		repo := rebasing(t, map[string]string{"git-rebase-todo": c.todo, "msgnum": c.number, "orig-head": "began\n"})
		write(t, repo.WorktreeTracesDir(), "picking", "1 2 3\nolder\n")
		if err := announcePicks(repo, c.git); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(pickingFile(repo))
		want := c.want
		if want != "" {
			want += "\nbegan\n"
		}
		if string(raw) != want || os.IsNotExist(err) != (want == "") {
			t.Errorf("%s: announced %q, want %q (%v)", name, raw, want, err)
		}
	}
}

// The shell's notes name commands. They are read as long as git knows what the commands were, and no longer.
func TestTheNotesOfTheShellAreReadWithTheCommandsOfTheirRebase(t *testing.T) {
	t.Parallel()
	id := func(c string) string { return strings.Repeat(c, 40) }
	done := "# a comment\npick " + id("a") + " one\n\nexec true\np " + id("b") + " two\nfixup " + id("c") + " three\n"
	notes := id("1") + " 1\n" + id("2") + " 3\n" + id("3") + " 4\n" + id("4") + " 9\n" + id("5") + " " + id("6") + "\n" + id("7") + " x\n"
	for name, c := range map[string]struct {
		picking, began string
		want           string
	}{
		"the same rebase":    {"7 2 3\nbegan\n", "began\n", "1a 2b 56"},
		"another rebase":     {"7 2 3\nbegan\n", "later\n", "56"},
		"no rebase any more": {"7 2 3\nbegan\n", "", "56"},
		"not announced":      {"", "began\n", "56"},
		"cut off":            {"7 2 3", "began\n", "56"},
	} {
		files := map[string]string{"done": done}
		if c.began != "" {
			files["orig-head"] = c.began
		}
		repo := rebasing(t, files)
		write(t, repo.WorktreeTracesDir(), "deferred", notes)
		if c.picking != "" {
			write(t, repo.WorktreeTracesDir(), "picking", c.picking)
		}
		var got []string
		for _, d := range readDeferred(repo) {
			got = append(got, d.commit.String()[:1]+d.from.String()[:1])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: read %v, want %s", name, got, c.want)
		}
	}
}

// What the shell noted outlives the rebase once it is settled.
func TestSettledNotesOutliveTheRebase(t *testing.T) {
	t.Parallel()
	one, from := strings.Repeat("1", 40), strings.Repeat("a", 40)
	repo := rebasing(t, map[string]string{"done": "pick " + from + " one\n", "orig-head": "began\n"})
	write(t, repo.WorktreeTracesDir(), "picking", "7 1 3\nbegan\n")
	write(t, repo.WorktreeTracesDir(), "deferred", one+" 1\n")
	if err := settleNotes(repo); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(repo.GitDir, "rebase-merge")); err != nil {
		t.Fatal(err)
	}
	if list := readDeferred(repo); len(list) != 1 || list[0].commit.String() != one || list[0].from.String() != from {
		t.Errorf("read %v", list)
	}
}
