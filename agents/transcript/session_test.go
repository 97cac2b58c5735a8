package transcript_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/transcript"
)

func TestTheFileIsReadForwardsUpToTheSizeItHad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := transcript.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for offset, want := range map[int64]string{0: "one\ntwo\n", 4: "two\n", 8: "", 99: ""} {
		if got, err := io.ReadAll(file.From(offset)); err != nil || string(got) != want {
			t.Errorf("from %d: got %q, %v; want %q", offset, got, err, want)
		}
	}
	if file.Size() != 8 {
		t.Errorf("the size is %d", file.Size())
	}
}
