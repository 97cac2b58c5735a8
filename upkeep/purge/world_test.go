package purge

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

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
