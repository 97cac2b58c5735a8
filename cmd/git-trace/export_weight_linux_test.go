package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The promise: what is told of 500 conversations takes 10 seconds of processor time. What is streamed holds one
// conversation at a time, however many there are. A document of all conversations is held until its first members are
// known: a conversation of half a megabyte adds less than a tenth of that.
func TestFiveHundredConversationsAreToldInLittleMemory(t *testing.T) {
	testenv.Wide(t)
	few, many := testenv.Pick(10, 20, 100), testenv.Pick(20, 60, 500)
	w := newPastWorld(t, 1)
	commands := [][]string{
		{"export", "--format", "tracestate"}, {"export", "--format", "tracestate", "--history", "delta"},
		{"export", "--format", "dpo"}, {"export", "--format", "treetrace"},
		{"steering"}, {"steering", "--json"}, {"lessons"}, {"handoff"}, {"steering", "--write", testenv.TempDir(t)},
	}
	held := map[int][]int64{}
	for _, n := range []int{few, many} {
		w.conversations(n - w.made)
		w.heldBy(t, "backfill", "--transcripts", w.folder)
		w.heldBy(t, "log")
		for _, args := range commands {
			used, most := w.heldBy(t, args...)
			held[n] = append(held[n], most)
			t.Logf("%3d conversations, %-45s %5.2f s, %3d MB", n, strings.Join(args, " "), used.Seconds(), most>>20)
			if used > testenv.Within(10*time.Second) {
				t.Errorf("%q takes %v", args, used)
			}
		}
	}
	for i, args := range commands {
		each := int64(48 << 10)
		if args[0] == "export" && args[2] != "treetrace" {
			each = 0
		}
		bar := 16<<20 + int64(many-few)*each
		for range 3 { // beside busy processes the collector comes late: what is needed is the least of some runs
			if held[many][i]-held[few][i] > bar {
				_, most := w.heldBy(t, args...)
				held[many][i] = min(held[many][i], most)
			}
		}
		if more := held[many][i] - held[few][i]; more > bar {
			t.Errorf("%q: %d conversations more add %d MB", args, many-few, more>>20)
		}
	}
}

// heldBy runs git-trace, and tells the processor time that it used and the most memory that it held: its own, without
// pages of files that it maps, which are the index and the packs. It is asked of the process itself while it goes on:
// what wait(2) tells begins with the memory of the test.
func (w *pastWorld) heldBy(t *testing.T, args ...string) (used time.Duration, most int64) {
	t.Helper()
	cmd := w.command("git-trace", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	w.must(cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%q: %v: %s", args, err, said.String())
			}
			return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), most
		case <-time.After(time.Millisecond):
			most = max(most, heldNow(cmd))
		}
	}
}

func heldNow(cmd *exec.Cmd) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "RssAnon:")
	text, _, _ := strings.Cut(rest, "kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n << 10
}
