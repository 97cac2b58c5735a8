package search_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
)

// The promise: 100 ms for a warm search over 10,000 conversations. Making them takes a while, so the test runs with
// GITTRACE_LONG=1 only.
func TestSearchTiming(t *testing.T) {
	if os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("GITTRACE_LONG is not set")
	}
	const conversations, steps = 10_000, 30
	w := newWorld(t)
	rnd := rand.New(rand.NewSource(1))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%s%d", []string{"parse", "server", "close", "index", "render", "commit", "branch", "widget"}[i%8], i/8)
	}
	zipf := rand.NewZipf(rnd, 1.2, 4, uint64(len(vocabulary)-1))
	sentence := func(n int) string {
		var out []string
		for range n {
			out = append(out, vocabulary[zipf.Uint64()])
		}
		return strings.Join(out, " ")
	}
	var batch []*records.Record
	for i := range conversations {
		r := conversation(fmt.Sprintf("s%05d", i), sentence(20), "/src/"+vocabulary[rnd.Intn(len(vocabulary))]+".go", sentence(60))
		for k := 3; k <= steps; k++ {
			step := r.Steps[k%2]
			text := sentence(40)
			step.StepIndex, step.Content, step.ToolCalls = k, &text, nil
			r.Steps = append(r.Steps, step)
		}
		if batch = append(batch, r); len(batch) == 1000 {
			w.put(batch...)
			batch = nil
		}
	}
	start := time.Now()
	w.open().Close()
	t.Logf("%d conversations of %d steps indexed in %v", conversations, steps, time.Since(start).Round(time.Millisecond))
	for _, query := range []string{"parse0", "parse0 server1", "widget2400 close17", "render", "branch999", "commit5 index3 widget1"} {
		var best time.Duration
		total := 0
		for i := range 11 {
			start := time.Now()
			s := store.Open(w.repo)
			ix, err := search.Open(context.Background(), w.repo, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			found, err := ix.Search(context.Background(), search.Query{Text: query, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			ix.Close()
			_ = s.Close()
			if d := time.Since(start); i == 0 || d < best {
				best = d
			}
			total = found.Total
		}
		t.Logf("%-24q %5d found, %v", query, total, best.Round(100*time.Microsecond))
		if best > 100*time.Millisecond {
			t.Errorf("%q takes %v", query, best)
		}
	}
}
