package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

type ward struct {
	*testing.T
	repo   *refs.Repo
	env    capability.Env
	deeds  Deeds
	stored []waiting.Session // that were asked for again
}

func newWard(t *testing.T) *ward {
	t.Helper()
	dir := testenv.Repository(t, "echo one >a.txt; git add .; git commit -qm first; echo two >b.txt")
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	w := &ward{T: t, repo: repo, env: capability.Env{Home: home, Binary: filepath.Join(home, "bin", "git-trace")}}
	w.put(w.env.Binary, "#!/bin/sh\n")
	w.must(os.Chmod(w.env.Binary, 0o755))
	w.must(os.Mkdir(filepath.Join(home, ".claude"), 0o755))
	w.deeds = Deeds{
		Start: w.start,
		TakeIn: func(ctx context.Context) error {
			return later.Open(repo).Work(ctx, func(later.Job) error { return nil }, func() error { return nil }, func() bool { return false })
		},
		Store: func(_ context.Context, list []waiting.Session) error {
			w.stored = append(w.stored, list...)
			return nil
		},
		Settings: func(refs.Config) (string, error) { return "", nil },
		Wrong:    func(context.Context, refs.Config) []Finding { return nil },
	}
	w.must(w.start(t.Context()))
	_, err = (&hooks.Installer{Repo: repo, Binary: w.env.Binary}).Install(t.Context())
	w.must(err)
	_, err = w.claude().Installer.Install(t.Context(), capability.Target{Scope: capability.ScopeRepo, Repo: repo})
	w.must(err)
	return w
}

func (w *ward) start(ctx context.Context) error {
	if err := w.repo.MakeTracesDir(); err != nil {
		return err
	}
	return errors.Join(trails.New(w.repo, events.OpenLog(w.repo), nil).Origin(ctx, time.Now()), recorded.Add(w.repo))
}

func (w *ward) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *ward) put(path, content string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(content), 0o644))
}

func (w *ward) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.repo.WorkTree
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *ward) draft(ctx context.Context, typ events.Type, data any) (events.TraceID, error) {
	w.Helper()
	raw, err := events.Encode(data)
	w.must(err)
	trace := events.NewTraceID("claude-code", "s")
	_, err = events.OpenLog(w.repo).Append(ctx, []events.Draft{{
		Time: time.Now(), Type: typ, Trace: trace, Agent: "claude-code", Session: "s", Method: []events.Method{events.HookStop}, Data: raw,
	}})
	return trace, err
}

func (w *ward) add(typ events.Type, data any) events.TraceID {
	w.Helper()
	trace, err := w.draft(w.Context(), typ, data)
	w.must(err)
	return trace
}

func head(w *ward) refs.OID {
	id, _, err := w.repo.Head()
	w.must(err)
	return id
}

func (w *ward) claude() capability.Agent {
	agent, _ := agents.Lookup(w.env, "claude-code")
	return agent
}

func (w *ward) hook(name string) string { return filepath.Join(w.repo.CommonDir, "hooks", name) }

func (w *ward) examine(mend bool) (told []string, remain int) {
	w.Helper()
	remain, _, err := New(w.repo, w.env, w.deeds).Examine(w.Context(), mend, func(r Result) error {
		for _, f := range r.Mended {
			told = append(told, "mended "+r.Name+": "+f.What+" | "+f.Mend)
		}
		for _, f := range r.Left {
			told = append(told, "problem "+r.Name+": "+f.What+" | "+f.Mend)
		}
		if len(r.Mended)+len(r.Left) == 0 {
			told = append(told, "ok "+r.Name+": "+r.Fine)
		}
		return nil
	})
	w.must(err)
	return told, remain
}

func (w *ward) glance() Glance {
	w.Helper()
	g, err := New(w.repo, w.env, w.deeds).Glance(w.Context(), time.Now())
	w.must(err)
	return g
}

func holds(lines []string, text string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) })
}

func attention(g Glance) (out []string) {
	for _, f := range g.Attention {
		out = append(out, f.What+" | "+f.Mend)
	}
	return out
}
