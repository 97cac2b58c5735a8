package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Bounds of the language server beside a file of 2,500 lines in blocks of five, warm. Times are of the processor, on a
// machine on which git starts in usualStart. Other programs of the machine take of the caches, so twice as much is
// allowed.
const (
	usualStart   = 2 * time.Millisecond
	mostHover    = 30 * time.Millisecond
	mostRuns     = 100 * time.Millisecond
	mostOfEditor = 100 << 20 // bytes
	underLoad    = 2
)

// tick is the unit of times in /proc/PID/stat (proc(5)).
const tick = 10 * time.Millisecond

// processorTime is what processes used so far, and what those used that they waited for.
func processorTime(t *testing.T, pids ...int) (sum time.Duration) {
	t.Helper()
	for _, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		for _, text := range fields[11:15] { // utime, stime, cutime, cstime
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// slowness tells how many times as long as usual git takes to start: what an editor asks for is mostly starts.
func slowness(t *testing.T) float64 {
	t.Helper()
	const starts = 20
	var used time.Duration
	for range starts {
		cmd := exec.Command("git", "--version")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return max(1, float64(used)/float64(starts*usualStart))
}

// resident is the memory that a process holds, in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// E2: what an editor asks for all the time costs little, and what it does not ask for nothing.
func TestEditorsAreAnsweredSoon(t *testing.T) {
	testenv.Wide(t)
	program, _ := built(t)
	w := recording.New(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for round := range 10 {
		for range 50 {
			at := rng.IntN(len(lines) + 1)
			block := make([]string, 5)
			for i := range block {
				block[i] = fmt.Sprintf("line %d of round %d", rng.Uint64(), round)
			}
			lines = slices.Insert(lines, at, block...)
		}
		w.Edit(fmt.Sprint("session ", round), "long.txt", strings.Join(lines, "\n")+"\n")
		w.Commit(fmt.Sprint("round ", round))
		w.Anchor()
	}
	dir := w.Repo.WorkTree
	path := filepath.Join(dir, "long.txt")
	e := startEditor(t, program, dir, `null`)
	uri := e.open(path, read(t, path))
	companion := server(t, e.cmd.Process.Pid)
	slower := slowness(t)
	pids := []int{e.cmd.Process.Pid, companion}
	cost := func(what string, bound time.Duration, ask func(n int) string, want string) {
		t.Helper()
		const asked = 20
		ask(0)
		before := processorTime(t, pids...)
		for n := range asked {
			if got := ask(n); !strings.Contains(got, want) {
				t.Fatalf("%s: %.300s", what, got)
			}
		}
		each := (processorTime(t, pids...) - before) / asked
		t.Logf("%s: %v of the processor, %.1f times as slow as usual", what, each, slower)
		if float64(each) > float64(bound)*underLoad*slower {
			t.Errorf("%s: %v of the processor, not %v, where git starts %.1f times as slowly as usual", what, each, bound, slower)
		}
	}
	cost("hover", mostHover, func(n int) string { return e.ask("textDocument/hover", at(uri, 100*n)) }, "written by: claude-code")
	cost("runs of a buffer that was typed in", mostRuns, func(n int) string {
		e.change(uri, strings.Join(lines, "\n")+fmt.Sprintf("\ntyped %d\n", n))
		return e.ask("gitTrace/runs", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri))
	}, `"contributor":"human"`)
	time.Sleep(time.Second) // what was begun ends
	before := processorTime(t, pids...)
	time.Sleep(3 * time.Second)
	if used := processorTime(t, pids...) - before; float64(used) > float64(tick)*max(slower, 1) {
		t.Errorf("while nobody asks: %v of the processor in three seconds", used)
	}
	for _, pid := range pids {
		held := resident(t, pid)
		t.Logf("process %d holds %d MB", pid, held>>20)
		if held > mostOfEditor {
			t.Errorf("process %d holds %d MB", pid, held>>20)
		}
	}
	if status := e.end(); status != 0 {
		t.Errorf("status %d", status)
	}
}
