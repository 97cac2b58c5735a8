package packed_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

// pack packs a file beside a copy of it.
func pack(t *testing.T, from string) (plain, gz string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "testdata", "sessions", filepath.FromSlash(from)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err = w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err = w.Close(); err != nil {
		t.Fatal(err)
	}
	plain = filepath.Join(t.TempDir(), filepath.Base(from))
	for path, data := range map[string][]byte{plain: raw, plain + ".gz": out.Bytes()} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return plain, plain + ".gz"
}

func parse(t *testing.T, agent agents.Agent, path, session string) []byte {
	t.Helper()
	var steps records.Collector
	parsed, err := agent.Parser.Parse(t.Context(), path, agents.ParseOptions{Session: session}, &steps)
	if err != nil {
		t.Fatal(err)
	}
	if packedFile := filepath.Ext(path) == ".gz"; packedFile && parsed.Cursor != nil {
		t.Error("a reading of a packed file cannot be gone on with")
	}
	parsed.Head.Steps = steps.Steps
	return sessiontest.Encode(t, parsed.Head)
}

// Whatever the form of a file, lines, a document or a database, its record does not tell that it was packed, and
// nothing is left behind.
func TestAPackedFileGivesTheRecordOfThePlainOne(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	env := agents.Env{Home: "/home/dev"}
	for _, from := range []string{"claude-code/basic-0001.jsonl", "continue/2dbfd673-0000-4000-8000-00000000000a.json",
		"goose/sessions.db", "aider/edits.md"} {
		plain, gz := pack(t, from)
		agent, found, err := packed.Identify(env, plain)
		if err != nil || !found {
			t.Fatalf("%s: %v, %v", from, found, err)
		}
		same, found, err := packed.Identify(env, gz)
		if err != nil || !found || same.Name != agent.Name {
			t.Fatalf("%s is packed: %v, %s, %v", from, found, same.Name, err)
		}
		if !bytes.Equal(parse(t, agent, plain, ""), parse(t, same, gz, "")) {
			t.Errorf("%s is read otherwise when it is packed", from)
		}
		in, several := same.Discoverer.(agents.SessionLister)
		if !several {
			continue
		}
		list, err := in.SessionsIn(gz)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			if one.Path != gz || !bytes.Equal(parse(t, agent, plain, one.ID), parse(t, same, gz, one.ID)) {
				t.Errorf("%s of %s is read otherwise", one.ID, from)
			}
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFileThatWasPackedIsFoundUnderItsName(t *testing.T) {
	t.Parallel()
	plain, gz := pack(t, "claude-code/basic-0001.jsonl")
	if got := packed.Beside(plain); got != plain {
		t.Errorf("got %s", got)
	}
	if err := os.Remove(plain); err != nil {
		t.Fatal(err)
	}
	if got := packed.Beside(plain); got != gz {
		t.Errorf("got %s", got)
	}
	if got := packed.Beside(plain + "x"); got != "" {
		t.Errorf("got %s", got)
	}
}
