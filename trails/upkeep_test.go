package trails

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
)

// What no work tree's last snapshot has goes when it is old; what one of them has stays, however old it is.
func TestWhatExpiresOfTheSnapshotsOfAllWorkTrees(t *testing.T) {
	t.Parallel()
	y := newStory(t)
	for _, order := range []string{
		"write a.txt base", "git add -A", "git commit -q -m base", "origin", "start S1",
		"before S1 c1 run", "write a.txt base|a content that was soon gone", "after S1 c1 run",
		"before S1 c2 run", "write a.txt base|the last content", "after S1 c2 run",
		"worktree side topic", "origin", "start S2", "write a.txt base|the last content of the other", "stop S2",
	} {
		y.do(order)
	}
	has := func(text string) bool {
		objects := y.top.Objects()
		defer objects.Close()
		_, err := objects.Blob(y.top.Format.Hash("blob", []byte(text)))
		return err == nil
	}
	old := time.Now().Add(-48 * time.Hour)
	y.check(filepath.WalkDir(y.top.SideObjects(), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
	for _, tt := range []struct {
		before time.Time
		dry    bool
		gone   bool
	}{{old.Add(-time.Hour), false, false}, {old.Add(time.Hour), true, false}, {old.Add(time.Hour), false, true}} {
		found, err := Expire(t.Context(), y.top, tt.before, tt.dry)
		y.check(err)
		if (found.Objects > 0) != (tt.gone || tt.dry) {
			t.Errorf("%+v: %d objects", tt, found.Objects)
		}
		if has("base\na content that was soon gone\n") == tt.gone {
			t.Errorf("%+v: it is gone, or there", tt)
		}
	}
	for _, text := range []string{"base\nthe last content\n", "base\nthe last content of the other\n"} {
		if !has(text) {
			t.Errorf("%q is gone, which a work tree has", text)
		}
	}
	y.do("owners a.txt")
	if got := y.said.String(); got == "" {
		t.Error("nothing is known of the file")
	}
}

// Of what a conversation did before its last hook, and shortly after it, hooks have told; of a turn that goes on they
// will.
func TestWhetherHooksHaveToldOfAMoment(t *testing.T) {
	t.Parallel()
	y := newStory(t)
	y.do("origin")
	y.do("start S1")
	trace := events.NewTraceID("claude-code", "S1")
	heard := func(after time.Duration) string {
		return fmt.Sprint(y.engine().Heard(trace, time.Now().Add(after)), y.engine().Heard("another", time.Now().Add(after)))
	}
	for _, tt := range []struct {
		order string
		after time.Duration
		want  string
	}{
		{"prompt S1 text=go", time.Hour, "true false"}, {"stop S1", time.Minute, "true false"}, {"stop S1", behind + time.Minute, "false false"},
		{"prompt S1 text=go", behind + time.Minute, "true false"}, {"end S1", behind + time.Minute, "false false"},
	} {
		y.do(tt.order)
		if got := heard(tt.after); got != tt.want {
			t.Errorf("%s, and %v later: %s, want %s", tt.order, tt.after, got, tt.want)
		}
	}
}
