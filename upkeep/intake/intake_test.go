package intake_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/intake"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
)

// caller writes into out and notes.
func caller(repo *refs.Repo, out, notes *bytes.Buffer) intake.Caller {
	return intake.Caller{Repo: repo, Out: out, Err: notes, Line: terminal.NewStatusLine(os.Stderr, "test", true),
		Open: view.Open}
}

// past is a repository whose commits a session file explains, which no hook saw.
func past(t *testing.T) (w *recording.World, folder string) {
	t.Helper()
	k := talk.Server(t)
	raw, err := os.ReadFile(k.File())
	k.Check(err)
	folder = t.TempDir()
	k.Check(os.WriteFile(filepath.Join(folder, k.Session+".jsonl"), raw, 0o600))
	k.Commit("server: say what it does")
	k.Check(os.RemoveAll(k.Repo.TracesDir()))
	for _, ref := range strings.Fields(k.Git("for-each-ref", "--format=%(refname)", "refs/traces")) {
		k.Git("update-ref", "-d", ref)
	}
	return k.World, folder
}

func owners(t *testing.T, w *recording.World, path string) string {
	t.Helper()
	reader, err := view.Open(t.Context(), w.Repo, view.Options{})
	w.Check(err)
	defer reader.Close()
	lines, err := blame.Lines(t.Context(), w.Repo, "HEAD", path, reader.Owners())
	w.Check(err)
	var kinds []string
	for i := range lines {
		kinds = append(kinds, string(lines[i].Owner.Kind))
	}
	return strings.Join(kinds, " ")
}

func TestASessionFileExplainsOldCommits(t *testing.T) {
	t.Parallel()
	w, folder := past(t)
	for _, tt := range []struct {
		dry  bool
		json bool
		want string
	}{
		{true, false, "would be written"}, {true, true, "git-trace.backfill/1"}, {false, false, "written"},
		{false, false, "nothing to do: the owners of these conversations' lines are known"},
	} {
		var out, notes bytes.Buffer
		f := &intake.Filler{Caller: caller(w.Repo, &out, &notes), Dir: w.Repo.WorkTree, Dry: tt.dry}
		f.JSON = tt.json
		w.Check(f.Fill(t.Context(), nil, []string{folder}))
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("%+v: %s\n%s", tt, &out, &notes)
		}
		if tt.json && !json.Valid(bytes.SplitN(out.Bytes(), []byte("\n"), 2)[0]) {
			t.Errorf("%s", &out)
		}
		if has := w.Repo.HasTraces(); tt.dry && has {
			t.Error("a dry run writes")
		}
	}
	if got := owners(t, w, "server.go"); strings.Count(got, "ai") < 10 {
		t.Errorf("the lines are of %s", got)
	}
	var out, notes bytes.Buffer
	f := &intake.Filler{Caller: caller(w.Repo, &out, &notes), Dir: w.Repo.WorkTree}
	w.Check(f.Fill(t.Context(), []string{"HEAD..HEAD"}, nil))
	if !strings.Contains(out.String(), "the range has no commit") {
		t.Errorf("%s", &out)
	}
	if err := f.Fill(t.Context(), []string{"nosuch"}, nil); err == nil {
		t.Error("a revision that is not there")
	}
	if err := f.FillFromEntire(t.Context()); err == nil || !strings.Contains(err.Error(), "no checkpoints of Entire") {
		t.Error(err)
	}
}

func TestEntiresCheckpointsExplainCommits(t *testing.T) {
	t.Parallel()
	w, folder := past(t)
	raw, err := os.ReadFile(filepath.Join(folder, "5e55a001.jsonl"))
	w.Check(err)
	w.Check(os.MkdirAll(filepath.Join(w.Repo.WorkTree, "ab", "1"), 0o755))
	w.Write("ab/1/full.jsonl", string(raw))
	w.Write("ab/1/metadata.json", `{"session_id":"5e55a001"}`)
	w.Git("checkout", "-q", "--orphan", "entire/checkpoints/v1")
	w.Git("rm", "-q", "-r", "-f", "--cached", ".")
	w.Git("add", "ab")
	w.Git("commit", "-q", "-m", "checkpoint")
	w.Git("checkout", "-q", "-f", "main")
	var out, notes bytes.Buffer
	f := &intake.Filler{Caller: caller(w.Repo, &out, &notes), Dir: w.Repo.WorkTree}
	w.Check(f.FillFromEntire(t.Context()))
	if !strings.Contains(notes.String(), "read 1 session file of 1 checkpoint") || !strings.Contains(out.String(), "written") {
		t.Errorf("%s\n%s", &out, &notes)
	}
}

// imported imports files of a format.
func imported(t *testing.T, w *recording.World, name string, rows exchange.Rules, files ...string) (string, error) {
	t.Helper()
	format, err := exchange.Find("from", name, exchange.Format.Taken)
	w.Check(err)
	var out, notes bytes.Buffer
	rows.Err = &notes
	im := &intake.Importer{Caller: caller(w.Repo, &out, &notes), Format: format, Rows: &rows}
	made, err := im.Import(t.Context(), files)
	if made != nil {
		im.Tell(made)
	}
	return out.String() + notes.String(), err
}

func TestConversationsAreImportedOnce(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	const file = "../../testdata/formats/opentraces.jsonl"
	for i, want := range []string{"stored", "already here"} {
		if said, err := imported(t, w, "opentraces", exchange.Rules{}, file); err != nil || !strings.Contains(said, want) {
			t.Errorf("%d: %s, %v", i, said, err)
		}
	}
	raw, err := os.ReadFile(file)
	w.Check(err)
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	w.Check(os.WriteFile(bad, []byte(string(raw)+"{\"schema_version\":3}\n"), 0o600))
	if said, err := imported(t, recording.New(t), "opentraces", exchange.Rules{}, bad); err == nil {
		t.Errorf("a broken row: %s", said)
	}
	if said, err := imported(t, recording.New(t), "opentraces", exchange.Rules{Skip: true}, bad); err != nil ||
		!strings.Contains(said, "left out") {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := imported(t, w, "opentraces", exchange.Rules{}, "nosuch"); err == nil {
		t.Error("a file that is not there")
	}
}

func TestOwnersOfLinesAreImported(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	w.Write("plan.go", "package plan\n\nvar one = 1\n")
	commit := w.Commit("plan: begin")
	note := "plan.go\n  s1 1-3\n---\n" + `{"schema_version":"authorship/3.0.0","base_commit_sha":"` + commit.String() +
		`","prompts":{"s1":{"agent_id":{"tool":"claude","id":"x","model":"m"},"human_author":null,"messages":[]}}}`
	line, err := json.Marshal(exchange.Note{Commit: commit.String(), Note: note})
	w.Check(err)
	strange, err := json.Marshal(exchange.Note{Commit: strings.Repeat("ab", 20), Note: note})
	w.Check(err)
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	w.Check(os.WriteFile(file, fmt.Appendf(nil, "%s\n%s\n", line, strange), 0o600))
	said, err := imported(t, w, "git-ai", exchange.Rules{}, file)
	if err != nil || !strings.Contains(said, "3 lines of 1 commit imported") || !strings.Contains(said, "1 statement") {
		t.Fatalf("%s, %v", said, err)
	}
	if got := owners(t, w, "plan.go"); got != "ai ai ai" {
		t.Errorf("the lines are of %s", got)
	}
	if said, err := imported(t, w, "git-ai", exchange.Rules{}, file); err != nil || !strings.Contains(said, "0 lines") {
		t.Errorf("%s, %v", said, err)
	}
	w.Write("plan.go", "package plan\n\nvar one = 1\nvar two = 2\n")
	commit = w.Commit("plan: two")
	record := fmt.Sprintf(`{"version":"0.1.0","id":"0b1c2d3e-0000-4000-8000-000000000001","timestamp":"2026-11-02T09:00:00Z",`+
		`"vcs":{"type":"git","revision":%q},"files":[{"path":"plan.go","conversations":[{"contributor":{"type":"ai"},`+
		`"ranges":[{"start_line":4,"end_line":4}]}]}]}`, commit.String())
	w.Check(os.WriteFile(file, []byte(record+"\n"), 0o600))
	if said, err := imported(t, w, "agent-trace", exchange.Rules{}, file); err != nil || !strings.Contains(said, "1 line of 1 commit") {
		t.Errorf("%s, %v", said, err)
	}
	w.Check(os.WriteFile(file, []byte("{}\n"), 0o600))
	if said, err := imported(t, w, "git-ai", exchange.Rules{}, file); err == nil {
		t.Errorf("%s", said)
	}
	w.Git("notes", "--ref", "ai", "add", "-m", note, "HEAD")
	if said, err := imported(t, w, "git-ai", exchange.Rules{}); err != nil {
		t.Errorf("%s, %v", said, err)
	}
}
