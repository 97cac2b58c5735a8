package backfill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// world is a repository without hooks, and sessions that say what they wrote.
type world struct {
	t        *testing.T
	dir      string
	clock    time.Time
	sessions []*Session
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "shop"), clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.must(os.Mkdir(w.dir, 0o755))
	w.git("init", "-q", "-b", "main")
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) git(args ...string) string { w.t.Helper(); return w.gitAt(w.clock, args...) }

// gitAt runs git with a date of the author that is not the committer's.
func (w *world) gitAt(authored time.Time, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = []string{
		"HOME=" + filepath.Dir(w.dir), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_AUTHOR_DATE=" + authored.Format(time.RFC3339), "GIT_COMMITTER_DATE=" + w.clock.Format(time.RFC3339),
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) later(d time.Duration) { w.clock = w.clock.Add(d) }

func (w *world) put(name, text string) {
	w.t.Helper()
	full := filepath.Join(w.dir, name)
	w.must(os.MkdirAll(filepath.Dir(full), 0o755))
	w.must(os.WriteFile(full, []byte(text), 0o644))
}

// commit commits everything a minute later.
func (w *world) commit(message string) string {
	w.t.Helper()
	w.later(time.Minute)
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", message)
	return w.git("rev-parse", "HEAD")
}

// session begins a conversation in the repository, or in another directory.
func (w *world) session(name string, dirs ...string) *Session {
	if len(dirs) == 0 {
		dirs = []string{w.dir}
	}
	s := &Session{Trace: events.TraceID(name), Agent: "claude-code", ID: name, Dirs: dirs}
	w.sessions = append(w.sessions, s)
	return s
}

// wrote notes an edit of a whole file, a minute later.
func (w *world) wrote(s *Session, name, text string) {
	w.later(time.Minute)
	s.Edits = append(s.Edits, Edit{Path: s.Dirs[0] + "/" + name, Time: w.clock, Tool: "Write", Whole: splitText(text)})
}

// replaced notes a replacement, a minute later.
func (w *world) replaced(s *Session, name, old, now string) {
	w.later(time.Minute)
	s.Edits = append(s.Edits, Edit{Path: s.Dirs[0] + "/" + name, Time: w.clock, Tool: "Edit", Replaces: []Replacement{{Old: old, New: now}}})
}

// find searches the commits of HEAD, or of revisions, and tells of each line that a commit added whose it is:
// "SUBJECT PATH LINE SESSION TIER".
func (w *world) find(revs ...string) []string {
	w.t.Helper()
	out, _ := w.search(revs...)
	return out
}

// links tells which commits hold lines of which sessions: "SUBJECT SESSION".
func (w *world) links(revs ...string) []string {
	w.t.Helper()
	_, out := w.search(revs...)
	return out
}

func (w *world) search(revs ...string) (lines, links []string) {
	w.t.Helper()
	repo, err := refs.DiscoverHook(filepath.Join(w.dir, "x"))
	w.must(err)
	if len(revs) == 0 {
		revs = []string{"HEAD"}
	}
	ctx := context.Background()
	list, err := history.List(ctx, repo, append(revs, "--")...)
	w.must(err)
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	sessions := func() []Session {
		out := make([]Session, len(w.sessions))
		for i, s := range w.sessions {
			out[i] = *s
			out[i].Edits = slices.Clone(s.Edits)
		}
		return out
	}
	options := Options{
		Roots: []string{w.dir}, Last: w.clock, Blob: objects.Blob,
		Hash: func(content []byte) refs.OID { return repo.Format.Hash(refs.BlobObject, content) },
		Commit: func(abbreviated string) (refs.OID, bool) {
			id, typ, err := objects.Resolve(abbreviated + "^{commit}")
			return id, err == nil && typ == refs.CommitObject
		},
	}
	for root := range strings.Lines(w.git("worktree", "list", "--porcelain")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(root), "worktree "); ok && name != w.dir {
			options.Roots = append(options.Roots, name)
		}
	}
	result, err := Find(ctx, repo, list, sessions(), options, func(int, int) {})
	if err != nil {
		w.t.Fatal(errors.Unwrap(err), err)
	}
	options.older = 1 // commits before all edits have no lines of them
	fewer, err := Find(ctx, repo, list, sessions(), options, func(int, int) {})
	w.must(err)
	if got, want := fmt.Sprint(fewer.Claims), fmt.Sprint(result.Claims); got != want {
		w.t.Errorf("with one older commit: %s\nwith all: %s", got, want)
	}
	for i := range result.Claims {
		c := &result.Claims[i]
		subject := w.git("log", "-1", "--format=%s", c.Commit.String())
		for _, f := range c.Files {
			for _, run := range f.Runs {
				for line := run.Start; line < run.Start+run.Count; line++ {
					lines = append(lines, fmt.Sprint(subject, " ", f.Path, " ", line, " ", c.Owners[run.Owner].Session, " ", run.Tier))
				}
			}
		}
		for _, l := range Links(c) {
			links = append(links, subject+" "+l.Session)
		}
	}
	slices.Sort(links)
	return lines, links
}

// owner is the session that a search gave a line to, and the tier; both are empty where it is nobody's.
func owner(lines []string, place string) string {
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, place+" "); ok {
			return rest
		}
	}
	return ""
}

func splitText(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
