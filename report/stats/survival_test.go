package stats_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/stats"
)

// silence is a log in which nothing is recorded.
type silence struct{}

func (silence) ByCommit(refs.OID) ([]events.Event, error) { return nil, nil }
func (silence) OwnWriter() (string, error)                { return "", nil }

// Every line of these histories has a text of its own, so its life is known by reading: it begins with the first commit
// of the first-parent history that holds the text, and ends with the first one after that without it.
func TestLinesLiveAsLongAsTheirTextIsThere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Pick(2, 4, 20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newLinesHistory(t, seed)
			for range 40 {
				h.step()
			}
			h.holds("HEAD")
			h.holds(fmt.Sprintf("HEAD~%d..HEAD", 5))
			h.holds("HEAD", "--", "d/")
		})
	}
}

type linesHistory struct {
	t      *testing.T
	random *rand.Rand
	repo   *refs.Repo
	now    time.Time
	next   int
	author int
	files  int
}

func newLinesHistory(t *testing.T, seed uint64) *linesHistory {
	h := &linesHistory{t: t, random: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	dir := testenv.Repository(t, "mkdir d; seq -f 'first %g' 1 30 >f0; seq -f 'second %g' 1 20 >d/f1")
	var err error
	if h.repo, err = refs.Discover(dir); err != nil {
		t.Fatal(err)
	}
	h.files = 2
	h.commit()
	return h
}

func (h *linesHistory) git(args ...string) string {
	h.t.Helper()
	stamp := h.now.Format(time.RFC3339)
	cmd := h.repo.Command(context.Background(), args...)
	cmd.Dir = h.repo.WorkTree
	cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp, fmt.Sprintf("GIT_AUTHOR_NAME=P%d", h.author))
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %s: %v", args, err)
	}
	return string(out)
}

func (h *linesHistory) commit() {
	h.author = h.random.IntN(3)
	h.git("add", "-A")
	h.git("commit", "-q", "--allow-empty", "-m", "step")
	h.now = h.now.Add(time.Duration(h.random.IntN(96)) * time.Hour)
}

// edit takes lines out of a file and puts new ones in.
func (h *linesHistory) edit(path string) {
	path = filepath.Join(h.repo.WorkTree, path)
	raw, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	for i := 1 + h.random.IntN(4); i > 0 || len(lines) == 0; i-- {
		at := h.random.IntN(len(lines) + 1)
		lines = slices.Delete(lines, at, min(at+h.random.IntN(4), len(lines)))
		for range h.random.IntN(4) {
			h.next++
			lines = slices.Insert(lines, at, fmt.Sprintf("line %d", h.next))
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *linesHistory) paths() []string {
	return strings.Fields(h.git("ls-files"))
}

func (h *linesHistory) step() {
	paths := h.paths()
	path := paths[h.random.IntN(len(paths))]
	switch h.random.IntN(8) {
	case 0: // on a branch, in a file that the main line leaves alone
		h.files++
		name := fmt.Sprintf("f%d", h.files)
		h.git("checkout", "-q", "-b", "side")
		h.next++
		if err := os.WriteFile(filepath.Join(h.repo.WorkTree, name), fmt.Appendf(nil, "line %d\n", h.next), 0o644); err != nil {
			h.t.Fatal(err)
		}
		for range 1 + h.random.IntN(3) {
			h.edit(name)
			h.commit()
		}
		h.git("checkout", "-q", "-")
		h.edit(path)
		h.commit()
		h.git("merge", "-q", "--no-ff", "-m", "merge", "side")
		h.git("branch", "-q", "-D", "side")
		h.now = h.now.Add(time.Hour)
	case 1:
		h.files++
		h.git("mv", path, fmt.Sprintf("%s/f%d", []string{"d", "."}[h.random.IntN(2)], h.files))
		h.commit()
	default:
		h.edit(path)
		h.commit()
	}
}

// holds compares the figures with what the texts tell.
func (h *linesHistory) holds(rev string, paths ...string) {
	h.t.Helper()
	query := graph.Query{Revs: []string{rev}}
	if len(paths) > 0 {
		query.Paths, query.Dashed = paths[1:], true
	}
	from := stats.Source{Source: graph.Source{Log: silence{}}}
	g, err := graph.Build(context.Background(), h.repo, from.Source, query)
	if err != nil {
		h.t.Fatal(err)
	}
	var commits []*graph.Commit
	for i := range g.Commits {
		commits = append(commits, &g.Commits[i])
	}
	groups := stats.New(stats.By{Dimensions: []stats.Dimension{stats.Agent}})
	if err := stats.Survival(context.Background(), h.repo, from, query, commits, groups); err != nil {
		h.t.Fatal(err)
	}
	var have stats.Alive
	for _, one := range groups.List {
		for i := range have {
			have[i].Written += one.Alive[i].Written
			have[i].Alive += one.Alive[i].Alive
		}
	}
	if want := h.lives(rev, paths); have != want {
		h.t.Errorf("%s %s: %v, and by their texts %v", rev, paths, have, want)
	}
}

// lives reads the files of every commit of the first-parent history.
func (h *linesHistory) lives(rev string, paths []string) stats.Alive {
	type life struct {
		from, to time.Time
		counts   bool
	}
	born := map[string]*life{}
	before := map[string]bool{}
	if base, _, ranged := strings.Cut(rev, ".."); ranged {
		for text := range h.texts(base) {
			before[text] = true
		}
	}
	var end time.Time
	for entry := range strings.Lines(h.git("log", "--first-parent", "--reverse", "--format=%H %cI", rev)) {
		id, stamp, _ := strings.Cut(strings.TrimSpace(entry), " ")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			h.t.Fatal(err)
		}
		end = at
		now := h.texts(id)
		for text, path := range now {
			if born[text] == nil && !before[text] {
				born[text] = &life{from: at, counts: len(paths) == 0 || strings.HasPrefix(path, paths[1])}
			}
		}
		for text, l := range born {
			if now[text] == "" && l.to.IsZero() {
				l.to = at
			}
		}
	}
	var out stats.Alive
	for _, l := range born {
		for i, days := range stats.Ages {
			age := time.Duration(days) * 24 * time.Hour
			if !l.counts || l.from.Add(age).After(end) {
				continue
			}
			out[i].Written++
			if l.to.IsZero() || l.to.Sub(l.from) > age {
				out[i].Alive++
			}
		}
	}
	return out
}

// texts are the lines of a commit, each with the file that it is in.
func (h *linesHistory) texts(commit string) map[string]string {
	out := map[string]string{}
	for name := range strings.Lines(h.git("ls-tree", "-r", "--name-only", commit)) {
		name = strings.TrimSpace(name)
		for text := range strings.Lines(h.git("cat-file", "blob", commit+":"+name)) {
			out[text] = name
		}
	}
	return out
}
