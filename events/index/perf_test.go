package index

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestIndexTiming prints what building and opening cost; INDEX_TEST_SIZE says how many prompts, of about five events.
func TestIndexTiming(t *testing.T) {
	size, _ := strconv.Atoi(os.Getenv("INDEX_TEST_SIZE"))
	if size == 0 {
		t.Skip("INDEX_TEST_SIZE is not set")
	}
	repo := newRepo(t)
	for i := range 20 {
		story(t, repo, "session"+strconv.Itoa(i), size/20)
		runGit(t, repo.WorkTree, "gc", "-q")
	}
	timed := func(what string, do func()) {
		start := time.Now()
		do()
		t.Logf("%s: %v", what, time.Since(start))
	}
	var ix *Index
	reopen := func() {
		if ix != nil {
			ix.Close()
		}
		var err error
		ix, err = Open(repo)
		check(t, err)
	}
	timed("open, nothing cached", reopen)
	t.Logf("%d events", ix.Last())
	for range 3 {
		timed("open, warm", reopen)
		timed("list conversations", func() { _, err := ix.Traces(); check(t, err) })
		timed("by commit", func() { _, err := ix.ByCommit(commitID("session3", 4)); check(t, err) })
		timed("by path", func() { _, err := ix.ByPath("dir/file1.go"); check(t, err) })
		timed("find", func() { _, err := ix.Find("b3:1"); check(t, err) })
	}
	story(t, repo, "another", 10)
	timed("open, fifty new events", reopen)
	timed("by commit", func() { _, err := ix.ByCommit(commitID("another", 4)); check(t, err) })
	info, err := os.Stat(storePath(ix.log))
	check(t, err)
	t.Logf("the store has %d bytes", info.Size())
	ix.Close()
}
