package sharing_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// forked is a copy of a remote to which somebody else may push.
func forked(t testing.TB, w *recording.World, remote string) (attacker, string) {
	t.Helper()
	fork := filepath.Join(t.TempDir(), "fork.git")
	if out, err := exec.Command("git", "clone", "-q", "--mirror", remote, fork).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return attack(t, w, fork), fork
}

// pullFrom pulls from a remote that is named, or from a URL.
func pullFrom(t testing.TB, w *recording.World, name string, what sharing.What) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Source(name)
	w.Check(err)
	_, err = sharing.Pull(t.Context(), events.OpenLog(w.Repo), r, what)
	w.Check(err)
}

func notes(t testing.TB, w *recording.World) string {
	t.Helper()
	ix, err := index.Open(w.Repo)
	w.Check(err)
	defer ix.Close()
	return strings.Join(ix.Notes(), "\n")
}

// A writer's id on two remotes is two voices: what one says replaces nothing of the other, and a signature decides,
// then the remote that is trusted. Otherwise the line is disputed.
func TestAnIDOnTwoRemotesIsTwoVoices(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	claimed := func(t *testing.T, a attacker, writer string) { a.publish(t, writer, a.claim(t, "main", "h.txt"), nil) }
	for name, c := range map[string]struct {
		signed, whole, byURL bool
		trusts               string
		forge                func(t *testing.T, a attacker, writer string)
		disputed             bool
		note                 string
	}{
		"nobody can tell":              {forge: claimed, disputed: true},
		"one is signed":                {signed: true, forge: claimed},
		"one is trusted":               {trusts: "origin", forge: claimed},
		"a fork, by its URL":           {byURL: true, forge: claimed, note: "who publishes on origin"},
		"a digest beside the same log": {whole: true, forge: claimed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			level := sharing.LevelCommits
			if c.whole {
				level = sharing.LevelLog
			}
			w, remote, writer, allowed := victim(t, level, c.signed)
			a, fork := forked(t, w, remote)
			c.forge(t, a, writer)
			reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
			if c.signed {
				reader.Git("config", "gpg.ssh.allowedSignersFile", allowed)
			}
			if c.trusts != "" {
				reader.Git("config", "trace.remote", c.trusts)
			}
			pull(t, reader, sharing.What{Log: c.whole})
			name := fork
			if !c.byURL {
				reader.Git("remote", "add", "fork", fork)
				name = "fork"
			}
			pullFrom(t, reader, name, sharing.What{Log: c.whole})
			text := owners(t, reader, "h.txt")
			if strings.Contains(text, "Kind:ai") || !strings.Contains(text, "Kind:human") {
				t.Errorf("the fork is believed:\n%s", text)
			}
			if disputed := strings.Contains(text, "Disputed:["+writer+" on fork]"); disputed != c.disputed {
				t.Errorf("disputed is %v:\n%s", disputed, text)
			}
			if text := notes(t, reader); !strings.Contains(text, c.note) || c.note == "" && text != "" {
				t.Errorf("it is said: %s", text)
			}
			tells(t, reader, "one.txt")
		})
	}
}

// What one key signed on two remotes is one voice: the later revision of the one replaces what the other says.
func TestASignatureJoinsWhatAnIDSaysOnTwoRemotes(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	w, remote, _, allowed := victim(t, sharing.LevelCommits, true)
	_, fork := forked(t, w, remote)
	grow(w, "two", "two.txt")
	push(t, w, sharing.LevelCommits)
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	reader.Git("config", "gpg.ssh.allowedSignersFile", allowed)
	reader.Git("remote", "add", "fork", fork)
	pull(t, reader, sharing.What{})
	pullFrom(t, reader, "fork", sharing.What{})
	if text := owners(t, reader, "one.txt"); strings.Contains(text, " on fork") || !strings.Contains(text, "Signer:a@example.com") {
		t.Errorf("it is disputed:\n%s", text)
	}
	tells(t, reader, "one.txt", "two.txt")
}
