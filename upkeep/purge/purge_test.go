package purge

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

const word = "xyzzy plugh"

// texts is a target that has the word.
// put stores a conversation in which a file was read.
// stored is what the records say, by conversation.
// do looks, purges, and finishes. What a look tells is what is done.
// holds lists the files of the git directory, and the objects, that hold the word.
func TestATextIsTakenOutOfEverything(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	with := put(t, repo, "s1", "the word is "+word+", keep the rest", "a.go", "nothing")
	in := put(t, repo, "s2", "look", "b.go", "line\n"+word+"\n")
	other := put(t, repo, "s3", "hello", "c.go", "nothing")
	before := stored(t, repo)[other]
	prompts := ledger.NewPrompts(repo)
	for index, text := range []string{"", "say " + word, "nothing"} {
		if err := prompts.Put(with, index, text); err != nil {
			t.Fatal(err)
		}
	}
	side(t, repo, refs.BlobObject, "content "+word)
	side(t, repo, refs.BlobObject, "another content")
	write(t, filepath.Join(repo.TracesDir(), "cache", "blame", "x"), word)
	write(t, filepath.Join(repo.TracesDir(), "tmp_half"), word)
	write(t, repo.HookLog(), word)
	lost := git(t, repo, "rev-parse", "refs/traces/records:")
	git(t, repo, "update-ref", "-d", "refs/traces/records") // nothing leads there any more
	with2 := put(t, repo, "s4", word, "d.go", word)

	p := do(t, repo, func() *Target { return texts(t, repo) })
	if p.Prompts != 1 || p.Blobs != 1 || p.Lost == 0 || p.Objects == 0 || len(p.Left) > 0 || p.Interrupted() > 0 {
		t.Errorf("%+v", p)
	}
	if left := holds(t, repo); len(left) > 0 {
		t.Errorf("it is in %q", left)
	}
	now := stored(t, repo)
	if text := now[with2]; !strings.Contains(text, "[REDACTED:purged]") || len(now) != 1 {
		t.Errorf("stored is %v", now)
	}
	if before == "" || in == with || lost == "" {
		t.Error("there was nothing to begin with")
	}
	if touched := p.Touched(); !slices.Contains(touched, with2) {
		t.Errorf("touched: %v", touched)
	}
	if again := do(t, repo, func() *Target { return texts(t, repo) }); !again.Empty() {
		t.Errorf("a second time: %+v", again)
	}
	if Was(repo, with2) {
		t.Error("its conversation does not go on")
	}
}

func TestAConversationGoesAndIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	gone, stays := put(t, repo, "s1", word, "a.go", word), put(t, repo, "s2", "hello", "b.go", "x")
	if err := ledger.NewPrompts(repo).Put(gone, 1, "anything"); err != nil {
		t.Fatal(err)
	}
	list := waiting.Open(repo)
	for _, trace := range []events.TraceID{gone, stays} {
		if err := list.Note(waiting.Session{Trace: trace, Agent: "claude-code", Session: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	p := do(t, repo, func() *Target { return traces(gone) })
	if now := stored(t, repo); len(now) != 1 || now[stays] == "" || p.Prompts != 1 || !p.Records.Removed[gone] {
		t.Errorf("stored is %v; %+v", slices.Collect(maps.Keys(now)), p)
	}
	if left, err := list.All(); err != nil || len(left) != 1 || left[0].Trace != stays {
		t.Errorf("waiting: %v, %v", left, err)
	}
	if talks := Conversations(repo); !Was(repo, gone) || Was(repo, stays) || talks.Count != 1 || talks.WentOn != 0 {
		t.Errorf("marked: %+v", talks)
	}
	if err := ledger.NewPrompts(repo).Put(gone, 2, "later"); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := Pass(repo, gone, now); err != nil {
		t.Fatal(err)
	}
	if talks := Conversations(repo); talks.WentOn != 1 || !talks.Last.Equal(now) {
		t.Errorf("went on: %+v", talks)
	}
	if typed, err := ledger.NewPrompts(repo).List(gone); err != nil || len(typed) > 0 {
		t.Errorf("typed: %v, %v", typed, err)
	}
	if err := Allow(repo, gone); err != nil || Was(repo, gone) {
		t.Errorf("it is not allowed: %v", err)
	}
}

func TestWhatAPathHadGoes(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	with, without := put(t, repo, "s1", "read it", "dir/plan.txt", "the plan"), put(t, repo, "s2", "x", "myplan.txt", "y")
	blob := side(t, repo, refs.BlobObject, "the plan\n")
	other := side(t, repo, refs.BlobObject, "other\n")
	dir := side(t, repo, refs.TreeObject, "100644 plan.txt\x00"+string(blob.Bytes()))
	side(t, repo, refs.TreeObject, "100644 a\x00"+string(other.Bytes())+"40000 dir\x00"+string(dir.Bytes()))
	raw, err := events.Encode(events.PatchData{Path: "dir/plan.txt", After: other})
	if err != nil {
		t.Fatal(err)
	}
	_, err = events.OpenLog(repo).Append(t.Context(), []events.Draft{{
		Type: events.PatchRecorded, Time: time.Now(), Method: []events.Method{events.Manual}, Data: raw,
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := do(t, repo, func() *Target { return paths("dir/plan.txt") })
	if p.Blobs != 2 || !p.Records.Changed[with] || p.Records.Changed[without] {
		t.Errorf("%+v", p)
	}
	if text := stored(t, repo)[with]; strings.Contains(text, "plan") || !strings.Contains(text, "[PURGED]") ||
		!strings.Contains(text, "else.go") {
		t.Errorf("stored is %s", text)
	}
	if rules, err := purged.Load(repo); err != nil || Was(repo, with) || Was(repo, without) || !rules.Names("dir/plan.txt") {
		t.Errorf("its session file would be read again without the rule, or not at all (%v)", err)
	}
	var told []string
	for e, err := range events.OpenLog(repo).Walk(t.Context(), events.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == events.LogPurged {
			told = append(told, events.DataOf[events.PurgeData](e).What)
		}
	}
	if !slices.Equal(told, []string{"path"}) {
		t.Errorf("the log says %q", told)
	}
}

// A process that was killed leaves its plan, and whoever finds it does what it says.
func TestAPurgeThatWasInterruptedIsFinished(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	if err := Finish(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	trace := put(t, repo, "s1", "x "+word, "a.go", word)
	side(t, repo, refs.BlobObject, word)
	begun := newPurge(t.Context(), repo, texts(t, repo), false)
	begun.Target.Traces[traceOf("another")] = true
	if _, err := begun.Target.Texts.AddPath("plan.txt"); err != nil {
		t.Fatal(err)
	}
	if err := begun.begin(); err != nil {
		t.Fatal(err)
	}
	if purged.Unfinished(repo) != 1 {
		t.Fatal("there is no plan")
	}
	if looked, err := Look(t.Context(), repo, traces()); err != nil || looked.Interrupted() != 1 || looked.Empty() {
		t.Errorf("a look finds %+v, %v", looked, err)
	}
	if err := Finish(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	if left := holds(t, repo); len(left) > 0 || purged.Unfinished(repo) > 0 {
		t.Errorf("it is in %q", left)
	}
	if !Was(repo, traceOf("another")) || stored(t, repo)[trace] == "" {
		t.Error("what the plan says was not done")
	}
}

// What cannot go is told, with the reason.
func TestWhatIsLeftIsTold(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	side(t, repo, refs.BlobObject, word+" in a pack")
	all, err := repo.ListObjects(t.Context(), repo.SideObjects())
	if err != nil {
		t.Fatal(err)
	}
	pack, err := repo.MakePack(t.Context(), repo.SideObjects(), strings.NewReader(all[0].OID.String()+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refs.RemoveLoose(repo.SideObjects(), all[0].OID); err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(repo.SideObjects(), "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %q of %v, %v", packs, pack, err)
	}
	write(t, strings.TrimSuffix(packs[0], ".pack")+".keep", "")
	write(t, filepath.Join(repo.GitDir, "MY_NOTES"), word)
	put(t, repo, "s1", word, "a.go", word)
	git(t, repo, "update-ref", "refs/heads/mine", "refs/traces/records")
	git(t, repo, "update-ref", "refs/traces/remotes/origin/0000000000000001/records", "refs/traces/records")
	p := do(t, repo, func() *Target { return texts(t, repo) })
	var what []string
	for _, l := range p.Left {
		what = append(what, filepath.ToSlash(l.What))
	}
	for _, want := range []string{".git/MY_NOTES", "the remote origin", "git objects of records", ".pack"} {
		if !slices.ContainsFunc(what, func(w string) bool { return strings.HasSuffix(w, want) }) {
			t.Errorf("%s is not told: %q", want, what)
		}
	}
}

// Fetched files that are no records are searched as they are; those that a killed process was writing go unread.
func TestWhatIsNoRecordIsSearchedToo(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	git(t, repo, "config", "core.logAllRefUpdates", "always")
	put(t, repo, "s1", word, "a.go", "x")
	const fetched = "refs/traces/remotes/origin/0000000000000001/records"
	file := func(name, content string) string {
		path := write(t, filepath.Join(t.TempDir(), name), content)
		return "040000 tree " + feed(t, repo, "100644 blob "+git(t, repo, "hash-object", "-w", path)+"\t"+name+"\n", "mktree") +
			"\t" + name[:2] + "\n"
	}
	tree := file("aa000000-0000-4000-8000-000000000000.json", `{"x":"`+word+`"}`) +
		file("ab000000-0000-4000-8000-000000000000.json", `{"x":"plan.txt"}`) +
		file("ac000000-0000-4000-8000-000000000000.json", `{"x":"nothing"}`)
	git(t, repo, "update-ref", fetched, feed(t, repo, "records\n", "commit-tree", feed(t, repo, tree, "mktree")))
	work := filepath.Join(t.TempDir(), "linked")
	git(t, repo, "worktree", "add", "-q", work)
	linked, err := refs.Discover(work)
	if err == nil {
		err = linked.MakeTracesDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(linked.GitDir, "traces", "tmp_half"), word)
	own := write(t, filepath.Join(repo.SideObjects(), "tmp_obj_x"), "x")
	gits := write(t, filepath.Join(repo.MainObjects(), "ab", "tmp_obj_y"), "y")
	p := do(t, repo, func() *Target {
		target := texts(t, repo)
		if _, err := target.Texts.AddPath("plan.txt"); err != nil {
			t.Fatal(err)
		}
		return target
	})
	names := git(t, repo, "ls-tree", "-r", "--name-only", fetched)
	if names != "ac/ac000000-0000-4000-8000-000000000000.json" {
		t.Errorf("fetched are %q", names)
	}
	if _, err := os.Stat(own); err == nil {
		t.Error("half an object of git-trace's is still there")
	}
	if _, err := os.Stat(gits); err != nil {
		t.Errorf("half an object of git's: %v", err)
	}
	if !slices.ContainsFunc(p.Left, func(l Left) bool { return strings.Contains(l.Mend, "git prune") }) {
		t.Errorf("left: %+v", p.Left)
	}
	if left := holds(t, repo); len(left) > 0 {
		t.Errorf("it is in %q", left)
	}
}

// feed runs git with an input.
func TestWhatNobodyTracesIsLeftAlone(t *testing.T) {
	t.Parallel()
	repo, err := refs.Discover(testenv.Repository(t, "true"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Do(t.Context(), repo, traces(traceOf("x"))); err != nil || !p.Empty() || repo.HasTraces() {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAPurgeIsOfATextOrAPathOrAConversation(t *testing.T) {
	t.Parallel()
	target := paths("dir/plan.txt")
	if kind := target.kind(); kind != "path" || target.None() || !paths().None() || traces("x").kind() != "trace" {
		t.Errorf("kind %q", kind)
	}
}

// Contents of snapshots beyond 512 MiB were skipped without a word. What is large is searched as it
// streams by, loose and packed, also where the text stands across two pieces.
func TestFoundPurgeStreamsLargeContents(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	const piece = 1 << 20
	want := map[refs.OID]bool{}
	for _, at := range []int{0, piece - 4, piece, 2*piece - 1, 3*piece - len(word)} {
		content := strings.Repeat("x", at) + word + strings.Repeat("y", 3*piece-at-len(word))
		oid, err := repo.WriteLoose(repo.SideObjects(), refs.BlobObject, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		want[oid] = true
		if at == piece {
			if _, err := repo.MakePack(t.Context(), repo.SideObjects(), strings.NewReader(oid.String()+"\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := refs.RemoveLoose(repo.SideObjects(), oid); err != nil {
				t.Fatal(err)
			}
		}
	}
	other, err := repo.WriteLoose(repo.SideObjects(), refs.BlobObject, []byte(strings.Repeat("z", 3*piece)))
	if err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		p := newPurge(t.Context(), repo, texts(t, repo), dry)
		p.most = 1 << 10
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		if p.Blobs != len(want) || len(p.Left) > 0 {
			t.Errorf("dry %v: %d contents of %d, left %v", dry, p.Blobs, len(want), p.Left)
		}
	}
	all, err := repo.ListObjects(t.Context(), repo.SideObjects())
	if err != nil || len(all) != 1 || all[0].OID != other {
		t.Errorf("there are %v, %v", all, err)
	}
}
