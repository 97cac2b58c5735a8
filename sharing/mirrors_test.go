package sharing_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// A mirror takes traces without a choice, and a fetch of all refs writes over them: doctor says so.
func TestMirrorsAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config [][2]string
		want   string // of one note; "" for none
	}{
		"a plain remote":   {nil, ""},
		"configured":       {[][2]string{{"fetch", "+refs/traces/writers/*/digest:refs/traces/remotes/origin/*/digest"}}, ""},
		"push --mirror":    {[][2]string{{"mirror", "true"}}, "origin is a mirror"},
		"all refs pushed":  {[][2]string{{"push", "+refs/*:refs/*"}}, "origin is a mirror"},
		"traces pushed":    {[][2]string{{"push", "refs/traces/events"}}, "origin is a mirror"},
		"branches pushed":  {[][2]string{{"push", "refs/heads/*:refs/heads/*"}}, ""},
		"all refs fetched": {[][2]string{{"mirror", "true"}, {"fetch", "+refs/*:refs/*"}}, "writes over refs/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := published(t)
			for _, kv := range c.config {
				w.Git("config", "--add", "remote.origin."+kv[0], kv[1])
			}
			notes, err := sharing.Notes(t.Context(), events.OpenLog(w.Repo), time.Now())
			w.Check(err)
			if text := strings.Join(notes, "\n"); !strings.Contains(text, c.want) || (c.want == "") != (len(notes) == 0) {
				t.Errorf("%q", notes)
			}
		})
	}
}

// More than 1,000 refs of traces are told, with how many of their clones may be gone.
func TestManyRefsOfTracesAreTold(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	push(t, w, sharing.LevelCommits)
	tip := w.Git("rev-parse", events.FetchedRef("origin", testenv.WriterOf(t, w.Repo.WorkTree), "digest"))
	var lines strings.Builder
	for n := range sharing.MostOthers {
		fmt.Fprintf(&lines, "create %s %s\n", events.FetchedRef("origin", fmt.Sprintf("%016x", n), "digest"), tip)
	}
	cmd := exec.Command("git", "-C", w.Repo.WorkTree, "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for after, want := range map[time.Duration]string{time.Hour: "; 0 clones", 31 * 24 * time.Hour: "; 1,001 clones"} {
		notes, err := sharing.Notes(t.Context(), events.OpenLog(w.Repo), time.Now().Add(after))
		w.Check(err)
		if len(notes) != 1 || !strings.Contains(notes[0], "origin has 1,001 refs of traces") || !strings.Contains(notes[0], want) {
			t.Errorf("%q", notes)
		}
	}
}
