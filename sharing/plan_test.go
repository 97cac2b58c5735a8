package sharing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// What redaction cannot look into is counted before it leaves.
func TestThePlanCountsWhatNobodyReads(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	talked(t, w, "one", "[image] see [document application/pdf], [file input], not [images] nor [image of a cat]; "+
		"data:image/png;base64,"+strings.Repeat("QUJD", 200))
	p, err := plan(t, w, sharing.LevelConversations)
	w.Check(err)
	if p.Records.Attached != 3 || p.Records.Encoded != 1 {
		t.Errorf("%d attached, %d encoded", p.Records.Attached, p.Records.Encoded)
	}
	_, err = p.Push(t.Context(), true)
	w.Check(err)
	p.Close()
	if p, err = plan(t, w, sharing.LevelConversations); err != nil || p.Records.Attached != 3 || p.Records.Encoded != 1 {
		t.Errorf("of a record that was looked at before: %+v, %v", p.Records, err)
	}
	p.Close()
	if p, err = plan(t, w, sharing.LevelCommits); err != nil || p.Records.Attached != 0 {
		t.Errorf("without texts: %+v, %v", p.Records, err)
	}
	p.Close()
}

// S15: a remote takes back a part of a log that one writer saw. Somebody who had not seen it is told by pull, and by the
// plan of their next push.
func TestWhatOthersSawIsHeldAgainstARemote(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	name := "refs/traces/writers/" + writer + "/digest"
	first := gitIn(t, remote, "rev-parse", name)
	other := copied(t, w)
	other.Git("remote", "set-url", "origin", bare(t))
	for n := range 3 {
		other.Edit("forked", fmt.Sprint("forked-", n, ".txt"), "another history\n")
		other.Commit("forked")
		other.Anchor()
	}
	other.Git("push", "-q", "origin", "main")
	push(t, other, sharing.LevelCommits)
	gitIn(t, remote, "fetch", "-q", other.Repo.WorkTree, "refs/traces/remotes/origin/"+writer+"/digest")
	forked := gitIn(t, remote, "rev-parse", "FETCH_HEAD")
	grow(w, "more", "more.txt")
	push(t, w, sharing.LevelCommits)
	second := gitIn(t, remote, "rev-parse", name)
	witness := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	pull(t, witness, sharing.What{})
	grow(witness, "witness", "witness.txt")
	push(t, witness, sharing.LevelCommits)
	later := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	if p := pull(t, later, sharing.What{}); len(p.Doubts) != 0 {
		t.Errorf("of a remote that shows all: %v", p.Doubts)
	}
	for tip, want := range map[string]string{first: "and it ends at", forked: "and it has another one there"} {
		gitIn(t, remote, "update-ref", name, tip)
		fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		p := pull(t, fresh, sharing.What{})
		if len(p.Doubts) != 1 || p.Doubts[0].Writer != writer || !strings.Contains(p.Doubts[0].String(), want) {
			t.Errorf("%v of %+v, not %q", p.Doubts, p.Writers, want)
		}
		grow(fresh, "fresh", "fresh"+tip[:4]+".txt")
		planned, err := plan(t, fresh, sharing.LevelCommits)
		w.Check(err)
		if len(planned.Doubts) != 1 {
			t.Errorf("the plan has %v", planned.Doubts)
		}
		planned.Close()
	}
	gitIn(t, remote, "update-ref", name, second)
	if p := pull(t, later, sharing.What{}); len(p.Doubts) != 0 {
		t.Errorf("as it was: %v", p.Doubts)
	}
}
