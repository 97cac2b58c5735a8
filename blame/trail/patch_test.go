package trail

import (
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// What became of a patch, in each way that a patch can go.
func TestWhatBecameOfAPatch(t *testing.T) {
	t.Parallel()
	written := func(w *world) refs.OID { // three lines in a file of their own, committed
		w.Edit("S1", "a.txt", lines(one, two, three))
		return w.commit("ai")
	}
	inBase := func(w *world) refs.OID { // two lines between a person's, committed
		w.Edit("S1", "base.txt", lines("base one", one, two, "base two", "base three"))
		return w.commit("ai")
	}
	tests := map[string]struct {
		do   func(w *world)
		want string
	}{
		"not committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
		}, "a.txt +2 -0; alive 2/0 a.txt:1+2@nobody, not committed"},
		"committed, and what stands above it has grown": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("above", "base one", one, two, "base two", "base three"))
			w.commit("shift")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:3+2@ai"},
		"a person's line between: two places": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one, "between", two, "base two", "base three"))
			w.commit("between")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:2+1@ai base.txt:4+1@ai"},
		"a part committed, the rest not yet": {func(w *world) {
			inBase(w)
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:2+2@ai\n" +
			"base.txt +1 -0; alive 1/0 base.txt:4+1@nobody, not committed"},
		"indented": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "  "+one, "  "+two, "base two", "base three"))
			w.commit("indent")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; anchored indent 2 reformatted medium; alive 2/0 base.txt:2+2@indent"},
		"two lines put into one, by their form": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one+" "+two, "base two", "base three"))
			w.commit("join")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; anchored join 1 reformatted medium; alive 1/0 base.txt:2+1@join"},
		"a line changed by a person, not committed": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one, "mine", "base two", "base three"))
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed 1/0 base.txt:2+1@ai, changed 1 by nobody of human"},
		"changed by a person and by another conversation": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.commit("ai")
			w.Write("base.txt", lines("base one", one, "mine", three, "base two", "base three"))
			w.commit("mine")
			w.Edit("S2", "base.txt", lines("base one", "theirs 1", "mine", "theirs 2", "base two", "base three"))
			w.commit("theirs")
		}, "base.txt +3 -0; anchored ai 3 exact_blob high; changed, changed 2 by theirs of aiS2, changed 1 by mine of human"},
		"one line put in the place of two": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "mine", "base two", "base three"))
			w.commit("mine")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed, changed 1 by mine of human, lost 1 by mine"},
		"five lines in the place of two": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "1", "2", "3", "4", "5", "base two", "base three"))
			w.commit("mine")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed, changed 2 by mine of human"},
		"copied by a command, which is a patch of its own": {func(w *world) {
			written(w)
			w.Call("S1", "Bash", events.ToolRuns, nil, func() { w.Write("b.txt", lines(one, two, three)) })
			w.commit("copy")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive 3/0 a.txt:1+3@ai\n" +
			"b.txt +3 -0; anchored copy 3 exact_blob medium; alive 3/0 b.txt:1+3@copy"},
		"in a file that git renamed": {func(w *world) {
			written(w)
			w.Git("mv", "a.txt", "b.txt")
			w.commit("rename")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; moved 3/3 b.txt:1+3@ai~"},
		"moved into another file, committed": {func(w *world) {
			written(w)
			w.Write("base.txt", lines("base one", "base two", "base three", one, two, three))
			w.remove("a.txt")
			w.commit("move")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored move 3 exact_blob high; moved 3/3 base.txt:4+3@move~"},
		"moved, not committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three, four))
			w.commit("ai")
			w.Write("base.txt", lines("base one", "base two", "base three", one, two, three, four))
			w.Write("a.txt", "")
			w.Edit("S2", "other.txt", lines("a look at everything"))
		}, "a.txt +4 -0; anchored ai 4 exact_blob high; moved 4/4 base.txt:4+4@nobody~, not committed"},
		"a line deleted in the work tree": {func(w *world) {
			written(w)
			w.Write("a.txt", lines(one, three))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by nobody"},
		"a line deleted by a commit, and two by the next": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three, four))
			w.commit("ai")
			w.Write("a.txt", lines(one, three, four))
			w.commit("first")
			w.Write("a.txt", lines(one))
			w.commit("second")
		}, "a.txt +4 -0; anchored ai 4 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 2 by second, lost 1 by first"},
		"the file deleted": {func(w *world) {
			written(w)
			w.Git("rm", "-q", "a.txt")
			w.commit("gone")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by gone"},
		"reverted": {func(w *world) {
			written(w)
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("revert")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; reverted, reverted 3 by revert"},
		"reverted, and the revert reverted": {func(w *world) {
			written(w)
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("revert")
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("back")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored back 3 exact_blob high; alive 3/0 a.txt:1+3@back"},
		"another commit reverted, which says so": {func(w *world) {
			before := w.Head()
			written(w)
			w.remove("a.txt")
			w.Git("commit", "-q", "-a", "-m", "Clean up\n\nThis reverts commit "+before.String()+".")
			w.heard("clean")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by clean"},
		"taken away by the other side of a merge": {func(w *world) {
			written(w)
			w.Git("switch", "-q", "-c", "side")
			w.Write("a.txt", lines(one, three))
			w.commit("side")
			w.Git("switch", "-q", "main")
			w.Write("m.txt", "m\n")
			w.commit("m")
			w.Git("merge", "-q", "--no-edit", "side")
			w.heard("merge")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by side"},
		"taken away in a merge itself": {func(w *world) {
			written(w)
			w.Git("switch", "-q", "-c", "side")
			w.Write("s.txt", "s\n")
			w.commit("side")
			w.Git("switch", "-q", "main")
			w.Write("m.txt", "m\n")
			w.commit("m")
			w.Git("merge", "-q", "--no-commit", "side")
			w.Write("a.txt", lines(one, three))
			w.Git("commit", "-q", "-a", "-m", "merge")
			w.heard("merge")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by merge"},
		"a line gone before the commit": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three))
			w.Write("a.txt", lines(one, three))
			w.commit("part")
		}, "a.txt +3 -0; anchored part 2 exact_blob high; changed 2/0 a.txt:1+2@part, dropped 1"},
		"never committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
			w.remove("a.txt")
			w.commit("other")
		}, "a.txt +2 -0; never_committed, dropped 2"},
		"only a deletion": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", "base three"))
		}, "base.txt +0 -1; no_lines"},
		"in a stash": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, "base two", "base three"))
			w.Git("stash", "-q")
			w.Write("base.txt", lines("base one", "base two", "base three", "a person's"))
			w.Git("stash", "-q")
		}, "base.txt +1 -0; stashed in stash@{1}"},
		"an untracked file in a stash": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one))
			w.Git("stash", "-q", "-u")
		}, "a.txt +1 -0; stashed in stash@{0}"},
		"a stash of others": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one))
			w.remove("a.txt")
			w.Write("base.txt", lines("base one"))
			w.Git("stash", "-q")
		}, "a.txt +1 -0; never_committed, dropped 1"},
		"amended": {func(w *world) {
			older := written(w)
			w.Git("commit", "-q", "--amend", "-m", "amended")
			w.Rewritten("amend", older, w.heard("amended"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried amended for ai by amend 3 exact_blob high; alive 3/0 a.txt:1+3@amended"},
		"amended where no hook anchored it": {func(w *world) {
			older := written(w)
			w.Git("commit", "-q", "--amend", "-m", "amended")
			w.names[w.Head()] = "amended"
			w.Append(events.CommitRewritten, events.PostRewrite,
				events.RewriteData{Kind: "amend", Pairs: []events.RewritePair{{Old: older, New: w.Head()}}})
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried amended for ai by amend 0 rewritten high; alive 3/0 a.txt:1+3@amended"},
		"lost when its commit was amended": {func(w *world) {
			older := written(w)
			w.Git("rm", "-q", "a.txt")
			w.Git("commit", "-q", "--amend", "--allow-empty", "-m", "without")
			w.Rewritten("amend", older, w.heard("without"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by without"},
		"on another branch": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive on refs/heads/topic 3/0 a.txt:1+3@ai"},
		"on a branch where a part of it was taken away": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Write("a.txt", lines(one))
			w.commit("less")
			w.Git("switch", "-q", "main")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed on refs/heads/topic 1/0 a.txt:1+1@ai, lost 2 by less"},
		"under a tag alone": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("tag", "v1")
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive on refs/tags/v1 3/0 a.txt:1+3@ai"},
		"on no ref": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; orphaned"},
		"on no ref, and its objects are gone": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
			w.Git("reflog", "expire", "--expire=now", "--all")
			w.Git("gc", "-q", "--prune=now")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; orphaned"},
		"in the other work tree": {func(w *world) {
			there := w.Linked("there")
			there.Edit("S1", "a.txt", lines(one))
		}, "a.txt +1 -0; unknown ask \"there\""},
		"committed in the other work tree": {func(w *world) {
			there := w.Linked("there")
			there.Edit("S1", "a.txt", lines(one))
			there.Commit("over there")
			there.Anchor()
			w.names[there.Head()] = "over there"
		}, "a.txt +1 -0; anchored over there 1 exact_blob high; alive on refs/heads/there 1/0 a.txt:1+1@over there"},
		"as two commits of two branches have it": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
			w.commit("ai")
			w.Git("switch", "-q", "-c", "topic", "HEAD~1")
			w.Git("cherry-pick", "main")
			w.heard("pick")
			w.Git("switch", "-q", "main")
			w.Write("a.txt", lines(two))
			w.commit("less")
		}, "a.txt +2 -0; anchored ai 2 exact_blob high; anchored pick 2 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 1 by less"},
		"only on the branch that it was picked to": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "-c", "other", "main")
			w.Git("cherry-pick", "topic")
			w.heard("pick")
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored pick 3 exact_blob high; alive on refs/heads/other 3/0 a.txt:1+3@pick"},
		"rewritten twice": {func(w *world) {
			first := written(w)
			w.Git("commit", "-q", "--amend", "-m", "second")
			second := w.heard("second")
			w.Rewritten("amend", first, second)
			w.Git("commit", "-q", "--amend", "-m", "third")
			w.Rewritten("rebase", second, w.heard("third"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried second for ai by amend 3 exact_blob high; " +
			"carried third for second by rebase 3 exact_blob high; alive 3/0 a.txt:1+3@third"},
		"the content of its commit is gone": {func(w *world) {
			written(w)
			w.Git("rm", "-q", "a.txt")
			w.commit("gone")
			blob := w.OID("HEAD~1:a.txt").String()
			w.remove(filepath.Join(".git", "objects", blob[:2], blob[2:]))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; unknown"},
		"two runs of a commit, the weaker evidence counts": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.Write("base.txt", lines("base one", one, "  "+two, three, "base two", "base three"))
			blob := w.Git("hash-object", "-w", "base.txt")
			w.Write("base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.Git("update-index", "--cacheinfo", "100644,"+blob+",base.txt")
			w.Git("commit", "-q", "-m", "part")
			w.heard("part")
		}, "base.txt +3 -0; anchored part 3 reformatted medium; alive 3/0 base.txt:2+1@part base.txt:3+1@nobody base.txt:4+1@part"},
		"on no ref, and in a stash": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Write("a.txt", lines(one, two, three))
			w.Edit("S2", "other.txt", lines("a look at everything"))
			w.Git("stash", "-q", "-u")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; stashed in stash@{0}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.do(w)
			w.expect(tt.want, w.trails("S1")...)
		})
	}
}
