package sharing_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// allows writes a list of allowed signers with one key, and has a clone take it.
func allows(t testing.TB, w *recording.World, key, options string) {
	t.Helper()
	public, err := os.ReadFile(key + ".pub")
	w.Check(err)
	file := filepath.Join(t.TempDir(), "allowed")
	w.Check(os.WriteFile(file, fmt.Appendf(nil, "anna@example.com %s %s", options, public), 0o600))
	w.Git("config", "gpg.ssh.allowedSignersFile", file)
}

// logState is what verify --fetched says of the digest, and of the whole log, of a writer.
func logState(t testing.TB, w *recording.World) (digest, whole sharing.FetchedState) {
	t.Helper()
	states, err := sharing.Verify(t.Context(), events.OpenLog(w.Repo))
	w.Check(err)
	for _, s := range states {
		if s.Why != "" {
			t.Errorf("%+v", s)
		}
		if s.Digest {
			digest = s
		} else {
			whole = s
		}
	}
	return digest, whole
}

// Whoever signs a digest signs the whole log that it was made from, by the event that it names: no more, and no other.
func TestAWholeLogHasTheSignerOfItsDigest(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testenv.Needs(t, "ssh-keygen")
	w, remote := published(t)
	key := signs(t, w)
	push(t, w, sharing.LevelLog)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	allows(t, fresh, key, "")
	fresh.Git("config", "trace.trust", "signed")
	reads := func(round int) {
		t.Helper()
		pull(t, fresh, sharing.What{Log: true})
		ix, err := index.Open(fresh.Repo)
		w.Check(err)
		defer ix.Close()
		if n := ix.Logs(); n != 2 { // the own one, which is empty, and the log or the digest of the other clone
			t.Errorf("%d logs are read", n)
		}
		if text := owners(t, fresh, "one.txt"); !strings.Contains(text, "Signer:anna@example.com") {
			t.Errorf("round %d: %s", round, text)
		}
	}
	reads(1)
	if digest, whole := logState(t, fresh); whole.Signed != checkpoint.Good || whole.Signer != digest.Signer || whole.Made.Seq != whole.Events {
		t.Errorf("the log %+v\nthe digest %+v", whole, digest)
	}
	// Nothing of a commit is new, and the log has grown: the digest names its new end.
	w.Edit("later", "later.txt", "not committed\n")
	if sent := push(t, w, sharing.LevelLog); len(sent) != 2 {
		t.Errorf("sent %+v", sent)
	}
	if sent := push(t, w, sharing.LevelLog); len(sent) != 0 {
		t.Errorf("once more: %+v", sent)
	}
	reads(2)
	if _, whole := logState(t, fresh); whole.Made.Seq != whole.Events || whole.Events != int64(len(w.Log())) {
		t.Errorf("after it grew: %+v", whole)
	}
	// A log that goes on beyond what was signed is not signed as a whole: the digest is read in its place.
	w.Edit("later", "later.txt", "more\n")
	_, err := events.OpenLog(w.Repo).Seal(t.Context())
	w.Check(err)
	w.Git("push", "-q", "-f", "origin", "refs/traces/events:refs/traces/writers/"+testenv.WriterOf(t, w.Repo.WorkTree)+"/events")
	reads(3)
	if _, whole := logState(t, fresh); whole.Made.Seq >= whole.Events || whole.Signer == "" {
		t.Errorf("with events that nobody signed: %+v", whole)
	}
}

// S16: a key counts in its time alone, as git's list of allowed signers says.
func TestAKeyCountsInItsTime(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	w, remote := published(t)
	key := signs(t, w)
	push(t, w, sharing.LevelCommits)
	for options, want := range map[string]bool{
		"": true, `valid-before="20200101"`: false, `valid-after="20990101"`: false, `valid-after="20200101",valid-before="20990101"`: true,
	} {
		fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		allows(t, fresh, key, options)
		pull(t, fresh, sharing.What{})
		digest, _ := logState(t, fresh)
		if (digest.Signed == checkpoint.Good) != want || (digest.Signer != "") != want {
			t.Errorf("with %q: %+v", options, digest)
		}
		if text := owners(t, fresh, "one.txt"); strings.Contains(text, "Signer:anna@example.com") != want {
			t.Errorf("with %q: %s", options, text)
		}
	}
}

// S19: a publication that is signed with OpenPGP is as old as one that is not, to git; its signature has its own time.
func TestAnOpenPGPSignatureHasItsOwnTime(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "gpg")
	w, remote := published(t)
	dir, err := os.MkdirTemp("", "gpg") // the path of a socket of gpg-agent must be short
	w.Check(err)
	t.Cleanup(func() {
		kill := exec.Command("gpgconf", "--kill", "all")
		kill.Env = append(os.Environ(), "GNUPGHOME="+dir)
		_ = kill.Run() // the agent of this keyring
		_ = os.RemoveAll(dir)
	})
	program := filepath.Join(t.TempDir(), "gpg")
	testenv.Program(t, program, fmt.Sprintf("#!/bin/sh\nGNUPGHOME=%s exec gpg --batch --no-tty --pinentry-mode loopback --passphrase '' \"$@\"\n", dir))
	if out, err := exec.Command(program, "-q", "--quick-gen-key", "Anna <anna@example.com>", "ed25519", "sign", "never").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.Git("config", "gpg.program", program)
	w.Git("config", "user.signingKey", "anna@example.com")
	w.Git("config", "trace.signPush", "true")
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	fresh.Git("config", "gpg.program", program)
	pull(t, fresh, sharing.What{})
	if digest, _ := logState(t, fresh); digest.Signed != checkpoint.Good || !strings.Contains(digest.Signer, "anna@example.com") {
		t.Errorf("%+v", digest)
	}
	dates := strings.Fields(fresh.Git("for-each-ref", "--format=%(committerdate:unix) %(authordate:unix)", "refs/traces/remotes"))
	if len(dates) != 2 || dates[0] != "0" || dates[1] == "0" {
		t.Errorf("committed and written at %v", dates)
	}
}
