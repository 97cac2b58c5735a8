package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func newRepo(t *testing.T, options ...string) *refs.Repo {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, append([]string{"init", "-q"}, options...)...)
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func open(t *testing.T, repo *refs.Repo) *store.Store {
	t.Helper()
	s := store.Open(repo)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func record(session, text string) *records.Record {
	return &records.Record{
		TraceID: string(events.NewTraceID("claude-code", session)), SessionID: session, Agent: records.Agent{Name: "claude-code"},
		Steps: []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &text}},
	}
}

func redacted(t *testing.T, r *records.Record) *redact.Record {
	t.Helper()
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := redactor.Record(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return out
}

func put(t *testing.T, s *store.Store, r *records.Record, base refs.OID) store.Stored {
	t.Helper()
	out, err := s.Put(t.Context(), redacted(t, r), base)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestARecordComesBackAsItWasStored(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		repo := newRepo(t, "--object-format="+format)
		s := open(t, repo)
		r := record("s1", "how are you?")
		first := put(t, s, r, refs.OID{})
		got, e, err := s.Get(t.Context(), first.Trace)
		if err != nil || *got.Steps[0].Content != "how are you?" || e != first.Entry || !e.Own() {
			t.Fatalf("got %+v, %+v, %v", got, e, err)
		}
		if again := put(t, s, r, first.Blob); again.Changed || !again.Commit.IsZero() {
			t.Error("the same record makes a commit")
		}
		second := put(t, s, record("s1", "and now?"), first.Blob)
		if second.Blob == first.Blob || !second.Changed {
			t.Error("the record did not change")
		}
		put(t, s, record("s2", "other"), refs.OID{})
		list, err := s.List(t.Context())
		if err != nil || len(list) != 2 {
			t.Fatalf("list gives %v, %v", list, err)
		}
		var walked []string
		for r, err := range s.Walk(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, *r.Steps[0].Content)
		}
		if len(walked) != 2 || !strings.Contains(strings.Join(walked, ","), "and now?") {
			t.Errorf("walk gives %v", walked)
		}
		if log := git(t, repo.WorkTree, "log", "--format=%s at %ct", store.Ref); strings.Count(log, "records: 1 stored at 0\n") != 3 {
			t.Errorf("the log is %q", log)
		}
		git(t, repo.WorkTree, "fsck", "--strict")
	}
}

func TestWhatNoRedactorMadeIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t))
	for _, r := range []*redact.Record{nil, {}} {
		if _, err := s.Put(t.Context(), r, refs.OID{}); !errors.Is(err, redact.ErrNotRedacted) {
			t.Errorf("got %v", err)
		}
	}
	bad := record("s", "x")
	bad.TraceID = "../../hooks/post-commit"
	if _, err := s.Put(t.Context(), redacted(t, bad), refs.OID{}); err == nil {
		t.Error("a path is taken for an id")
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("list gives %v, %v", list, err)
	}
	if _, _, err := s.Get(t.Context(), "nothing"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("get gives %v", err)
	}
}

func TestARecordTakesThePlaceOnlyOfTheOneItWasMadeFrom(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t))
	first := put(t, s, record("s1", "one"), refs.OID{})
	second := put(t, s, record("s1", "two"), first.Blob)
	for _, base := range []refs.OID{{}, first.Blob} {
		if _, err := s.Put(t.Context(), redacted(t, record("s1", "three")), base); !errors.Is(err, store.ErrMoved) {
			t.Errorf("from base %s: %v", base, err)
		}
	}
	changes := []store.Change{{Record: redacted(t, record("s2", "new"))}, {Record: redacted(t, record("s1", "four")), Base: first.Blob}}
	if _, err := s.PutAll(t.Context(), changes); !errors.Is(err, store.ErrMoved) {
		t.Errorf("a batch with one stale record gives %v", err)
	}
	if _, err := s.Find(t.Context(), events.NewTraceID("claude-code", "s2")); !errors.Is(err, store.ErrNotFound) {
		t.Error("half of a batch is stored")
	}
	if e, err := s.Find(t.Context(), first.Trace); err != nil || e != second.Entry {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestWritersAtTheSameTimeLoseNothing(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	const writers, each = 6, 5
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ready [writers][]*redact.Record
	for w := range writers {
		for i := range each {
			r, err := redactor.Record(t.Context(), record(fmt.Sprintf("w%d-%d", w, i), "x"))
			if err != nil {
				t.Fatal(err)
			}
			ready[w] = append(ready[w], r)
		}
	}
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			s := store.Open(repo)
			defer func() { _ = s.Close() }()
			for _, r := range ready[w] {
				if _, err := s.Put(context.Background(), r, refs.OID{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if list, err := open(t, repo).List(t.Context()); err != nil || len(list) != writers*each {
		t.Errorf("%d records are there, %v", len(list), err)
	}
	if n := strings.Count(git(t, repo.WorkTree, "rev-list", store.Ref), "\n"); n != writers*each {
		t.Errorf("%d commits", n)
	}
	git(t, repo.WorkTree, "fsck", "--strict")
}

func TestRecordsOfOthersAreReadBesideTheOwn(t *testing.T) {
	t.Parallel()
	theirs, ours := newRepo(t), newRepo(t)
	from, s := open(t, theirs), open(t, ours)
	put(t, from, record("shared", "their version"), refs.OID{})
	put(t, from, record("theirs", "hello"), refs.OID{})
	put(t, s, record("shared", "our version"), refs.OID{})
	git(t, ours.WorkTree, "fetch", "-q", theirs.WorkTree, "refs/traces/records:refs/traces/remotes/origin/0123456789abcdef/records")
	blob := strings.TrimSpace(git(t, ours.WorkTree, "hash-object", "-w", filepath.Join(ours.CommonDir, "config")))
	git(t, ours.WorkTree, "update-ref", "refs/traces/remotes/evil/0123456789abcdef/records", blob)
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("list gives %v, %v", list, err)
	}
	got, e, err := s.Get(t.Context(), events.NewTraceID("claude-code", "shared"))
	if err != nil || *got.Steps[0].Content != "our version" || !e.Own() {
		t.Errorf("got %v, %v", e, err)
	}
	got, e, err = s.Get(t.Context(), events.NewTraceID("claude-code", "theirs"))
	if err != nil || *got.Steps[0].Content != "hello" || e.Own() {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestForeignTreesAreNotBelieved(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	s := open(t, repo)
	first := put(t, s, record("s1", "one"), refs.OID{})
	// The same file under the id of another conversation, a link, and names that are no ids.
	other := events.NewTraceID("claude-code", "other")
	name := func(trace events.TraceID) string { return string(trace[:2]) + "/" + string(trace) + ".json" }
	index := fmt.Sprintf("100644 %s\t%s\n120000 %s\t%s\n100644 %s\tab/../x.json\n", first.Blob, name(other),
		first.Blob, name(events.NewTraceID("claude-code", "link")), first.Blob)
	index = strings.Replace(index, "ab/../x.json", "zz/x.json", 1)
	cmd := exec.Command("git", "update-index", "--index-info")
	cmd.Dir, cmd.Stdin = repo.WorkTree, strings.NewReader(index)
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(t.TempDir(), "index"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var tree bytes.Buffer
	cmd2 := exec.Command("git", "write-tree")
	cmd2.Dir, cmd2.Env, cmd2.Stdout = repo.WorkTree, cmd.Env, &tree
	if err := cmd2.Run(); err != nil {
		t.Fatal(err)
	}
	commit := strings.TrimSpace(git(t, repo.WorkTree, "commit-tree", "-m", "x", strings.TrimSpace(tree.String())))
	git(t, repo.WorkTree, "update-ref", store.Ref, commit)
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Trace != other {
		t.Fatalf("list gives %v, %v", list, err)
	}
	if _, err := s.Read(list[0]); !errors.Is(err, records.ErrNotRecord) {
		t.Errorf("the record of another conversation is taken: %v", err)
	}
}
