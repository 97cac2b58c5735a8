package diff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
)

// desk is a repository with three commits of an agent and a person, changes that are not committed, staged ones, and an
// untracked file.
func desk(t *testing.T) (*talk.Talk, diff.Source) {
	t.Helper()
	k := talk.Server(t)
	k.Commit("server: say what it does")
	k.Anchor()
	k.Ask("lower the limit, then think again")
	k.Change("server.go", "limit := 3", "limit := 2\n\tlimit++")
	k.Put("gone.go", "package gone\n")
	k.Say("it is lower")
	k.Commit("server: lower the limit")
	k.Anchor()
	k.Change("server.go", "\tlimit++\n", "")
	k.Git("rm", "-q", "gone.go")
	k.Git("mv", "base.txt", "moved.txt")
	k.Say("better so")
	k.Commit("server: think again")
	k.Anchor()
	k.Ask("staged and not")
	k.Change("server.go", "return 2", "return 22")
	k.Git("add", "server.go")
	k.Change("server.go", "return 22", "return 222")
	k.Put("fresh.go", "package fresh\n\nvar fresh = 1\n")
	k.Say("done")
	k.Write("notes.txt", "a person's other note\n")
	k.Check(os.WriteFile(filepath.Join(k.Repo.WorkTree, "image.bin"), []byte("\x00\x01\x02"), 0o644))
	r := k.Reader()
	config, err := k.Repo.Config(t.Context())
	k.Check(err)
	return k, diff.Source{Resolver: r.Owners().WithPrompts(r.Prompts()), Snapshot: r.Owners().Remembering(), Log: r.Log(),
		Searcher: r.Searcher(), Config: config,
		Added: func(ctx context.Context, ids []refs.OID) (map[refs.OID]int, error) {
			files, err := graph.Added(ctx, k.Repo, ids)
			out := map[refs.OID]int{}
			for id, added := range files {
				for _, n := range added {
					out[id] += n
				}
			}
			return out, err
		}}
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func short(id events.TraceID) string { return string(id)[:4] }

func TestADiffIsDrawnWithOwners(t *testing.T) {
	t.Parallel()
	k, from := desk(t)
	for name, tt := range map[string]struct {
		args  string
		words []string
		ai    int
	}{
		"work tree":       {"", []string{"return 222", "claude-code", "a person's other note", "fresh.go", "image.bin"}, 1},
		"index":           {"--cached", []string{"return 22", "claude-code"}, 1},
		"commit":          {"HEAD~1 HEAD", []string{"limit++", "moved.txt", "gone.go"}, 0},
		"several commits": {"HEAD~3 HEAD", []string{"limit := 2", "limit := 3"}, 1},
		"fork":            {"HEAD~3...HEAD", []string{"limit := 2"}, 1},
		"removed":         {"--removed HEAD~1 HEAD", []string{"limit++", "claude-code"}, 0},
		"prompts":         {"--prompts HEAD~2 HEAD~1", []string{"lower the limit, then think again"}, 3},
		"stat":            {"--stat -p HEAD~3 HEAD", []string{"server.go", "limit := 2"}, 1},
		"agents":          {"--only-ai HEAD~4 HEAD", []string{"claude-code"}, 2},
		"people":          {"--only-human HEAD~4 HEAD~3", []string{"a person's note"}, 0},
		"unknown":         {"--only-unknown HEAD~4 HEAD", nil, 0},
		"one path":        {"HEAD~4 HEAD -- server.go", []string{"limit := 2"}, 2},
		"words of git":    {"-U1 -w --no-renames HEAD~1 HEAD", []string{"moved.txt", "base.txt"}, 0},
	} {
		opts, err := diff.Parse(strings.Fields(tt.args))
		k.Check(err)
		d, err := diff.Read(t.Context(), k.Repo, k.Repo.WorkTree, opts, from)
		k.Check(err)
		var texts [2]string
		for i, colour := range []bool{false, true} {
			var out bytes.Buffer
			screen := &terminal.Screen{Out: &out, Width: 120, Color: colour, Terminal: colour}
			_, err := diff.Draw(screen.AsIs(), d, opts, short)
			k.Check(err)
			texts[i] = colours.ReplaceAllString(out.String(), "")
		}
		for _, word := range tt.words {
			if !strings.Contains(texts[0], word) || !strings.Contains(texts[1], word) {
				t.Errorf("%s does not tell %q:\n%s\n%s", name, word, texts[0], texts[1])
			}
		}
		raw, err := json.Marshal(d.Document())
		k.Check(err)
		if sums := d.Sums(); sums.Added.AI < tt.ai || !json.Valid(raw) {
			t.Errorf("%s: %+v", name, sums)
		}
		lines := 0
		d.EachAdded(func(l *diff.Line) {
			if lines++; l.Sign != diff.Added || bytes.HasSuffix(l.Content(), []byte("\n")) {
				t.Errorf("%s: %+v", name, l)
			}
		})
		for _, f := range d.Untracked {
			if f.Lines() > 0 && len(f.Writers()) == 0 {
				t.Errorf("%s: nobody wrote %s", name, f.Path)
			}
		}
	}
}

func TestAMomentIsCompared(t *testing.T) {
	t.Parallel()
	k, from := desk(t)
	tree := k.OID("HEAD~2^{tree}")
	find := func(word string, _ bool) (diff.Snapshot, bool, error) {
		return diff.Snapshot{Tree: tree, Side: diff.Side{Kind: diff.Moment, Rev: word}}, word == "then", nil
	}
	opts, err := diff.Parse([]string{"then"})
	k.Check(err)
	work, err := opts.FindMoments(find)
	if err != nil || !work {
		t.Fatal(work, err)
	}
	opts.CompareWith(k.OID("HEAD^{tree}"))
	d, err := diff.Read(t.Context(), k.Repo, k.Repo.WorkTree, opts, from)
	k.Check(err)
	var out bytes.Buffer
	_, err = diff.Draw((&terminal.Screen{Out: &out, Width: 100}).AsIs(), d, opts, short)
	if k.Check(err); !strings.Contains(out.String(), "limit := 2") {
		t.Errorf("%s", &out)
	}
	raw, err := json.Marshal(d.Document())
	if k.Check(err); !strings.Contains(string(raw), `"then"`) {
		t.Errorf("%s", raw)
	}
}

func TestGitsRefusalIsToldWithItsStatus(t *testing.T) {
	t.Parallel()
	k, from := desk(t)
	for _, args := range []string{"nosuch", "--nosuch", "HEAD nosuch"} {
		opts, err := diff.Parse(strings.Fields(args))
		if err == nil {
			_, err = diff.Read(t.Context(), k.Repo, k.Repo.WorkTree, opts, from)
		}
		if err == nil || err.Error() == "" {
			t.Errorf("%s is compared", args)
		}
	}
	opts, err := diff.Parse([]string{"HEAD"})
	k.Check(err)
	if out, err := opts.Git(t.Context(), k.Repo, k.Repo.WorkTree).Output(); err != nil || !bytes.Contains(out, []byte("return 222")) {
		t.Errorf("%s, %v", out, err)
	}
}
