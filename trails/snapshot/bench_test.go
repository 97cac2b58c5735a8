package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSnapshots times every way to take a snapshot of one work tree of 20,000 files, in turns, so that all see the
// same machine; it reports medians. GITTRACE_BENCH_FILES sets another number of files.
func BenchmarkSnapshots(b *testing.B) {
	files := 20_000
	if n, err := strconv.Atoi(os.Getenv("GITTRACE_BENCH_FILES")); err == nil {
		files = n
	}
	box := largeSandbox(b, files)
	reference := filepath.Join(b.TempDir(), "index")
	box.must(copyFile(filepath.Join(box.repo.GitDir, "index"), reference))
	edit := func(round int) { box.write("dir 0/sub 0/f1.txt", fmt.Sprintf("round %d\n", round)) }
	ways := []struct {
		name string
		do   func(round int)
	}{
		{"git-nothing", func(int) { box.referenceRun(reference) }},
		{"own-nothing", func(int) { box.whole(false) }},
		{"git-one", func(round int) { edit(3 * round); box.referenceRun(reference) }},
		{"own-one", func(round int) { edit(3*round + 1); box.whole(false) }},
		{"scoped", func(round int) { edit(3*round + 2); box.single("dir 0/sub 0/f1.txt") }},
		{"settle", func(int) { box.whole(false) }},
		{"fallback-nothing", func(int) { box.whole(true) }},
	}
	times := make([][]time.Duration, len(ways))
	box.whole(false)
	box.whole(true)
	time.Sleep(50 * time.Millisecond)
	round := 0
	for b.Loop() {
		for i, way := range ways {
			start := time.Now()
			way.do(round)
			times[i] = append(times[i], time.Since(start))
		}
		round++
	}
	for i, way := range ways {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2].Microseconds())/1000, way.name+"-ms")
	}
}

// BenchmarkFirstSnapshot starts from nothing but the user's index.
func BenchmarkFirstSnapshot(b *testing.B) {
	box := largeSandbox(b, 20_000)
	for b.Loop() {
		box.must(os.RemoveAll(box.repo.WorktreeTracesDir()))
		box.whole(false)
	}
}

// largeSandbox is a work tree of many files, eight to a directory, committed some time ago.
func largeSandbox(b *testing.B, files int) *sandbox {
	box := newSandbox(b)
	for i := range files {
		box.write(fmt.Sprintf("dir %d/sub %d/f%d.txt", i/128, i/8%16, i%8), fmt.Sprintf("file %d\nwith two lines\n", i))
	}
	old := time.Now().Add(-time.Hour)
	box.must(filepath.WalkDir(box.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
	box.commit("one")
	box.git("gc", "-q")
	time.Sleep(1100 * time.Millisecond)
	box.git("update-index", "--refresh")
	return box
}

// referenceRun is what it costs to ask git, with an index that persists.
func (b *sandbox) referenceRun(index string) {
	for _, args := range [][]string{{"add", "-A"}, {"write-tree"}} {
		cmd := b.repo.Command(context.Background(), args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git: %v: %s", err, out)
		}
	}
}

// whole is what a hook does for a full snapshot: state in, snapshot, state out.
func (b *sandbox) whole(byGit bool) {
	dir := ""
	if byGit {
		dir = "git"
	}
	e, err := Open(context.Background(), b.repo, filepath.Join(b.repo.WorktreeTracesDir(), dir, "state"))
	b.must(err)
	e.git = byGit
	_, err = e.Full(context.Background())
	b.must(err)
	b.must(e.Save())
}

// single is the same for a scoped one.
func (b *sandbox) single(path string) {
	e := b.engine()
	_, err := e.Scoped(context.Background(), []string{path})
	b.must(err)
	b.must(e.Save())
}
