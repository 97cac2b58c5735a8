package graph

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// anchorsOf is a log that lies in memory.
type anchorsOf map[refs.OID][]events.Event

func (a anchorsOf) ByCommit(commit refs.OID) ([]events.Event, error) { return a[commit], nil }

func (anchorsOf) OwnWriter() (string, error) { return "own", nil }

func TestBuildReadsWhateverNamesAndSubjectsHold(t *testing.T) {
	t.Parallel()
	repo, git := newRepo(t)
	git("-c", "user.name=N\x1eame, | * \\", "-c", "user.email=<x\x1f>", "commit", "-q", "--allow-empty", "-m", "root | * \x1e subject",
		"--author", "O\x1edd | Author <odd@example.com>")
	git("switch", "-qc", "side")
	git("commit", "-q", "--allow-empty", "-m", "side\nsecond line of the subject\n\nbody")
	git("switch", "-q", "main")
	git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
	git("merge", "-q", "--no-ff", "-m", "merge", "side")
	git("tag", "v1,0")
	g, err := Build(t.Context(), repo, Source{Log: anchorsOf{}}, Query{})
	if err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, c := range g.Commits {
		subjects = append(subjects, c.Subject)
	}
	slices.Sort(subjects)
	if want := []string{"", "merge", "root | * \x1e subject", "side second line of the subject"}; !reflect.DeepEqual(subjects, want) {
		t.Errorf("subjects %q, want %q", subjects, want)
	}
	if got := g.Commits[0]; len(got.Parents) != 2 || !reflect.DeepEqual(got.Refs, []string{"HEAD -> main", "tag: v1,0"}) {
		t.Errorf("merge: %+v", got)
	}
	if root := g.Commits[3]; root.Author != "O\x1edd | Author" || root.edges.commit != "* " || root.edges.pad != "  " {
		t.Errorf("root: %+v", root)
	}
}

// What a user has configured for git log must not change what is read of it.
func TestBuildIgnoresConfiguration(t *testing.T) {
	t.Parallel()
	repo, git := newRepo(t)
	name := filepath.Join(repo.WorkTree, "a")
	for _, text := range []string{"1\n", "1\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "a")
		git("commit", "-qm", "change "+text)
	}
	for key, value := range map[string]string{
		"color.ui": "always", "log.showSignature": "true", "log.follow": "true", "log.date": "relative", "format.pretty": "fuller",
		"log.decorate": "full", "log.abbrevCommit": "true", "diff.external": "/bin/false", "i18n.logOutputEncoding": "UTF-16",
		"notes.displayRef": "refs/notes/*", "log.diffMerges": "on", "format.notes": "true", "core.abbrev": "12",
	} {
		git("config", key, value)
	}
	git("notes", "add", "-m", "a note", "HEAD")
	g, err := Build(t.Context(), repo, Source{Log: anchorsOf{}}, Query{Paths: []string{"a"}, Dashed: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Commits) != 2 || g.Commits[0].Subject != "change 1 2" || len(g.Commits[0].Short) != 12 {
		t.Errorf("commits: %+v", g.Commits)
	}
}

func TestBuildLeavesTheLogItselfOut(t *testing.T) {
	t.Parallel()
	repo, git := newRepo(t)
	git("commit", "-q", "--allow-empty", "-m", "work")
	id := git("commit-tree", "-m", "traces: 1 events 1..1", git("mktree"))
	git("update-ref", refs.EventsRef, id)
	g, err := Build(t.Context(), repo, Source{Log: anchorsOf{}}, Query{Revs: refs.Everywhere()})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Commits) != 1 {
		t.Errorf("%d commits, want 1", len(g.Commits))
	}
}

func TestBuildSaysWhatGitSays(t *testing.T) {
	t.Parallel()
	repo, _ := newRepo(t)
	_, err := Build(t.Context(), repo, Source{Log: anchorsOf{}}, Query{Revs: []string{"nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "ambiguous argument 'nonsense'") {
		t.Errorf("error %v", err)
	}
}

func TestWalkStopsWhenItsReaderDoes(t *testing.T) {
	t.Parallel()
	repo, git := newRepo(t)
	for range 5 {
		git("commit", "-q", "--allow-empty", "-m", "c")
	}
	seen := 0
	for _, err := range Walk(t.Context(), repo, Source{Log: anchorsOf{}}, Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("%d commits", seen)
	}
}

func FuzzReadLog(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add("* \x1e" + id + " aaaaaaa 1 \n  \x1eN\n  \x1eM\n  \x1eHEAD -> main\n  \x1eS\n")
	f.Add("*   \x1e" + id + " aaa -5 " + id + " " + id + "\n|\\  \x1e\n| | \x1e\n| | \x1e\n| | \x1e\n|/\n")
	f.Add("\x1e\n\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_ = readLog(strings.NewReader(text), func(c *Commit) error {
			for n := range 8 {
				_ = c.edges.at(n)
			}
			return nil
		})
	})
}
