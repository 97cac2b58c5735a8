package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Records that are converted at once leave in the order of the file, and as when one is converted after the other.
// After a fault nothing does.
func TestRecordsThatAreConvertedAtOnceLeaveInTheirOrder(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for n := range 300 {
		fmt.Fprintf(&rows, `{"id":"s%03d","messages":[{"role":"user","content":"look%s"},{"role":"assistant","content":"seen"}]}`+"\n", n, strings.Repeat(" at it", 500*(n%7)))
	}
	path := filepath.Join(testenv.TempDir(t), "rows.jsonl")
	convert := func(text, processors string) (string, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git-trace", "convert", "--format", "opentraces", path)
		cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t), "GOMAXPROCS="+processors)
		out, err := cmd.Output()
		return string(out), err
	}
	one, err := convert(rows.String(), "1")
	if err != nil {
		t.Fatal(err)
	}
	several, err := convert(rows.String(), "4")
	if err != nil || several != one {
		t.Errorf("four processors write something else than one does (%v)", err)
	}
	n := 0
	for line := range strings.Lines(several) {
		if want := fmt.Sprintf(`"session_id":"s%03d"`, n); !strings.Contains(line, want) {
			t.Fatalf("record %d is %.200s", n, line)
		}
		n++
	}
	if out, err := convert(rows.String()+"{\n", "4"); err == nil || out != "" || n != 300 {
		t.Errorf("%d records; after a fault %d bytes are written, %v", n, len(out), err)
	}
}
