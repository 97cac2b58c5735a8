package ledger

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func TestPromptsAreKeptUntilTheyAreDroppedOrExpire(t *testing.T) {
	t.Parallel()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p := NewPrompts(&refs.Repo{CommonDir: t.TempDir()})
	if n, oldest, err := p.Kept(); n != 0 || !oldest.IsZero() || err != nil {
		t.Errorf("where there is none: %d of %v, %v", n, oldest, err)
	}
	if texts, err := p.List("one"); texts != nil || err != nil {
		t.Errorf("where there is none: %v, %v", texts, err)
	}
	now := time.Now().Truncate(time.Second)
	const long = maxPromptBytes + 10
	for _, one := range []struct {
		trace events.TraceID
		index int
		text  string
		age   time.Duration
	}{
		{"one", 1, "first", 3 * time.Hour}, {"one", 2, "second", time.Hour}, {"two", 1, strings.Repeat("x", long), 2 * time.Hour},
		{"three", 1, "", 0},
	} {
		check(p.Put(one.trace, one.index, one.text))
		if name := filepath.Join(p.dir, string(one.trace), strconv.Itoa(one.index)); one.text != "" {
			info, err := os.Stat(name)
			check(err)
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others may read %s", name)
			}
			check(os.Chtimes(name, now.Add(-one.age), now.Add(-one.age)))
		}
	}
	check(os.WriteFile(filepath.Join(p.dir, "one", "tmp_prompt"), []byte("half"), 0o600))
	texts, err := p.List("one")
	check(err)
	if want := map[int]string{1: "first", 2: "second"}; !maps.Equal(texts, want) {
		t.Errorf("listed %v, want %v", texts, want)
	}
	traces, err := p.Traces()
	check(err)
	if got := slices.Sorted(maps.Keys(traces)); !slices.Equal(got, []events.TraceID{"one", "two"}) {
		t.Errorf("conversations %v", got)
	}
	if text, found, err := p.Get("two", 1); len(text) != maxPromptBytes || !found || err != nil {
		t.Errorf("a long one has %d bytes, %v, %v", len(text), found, err)
	}
	if text, found, err := p.Get("../prompts/one", 2); text != "second" || !found || err != nil {
		t.Errorf("a name that is a path led to %q, %v, %v", text, found, err)
	}
	if _, found, err := p.Get("one", 3); found || err != nil {
		t.Errorf("one that never was: %v, %v", found, err)
	}
	if n, oldest, err := p.Kept(); n != 3 || !oldest.Equal(now.Add(-3*time.Hour)) || err != nil {
		t.Errorf("kept %d since %v, %v", n, oldest, err)
	}
	for _, dry := range []bool{true, false} {
		if n, err := p.Expire(now.Add(-2*time.Hour), dry); n != 1 || err != nil { // what is as old as that is no older
			t.Errorf("dry %v: %d expire, %v", dry, n, err)
		}
	}
	if n, _, _ := p.Kept(); n != 2 {
		t.Errorf("%d are left", n)
	}
	check(p.Drop("two", 1))
	check(p.Drop("two", 1))
	if traces, err = p.Traces(); traces["two"] || !traces["one"] || err != nil {
		t.Errorf("left are %v, %v", traces, err)
	}
}
