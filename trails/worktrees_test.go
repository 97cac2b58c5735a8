package trails

import (
	"os"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// What a look notes for the other work trees: git took a content away that no commit has.
func TestWhatGitTookIsNotedForOtherWorkTrees(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.work("a.txt", "one\n")
	head := sc.commit()
	sc.step.tree.state.Git.Head = head
	one, two := sc.text("one", "one\n"), sc.text("two", "one\ntwo\n")
	pending := sc.change("a.txt", two, one)

	sc.step.tree.noteTaken(pending)
	if len(sc.step.tree.state.Notes.Taken) != 0 {
		t.Error("it is noted where there is no other work tree")
	}
	linked := t.TempDir()
	sc.git("worktree", "add", "-q", linked+"/l")
	sc.step.tree.noteTaken(sc.change("a.txt", one, two))
	if len(sc.step.tree.state.Notes.Taken) != 0 {
		t.Error("what HEAD had is noted")
	}
	sc.step.tree.noteTaken(sc.change("a.txt", text{}, two))
	if len(sc.step.tree.state.Notes.Taken) != 0 {
		t.Error("a new file is noted")
	}
	sc.step.tree.noteTaken(pending)
	if sc.step.tree.state.Notes.Taken["a.txt"].Blob != two.OID {
		t.Errorf("noted: %v", sc.step.tree.state.Notes.Taken)
	}

	here, err := refs.Discover(linked + "/l")
	if err != nil {
		t.Fatal(err)
	}
	at := sc.step.tree.state.Notes.Taken["a.txt"].At
	for name, tt := range map[string]struct {
		state  state
		looked time.Duration // when the last boundary here ended, after that
		want   bool
	}{
		"nothing was looked at since":       {state{Interval: 3, LastFull: 3}, -time.Second, true},
		"everything was looked at since":    {state{Interval: 3, LastFull: 3}, time.Second, false},
		"another file was looked at since":  {state{Interval: 4, LastFull: 3, Scoped: map[string]int64{"b.txt": 4}}, time.Second, true},
		"that file alone was looked at":     {state{Interval: 4, LastFull: 3, Scoped: map[string]int64{"a.txt": 4}}, time.Second, false},
		"that file was looked at before it": {state{Interval: 4, LastFull: 3, Scoped: map[string]int64{"a.txt": 4}}, -time.Second, true},
	} {
		if err := tt.state.save(here); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(StatePath(here), at.Add(tt.looked), at.Add(tt.looked)); err != nil {
			t.Fatal(err)
		}
		tree := otherTree{sc.step.tree, &workTree{repo: here, state: &tt.state}}
		if _, got := tree.Taken("a.txt"); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		if _, got := tree.Taken("b.txt"); got {
			t.Errorf("%s: of a file of which nothing was taken", name)
		}
	}
}

// It goes with the look after which no work tree can need it.
func TestWhatIsKeptForOtherWorkTrees(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.commit()
	sc.git("worktree", "add", "-q", t.TempDir()+"/l")
	others := otherWorkTrees(sc.step.tree.repo)
	if len(others) != 1 {
		t.Fatalf("other work trees: %v", others)
	}
	there := &refs.Repo{CommonDir: sc.step.tree.repo.CommonDir, GitDir: others[0]}
	now := time.Now()
	for name, tt := range map[string]struct {
		here, there, at time.Duration // the last boundaries, and when it was seen to go
		kept            bool
	}{
		"seen by this look":               {-time.Minute, -time.Second, 0, true},
		"the other one was looked at":     {-time.Minute, -time.Second, -time.Hour, false},
		"the other one is behind":         {-time.Minute, -time.Hour, -2 * time.Minute, true},
		"the other one is behind, of now": {-time.Minute, -time.Hour, 0, true},
	} {
		for repo, ago := range map[*refs.Repo]time.Duration{sc.step.tree.repo: tt.here, there: tt.there} {
			if err := new(state).save(repo); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(StatePath(repo), now.Add(ago), now.Add(ago)); err != nil {
				t.Fatal(err)
			}
		}
		sc.step.tree.state.Notes.Taken = map[string]taken{"a.txt": {At: now.Add(tt.at)}}
		if sc.step.tree.keepForOthers(); (len(sc.step.tree.state.Notes.Taken) == 1) != tt.kept {
			t.Errorf("%s: kept %v, want %v", name, sc.step.tree.state.Notes.Taken, tt.kept)
		}
	}
}
