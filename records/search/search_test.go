package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

type world struct {
	t        testing.TB
	repo     *refs.Repo
	store    *store.Store
	redactor *redact.Redactor
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := store.Open(repo)
	t.Cleanup(func() { _ = s.Close() })
	return &world{t, repo, s, redactor}
}

// conversation makes a record of a prompt and a call.
func conversation(session, prompt, path, written string) *records.Record {
	input, _ := json.Marshal(map[string]string{"file_path": path, "content": written}) // strings have a JSON form
	end, model, answer := "2026-01-02T03:04:05Z", "anthropic/claude-opus-4-5", "I did that"
	cost := records.Float(0.25)
	return &records.Record{
		TraceID: string(events.NewTraceID("claude-code", session)), SessionID: session, Agent: records.Agent{Name: "claude-code"},
		TimestampEnd: &end, Task: records.Task{Description: &prompt},
		Metrics: records.Metrics{TotalInputTokens: 100, TotalOutputTokens: 7, EstimatedCostUSD: &cost},
		Steps: []records.Step{
			{StepIndex: 1, Role: records.RoleUser, Content: &prompt},
			{
				StepIndex: 2, Role: records.RoleAgent, Content: &answer, Model: &model,
				ToolCalls:  []records.ToolCall{{ToolCallID: "toolu_" + session, ToolName: "Write", Input: input}},
				TokenUsage: records.TokenUsage{InputTokens: 100, OutputTokens: 7},
			},
		},
	}
}

func (w *world) put(list ...*records.Record) {
	w.t.Helper()
	var changes []store.Change
	for _, r := range list {
		redacted, err := w.redactor.Record(context.Background(), r)
		if err != nil {
			w.t.Fatal(err)
		}
		base := refs.OID{}
		if e, err := w.store.Find(context.Background(), redacted.Trace()); err == nil {
			base = e.Blob
		}
		changes = append(changes, store.Change{Record: redacted, Base: base})
	}
	if _, err := w.store.PutAll(context.Background(), changes); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range changes {
		_ = c.Record.Close()
	}
}

func (w *world) open() *search.Index {
	w.t.Helper()
	ix, err := search.Open(context.Background(), w.repo, w.store, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return ix
}

// found gives the sessions that a query finds, best first.
func (w *world) found(query string) string {
	w.t.Helper()
	ix := w.open()
	defer ix.Close()
	f, err := ix.Search(context.Background(), search.Query{Text: query})
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, r := range f.Results {
		out = append(out, r.Session)
	}
	if f.Total != len(out) {
		w.t.Errorf("%q: total %d, %d given", query, f.Total, len(out))
	}
	return strings.Join(out, " ")
}

// Words are looked for in a place alone: in prompts, in what agents said and did, in what calls were given, in names of
// files. How many conversations hold all of them in each is told whatever the place, also when segments were put
// together, and when a conversation was replaced.
func TestWordsAreCountedByPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(
		conversation("a", "the cargo waits", "/src/other.go", "nothing"),
		conversation("b", "a prompt", "/src/cargo/list.go", "nothing"),
		conversation("c", "a prompt", "/src/other.go", "cargo list"),
		conversation("d", "cargo list, in a prompt", "/src/cargo_list.go", "nothing"),
	)
	check := func(query string, in search.In, want string) {
		t.Helper()
		ix := w.open()
		defer ix.Close()
		f, err := ix.Search(context.Background(), search.Query{Text: query, In: in, Count: true})
		if err != nil {
			t.Fatal(err)
		}
		var sessions []string
		for _, r := range f.Results {
			sessions = append(sessions, r.Session)
			for _, h := range r.Hits {
				if strings.ContainsAny(h.Text, "\x01\x02") {
					t.Errorf("%q: a mark is shown: %q", query, h.Text)
				}
			}
		}
		slices.Sort(sessions)
		got := fmt.Sprint(sessions, f.Total, f.In[search.Prompts], f.In[search.Answers], f.In[search.Calls], f.In[search.Files])
		if got != want {
			t.Errorf("%q in %q: %s, not %s", query, in, got, want)
		}
	}
	check("cargo", search.Everywhere, "[a b c d] 4 2 3 3 2")
	check("cargo", search.Prompts, "[a d] 2 2 3 3 2")
	check("cargo", search.Answers, "[b c d] 3 2 3 3 2")
	check("cargo", search.Calls, "[b c d] 3 2 3 3 2")
	check("cargo", search.Files, "[b d] 2 2 3 3 2")
	check("cargo list", search.Files, "[b d] 2 1 3 3 2")
	check("cargo list", search.Everywhere, "[b c d] 3 1 3 3 2")
	check("did that", search.Calls, "[] 0 0 4 0 0")
	check("write", search.Calls, "[a b c d] 4 0 4 4 0")
	for i := range 40 { // segments are put together
		w.put(conversation(fmt.Sprint("other", i), "something else", "/src/y.go", "of no use"))
		w.open().Close()
	}
	check("cargo", search.Files, "[b d] 2 2 3 3 2")
	check("cargo list", search.Everywhere, "[b c d] 3 1 3 3 2")
	w.put(conversation("d", "replaced", "/src/z.go", "nothing"))
	check("cargo", search.Everywhere, "[a b c] 3 1 2 2 1")
}

func TestConversationsAreFoundByWhatWasSaidAndDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(
		conversation("a", "add graceful shutdown to the server", "/src/cmd/server.go", "func stop() { sessionFile.Close() }"),
		conversation("b", "rename the parser", "/src/parse/session_file.go", "// the server is not meant here, nor a shutdown that is graceful"),
		conversation("c", "Größe prüfen, naïve café", "/src/x.go", strings.Repeat("filler ", 500)+"needle"),
	)
	for query, want := range map[string]string{
		"graceful shutdown": "a b", // as it was asked counts most
		"GRACEFUL":          "a b",
		"shut":              "a b", // by the beginning
		"rename parser":     "b",
		"rename shutdown":   "b", // in different steps
		"sessionFile":       "a",
		"session_file.go":   "b",
		"session":           "a b", // the part of a name
		"cmd/server.go":     "a",
		"größe":             "c",
		"café":              "c",
		"needle":            "c",
		"nowhere":           "",
		"graceful nowhere":  "",
	} {
		if got := w.found(query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	ix := w.open()
	defer ix.Close()
	f, err := ix.Search(t.Context(), search.Query{Text: "needle", Limit: 1})
	if err != nil || len(f.Results) != 1 || len(f.Results[0].Hits) == 0 {
		t.Fatalf("got %+v, %v", f, err)
	}
	if hit := f.Results[0].Hits[0]; hit.Step != 2 || hit.Prompt || !strings.Contains(hit.Text, "needle") || len(hit.Text) > 300 {
		t.Errorf("the hit is %+v", hit)
	}
	if _, err := ix.Search(t.Context(), search.Query{Text: " -- "}); err == nil {
		t.Error("a query without a word is answered")
	}
	f, err = ix.Search(t.Context(), search.Query{Text: "server", Want: func(d *search.Digest) bool { return d.Session == "b" }})
	if err != nil || f.Total != 1 || f.Results[0].Session != "b" {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestTheIndexFollowsTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.found("anything"); got != "" {
		t.Errorf("an empty store holds %q", got)
	}
	for i := range 16 { // more than one segment for each
		w.put(conversation(fmt.Sprintf("s%02d", i), fmt.Sprintf("common word%02d", i), "/x", "first"))
		if got := w.found(fmt.Sprintf("word%02d", i)); got != fmt.Sprintf("s%02d", i) {
			t.Fatalf("word%02d finds %q", i, got)
		}
	}
	w.put(conversation("s03", "common other", "/x", "second"))
	for query, want := range map[string]string{"word03": "", "other": "s03", "second": "s03", "word04": "s04"} {
		if got := w.found(query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if n := len(strings.Fields(w.found("common"))); n != 16 {
		t.Errorf("%d of 16 are found", n)
	}
	ix := w.open()
	defer ix.Close()
	for beginning, want := range map[string]int{"toolu_s03": 1, "toolu_s0": 10, "toolu_": 16, "toolu_s99": 0, "common": 0} {
		calls, err := ix.Calls(beginning)
		if err != nil || len(calls) != want {
			t.Errorf("%d calls begin with %s, %v", len(calls), beginning, err)
		}
		for _, c := range calls {
			if session := strings.TrimPrefix(c.ID, "toolu_"); c.Trace != events.NewTraceID("claude-code", session) {
				t.Errorf("%s is found in %s", c.ID, c.Trace)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(search.Dir(w.repo), "*"))
	if err != nil || len(files) > 16 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

func TestADamagedIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(conversation("a", "find me", "/x", "y"), conversation("b", "and me", "/x", "y"))
	if got := w.found("me"); got != "a b" && got != "b a" {
		t.Fatalf("got %q", got)
	}
	files, err := filepath.Glob(filepath.Join(search.Dir(w.repo), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil || len(raw) == 0 {
			continue
		}
		for what, spoiled := range map[string][]byte{"cut": raw[:len(raw)/2], "gone": nil, "zeros": make([]byte, len(raw))} {
			if err := os.WriteFile(name, spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			if what == "gone" {
				_ = os.Remove(name)
			}
			if got := w.found("find"); got != "a" {
				t.Errorf("%s, %s: %q", filepath.Base(name), what, got)
			}
		}
	}
}

func TestDigestsSumUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(conversation("a", "one", "/x", "y"))
	for range 2 { // made, then read
		ix := w.open()
		list, err := ix.Digests()
		if err != nil || len(list) != 1 {
			t.Fatalf("got %v, %v", list, err)
		}
		d := list[0]
		if d.Title != "one" || d.Prompts != 1 || d.Calls != 1 || d.Output != 7 || d.Cost == nil || *d.Cost != 0.25 || len(d.Models) != 1 || d.Models[0].Output != 7 {
			t.Errorf("got %+v", d)
		}
		ix.Close()
	}
	if err := search.Remove(w.repo); err != nil {
		t.Error(err)
	}
	if got := w.found("one"); got != "a" {
		t.Errorf("got %q", got)
	}
}

// Single digests are those of the list, from the file and from an index in memory; a record that cannot be read has none.
func TestSingleDigestsAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []events.TraceID
	for i := range 20 {
		r := conversation(fmt.Sprint("s", i), fmt.Sprint("prompt ", i), "/x", "y")
		w.put(r)
		all = append(all, events.TraceID(r.TraceID))
	}
	slices.Sort(all)
	for _, when := range []string{"made", "read", "spoiled", "in memory"} {
		if when == "in memory" {
			if err := search.Remove(w.repo); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(search.Dir(w.repo), []byte("in the way"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		ix := w.open()
		if when == "spoiled" {
			files, _ := filepath.Glob(filepath.Join(search.Dir(w.repo), "digests-*"))
			if len(files) != 1 || os.Truncate(files[0], 100) != nil {
				t.Fatal(files)
			}
		}
		ids, err := ix.IDs()
		if err != nil || !slices.Equal(ids, all) {
			t.Errorf("%s: %v, %v, want %v", when, ids, err, all)
		}
		asked := []events.TraceID{all[0], "no such id", all[7], all[19]}
		some, err := ix.Some(asked)
		if err != nil || len(some) != 3 {
			t.Errorf("%s: %d digests, %v", when, len(some), err)
		}
		times, err := ix.Times()
		if err != nil || len(times) != len(all) {
			t.Errorf("%s: %d times, %v", when, len(times), err)
		}
		list, err := ix.Digests()
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range list {
			if want := (search.Times{Trace: d.Trace, Start: d.Start, End: d.End}); i < len(times) && times[i] != want {
				t.Errorf("%s: times %+v, want %+v", when, times[i], want)
			}
		}
		for _, one := range some {
			at := slices.IndexFunc(list, func(d search.Digest) bool { return d.Trace == one.Trace })
			if at < 0 || !reflect.DeepEqual(list[at], one) {
				t.Errorf("%s: %+v is not in the list", when, one)
			}
		}
		ix.Close()
	}
}

func TestWhereNothingCanBeWrittenMemoryServes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(conversation("a", "find me", "/x", "y"))
	dir := filepath.Dir(search.Dir(w.repo))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(search.Dir(w.repo), []byte("in the way"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := w.found("find"); got != "a" {
		t.Errorf("got %q", got)
	}
}
