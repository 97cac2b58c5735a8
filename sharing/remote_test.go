package sharing_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/forge"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// S4: a remote that is not there leaves all as it was, and what is said has no credentials.
func TestARemoteThatIsNotReached(t *testing.T) {
	t.Parallel()
	w, _ := published(t)
	w.Git("remote", "set-url", "origin", "https://user:s3cret@127.0.0.1:9/x.git")
	_, err := plan(t, w, sharing.LevelCommits)
	if !errors.Is(err, sharing.ErrUnreached) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	var remote *sharing.RemoteError
	if errors.As(err, &remote) && strings.Contains(strings.Join(remote.Lines, "\n"), "s3cret") {
		t.Errorf("%q", remote.Lines)
	}
	if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Error(kept)
	}
	for text, want := range map[string]string{
		"https://user:pw@host/x": "https://host/x", "https://token@host/x": "https://host/x",
		"ssh://git@host/x": "ssh://git@host/x", "git@host:x": "git@host:x", "/a/b": "/a/b",
	} {
		if got := sharing.Bare(text); got != want {
			t.Errorf("%s is told as %s", text, got)
		}
	}
}

// S21: git's own rule against rewinding holds for branches alone. A server with a rule for all refs lets nothing be taken
// back, and that is what the push says.
func TestWhatAServerLetsBeTakenBack(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	trace := talked(t, w, "one", "what was asked")
	push(t, w, sharing.LevelConversations)
	w.Check(sharing.KeepPrivate(w.Repo, trace, false))
	hook := filepath.Join(remote, "hooks", "update")
	w.Check(os.WriteFile(hook, []byte("#!/bin/sh\ngit merge-base --is-ancestor $2 $3\n"), 0o755))
	p, err := plan(t, w, sharing.LevelConversations)
	w.Check(err)
	_, err = p.Push(t.Context(), true)
	p.Close()
	if !errors.Is(err, sharing.ErrKept) {
		t.Errorf("where nothing may be rewound: %v", err)
	}
	w.Check(os.Remove(hook))
	gitIn(t, remote, "config", "receive.denyNonFastForwards", "true")
	gitIn(t, remote, "config", "receive.denyDeletes", "true")
	if push(t, w, sharing.LevelConversations); onRemote(t, remote, "what was asked") {
		t.Error("it is still there")
	}
}

// S21: servers that can do less, and rules that they have.
func TestServersWithRules(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(remote string){
		"without atomic":  func(remote string) { gitIn(t, remote, "config", "receive.advertiseAtomic", "false") },
		"fsck of objects": func(remote string) { gitIn(t, remote, "config", "receive.fsckObjects", "true") },
		"no forced push":  func(remote string) { gitIn(t, remote, "config", "receive.denyNonFastForwards", "true") },
		"signatures": func(remote string) { // S20
			hook := "#!/bin/sh\nwhile read old new ref; do\n  git cat-file commit $new | grep -q '^gpgsig' || { echo 'not signed'; exit 1; }\ndone\n"
			if err := os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"protocol 0": func(string) {},
		"rules for commits": func(remote string) { // S20: of mail and message
			hook := "#!/bin/sh\nwhile read old new ref; do\n  git log -1 --format='%ae %ce %s' $new | grep -v git-trace@localhost | grep -q ' traces: ' || { echo 'not by our rules'; exit 1; }\ndone\n"
			if err := os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote := published(t)
			set(remote)
			if name == "signatures" {
				testenv.Needs(t, "ssh-keygen")
				signs(t, w)
			}
			if name == "protocol 0" {
				w.Git("config", "protocol.version", "0")
			}
			talked(t, w, "one", "what was asked")
			sent := push(t, w, sharing.LevelConversations)
			if len(sent) != 2 || sent[0].State != "pushed" || sent[1].State != "pushed" || !strings.HasSuffix(sent[0].Ref, "/records") {
				t.Errorf("%+v", sent)
			}
			w.Edit("two", "two.txt", "of two\n")
			w.Commit("two")
			w.Anchor()
			gitIn(t, remote, "fetch", "-q", w.Repo.WorkTree, "main:main") // their rules are for branches too
			talked(t, w, "two", "and more")
			if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 {
				t.Errorf("with more: %+v", sent)
			}
			if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
				t.Errorf("once more: %+v", sent)
			}
		})
	}
	for name, set := range map[string][2]string{
		"hidden refs": {"receive.hideRefs", "refs/traces"}, "a quota": {"receive.maxInputSize", "100"},
	} {
		w, remote := published(t)
		gitIn(t, remote, "config", set[0], set[1])
		p, err := plan(t, w, sharing.LevelCommits)
		w.Check(err)
		_, err = p.Push(t.Context(), true)
		p.Close()
		var said *sharing.RemoteError
		if !errors.As(err, &said) && !errors.Is(err, sharing.ErrUnreached) {
			t.Errorf("%s: %v", name, err)
		}
		if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
			t.Errorf("%s: what was refused is noted as sent: %s", name, kept)
		}
	}
	for _, key := range []string{"uploadpack.hideRefs", "transfer.hideRefs"} { // it takes what it shows to nobody, or nothing
		w, remote := published(t)
		gitIn(t, remote, "config", key, "refs/traces")
		for range 2 {
			p, err := plan(t, w, sharing.LevelCommits)
			w.Check(err)
			_, err = p.Push(t.Context(), true)
			p.Close()
			var said *sharing.RemoteError
			if key == "uploadpack.hideRefs" && !errors.Is(err, sharing.ErrHidden) {
				t.Errorf("%s: %v", key, err)
			}
			if key == "transfer.hideRefs" && (!errors.As(err, &said) || !strings.Contains(err.Error(), "hidden ref")) {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
	refuseMail(t)
	w, remote := published(t)
	refuse := "#!/bin/sh\necho 'we take no traces \x1b[31m at https://user:s3cret@host/x' >&2\nexit 1\n"
	w.Check(os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte(refuse), 0o755))
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	defer p.Close()
	_, err = p.Push(t.Context(), true)
	var said *sharing.RemoteError
	if !errors.As(err, &said) || !strings.Contains(strings.Join(said.Lines, "\n"), "we take no traces") || strings.Contains(strings.Join(said.Lines, "\n"), "s3cret") {
		t.Errorf("%v %+v", err, said)
	}
	if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Errorf("what was refused is noted as sent: %s", kept)
	}
}

// refuseMail: a rule for mail refuses the whole log, and says so; the other levels pass it.
func refuseMail(t *testing.T) {
	t.Helper()
	for _, name := range []string{"pre-receive", "update"} {
		w, remote := published(t)
		hook := "#!/bin/sh\nfor new in $3 $(test $# = 3 || cut -d' ' -f2); do\n" +
			"  git log -1 --format='%ae %ce' $new | grep -q git-trace@localhost && { echo 'not by our rules'; exit 1; }\ndone\nexit 0\n"
		w.Check(os.WriteFile(filepath.Join(remote, "hooks", name), []byte(hook), 0o755))
		p, err := plan(t, w, sharing.LevelLog)
		w.Check(err)
		_, err = p.Push(t.Context(), true)
		p.Close()
		if !errors.Is(err, sharing.ErrLogRefused) || !strings.Contains(err.Error(), "not by our rules") {
			t.Errorf("%s: %v", name, err)
		}
		if kept := w.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
			t.Errorf("%s: what was refused is noted as sent: %s", name, kept)
		}
		if sent := push(t, w, sharing.LevelConversations); len(sent) != 1 || sent[0].State != "pushed" {
			t.Errorf("%s: the others: %+v", name, sent)
		}
	}
}

// signs has a clone sign what it publishes, with a key of its own.
func signs(t testing.TB, w *recording.World) (key string) {
	t.Helper()
	key = filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.Git("config", "gpg.format", "ssh")
	w.Git("config", "user.signingKey", key)
	w.Git("config", "trace.signPush", "true")
	return key
}

// The same over smart HTTP, git's own.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	talked(t, w, "one", "what was asked")
	gitIn(t, remote, "config", "http.receivepack", "true")
	served := httptest.NewServer(httpBackend(t, remote))
	defer served.Close()
	url := served.URL + "/" + filepath.Base(remote)
	w.Git("remote", "set-url", "origin", url)
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 {
		t.Errorf("%+v", sent)
	}
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", url, ".")
	if got := pull(t, fresh, sharing.What{Records: true}); len(got.Writers) != 1 || got.Writers[0].Records != 1 {
		t.Errorf("%+v", got)
	}
	if mine, theirs := owners(t, w, "one.txt"), owners(t, fresh, "one.txt"); mine != theirs {
		t.Errorf("the writer says\n%sthe clone\n%s", mine, theirs)
	}
	gitIn(t, remote, "config", "http.receivepack", "false")
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("more")
	w.Anchor()
	gitIn(t, remote, "fetch", "-q", w.Repo.WorkTree, "main:main")
	p, err := plan(t, w, sharing.LevelCommits)
	w.Check(err)
	defer p.Close()
	if _, err := p.Push(t.Context(), true); !errors.Is(err, sharing.ErrUnreached) {
		t.Errorf("a server that takes nothing: %v", err)
	}
}

// A remote that sends without end is left, and nothing of it stays.
func TestAPullTakesSoMuchAndNoMore(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	noise := make([]byte, 24<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	cmd := exec.Command("git", "-C", remote, "hash-object", "-w", "--stdin")
	cmd.Stdin = bytes.NewReader(noise)
	blob, err := cmd.Output()
	w.Check(err)
	gitIn(t, remote, "update-ref", "refs/traces/writers/"+writer+"/records", strings.TrimSpace(string(blob)))
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", "--no-local", remote, ".")
	served := httptest.NewServer(endless{httpBackend(t, remote)})
	defer served.Close()
	s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
	w.Check(err)
	r, err := s.Source(served.URL + "/" + filepath.Base(remote))
	w.Check(err)
	_, err = sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{Records: true, Most: 1 << 20})
	if !errors.Is(err, sharing.ErrTooMuch) {
		t.Errorf("%v", err)
	}
	if kept := fresh.Git("for-each-ref", "refs/traces/remotes"); kept != "" {
		t.Errorf("%s", kept)
	}
	for text, want := range map[string]int64{"": 0, "5": 5, "2k": 2048, "1G": 1 << 30, "x": -1, "-1": -1, "9999999999g": -1} {
		fresh.Git("config", "trace.maxFetched", text)
		if text == "" {
			fresh.Git("config", "--unset", "trace.maxFetched")
		}
		s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
		w.Check(err)
		got, err := s.MostFetched()
		if err == nil && got != want || (err != nil) != (want < 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// httpBackend serves a repository as git does.
func httpBackend(t testing.TB, remote string) http.Handler {
	t.Helper()
	backend, err := forge.HTTP(filepath.Dir(remote))
	if errors.Is(err, forge.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// endless is a server that never comes to the end of what it sends.
type endless struct{ http.Handler }

func (e endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.Handler.ServeHTTP(&slowly{ResponseWriter: w, ended: r.Context().Done()}, r)
}

type slowly struct {
	http.ResponseWriter
	ended <-chan struct{}
	sent  int
}

func (s *slowly) Write(p []byte) (int, error) {
	if s.sent += len(p); s.sent > 4<<20 {
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
		}
		return 0, io.ErrClosedPipe
	}
	return s.ResponseWriter.Write(p)
}
