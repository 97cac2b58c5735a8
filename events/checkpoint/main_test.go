package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives every git of the tests a clean configuration.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, "GNUPGHOME="+filepath.Join(os.TempDir(), "no-such-directory")))
}

// world is a repository with a log, and a directory for keys.
type world struct {
	t    testing.TB
	repo *refs.Repo
	log  *events.Log
	keys string
}

func newWorld(t testing.TB, options ...string) *world {
	t.Helper()
	w := &world{t: t, keys: t.TempDir()}
	dir := filepath.Join(t.TempDir(), "a repository")
	w.run("git", append(append([]string{"init", "-q"}, options...), dir)...)
	w.open(dir)
	w.append(3)
	return w
}

func (w *world) open(dir string) {
	w.t.Helper()
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.repo, w.log = repo, events.OpenLog(repo)
}

func (w *world) dir() string {
	if w.repo == nil {
		return ""
	}
	return w.repo.WorkTree
}

func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) git(args ...string) string { w.t.Helper(); return w.run("git", args...) }

// append puts events into the log, one a batch.
func (w *world) append(n int) {
	w.t.Helper()
	for i := range n {
		_, err := w.log.Append(context.Background(), []events.Draft{{
			Type: events.PromptSubmitted, Agent: "claude-code", Session: "s1", Method: []events.Method{events.HookPrompt},
			Data: json.RawMessage(fmt.Sprintf(`{"chars":10,"index":%d,"kind":"user"}`, i+1)),
		}})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) end() events.End {
	w.t.Helper()
	end, err := w.log.End(refs.EventsRef)
	if err != nil {
		w.t.Fatal(err)
	}
	return end
}

func (w *world) sign(key string) Checkpoint {
	w.t.Helper()
	c, err := Sign(context.Background(), w.log, w.end(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) verify() events.Report {
	w.t.Helper()
	r, err := w.log.Verify(context.Background(), events.Verification{Anchors: []events.AnchorSource{events.FetchedCopies{}, Source{}}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// expect verifies and holds the summary, and a word of the notes, against what must come out.
func (w *world) expect(what, summary, note string) events.Report {
	w.t.Helper()
	r := w.verify()
	if r.Summary() != summary || !strings.Contains(strings.Join(r.Notes, "\n"), note) || note == "" && len(r.Notes) > 0 {
		w.t.Errorf("%s: %s, notes %q, faults %+v; want %s, %q", what, r.Summary(), r.Notes, r.Faults, summary, note)
	}
	return r
}

// sshKey makes a key and gives its file.
func (w *world) sshKey(name string) string {
	w.t.Helper()
	testenv.Needs(w.t, "ssh-keygen")
	file := filepath.Join(w.keys, name)
	w.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file)
	return file
}

// useSSH has git sign with a key of that name, and trust it under a name.
func (w *world) useSSH(name string) string {
	w.t.Helper()
	file := w.sshKey(name)
	w.git("config", "gpg.format", "ssh")
	w.git("config", "user.signingKey", file+".pub")
	w.allow(file)
	return file
}

// allow makes the keys of these files the trusted ones.
func (w *world) allow(files ...string) {
	w.t.Helper()
	var list strings.Builder
	for _, file := range files {
		public, err := os.ReadFile(file + ".pub")
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&list, "%s@example.com %s", filepath.Base(file), public)
	}
	name := filepath.Join(w.keys, "allowed")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.git("config", "gpg.ssh.allowedSignersFile", name)
}
