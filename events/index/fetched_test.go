package index

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// fetchFrom brings another clone's log in, as a pull does, and returns its writer.
func fetchFrom(t testing.TB, repo, other *refs.Repo, remote string) string {
	t.Helper()
	return testenv.FetchLog(t, repo.WorkTree, other.WorkTree, remote)
}

func TestFetchedLogsAreReadAsAUnion(t *testing.T) {
	t.Parallel()
	repo, second, third := newRepo(t), newRepo(t), newRepo(t)
	story(t, repo, "mine", 3)
	story(t, second, "hers", 4)
	story(t, third, "his", 2)
	story(t, third, "mine", 9) // another clone claims to have seen the same conversation
	fetchFrom(t, repo, second, "origin")
	fetchFrom(t, repo, third, "other/remote")
	own := fetchFrom(t, repo, repo, "origin") // the own log, come back
	story(t, second, "hers too", 1)
	fetchFrom(t, repo, second, "upstream") // the same id on another remote, further on: another voice

	ix := open(t, repo)
	if len(ix.Notes()) > 0 {
		t.Error(ix.Notes())
	}
	traces, err := ix.Traces()
	check(t, err)
	got := map[string]int{}
	for _, tr := range traces {
		got[tr.Session] = tr.Prompts
		if one, found, err := ix.Trace(tr.ID); err != nil || !found || !reflect.DeepEqual(one, tr) || tr.Own != (tr.Session == "mine") {
			t.Errorf("%s alone: %+v, %v; in the list: %+v", tr.Session, one, err, tr)
		}
		told, err := ix.Told(tr.ID)
		check(t, err)
		if len(told) != tr.Events || len(told) == 0 || told[0].Writer != tr.Writer {
			t.Errorf("%s: %d events are told, summed up are %d of %s", tr.Session, len(told), tr.Events, tr.Writer)
		}
	}
	if want := map[string]int{"mine": 3, "hers": 4, "his": 2, "hers too": 1}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("conversations %v, want %v", got, want)
	}
	sameIDs(t, ix)
	calls, err := ix.ToolCall("toolu_hers_2")
	check(t, err)
	if len(calls) != 3 || calls[0].Writer == own {
		t.Errorf("%d events of a fetched call", len(calls))
	}
	if e, ok, err := ix.Event(1); err != nil || !ok || e.Writer != own {
		t.Errorf("event 1 is of %s, %v", e.Writer, err)
	}
	memory := answers(t, ix, []string{"mine", "hers", "his"}, 4)
	ix.Close()
	if _, _, err := Rebuild(context.Background(), repo, nil); err != nil {
		t.Fatal(err)
	}
	if stored := answers(t, open(t, repo), []string{"mine", "hers", "his"}, 4); stored != memory {
		t.Error("stored and unstored answers differ")
	}
	runGit(t, repo.WorkTree, "pack-refs", "--all")
	if packed := answers(t, open(t, repo), []string{"mine", "hers", "his"}, 4); packed != memory {
		t.Error("answers differ when the refs are packed")
	}
	for _, ref := range strings.Fields(runGit(t, repo.WorkTree, "for-each-ref", "--format=%(refname)", "refs/traces/remotes")) {
		runGit(t, repo.WorkTree, "update-ref", "-d", ref)
	}
	if traces, err := open(t, repo).Traces(); err != nil || len(traces) != 1 {
		t.Errorf("after the remotes are gone: %d conversations, %v", len(traces), err)
	}
}

func TestOneLogTellsOfAConversation(t *testing.T) {
	t.Parallel()
	then := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	hooked := func(writer string) Trace { return Trace{Writer: writer, Events: 4, Hooked: 4, First: then, Prompts: 7} }
	found := func(writer string) Trace { return Trace{Writer: writer, Events: 2, First: then, Prompts: 3} }
	stored := func(writer string) Trace { return Trace{Writer: writer, Events: 1} }
	own := func(t Trace) Trace { t.Own = true; return t }
	for name, tt := range map[string]struct {
		logs []Trace
		want int
	}{
		"the own one, though others claim more":       {[]Trace{own(hooked("m")), hooked("a")}, 0},
		"the own one, though it was told afterwards":  {[]Trace{own(found("m")), hooked("a")}, 0},
		"not the own one that stored a record alone":  {[]Trace{own(stored("m")), found("z"), found("x")}, 2},
		"nor one that has nothing":                    {[]Trace{own(Trace{}), {}, stored("z")}, 2},
		"hooks of others before what was found there": {[]Trace{own(Trace{}), found("a"), hooked("b")}, 2},
		"of others the smaller writer":                {[]Trace{own(Trace{}), hooked("b"), hooked("a")}, 2},
		"none that tells":                             {[]Trace{own(Trace{}), {}}, 0},
	} {
		if got := teller(tt.logs); got != tt.want {
			t.Errorf("%s: log %d tells, want %d", name, got, tt.want)
		}
	}
}

// TestHostileLogsChangeNothing spoils a fetched log in many ways: the own answers stay, nothing panics, a note says so.
func TestReliabilityG1HostileLogsChangeNothing(t *testing.T) {
	t.Parallel()
	repo, other := newRepo(t), newRepo(t)
	story(t, repo, "mine", 3)
	story(t, other, "hers", 3)
	writer := testenv.WriterOf(t, other.WorkTree)
	ref := testenv.FetchedLog("origin", writer)
	runGit(t, repo.WorkTree, "config", "gc.auto", "0")
	testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, ref)
	before := localState(t, repo)
	lines := strings.SplitAfter(strings.Join(testenv.SealedFiles(t, repo.WorkTree, ref), ""), "\n")
	lines = lines[:len(lines)-1]
	for range testenv.Pick(10, 60, 5000) {
		files := slices.Clone(lines) // one of each event
		spoiled := rand.N(len(files))
		files[spoiled] = string(spoil([]byte(files[spoiled])))
		runGit(t, repo.WorkTree, "update-ref", ref, testenv.StoreSeal(t, repo.WorkTree, writer, "", files...))
		ix, err := Open(repo)
		check(t, err)
		traces, err := ix.Traces()
		check(t, err)
		if len(traces) != 1 || traces[0].Session != "mine" || len(ix.Notes()) != 1 || !strings.HasPrefix(ix.Notes()[0], "left out: ") {
			t.Errorf("event %d spoiled: %d conversations, notes %v", spoiled, len(traces), ix.Notes())
		}
		ix.Close()
	}
	for _, target := range []string{"HEAD^{tree}", "HEAD"} {
		runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "x")
		runGit(t, repo.WorkTree, "update-ref", ref, target)
		ix := open(t, repo)
		if traces, err := ix.Traces(); err != nil || len(traces) != 1 || len(ix.Notes()) != 1 {
			t.Errorf("a ref to %s: %d conversations, notes %v, %v", target, len(traces), ix.Notes(), err)
		}
	}
	if after := localState(t, repo); after != before {
		t.Errorf("local state changed:\n%s\n%s", before, after)
	}
}

// spoil changes an event so that no part of the change is sound.
func spoil(raw []byte) []byte {
	switch rand.N(6) {
	case 0:
		return []byte("{}\n")
	case 1:
		return []byte("\x1b]0;owned\x07\n")
	case 2:
		return []byte(strings.Repeat(`[`, 100_000) + "\n")
	case 3:
		return nil
	case 4:
		return bytes.Replace(raw, []byte(`"v":1`), []byte(`"v":1.5`), 1)
	default:
		out := bytes.Clone(raw)
		out[rand.N(len(out))] ^= byte(1 + rand.N(127))
		return out
	}
}

// localState is what a fetched log must never change.
func localState(t testing.TB, repo *refs.Repo) string {
	t.Helper()
	writer, err := os.ReadFile(repo.TracesDir() + "/writer")
	check(t, err)
	return string(writer) + runGit(t, repo.WorkTree, "rev-parse", refs.EventsRef)
}
