package claudecode_test

import (
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

var sessions = filepath.Join("..", "..", "testdata", "sessions", "claude-code")

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: claudecode.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}, Corpus: []string{"claude-code/*.jsonl"}, Plain: plain,
		Unknown: map[string]string{"daaain+claude-code-log__edge_cases.jsonl": "its authors put {\"silly\": \"this\"} into it, an object without a type"},
	}
}

func parser() capability.SessionParser { return suite().Agent.Parser }

// parse reads a session file into a whole record.
func parse(t testing.TB, path string, options capability.ParseOptions) (*records.Record, *capability.Parsed) {
	t.Helper()
	return suite().Parse(t, path, options)
}

func encode(t testing.TB, record *records.Record) []byte {
	t.Helper()
	return sessiontest.Encode(t, record)
}

func sessionFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d sessions, %v", len(files), err)
	}
	return files
}

// Each session has its record beside it. `GITTRACE_UPDATE=1 go test` writes them anew; the diff is for review.
func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	sessionFiles(t) // there are as many as there should be
	suite().Golden(t)
}
