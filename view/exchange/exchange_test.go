package exchange_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/exchange"
)

const (
	formats  = "../../testdata/formats"
	sessions = "../../testdata/sessions"
)

// converted converts files, and returns what was written and told.
func converted(t *testing.T, from, to string, rows *exchange.Rules, names ...string) (out, told string, faults []error) {
	t.Helper()
	format, err := exchange.FindWritten(to, exchange.Format.Converted)
	if err != nil {
		t.Fatal(err)
	}
	begin, err := exchange.BeginLeaving(true)
	if err != nil {
		t.Fatal(err)
	}
	var text, notes bytes.Buffer
	rows.Err = &notes
	o := &exchange.Outgoing{Format: format, Out: &text, Begin: begin}
	c := exchange.Converter{Err: &notes, Env: agents.Env{Home: t.TempDir()}, From: from, Out: o, Rows: rows}
	if err := c.Known(); err != nil {
		return "", "", []error{err}
	}
	if faults, err = c.All(t.Context(), names); err != nil {
		return "", "", []error{err}
	}
	if err := rows.Done(); err != nil {
		faults = append(faults, err)
	}
	if format.Tree {
		if err := o.Tree.Each(func(r *records.Record) { fmt.Fprintln(&text, r.TraceID) }); err != nil {
			t.Error(err)
		}
		if err := o.Tree.Close(); err != nil {
			t.Error(err)
		}
	}
	return text.String(), notes.String(), faults
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %v", pattern, names, err)
	}
	return names
}

func TestEveryFormatIsRecognisedAndConverted(t *testing.T) {
	t.Parallel()
	for _, name := range files(t, formats+"/*") {
		format, known, err := exchange.Identify(name)
		if err != nil || !known {
			t.Errorf("%s: %v, %v", name, known, err)
			continue
		}
		if format.Read == nil {
			continue
		}
		for _, to := range exchange.Formats() {
			if !to.Converted() {
				continue
			}
			out, told, faults := converted(t, "", to.Name, &exchange.Rules{}, name)
			if out == "" && len(faults) == 0 && told == "" && !exchange.IsTraining(to) {
				t.Errorf("%s as %s: nothing is written or told", name, to.Name)
			}
			if !to.Tree {
				for line := range strings.Lines(out) {
					if !json.Valid([]byte(line)) {
						t.Fatalf("%s as %s: %.200s", name, to.Name, line)
					}
				}
			}
		}
	}
}

func TestSessionFilesAreConverted(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude-code", "codex-cli"} {
		name := files(t, filepath.Join(sessions, agent, "*basic-*.jsonl"))[0]
		for _, from := range []string{"", agent} {
			out, told, faults := converted(t, from, "opentraces", &exchange.Rules{}, name)
			var r records.Record
			if len(faults) > 0 || json.Unmarshal([]byte(out), &r) != nil || r.Agent.Name != agent {
				t.Errorf("%s from %q: %.100s, %s, %v", name, from, out, told, faults)
			}
		}
	}
	out, told, faults := converted(t, "", "opentraces", &exchange.Rules{}, filepath.Join(sessions, "claude-code"))
	if strings.Count(out, "\n") < 3 || told == "" && len(faults) == 0 {
		t.Errorf("a directory: %.100s, %s, %v", out, told, faults)
	}
	if out, _, _ := converted(t, "", "opentraces", &exchange.Rules{Most: 1}, filepath.Join(sessions, "claude-code")); strings.Count(out, "\n") != 1 {
		t.Errorf("one: %.100s", out)
	}
}

func TestWhatCannotBeConvertedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	rows := write("rows.jsonl", string(read(t, formats+"/opentraces.jsonl"))+"{\"schema_version\": 3}\n")
	for name, tt := range map[string]struct {
		from string
		file string
		rows exchange.Rules
		want string
	}{
		"no file":           {"", filepath.Join(dir, "nosuch"), exchange.Rules{}, "nosuch"},
		"nothing":           {"", write("empty", ""), exchange.Rules{}, "empty"},
		"words":             {"", write("words.txt", "once upon a time\n"), exchange.Rules{}, "words.txt"},
		"an unknown agent":  {"nosuch", rows, exchange.Rules{}, "known formats are"},
		"a format of lines": {"git-ai", rows, exchange.Rules{}, "describes commits"},
		"a written format":  {"tracestate", rows, exchange.Rules{}, "not read"},
		"a broken row":      {"", rows, exchange.Rules{}, "rows.jsonl"},
		"an empty folder":   {"", t.TempDir(), exchange.Rules{}, ""},
		"all rows":          {"opentraces", write("bad.jsonl", "{\"schema_version\": 3}\n"), exchange.Rules{Skip: true}, "no row could be read"},
	} {
		_, _, faults := converted(t, tt.from, "opentraces", &tt.rows, tt.file)
		if len(faults) == 0 || !strings.Contains(fmt.Sprint(faults), tt.want) {
			t.Errorf("%s: %v", name, faults)
		}
	}
	out, told, faults := converted(t, "", "opentraces", &exchange.Rules{Skip: true}, rows)
	if out == "" || len(faults) > 0 || !strings.Contains(told, "left out") {
		t.Errorf("a row is left out: %.100s, %s, %v", out, told, faults)
	}
	if err := exchange.NotThere([]string{filepath.Join(dir, "nosuch")}, os.ErrInvalid); err == nil {
		t.Error("it is there")
	}
	for name, which := range map[string]func(exchange.Format) bool{"": exchange.Format.Given, "opentrace": exchange.Format.Given} {
		if _, err := exchange.Find("format", name, which); err == nil {
			t.Errorf("%q is a format", name)
		}
	}
	if _, err := exchange.FindWritten("chatgpt", exchange.Format.Converted); err == nil {
		t.Error("chatgpt is written")
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestCompressedFilesAreRead(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(read(t, formats+"/opentraces.jsonl"))
	_ = w.Close()
	name := filepath.Join(t.TempDir(), "traces.jsonl.gz")
	if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	plain, _, _ := converted(t, "", "ccpa", &exchange.Rules{}, formats+"/opentraces.jsonl")
	if out, _, faults := converted(t, "", "ccpa", &exchange.Rules{}, name); out != plain || plain == "" {
		t.Errorf("%.100s, %v", out, faults)
	}
}

func TestTextsAreRedactedWhenTheyLeave(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	gate, err := exchange.NewGate(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-abcdefghijAA"
	if text, err := gate.Text("the key is " + secret); err != nil || strings.Contains(text, secret) {
		t.Errorf("%s, %v", text, err)
	}
	b, err := steering.New(steering.Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	record := &records.Record{TraceID: string(events.NewTraceID("a", "s")), SessionID: "s", Steps: []records.Step{
		{StepIndex: 1, Role: "user", Content: text("use " + secret + " for it")},
		{StepIndex: 2, Role: "agent", Content: text("done")},
	}}
	b.Add(&steering.Conversation{Record: record})
	d := b.Document()
	stored := func(events.TraceID) (*records.Record, error) { return record, nil }
	gate.Short = func(id events.TraceID) string { return string(id)[:4] }
	if err := gate.Pass(d, false, stored); err == nil {
		t.Error("a secret leaves")
	}
	if err := gate.Pass(d, true, stored); err != nil {
		t.Error(err)
	}
	if n, err := gate.Redact(d); err != nil || n != 0 {
		t.Errorf("%d places are left, %v", n, err)
	}
}

func text(s string) *string { return &s }

func repository(t *testing.T) *refs.Repo {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func TestEntiresFilesAreWritten(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	git := func(in string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = repo.WorkTree, strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return strings.TrimSpace(string(out))
	}
	line := `{"type":"user","sessionId":"s"}` + "\n"
	blob := func(content string) string { return git(content, "hash-object", "-w", "--stdin") }
	entry := func(content, name string) string {
		return fmt.Sprintf("100644 blob %s %7d\t%s\x00", blob(content), len(content), name)
	}
	first := entry(line, "ab/1/full.jsonl") + entry(`{"session_id":"s"}`, "ab/1/metadata.json")
	second := entry(line+line, "ab/2/full.jsonl") + entry(`{"session_id":"s"}`, "ab/2/metadata.json") +
		entry(line, "ab/2/tasks/t/agent-1.jsonl") + entry("x", "ab/2/other.txt") +
		entry("other\n", "cd/1/full.jsonl") + entry("more\n", "cd/1/full.jsonl.001")
	r := &exchange.EntireReader{Objects: repo.Objects(), Dir: t.TempDir()}
	defer r.Objects.Close()
	list := map[string]*exchange.EntireFile{}
	r.List(list, first)
	r.List(list, second)
	r.List(list, first)
	if err := r.Write(list); err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, name := range files(t, r.Dir+"/*/*") {
		written = append(written, string(read(t, name)))
	}
	slices.Sort(written)
	if !slices.Equal(written, []string{"other\nmore\n", line + line}) || r.Again == 0 {
		t.Errorf("%q, %+v", written, r)
	}
}

func TestStatesFollowTheOptions(t *testing.T) {
	t.Parallel()
	var notes bytes.Buffer
	train := &exchange.Training{Err: &notes, Count: true, Files: []string{"nosuch"}}
	same := func(text string) (string, error) { return text, nil }
	if err := train.Teach(same); err == nil {
		t.Error("a file that is not there teaches")
	}
	teachers := filepath.Join(t.TempDir(), "teachers.jsonl")
	if err := os.WriteFile(teachers, []byte("{\"state_id\":\"s\",\"model\":\"m\",\"content\":\"c\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	train.Files = []string{teachers}
	_ = train.Teach(same)
	train.Told = func(*records.Record) (tracestate.Told, error) {
		return tracestate.Told{Edits: []tracestate.Edit{{Call: "x", Human: 2}}}, nil
	}
	if err := train.Options.Check(); err != nil {
		t.Fatal(err)
	}
	var record records.Record
	if err := json.Unmarshal(bytes.SplitN(read(t, formats+"/opentraces.jsonl"), []byte("\n"), 2)[0], &record); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{tracestate.Name, tracestate.PairsName} {
		format, err := exchange.FindWritten(name, exchange.Format.Converted)
		if err != nil {
			t.Fatal(err)
		}
		if err := train.Into(format).Write(&bytes.Buffer{}, &record); err != nil {
			t.Error(name, err)
		}
	}
	if err := train.Done(); err != nil || !strings.Contains(notes.String(), "--include-human") {
		t.Errorf("%s, %v", &notes, err)
	}
	var none *exchange.Training
	if none.Done() != nil || none.Into(exchange.Format{Name: "x"}).Name != "x" {
		t.Error("no options change something")
	}
}
