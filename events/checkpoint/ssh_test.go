package checkpoint

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func TestACheckpointAnchorsTheLogUpToTheEventItNames(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		w := newWorld(t, "--object-format="+format)
		w.expect("before", "consistent", "")
		w.useSSH("ada")
		c := w.sign("")
		if c.Seq != 4 || c.Signature.Verdict != Good || c.Signature.Signer != "ada@example.com" || c.Signature.Kind != SSH {
			t.Errorf("signed %+v", c)
		}
		r := w.expect("signed", "consistent and anchored up to 4", "")
		if !strings.HasPrefix(r.AnchoredBy, "checkpoint signed by ada@example.com (SHA256:") || r.Events != 5 {
			t.Errorf("anchored by %q, %d events", r.AnchoredBy, r.Events)
		}
		w.append(2)
		w.expect("grown", "consistent and anchored up to 4", "")
		w.sign("")
		w.expect("signed again", "consistent and anchored up to 7", "")
		w.git("gc", "-q", "--prune=now")
		w.expect("packed", "consistent and anchored up to 7", "")
		if out := w.git("fsck", "--full", "--strict", "--no-dangling"); strings.Contains(out, "error") || strings.Contains(out, "missing") {
			t.Errorf("fsck: %s", out)
		}
		if out := w.git("log", "--format=%G?", refs.CheckpointsRef); out != "G\nG" {
			t.Errorf("git's own check says %q", out)
		}
	}
}

func TestTheEventOfACheckpointSaysWhereItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	c := w.sign("")
	for e, err := range w.log.Walk(context.Background(), events.Range{Order: events.NewestFirst}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := e.CheckData(); err != nil {
			t.Error(err)
		}
		if text := string(e.Data); e.Type != events.CheckpointSigned || !strings.Contains(text, c.Commit.String()) ||
			!strings.Contains(text, string(c.Event)) || !strings.Contains(text, `"kind":"ssh"`) || !strings.Contains(text, c.Signature.Key) {
			t.Errorf("the last event is %s %s", e.Type, text)
		}
		break
	}
}

// Every signature but a good one by a trusted key is named, and anchors nothing.
func TestASignatureThatIsNotGoodAnchorsNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(w *world, c Checkpoint)
		note  string
	}{
		"nobody is trusted": {func(w *world, _ Checkpoint) { w.git("config", "--unset", "gpg.ssh.allowedSignersFile") }, "allowedSignersFile is not set"},
		"the list is gone":  {func(w *world, _ Checkpoint) { _ = os.Remove(filepath.Join(w.keys, "allowed")) }, "by a key that is not trusted here"},
		"somebody else is":  {func(w *world, _ Checkpoint) { w.allow(w.sshKey("bob")) }, "by a key that is not trusted here: SHA256:"},
		"the key was revoked": {func(w *world, _ Checkpoint) {
			w.git("config", "gpg.ssh.revocationFile", filepath.Join(w.keys, "ada.pub"))
		}, "the signature is bad"},
		"ssh-keygen is gone": {func(w *world, _ Checkpoint) { w.git("config", "gpg.ssh.program", "/nonexistent") }, "could not be checked"},
		"the commit was changed": {func(w *world, c Checkpoint) {
			w.forge(strings.Replace(w.git("cat-file", "commit", c.Commit.String()), "author A U", "author B U", 1) + "\n")
		}, "the signature is bad"},
		"the signature was changed": {func(w *world, c Checkpoint) {
			w.forge(strings.Replace(w.git("cat-file", "commit", c.Commit.String()), "\n U1NI", "\n AAAA", 1) + "\n")
		}, "the signature is bad"},
		"the signature was taken away": {func(w *world, c Checkpoint) {
			header, message, _ := strings.Cut(w.git("cat-file", "commit", c.Commit.String()), "\n\n")
			header, _, _ = strings.Cut(header, "\ngpgsig")
			w.forge(header + "\n\n" + message + "\n")
		}, "it is not signed"},
		"it is a commit of the user's": {func(w *world, _ Checkpoint) {
			w.git("commit", "-q", "--allow-empty", "-S", "-m", "work")
			w.git("update-ref", refs.CheckpointsRef, "HEAD")
		}, "it is not a checkpoint"},
		"it is a blob": {func(w *world, _ Checkpoint) {
			w.git("update-ref", refs.CheckpointsRef, w.git("hash-object", "-w", filepath.Join(w.keys, "allowed")))
		}, "it is not a checkpoint"},
		"it is missing": {func(w *world, c Checkpoint) {
			name := c.Commit.String()
			if err := os.Remove(filepath.Join(w.repo.MainObjects(), name[:2], name[2:])); err != nil {
				w.t.Fatal(err)
			}
		}, "missing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.t = t
			w.useSSH("ada")
			c := w.sign("")
			w.expect("signed", "consistent and anchored up to 4", "")
			test.spoil(w, c)
			r := w.expect(name, "consistent", test.note)
			if len(r.Anchors) == 0 || r.Anchors[0].Void == "" {
				t.Errorf("anchors %+v", r.Anchors)
			}
		})
	}
}

// forge stores a commit under the name it hashes to and lets the ref name it.
func (w *world) forge(content string) {
	w.t.Helper()
	oid, err := w.repo.WriteLoose(w.repo.MainObjects(), refs.CommitObject, []byte(content))
	if err != nil {
		w.t.Fatal(err)
	}
	w.git("update-ref", refs.CheckpointsRef, oid.String())
}

// A newer checkpoint that counts for nothing does not hide an older one that counts.
func TestAForgedCheckpointDoesNotHideTheOneBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.useSSH("ada")
	w.sign("")
	w.append(1)
	w.useSSH("eve")
	c := w.sign("")
	w.allow(ada)
	r := w.expect("signed by a stranger", "consistent and anchored up to 4", "checkpoint "+c.Commit.String()[:12]+" anchors nothing")
	if len(r.Anchors) != 2 {
		t.Errorf("anchors %+v", r.Anchors)
	}
}

func TestACheckpointThatIsGoneIsNoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	w.sign("")
	w.git("update-ref", "-d", refs.CheckpointsRef)
	w.expect("deleted", "consistent", "event 5 tells of a checkpoint of event 4, which refs/traces/checkpoints does not hold")
}

func TestSigningThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	before := w.git("for-each-ref")
	for name, key := range map[string]string{"no such key": filepath.Join(w.keys, "nobody"), "no key at all": "rubbish"} {
		if _, err := Sign(context.Background(), w.log, w.end(), key); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := w.git("for-each-ref"); after != before {
		t.Errorf("refs were\n%s\nand are\n%s", before, after)
	}
}
