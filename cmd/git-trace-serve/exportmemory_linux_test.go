package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The promise: an export holds at most 200 MB in a process. Pages of files that it maps, which are the log and the packs,
// are the system's. What is kept of each patch of a log is some 35 bytes. A file of Parquet is packed by a program of
// its own, whose buffers do not grow. Both sizes are beyond the one at which the collector begins: below it a process
// grows with whatever it allocates.
func TestAnExportHoldsLittleHoweverMuchThereIs(t *testing.T) {
	testenv.Wide(t)
	program, dir := built(t)
	sizes := []struct{ commits, patches int }{
		{100, 36_000}, {testenv.Pick(100, 100, 1000), testenv.Pick(72_000, 72_000, 300_000)},
	}
	most := map[string][]int64{}
	for i, size := range sizes {
		repo := filepath.Join(dir, []string{"few", "many"}[i])
		makeFleetRepo(t, repo, 7, size.commits, size.patches)
		(&fleet{t: t, program: program}).run(repo, "import", "--from", "opentraces", filepath.Join(repo, ".git", "said.jsonl"))
		for _, format := range []string{"jsonl", "parquet"} {
			cmd := exec.Command(program, "export", "--format", format, filepath.Join(dir, format))
			cmd.Dir = repo
			held := mostHeld(t, cmd)
			most[format] = append(most[format], held)
			t.Logf("%7d patches as %s: %d MB in a process", size.patches, format, held>>20)
			if held > 200<<20 {
				t.Errorf("%d patches as %s: %d MB", size.patches, format, held>>20)
			}
		}
	}
	if more := most["jsonl"][1] - most["jsonl"][0]; more > int64(testenv.Pick(40, 40, 120))<<20 {
		t.Errorf("the larger repository adds %d MB", more>>20)
	}
}

// mostHeld runs a program and tells the most memory of its own that it held, or one that it started. Both are asked
// while they go on.
func mostHeld(t *testing.T, cmd *exec.Cmd) (most int64) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%v: %s", err, said.String())
			}
			return most
		case <-time.After(2 * time.Millisecond):
			pid := strconv.Itoa(cmd.Process.Pid)
			started, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
			pids := [][]byte{[]byte(pid)}
			for _, list := range started {
				raw, _ := os.ReadFile(list)
				pids = append(pids, bytes.Fields(raw)...)
			}
			for _, one := range pids {
				most = max(most, anonymous(string(one)))
			}
		}
	}
}

// anonymous is the memory that a process holds beside files that it maps; 0 for one that is over.
func anonymous(pid string) (n int64) {
	raw, _ := os.ReadFile("/proc/" + pid + "/status")
	if _, rest, found := bytes.Cut(raw, []byte("RssAnon:")); found {
		_, _ = fmt.Sscan(string(rest), &n)
	}
	return n << 10
}
