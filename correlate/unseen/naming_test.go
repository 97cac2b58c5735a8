package unseen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// A random history of merges, with dates that go back and heads that are not there, against git asked for each head.
func TestTheFirstHeadThatNamesACommitIsFoundInOneWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("a.txt", "a\n")
	w.Commit("first")
	tree := w.Git("rev-parse", "HEAD^{tree}")
	rng := rand.New(rand.NewPCG(7, 7))
	made := []string{strings.TrimSpace(w.Git("rev-parse", "HEAD"))}
	for i := range 60 {
		parent, other := made[len(made)-1-rng.IntN(min(4, len(made)))], made[rng.IntN(len(made))]
		args := []string{"-c", "user.name=A", "-c", "user.email=a@example.com", "commit-tree", "-m", fmt.Sprint(i),
			"-p", parent}
		if rng.IntN(3) == 0 && other != parent {
			args = append(args, "-p", other)
		}
		w.Clock = w.Clock.Add(time.Duration(rng.IntN(100)-30) * time.Minute)
		made = append(made, strings.TrimSpace(w.Git(append(args, strings.TrimSpace(tree))...)))
	}
	var heads []index.NamedCommit
	for i := range 25 {
		head := made[rng.IntN(len(made))]
		if i%9 == 4 {
			head = strings.Repeat("9", 40)
		}
		heads = append(heads, index.NamedCommit{Commit: w.OID(head), Seq: int64(10 * (i + 1))})
	}
	for _, asked := range testenv.Some([][]string{made[10:12], made, {made[3], made[50]}, made[40:], made[60:]}, 2) {
		w.with(func(s *Search, _ *index.Index) {
			commits, got := map[refs.OID]*age{}, map[*age]int64{}
			for _, id := range asked {
				a, err := s.dated(w.OID(id))
				if err != nil {
					t.Fatal(err)
				}
				commits[w.OID(id)] = a
			}
			err := s.firstNaming(context.Background(), commits, heads, func(a *age, h index.NamedCommit) { got[a] = h.Seq })
			if err != nil {
				t.Fatal(err)
			}
			for c, a := range commits {
				if want := firstByGit(t, s, c, heads); got[a] != want {
					t.Errorf("of %d asked, %s: first named by %d, git says %d", len(asked), c, got[a], want)
				}
			}
		})
	}
}

func firstByGit(t *testing.T, s *Search, c refs.OID, heads []index.NamedCommit) int64 {
	t.Helper()
	for _, h := range heads {
		there, err := s.reached(context.Background(), []refs.OID{c}, []index.NamedCommit{h})
		if err != nil {
			t.Fatal(err)
		}
		if there[c] {
			return h.Seq
		}
	}
	return 0
}

// A log may say of any number of commits that it found them, in circles: git is asked about those that are here, once.
func TestHeadsThatAreNotHereAreNotLookedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("a.txt", "a\n")
	here := []refs.OID{w.Head(), w.Commit("first")}
	w.Anchor()
	var said events.RewriteData
	nowhere := func(n int) refs.OID {
		id, err := refs.ParseOID(fmt.Sprintf("%040x", n))
		w.Check(err)
		return id
	}
	for i := range 400 {
		for _, c := range []refs.OID{nowhere(i + 1), nowhere(i + 2), here[i%2]} {
			said.Pairs = append(said.Pairs, events.RewritePair{Old: here[i%2], New: c})
		}
	}
	w.Append(events.CommitRewritten, events.PostRewrite, said)
	w.with(func(s *Search, _ *index.Index) {
		w.Check(s.prepare(t.Context()))
		if got := s.heads(0); len(s.digest.Heads(0)) < 800 || len(got) > 3 {
			t.Errorf("%v", got)
		}
	})
}
