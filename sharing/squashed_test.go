package sharing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// The ways in which a server takes a branch into main.
var forges = map[string][][]string{
	"squash": {{"merge", "-q", "--squash", "origin/topic"}, {"commit", "-q", "-m", "topic (#1)"}},
	"rebase": {{"cherry-pick", "origin/main..origin/topic"}},
	"merge":  {{"merge", "-q", "--no-ff", "-m", "merge topic", "origin/topic"}},
}

// takeIn has a server take the branch topic into main, and delete it.
func takeIn(t *testing.T, w *recording.World, remote, way string) {
	t.Helper()
	server := &recording.World{T: t, Repo: w.Clone().Repo, Clock: w.Now()}
	server.Git("remote", "set-url", "origin", remote)
	server.Git("fetch", "-q", "--prune")
	server.Git("reset", "-q", "--hard", "origin/main")
	server.Write("meanwhile.txt", "somebody else was there\n")
	server.Commit("meanwhile")
	for _, args := range forges[way] {
		server.Git(args...)
	}
	server.Git("push", "-q", "origin", "HEAD:main", ":topic")
}

// S31: a server takes a branch in and deletes it. The writer's next push tells whose the lines are in the new commits,
// and takes nothing off before it knows these: a fresh clone answers as the writer does.
func TestABranchThatAServerTookInKeepsItsOwners(t *testing.T) {
	t.Parallel()
	for way := range forges {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			if way != "squash" {
				testenv.Wide(t)
			}
			w, remote := published(t)
			w.Git("checkout", "-q", "-b", "topic")
			w.Edit("two", "two.txt", "the first line of a new file\nand its second line\n")
			w.Commit("new file")
			w.Anchor()
			w.Edit("two", "two.txt", "the first line of a new file\none more in between\nand its second line\n")
			w.Commit("one more line")
			w.Anchor()
			trace := talked(t, w, "two", "please write two lines")
			w.Git("push", "-q", "origin", "topic")
			push(t, w, sharing.LevelConversations)
			takeIn(t, w, remote, way)
			w.Git("update-ref", "-d", "refs/remotes/origin/topic")
			push(t, w, sharing.LevelConversations)
			if !onRemote(t, remote, "two lines") {
				t.Error("a conversation was taken off before anybody had looked at what the server made")
			}
			w.Git("fetch", "-q", "--prune")
			w.Git("checkout", "-q", "-B", "main", "origin/main")
			w.Git("branch", "-q", "-D", "topic")
			push(t, w, sharing.LevelConversations)
			want := owners(t, w, "two.txt")
			if strings.Count(want, string(trace)) != 3 {
				t.Errorf("the writer says\n%s", want)
			}
			fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
			pull(t, fresh, sharing.What{Records: true})
			if got := owners(t, fresh, "two.txt"); got != want {
				t.Errorf("a fresh clone says\n%swant\n%s", got, want)
			}
			if said(t, fresh, trace) == "" {
				t.Error("a fresh clone does not have what was said")
			}
			if again := push(t, w, sharing.LevelConversations); again != nil {
				t.Errorf("a push with nothing new sends %+v", again)
			}
		})
	}
}

// S32: two wrote a branch that was squashed, and both are gone. Whoever fetched it before passes on what they told; the
// word of the one who comes back counts more.
func TestWhatWritersWhoAreGoneToldIsPassedOn(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	w.Git("checkout", "-q", "-b", "topic")
	w.Edit("two", "two.txt", "the first line of a new file\nand its second line\n")
	w.Commit("new file")
	w.Anchor()
	w.Git("push", "-q", "origin", "topic")
	push(t, w, sharing.LevelCommits)
	other := w.Clone()
	other.Git("remote", "set-url", "origin", remote)
	other.Edit("three", "three.txt", "another one wrote this file\nalone and by hand of an agent\n")
	other.Commit("another file")
	other.Anchor()
	other.Git("push", "-q", "origin", "topic")
	push(t, other, sharing.LevelCommits)
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	takeIn(t, w, remote, "squash")
	reader.Git("pull", "-q", "--prune", "origin", "main")
	pull(t, reader, sharing.What{})
	push(t, reader, sharing.LevelCommits)
	if again := push(t, reader, sharing.LevelCommits); again != nil {
		t.Errorf("a push with nothing new sends %+v", again)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	pull(t, fresh, sharing.What{})
	by := tellers(t, fresh)
	for file, session := range map[string]string{"two.txt": "two", "three.txt": "three"} {
		if got := owners(t, fresh, file); strings.Count(got, string(events.NewTraceID("claude-code", session))) != 2 {
			t.Errorf("of %s a fresh clone says\n%s", file, got)
		}
		if e := by[file]; e == nil || !slices.Contains(e.Method, events.Import) || !slices.Contains(e.Method, events.Manual) {
			t.Errorf("of %s it is told by %+v", file, e)
		}
	}
	other.Git("fetch", "-q", "--prune")
	push(t, other, sharing.LevelCommits)
	pull(t, fresh, sharing.What{})
	if e := tellers(t, fresh)["three.txt"]; e == nil || slices.Contains(e.Method, events.Import) {
		t.Errorf("after its writer came back it is told by %+v", e)
	}
}

// What a clone without a key told gets no signature from a clone that signs and would pass it on.
func TestNobodysWordGetsASignatureByBeingPassedOn(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	w.Git("checkout", "-q", "-b", "topic")
	w.Edit("evil", "two.txt", "the first line of a new file\nand its second line\n")
	w.Commit("new file")
	w.Anchor()
	w.Git("push", "-q", "origin", "topic")
	push(t, w, sharing.LevelCommits)
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	key := signs(t, reader)
	pull(t, reader, sharing.What{})
	takeIn(t, w, remote, "squash")
	reader.Git("pull", "-q", "--prune", "origin", "main")
	reader.Write("h.txt", "something of the reader's own\n")
	reader.Commit("by a person")
	reader.Anchor()
	reader.Git("push", "-q", "origin", "HEAD:main")
	push(t, reader, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "file://"+remote, ".")
	allows(t, fresh, key, "")
	fresh.Git("config", "trace.trust", "signed")
	pull(t, fresh, sharing.What{})
	if got := owners(t, fresh, "two.txt"); strings.Contains(got, string(events.NewTraceID("claude-code", "evil"))) {
		t.Errorf("under the key of a clone that read of it a fresh clone is told\n%s", got)
	}
	if got := owners(t, fresh, "h.txt"); !strings.Contains(got, "Kind:human") {
		t.Errorf("the clone with the key is not believed:\n%s", got)
	}
}

// tellers are the anchors that are believed about the first lines of the files that HEAD added.
func tellers(t *testing.T, w *recording.World) map[string]*events.Event {
	t.Helper()
	ix, err := index.Open(w.Repo)
	w.Check(err)
	defer ix.Close()
	c, err := belief.Of(ix, w.Head())
	w.Check(err)
	out := map[string]*events.Event{}
	for _, f := range c.Files {
		out[f.Path] = f.Runs[0].By
	}
	return out
}

// A log of claims alone is as old as what was checked out when it began, where the remote had that. What is older than
// every log is not searched, also where nobody recorded in the clone that asks.
func TestWhatIsOlderThanEveryLogIsNotSearched(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"published": 1, "not published": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote := published(t)
			claimed := w.Head()
			clone := func() *recording.World { // without a log
				dir := t.TempDir()
				gitIn(t, dir, "clone", "-q", "file://"+remote, ".")
				repo, err := refs.Discover(dir)
				w.Check(err)
				return &recording.World{T: t, Repo: repo, Clock: w.Now()}
			}
			w = clone()
			if name == "not published" {
				w.Write("here.txt", "not yet there\n")
				w.Commit("here")
			}
			head := w.Head().String()
			w.Append(events.CommitAnchored, events.Import, events.CommitData{Commit: claimed, Added: 2, AI: 2,
				Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Trace: events.NewTraceID("codex-cli", "s"), Agent: "codex-cli"}},
				Files:  []events.AnchorFile{{Path: "one.txt", Runs: []events.AnchorRun{{Start: 1, Count: 2, Tier: "exact_lines"}}}}})
			push(t, w, sharing.LevelCommits)
			digest := gitIn(t, remote, "for-each-ref", "--format=%(refname)", "refs/traces/")
			if log := gitIn(t, remote, "cat-file", "-p", digest+":log/0000000001.jsonl"); strings.Contains(log, head) != (want == 1) {
				t.Errorf("with %s checked out the digest says\n%s", head, log)
			}
			w.Write("later.txt", "by somebody\n")
			w.Commit("later")
			w.Git("push", "-q", "origin", "HEAD:main")
			if again := push(t, w, sharing.LevelCommits); again != nil {
				t.Errorf("a push with nothing new sends %+v", again)
			}
			fresh := clone()
			pull(t, fresh, sharing.What{})
			reader, err := index.Open(fresh.Repo)
			w.Check(err)
			defer reader.Close()
			search := unseen.New(fresh.Repo, reader)
			defer search.Close()
			if all := len(strings.Fields(fresh.Git("rev-list", "HEAD"))); want > 1 {
				want = all
			}
			if list, err := search.Unheard(t.Context()); err != nil || len(list) != want {
				t.Errorf("%d commits are searched, %v; want %d", len(list), err, want)
			}
			known, err := search.Commits(t.Context(), []refs.OID{fresh.OID("HEAD~1"), fresh.OID("HEAD")})
			if err != nil || len(known) > 0 {
				t.Errorf("of commits that no log explains it says %v, %v", known, err)
			}
		})
	}
}
