package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// bulk makes a history of many commits and sessions by git-fast-import(1), and gives how many lines sessions wrote.
func (w *pastWorld) bulk(commits, sessions, files, size int) {
	var stream strings.Builder
	held := map[string][]string{}
	paths := make([]string, files)
	for i := range paths {
		paths[i] = fmt.Sprintf("src/part%d/file%d.go", i%17, i)
		for range size {
			held[paths[i]] = append(held[paths[i]], w.line(human))
		}
		w.put(paths[i], held[paths[i]])
	}
	changed := map[string]bool{}
	commit := func() {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 4\nwork\n", w.clock.Unix())
		if stream.Len() < 200 {
			stream.WriteString("from refs/heads/main^0\n")
		}
		for _, path := range slices.Sorted(mapKeys(changed)) {
			content := strings.Join(held[path], "\n") + "\n"
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
		}
		clear(changed)
	}
	for _, path := range paths {
		changed[path] = true
	}
	commit()
	var open []*pastSession
	for i := range commits {
		for range 1 + w.rng.Intn(3) {
			if len(open) < 3 && w.made < sessions {
				s := w.at(w.dir)
				s.form = w.rng.Intn(3)
				open = append(open, s)
			}
			path := paths[w.rng.Intn(files)]
			lines := held[path]
			at := w.rng.Intn(len(lines) - 20)
			removed := w.rng.Intn(12)
			if len(open) == 0 || w.rng.Intn(5) == 0 {
				held[path] = slices.Concat(lines[:at], w.block(human, 1+w.rng.Intn(8)), lines[at+removed:])
				w.put(path, held[path])
			} else {
				s := open[w.rng.Intn(len(open))]
				for range 3 {
					at = w.rng.Intn(len(held[path]) - 20)
					s.edit(path, at, w.rng.Intn(8), w.block(s.id, 1+w.rng.Intn(12)), true)
					held[path] = w.get(path)
				}
				ballast := fmt.Sprintf("What tool %d printed and nobody reads again, as most of a session is. ", w.count) // no text comes twice
				s.call("Bash", map[string]any{"command": "make"}, map[string]any{"stdout": strings.Repeat(ballast, 3000), "stderr": "", "interrupted": false})
			}
			changed[path] = true
		}
		w.tick()
		commit()
		if len(open) > 0 && i*sessions/commits > w.made-len(open) {
			open[0].end()
			open = open[1:]
		}
	}
	for _, s := range open {
		s.end()
	}
	cmd := w.command("git", "fast-import", "--quiet", "--force")
	cmd.Stdin = strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	w.git("reset", "-q")
}

func mapKeys(set map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range set {
			if !yield(key) {
				return
			}
		}
	}
}

// The promise: a repository of 1,600 commits and 277 sessions of 600 MB is searched in 10 seconds of processor time and
// 250 MB. Storing the conversations reads them once more, and blames every file at the end of each: docs/backfill.md has
// the figures.
func TestBackfillOfAGrownRepositoryIsQuickAndSmall(t *testing.T) {
	testenv.Wide(t)
	if os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("GITTRACE_LONG is not set")
	}
	w := newPastWorld(t, 1)
	w.bulk(1600, 277, 120, 400)
	size := int64(0)
	w.must(filepath.Walk(w.folder, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			size += info.Size()
		}
		return err
	}))
	for _, run := range []struct {
		args []string
		most time.Duration
	}{{[]string{"--dry-run"}, 10 * time.Second}, {nil, 45 * time.Second}} {
		cmd := w.command("git-trace", append([]string{"backfill", "--transcripts", w.folder}, run.args...)...)
		out, held, err := withPeak(cmd)
		if held >>= 10; err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		said := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Logf("%d sessions of %d MB: %v of processor time, %d MB; %s", w.made, size>>20, used, held, said[len(said)-1])
		if used > run.most || held > 250 || held == 0 {
			t.Errorf("%v: it takes %v and %d MB", run.args, used, held)
		}
	}
}
