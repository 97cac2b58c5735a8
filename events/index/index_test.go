package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func TestEverythingIsFoundByWhatItNames(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 6)
	story(t, repo, "two", 3)
	for _, stored := range []bool{false, true} {
		if stored {
			n, notes, err := Rebuild(context.Background(), repo, nil)
			check(t, err)
			if n == 0 || len(notes) > 0 {
				t.Errorf("%d events, notes %v", n, notes)
			}
		}
		ix := open(t, repo)
		if got := ix.sources[0].shelf.rows != nil; got != stored {
			t.Errorf("stored: %v", got)
		}
		anchors, err := ix.ByCommit(commitID("one", 2))
		check(t, err)
		if len(anchors) != 1 || anchors[0].Type != events.CommitAnchored {
			t.Errorf("by commit: %v", types(anchors))
		}
		for _, commit := range []string{"one", "one'"} {
			told, err := ix.RewritingsOf(commitID(commit, 2))
			if err != nil || len(told) != 1 || told[0].Old != commitID("one", 2) || told[0].New != commitID("one'", 2) ||
				told[0].Kind != "amend" || told[0].Time.IsZero() {
				t.Errorf("rewritings of %s: %+v, %v", commit, told, err)
			}
		}
		if had, err := ix.HasHeir(commitID("one", 2).String()[:9]); err != nil || !had {
			t.Errorf("the old commit has an heir: %v, %v", had, err)
		}
		if has, err := ix.HasHeir(commitID("one'", 2).String()); err != nil || has {
			t.Errorf("the new commit has an heir: %v, %v", has, err)
		}
		if none, err := ix.ByCommit(refs.OID{}); err != nil || len(none) != 0 {
			t.Errorf("by no commit: %v, %v", types(none), err)
		}
		patch, ok, err := ix.Patch(patchID("one", 3))
		if err != nil || !ok || patch.Type != events.PatchRecorded || patch.ToolCall != "toolu_one_3" {
			t.Errorf("patch %v, %v, %v", patch, ok, err)
		}
		call, err := ix.ToolCall("toolu_two_1")
		if err != nil || fmt.Sprint(types(call)) != "[window_opened patch_recorded window_closed]" {
			t.Errorf("tool call %v, %v", types(call), err)
		}
		of, err := ix.ByPath("dir/file1.go")
		if err != nil || len(of) != 7 {
			t.Errorf("by path: %v, %v", types(of), err)
		}
		if _, ok, err := ix.Event(0); ok || err != nil {
			t.Errorf("event 0: %v, %v", ok, err)
		}
		for _, seq := range []int64{1, 5, ix.Last()} {
			e, ok, err := ix.Event(seq)
			if err != nil || !ok || e.Seq != seq {
				t.Errorf("event %d: %v, %v, %v", seq, e.Seq, ok, err)
			}
		}
		traces, err := ix.Traces()
		check(t, err)
		if len(traces) != 2 || traces[0].Session != "one" || traces[0].Prompts != 6 || traces[0].Calls != 6 || traces[0].Patches != 6 ||
			traces[0].Added != 18 || traces[0].Removed != 6 || fmt.Sprint(traces[0].Models) != "[model-a model-b]" || traces[1].Prompts != 3 {
			t.Errorf("traces %+v", traces)
		}
		sameIDs(t, ix)
	}
}

// sameIDs compares the two ways to the ids of the conversations.
func sameIDs(t *testing.T, ix *Index) {
	t.Helper()
	traces, err := ix.Traces()
	check(t, err)
	var want []events.TraceID
	for _, one := range traces {
		want = append(want, one.ID)
	}
	got, err := ix.TraceIDs()
	check(t, err)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("conversations %v, want %v", got, want)
	}
	sameNewest(t, ix, traces)
}

// sameNewest holds what is read in part against what is read whole.
func sameNewest(t *testing.T, ix *Index, all []Trace) {
	t.Helper()
	beginnings := []string{"", "nothing begins so"}
	for i := range all {
		beginnings = append(beginnings, string(all[i].ID[:1]), string(all[i].ID))
	}
	for _, beginning := range beginnings {
		var want []Trace
		for _, one := range all {
			if strings.HasPrefix(string(one.ID), beginning) {
				want = append(want, one)
			}
		}
		for _, most := range []int{1, 2, 50} {
			got, err := ix.Newest(beginning, most, nil)
			check(t, err)
			if first := want[:min(most, len(want))]; len(got) != len(first) || len(got) > 0 && !reflect.DeepEqual(got, first) {
				t.Errorf("the newest %d that begin with %q: %+v, want %+v", most, beginning, got, first)
			}
		}
	}
}

func types(list []events.Event) []events.Type {
	out := make([]events.Type, len(list))
	for i, e := range list {
		out[i] = e.Type
	}
	return out
}

func TestAbbreviatedIDs(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 6)
	story(t, repo, "other", 3)
	ix := open(t, repo)
	e, _, err := ix.Event(3)
	check(t, err)
	one := string(events.NewTraceID("claude-code", "one"))
	tests := map[string][]string{
		one[:7]:                           {"trace " + one},
		"on":                              {"trace " + one},
		string(patchID("one", 2))[:9]:     {"patch " + string(patchID("one", 2))},
		commitID("one", 2).String()[:9]:   {"commit " + commitID("one", 2).String()},
		commitID("one'", 2).String()[:12]: {"commit " + commitID("one'", 2).String()},
		"toolu_other":                     {"tool_call toolu_other_1", "tool_call toolu_other_2", "tool_call toolu_other_3"},
		string(e.ID):                      {"event " + string(e.ID)},
		string(e.ID)[:12]:                 {"event " + string(e.ID)},
		string(e.ID)[3:14]:                {"event " + string(e.ID)},
		string(e.ID)[3:40]:                {"event " + string(e.ID)},
		string(e.ID) + "0":                nil,
		"nothing":                         nil,
		"":                                nil,
	}
	for prefix, want := range tests {
		found, err := ix.Find(prefix)
		check(t, err)
		var got []string
		for _, c := range found {
			got = append(got, string(c.Kind)+" "+c.ID)
			if c.Event.ID == "" {
				t.Errorf("%s: candidate without an event", prefix)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: got %v, want %v", prefix, got, want)
		}
	}
	both, err := ix.Find("o")
	check(t, err)
	if len(both) != 2 {
		t.Errorf("an ambiguous session: %v", both)
	}
}

// TestStoredAndUnstoredAnswersAgree asks the same questions of a store, of memory, and of every mixture.
func TestStoredAndUnstoredAnswersAgree(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	var sessions []string
	for i := range 5 {
		sessions = append(sessions, fmt.Sprintf("s%d", i))
		story(t, repo, sessions[i], 4)
		mixed := answers(t, open(t, repo), sessions, 4)
		if i%2 == 0 {
			_, _, err := Rebuild(context.Background(), repo, nil)
			check(t, err)
		}
		stored := answers(t, open(t, repo), sessions, 4)
		check(t, os.Rename(storePath(events.OpenLog(repo)), filepath.Join(t.TempDir(), "index.db")))
		memory := answers(t, open(t, repo), sessions, 4)
		if mixed != memory || stored != memory {
			t.Fatalf("after %d conversations the answers differ:\n%s\n%s", i+1, difference(mixed, memory), difference(stored, memory))
		}
		_, _, err := Rebuild(context.Background(), repo, nil)
		check(t, err)
	}
}

// difference shows where two texts part.
func difference(a, b string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			from := max(0, i-300)
			return a[from:min(len(a), i+100)] + "\n  against\n" + b[from:min(len(b), i+100)]
		}
	}
	return fmt.Sprintf("%d and %d bytes", len(a), len(b))
}

func TestStoreIsExtendedWhenMuchIsNew(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 4)
	if ix := open(t, repo); ix.store != nil {
		t.Error("a short log was stored")
	}
	story(t, repo, "two", 60)
	ix := open(t, repo)
	if ix.store == nil || ix.sources[0].shelf.indexed != ix.sources[0].Stored() {
		t.Fatal("a long log was not stored")
	}
	generation, indexed := ix.sources[0].Generation(), ix.sources[0].shelf.indexed
	ix.Close()
	story(t, repo, "three", 60)
	ix = open(t, repo)
	if ix.sources[0].Generation() != generation || ix.sources[0].shelf.indexed <= indexed {
		t.Error("the store was not extended")
	}
	testenv.CutLog(t, repo.WorkTree, 151)
	ix.Close()
	ix = open(t, repo)
	if traces, err := ix.Traces(); err != nil || len(traces) != 2 {
		t.Errorf("after the log went back: %d conversations, %v", len(traces), err)
	}
}

func TestNoLogAndNothingWritable(t *testing.T) {
	t.Parallel()
	empty := open(t, newRepo(t))
	if traces, err := empty.Traces(); err != nil || len(traces) != 0 || empty.Last() != 0 {
		t.Errorf("no log: %v, %v", traces, err)
	}
	repo := newRepo(t)
	story(t, repo, "one", 40)
	cache := filepath.Join(repo.TracesDir(), "cache")
	check(t, os.RemoveAll(cache))
	check(t, os.WriteFile(cache, nil, 0o666))
	if traces, err := open(t, repo).Traces(); err != nil || len(traces) != 1 || traces[0].Prompts != 40 {
		t.Errorf("in memory: %v, %v", traces, err)
	}
}

func TestReaderIsNotStoppedByOthers(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 60)
	first := open(t, repo)
	before := answers(t, first, []string{"one"}, 2)
	story(t, repo, "two", 60)
	second := open(t, repo) // the first one still reads, so nothing can be stored
	if second.sources[0].shelf.indexed >= second.sources[0].Stored() {
		t.Error("the store changed under a reader")
	}
	if traces, err := second.Traces(); err != nil || len(traces) != 2 {
		t.Errorf("%d conversations, %v", len(traces), err)
	}
	if answers(t, first, []string{"one"}, 2) != before {
		t.Error("an open index changed its answers")
	}
}

func TestSpoiledCachesAreMadeAnew(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	sessions := []string{"one", "two"}
	story(t, repo, "one", 8)
	story(t, repo, "two", 8)
	testenv.RefAlone(t, repo.WorkTree) // a log that is read from its file has no copy
	log := events.OpenLog(repo)
	_, _, err := Rebuild(context.Background(), repo, nil)
	check(t, err)
	want := answers(t, open(t, repo), sessions, 8)
	own := filepath.Join(repo.TracesDir(), "cache", "own")
	files := map[string]string{"store": storePath(log), "copy": filepath.Join(own, "log"), "ends": filepath.Join(own, "ends")}
	sound := map[string][]byte{}
	for name, path := range files {
		sound[name], err = os.ReadFile(path)
		check(t, err)
	}
	rounds := 60
	if testenv.Quick() {
		rounds = 10
	}
	for round := range rounds {
		for name, path := range files {
			for name, path := range files {
				check(t, os.WriteFile(path, sound[name], 0o666))
			}
			bad := append([]byte(nil), sound[name]...)
			what := "bytes changed"
			switch round % 4 {
			case 0:
				for range 1 + rand.N(200) {
					bad[rand.N(len(bad))] ^= byte(1 + rand.N(255))
				}
			case 1:
				bad, what = bad[:rand.N(len(bad))], "cut off"
			case 2:
				from := rand.N(len(bad))
				clear(bad[from:min(len(bad), from+4096)])
				what = "a page of zeros"
			case 3:
				bad, what = append(bad, make([]byte, rand.N(10_000))...), "zeros behind"
			}
			check(t, os.WriteFile(path, bad, 0o666))
			ix, err := Open(repo)
			if err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
				continue
			}
			if got := answers(t, ix, sessions, 8); got != want && name != "store" {
				t.Errorf("%s, %s: other answers", name, what)
			} else if got != want && !subset(got, want) {
				t.Errorf("%s, %s: answers that are not true", name, what)
			}
			ix.Close()
		}
	}
}

// subset tells whether every event that is told of is told of in the true answers. A changed byte in a key of the store
// hides a row; no row can bring forth an event that was not written.
func subset(got, want string) bool {
	for _, part := range strings.Split(got, `"id":"b3:`)[1:] {
		if !strings.Contains(want, `"id":"b3:`+part[:64]) {
			return false
		}
	}
	return true
}

func TestKilledBuildsLeaveNothingThatIsBelieved(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	repo := newRepo(t)
	story(t, repo, "one", 100)
	want := answers(t, open(t, repo), []string{"one"}, 3)
	for range 25 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "INDEX_TEST_CHILD="+repo.WorkTree)
		check(t, cmd.Start())
		time.Sleep(rand.N(60 * time.Millisecond))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ix, err := Open(repo)
		check(t, err)
		if got := answers(t, ix, []string{"one"}, 3); got != want {
			t.Error("other answers after a kill")
		}
		ix.Close()
	}
}

func TestIndexesOpenedAtOnceAgree(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 80)
	openAtOnce(t, repo, func(traces []Trace) bool { return len(traces) == 1 && traces[0].Prompts == 80 })
}

// openAtOnce has eight readers begin at once, and holds what each of them lists, several times, against what is wanted.
func openAtOnce(t *testing.T, repo *refs.Repo, wanted func([]Trace) bool) {
	t.Helper()
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 4 {
				ix, err := Open(repo)
				if err != nil {
					t.Error(err)
					return
				}
				if traces, err := ix.Traces(); err != nil || !wanted(traces) {
					t.Errorf("%v, %v", traces, err)
				}
				ix.Close()
			}
		})
	}
	readers.Wait()
}

// Who asks which commits are anchored for a path asks about these commits next: their events are read once.
func TestAnchorsAreReadOnce(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 12)
	want := answers(t, open(t, repo), []string{"one"}, 12)
	ix := open(t, repo)
	commits := ix.Anchoring(t.Context(), "dir/file2.go")
	if fmt.Sprint(commits) != fmt.Sprint([]refs.OID{commitID("one", 2), commitID("one", 8)}) {
		t.Fatalf("anchored are %v", commits)
	}
	kept := map[refs.OID]bool{}
	for _, e := range ix.sources[0].ahead {
		var data events.CommitData
		check(t, events.ReadData(e.Data, &data))
		kept[data.Commit] = true
	}
	if len(kept) != 2 || !kept[commits[0]] || !kept[commits[1]] {
		t.Errorf("kept are %v", kept)
	}
	if got := answers(t, ix, []string{"one"}, 12); got != want {
		t.Errorf("with what is kept\n%s\nwithout\n%s", got, want)
	}
}
