package purge

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

const word = "xyzzy plugh"

func git(t *testing.T, repo *refs.Repo, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = repo.WorkTree
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepo(t *testing.T) *refs.Repo {
	t.Helper()
	repo, err := refs.Discover(testenv.Repository(t, "git commit -q --allow-empty -m first"))
	if err == nil {
		err = repo.MakeTracesDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// texts is a target that has the word.
func texts(t *testing.T, repo *refs.Repo) *Target {
	t.Helper()
	set, err := purged.New(repo)
	if err == nil {
		_, err = set.AddText(word)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Target{Traces: map[events.TraceID]bool{}, Texts: set}
}

func paths(list ...string) *Target {
	set := &purged.Set{}
	for _, path := range list {
		if _, err := set.AddPath(path); err != nil {
			panic(err)
		}
	}
	return &Target{Traces: map[events.TraceID]bool{}, Texts: set}
}

func traces(list ...events.TraceID) *Target {
	t := paths()
	for _, trace := range list {
		t.Traces[trace] = true
	}
	return t
}

func traceOf(session string) events.TraceID { return events.NewTraceID("claude-code", session) }

// put stores a conversation in which a file was read.
func put(t *testing.T, repo *refs.Repo, session, said, path, content string) events.TraceID {
	t.Helper()
	trace := traceOf(session)
	input, err := json.Marshal(map[string]string{"file_path": "/home/x/" + path})
	if err != nil {
		t.Fatal(err)
	}
	record := &records.Record{
		TraceID: string(trace), SessionID: session, Agent: records.Agent{Name: "claude-code"},
		Steps: []records.Step{
			{StepIndex: 1, Role: records.RoleUser, Content: &said},
			{StepIndex: 2, Role: records.RoleAgent,
				ToolCalls:    []records.ToolCall{{ToolCallID: "c1", ToolName: "Read", Input: input}},
				Observations: []records.Observation{{SourceCallID: "c1", Content: &content}},
				Snippets:     []records.Snippet{{FilePath: path}, {FilePath: "else.go"}}},
		},
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := redactor.Record(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = clean.Close() }()
	s := store.Open(repo)
	defer func() { _ = s.Close() }()
	if _, err := s.Put(t.Context(), clean, refs.OID{}); err != nil {
		t.Fatal(err)
	}
	return trace
}

// stored is what the records say, by conversation.
func stored(t *testing.T, repo *refs.Repo) map[events.TraceID]string {
	t.Helper()
	s := store.Open(repo)
	defer func() { _ = s.Close() }()
	out := map[events.TraceID]string{}
	for r, err := range s.Walk(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out[events.TraceID(r.TraceID)] = string(raw)
	}
	return out
}

// do looks, purges, and finishes. What a look tells is what is done.
func do(t *testing.T, repo *refs.Repo, target func() *Target) *Purge {
	t.Helper()
	looked, err := Look(t.Context(), repo, target())
	if err != nil {
		t.Fatal(err)
	}
	p, err := Do(t.Context(), repo, target())
	if err == nil {
		err = p.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	if looked.Empty() != p.Empty() || looked.Prompts != p.Prompts || looked.Blobs != p.Blobs || looked.Lost != p.Lost ||
		len(looked.Records.Removed) != len(p.Records.Removed) || len(looked.Records.Changed) != len(p.Records.Changed) {
		t.Errorf("looked %+v, done %+v", looked, p)
	}
	if n := purged.Unfinished(repo); n > 0 {
		t.Errorf("%d purges are unfinished", n)
	}
	return p
}

// holds lists the files of the git directory, and the objects, that hold the word.
func holds(t *testing.T, repo *refs.Repo) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(repo.CommonDir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(raw), word) {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, dir := range []string{repo.MainObjects(), repo.SideObjects()} {
		all, err := repo.ListObjects(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			if _, raw, err := objects.Read(o.OID); err == nil && strings.Contains(string(raw), word) {
				out = append(out, o.OID.String())
			}
		}
	}
	return out
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func side(t *testing.T, repo *refs.Repo, typ refs.ObjectType, content string) refs.OID {
	t.Helper()
	oid, err := repo.WriteLoose(repo.SideObjects(), typ, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

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
func feed(t *testing.T, repo *refs.Repo, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = repo.WorkTree, strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

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
