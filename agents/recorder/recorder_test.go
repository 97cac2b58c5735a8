package recorder_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
)

const sessions = "../../testdata/sessions/claude-code"

// place is a repository with a session file beside it.
type place struct {
	t       *testing.T
	repo    *refs.Repo
	session waiting.Session
	prompts typed
	finder  redact.Finder
	links   []records.GitLink
	settle  time.Duration
}

// typed are prompts in memory.
type typed map[int]string

func (p typed) List(events.TraceID) (map[int]string, error) { return p, nil }

func (p typed) Drop(_ events.TraceID, index int) error {
	delete(p, index)
	return nil
}

func newPlace(t *testing.T, session string) *place {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &place{t: t, repo: repo, prompts: typed{}, session: waiting.Session{
		Trace: events.NewTraceID("claude-code", session), Agent: "claude-code", Session: session,
		Transcript: filepath.Join(t.TempDir(), session+".jsonl"), WorkTree: dir,
	}}
}

func (p *place) write(raw []byte) {
	p.t.Helper()
	if err := os.WriteFile(p.session.Transcript, raw, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) record() (recorder.Outcome, error) {
	p.t.Helper()
	redactor, err := redact.New(redact.Options{Finder: p.finder})
	if err != nil {
		p.t.Fatal(err)
	}
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	r := recorder.Recorder{
		Repo: p.repo, Env: agents.Env{Home: p.t.TempDir()}, Log: events.OpenLog(p.repo), Store: s, Redactor: redactor, Prompts: p.prompts,
		Settle: p.settle,
		Facts: func(context.Context, *records.Record, *records.Record) (*recorder.Facts, error) {
			facts := &recorder.Facts{Links: p.links}
			if len(p.links) > 0 {
				facts.Revision = p.links[0].Revision
			}
			return facts, nil
		},
	}
	return r.Record(context.Background(), p.session)
}

func (p *place) stored() *records.Record {
	p.t.Helper()
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	r, _, err := s.Get(p.t.Context(), p.session.Trace)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func session(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(sessions, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Copilot CLI may make its session file after the hook that ends a conversation.
func TestASessionFileThatIsMadeAfterTheHookIsWaitedFor(t *testing.T) {
	t.Parallel()
	raw := session(t, "basic-0001")
	p := newPlace(t, "basic-0001")
	p.settle = 50 * time.Millisecond
	if _, err := p.record(); !errors.Is(err, recorder.ErrNoTranscript) {
		t.Fatal("a file that nobody makes:", err)
	}
	p.settle = time.Second
	time.AfterFunc(100*time.Millisecond, func() {
		_ = os.WriteFile(p.session.Transcript+".new", raw, 0o600)
		_ = os.Rename(p.session.Transcript+".new", p.session.Transcript)
	})
	if out, err := p.record(); err != nil || out.Steps == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := os.Remove(p.session.Transcript); err != nil {
		t.Fatal(err)
	}
	p.settle = time.Hour // one that was read is gone for good
	if _, err := p.record(); err != nil {
		t.Error(err)
	}
}

// A file that grows line by line gives the same record as one that is read at once.
func TestASessionFileThatGrowsGivesTheSameRecord(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"turns-0001", "basic-0001", "commands-0001"} {
		raw := session(t, name)
		whole := newPlace(t, name)
		whole.write(raw)
		if _, err := whole.record(); err != nil {
			t.Fatal(err)
		}
		want := whole.stored()
		grown := newPlace(t, name)
		lines := bytes.SplitAfter(raw, []byte("\n"))
		for i := 1; i <= len(lines); i += 2 {
			grown.write(bytes.Join(lines[:i], nil))
			if _, err := grown.record(); err != nil {
				t.Fatalf("%s, %d lines: %v", name, i, err)
			}
		}
		grown.write(raw)
		out, err := grown.record()
		if err != nil {
			t.Fatal(err)
		}
		got := grown.stored()
		if got.GenerationIndex < 2 || out.Steps != len(want.Steps) {
			t.Errorf("%s: generation %d, %d steps", name, got.GenerationIndex, out.Steps)
		}
		got.GenerationIndex = 0
		a, _ := records.Encode(got)
		b, _ := records.Encode(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the records differ\n%s\n%s", name, a, b)
		}
	}
}

// Somebody packed the file of a conversation to save space: it is read as if it were still there.
func TestASessionFileThatWasPackedIsRead(t *testing.T) {
	t.Parallel()
	raw := session(t, "basic-0001")
	p := newPlace(t, "basic-0001")
	p.write(raw)
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	want := p.stored()
	again := newPlace(t, "basic-0001")
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(again.session.Transcript+".gz", out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := again.record(); err != nil {
		t.Fatal(err)
	}
	a, _ := records.Encode(again.stored())
	b, _ := records.Encode(want)
	if !bytes.Equal(a, b) {
		t.Errorf("the records differ\n%s\n%s", a, b)
	}
}

func TestTypedPromptsAreDroppedOnceTheRecordHoldsThem(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "basic-0001")
	const prompt = "Reject sign-ups below the age of 16.\n\nKeep the error message short."
	p.prompts[1], p.prompts[2] = prompt, "this was never sent"
	p.write(session(t, "basic-0001"))
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	if len(p.prompts) != 1 || p.prompts[2] == "" {
		t.Errorf("left are %v", p.prompts)
	}
	r := p.stored()
	if step := recorder.PromptSteps(r)[1]; step == 0 || *r.Steps[step-1].Content != prompt {
		t.Errorf("prompt 1 is in step %d", step)
	}
	// Read again from its beginning, the record still says which step the prompt is.
	if err := os.RemoveAll(recorder.StateDir(p.repo)); err != nil {
		t.Fatal(err)
	}
	p.write(append(session(t, "basic-0001"), session(t, "turns-0001")...))
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	if recorder.PromptSteps(p.stored())[1] != recorder.PromptSteps(r)[1] {
		t.Error("the prompt was lost")
	}
}

// The session file tells of a prompt before its hook does, and the file was read in between: the prompt is found when
// it is known.
func TestAPromptThatIsKeptAfterTheReadingIsFound(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "basic-0001")
	p.write(session(t, "basic-0001"))
	first, err := p.record()
	if err != nil {
		t.Fatal(err)
	}
	p.prompts[1], p.prompts[2] = "Reject sign-ups below the age of 16.\n\nKeep the error message short.", "this was never sent"
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	r := p.stored()
	if recorder.PromptSteps(r)[1] == 0 || len(r.Steps) != first.Steps || len(p.prompts) != 1 {
		t.Errorf("prompts in steps %v, %d steps, left are %v", recorder.PromptSteps(r), len(r.Steps), p.prompts)
	}
	if again, err := p.record(); err != nil || again.Stored.Changed {
		t.Errorf("stored again: %+v, %v", again, err)
	}
}

func TestCommitsAreAddedWithoutReadingAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "basic-0001")
	p.write(session(t, "basic-0001"))
	first, err := p.record()
	if err != nil {
		t.Fatal(err)
	}
	if p.stored().Lifecycle != records.Provisional {
		t.Error("final without a commit")
	}
	p.links = []records.GitLink{{VCSType: records.VCSGit, Revision: strings.Repeat("a", 40), Tier: records.TierToolEmitted}}
	out, err := p.record()
	if err != nil || !out.Stored.Changed || out.Steps != first.Steps || out.Generation != 1 {
		t.Fatalf("got %+v, %v", out, err)
	}
	r := p.stored()
	if r.Lifecycle != records.Final || len(r.GitLinks) != 1 || len(r.Steps) != first.Steps {
		t.Errorf("got %v, %v, %d steps", r.Lifecycle, r.GitLinks, len(r.Steps))
	}
	if again, err := p.record(); err != nil || again.Stored.Changed {
		t.Errorf("stored again: %+v, %v", again, err)
	}
	branch := "topic"
	p.links[0].Branch = &branch
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	p.links[0].Branch = nil // the branch is gone
	if again, err := p.record(); err != nil || again.Stored.Changed || *p.stored().GitLinks[0].Branch != branch {
		t.Errorf("the branch is forgotten: %+v, %v", again, err)
	}
}

type broken struct{ panics bool }

func (b broken) Find(string) ([]gitleaks.Finding, error) {
	if b.panics {
		panic("broken")
	}
	return nil, errors.New("broken")
}

func TestNothingIsStoredWhenTheRedactorFails(t *testing.T) {
	t.Parallel()
	for _, finder := range []redact.Finder{broken{}, broken{panics: true}} {
		p := newPlace(t, "basic-0001")
		p.finder = finder
		p.prompts[1] = "Reject sign-ups below the age of 16.\n\nKeep the error message short."
		p.write(session(t, "basic-0001"))
		if _, err := p.record(); err == nil {
			t.Error("no error")
		}
		if out, err := exec.Command("git", "-C", p.repo.WorkTree, "rev-parse", "-q", "--verify", store.Ref).Output(); err == nil {
			t.Errorf("stored: %s", out)
		}
		if len(p.prompts) != 1 {
			t.Error("the prompt was dropped")
		}
		objects, err := filepath.Glob(filepath.Join(p.repo.CommonDir, "objects", "??", "*"))
		if err != nil || len(objects) > 0 {
			t.Errorf("objects were written: %v, %v", objects, err)
		}
	}
}

func TestASecretOfOneTurnIsTakenOutOfAllTurns(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "s1")
	secret := strings.Join([]string{"Zq8vT2mK", "x9Lw4Rb7", "Np3Yc6Hd"}, "") // nothing that is in use
	line := func(n, text string) []byte {
		return []byte(`{"type":"user","uuid":"u` + n + `","sessionId":"s1","timestamp":"2026-03-02T09:00:0` + n +
			`.000Z","message":{"role":"user","content":"` + text + `"}}` + "\n")
	}
	first := append(line("1", "use "+secret), line("2", "yes")...)
	p.write(first)
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	p.write(append(first, line("3", `it was api_key = \"`+secret+`\"`)...))
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	// and out of later ones, where nothing tells that it is one
	p.write(slices.Concat(first, line("3", `it was api_key = \"`+secret+`\"`), line("4", "and "+secret+" again")))
	if _, err := p.record(); err != nil {
		t.Fatal(err)
	}
	raw, err := records.Encode(p.stored())
	if err != nil || bytes.Contains(raw, []byte(secret)) || !bytes.Contains(raw, []byte("again")) {
		t.Errorf("the secret is left: %s, %v", raw, err)
	}
}

func TestTwoRecordersAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "turns-0001")
	p.write(session(t, "turns-0001"))
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, err := p.record(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if r := p.stored(); len(r.Check()) > 0 {
		t.Error(r.Check())
	}
}

func TestConversationsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "gone")
	if _, err := p.record(); !errors.Is(err, recorder.ErrNoTranscript) {
		t.Errorf("got %v", err)
	}
	p.session.Agent = "nobody"
	if _, err := p.record(); !errors.Is(err, recorder.ErrNoParser) {
		t.Errorf("got %v", err)
	}
	list := waiting.Open(p.repo)
	if list.Any() {
		t.Error("somebody waits")
	}
	if err := list.Note(p.session); err != nil {
		t.Fatal(err)
	}
	later := p.session
	later.Open = true
	if err := list.Note(later); err != nil {
		t.Fatal(err)
	}
	if err := list.Done(p.session); err != nil || !list.Any() {
		t.Errorf("a newer note was taken away, %v", err)
	}
	if all, err := list.All(); err != nil || len(all) != 1 || all[0] != later {
		t.Errorf("got %v, %v", all, err)
	}
	if err := list.Done(later); err != nil || list.Any() {
		t.Errorf("the note is still there, %v", err)
	}
}

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}
