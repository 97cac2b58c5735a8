package snapshot

import (
	"os"
	"testing"
	"time"
)

// The index tells which files git wrote since the last snapshot, whatever time somebody gave them.
func TestWhatGitLeftAlone(t *testing.T) {
	t.Parallel()
	if !ownEngine {
		t.Skip("this system tells no change times")
	}
	touch := func(b *sandbox, at time.Time) { b.must(os.Chtimes(b.path("file"), at, at)) }
	for name, tt := range map[string]struct {
		before, since func(*sandbox)
		want          bool
	}{
		"git made a branch":            {nil, func(b *sandbox) { b.git("switch", "-q", "-c", "side") }, true},
		"git wrote another file":       {nil, func(b *sandbox) { b.git("restore", "other") }, true},
		"git wrote it":                 {nil, func(b *sandbox) { b.git("restore", "file") }, false},
		"git wrote it, and they again": {nil, func(b *sandbox) { b.git("restore", "file"); b.write("file", "again") }, false},
		"git stashed it":               {nil, func(b *sandbox) { b.git("stash", "-q") }, false},
		"somebody staged it":           {nil, func(b *sandbox) { b.git("add", "file") }, false},
		"the index forgot its times":   {nil, func(b *sandbox) { b.git("reset", "-q", "--mixed", "HEAD~1") }, false},
		"the index forgot the file":    {nil, func(b *sandbox) { b.git("rm", "-q", "--cached", "file") }, false},
		"nobody had changed it":        {func(b *sandbox) { b.git("checkout", "-q", "file") }, func(*sandbox) {}, false},
		"they gave it an older time": {func(b *sandbox) { touch(b, time.Now().Add(-time.Hour)) },
			func(b *sandbox) { b.git("switch", "-q", "-c", "side") }, true},
		"they gave it a later time": {func(b *sandbox) { touch(b, time.Now().Add(time.Hour)) },
			func(b *sandbox) { b.git("restore", "file") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			if remoteFileSystem(b.dir) {
				t.Skip("the clock of this file system may be another machine's")
			}
			for _, content := range []string{"first", "second"} {
				b.write("file", content)
				b.write("other", content)
				b.git("add", "-A")
				b.git("-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "-q", "-m", content)
			}
			time.Sleep(3 * Slack)
			b.write("file", "of somebody")
			b.write("other", "of somebody")
			if tt.before != nil {
				tt.before(b)
			}
			e := b.engine()
			b.full(e)
			time.Sleep(3 * Slack)
			tt.since(b)
			if got := e.LeftAlone("file"); got != tt.want {
				t.Errorf("left alone: %v, want %v", got, tt.want)
			}
			if e.LeftAlone("none") || e.LeftAlone("no/such") {
				t.Error("a file that is not there was left alone")
			}
		})
	}
}
