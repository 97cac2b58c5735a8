package sharing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

func pushAnew(t testing.TB, w *recording.World) []sharing.Pushed {
	t.Helper()
	return pushAnewAt(t, w, sharing.LevelCommits)
}

func pushAnewAt(t testing.TB, w *recording.World, level sharing.Level) []sharing.Pushed {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	p, err := sharing.MakePlanAnew(t.Context(), events.OpenLog(w.Repo), s, r, level, means)
	w.Check(err)
	defer p.Close()
	sent, err := p.Push(t.Context(), true)
	w.Check(err)
	return sent
}

// A path that has to go from a remote goes with the history of its branches and a digest that begins anew. Readers take
// that if its key is the one of before; otherwise they are told why it is another one, and asked.
func TestADigestThatBeginsAnew(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	for name, signed := range map[string]bool{"signed": true, "not signed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote := published(t)
			allowed := filepath.Join(t.TempDir(), "allowed")
			if signed {
				public, err := os.ReadFile(signs(t, w) + ".pub")
				w.Check(err)
				w.Check(os.WriteFile(allowed, []byte("a@example.com "+string(public)), 0o600))
			}
			w.Edit("one", "codename-heron.txt", "what nobody is to know\n")
			w.Commit("a mistake")
			w.Anchor()
			w.Git("push", "-q", "origin", "main")
			push(t, w, sharing.LevelCommits)
			writer := testenv.WriterOf(t, w.Repo.WorkTree)
			name, kept := "refs/traces/writers/"+writer+"/digest", events.FetchedRef("origin", writer, "digest")
			first := gitIn(t, remote, "rev-parse", name)
			if !onRemote(t, remote, "codename-heron") {
				t.Fatal("the path was not published")
			}
			reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
			reader.Git("config", "gpg.ssh.allowedSignersFile", allowed)
			pull(t, reader, sharing.What{})

			w.Git("reset", "-q", "--hard", "HEAD~1")
			w.Git("push", "-q", "--force", "origin", "main")
			if push(t, w, sharing.LevelCommits); !onRemote(t, remote, "codename-heron") {
				t.Error("a push alone takes something back")
			}
			if sent := pushAnew(t, w); len(sent) != 1 || sent[0].State != "pushed" {
				t.Errorf("%+v", sent)
			}
			if onRemote(t, remote, "codename-heron") {
				t.Error("a ref of the remote still leads to the path")
			}
			if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
				t.Errorf("then there is more: %+v", sent)
			}

			got := pull(t, reader, sharing.What{})
			if !signed {
				if got.LeftOut() != 1 || !strings.Contains(got.Writers[0].LeftOut, "its writer began it anew") {
					t.Errorf("%+v", got)
				}
				got = pull(t, reader, sharing.What{Accept: []string{writer}})
			}
			if got.LeftOut() != 0 || len(got.Writers) != 1 || !got.Writers[0].Anew {
				t.Errorf("%+v", got)
			}
			if mine, theirs := owners(t, w, "one.txt"), owners(t, reader, "one.txt"); mine != theirs && !signed || !strings.Contains(theirs, "Kind:ai") {
				t.Errorf("the writer says\n%sthe reader\n%s", mine, theirs)
			}
			gitIn(t, remote, "update-ref", name, first) // what was signed before does not come back
			if got := pull(t, reader, sharing.What{}); got.LeftOut() != 1 || gitIn(t, reader.Repo.WorkTree, "rev-parse", kept) == first {
				t.Errorf("rewound: %+v", got)
			}
		})
	}
}

// A digest on the remote that somebody spoiled is replaced by one that begins anew.
func TestADigestThatBeginsAnewMendsASpoiledOne(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	name := "refs/traces/writers/" + testenv.WriterOf(t, w.Repo.WorkTree) + "/digest"
	gitIn(t, remote, "update-ref", name, gitIn(t, remote, "rev-parse", "main"))
	if _, err := plan(t, w, sharing.LevelCommits); err == nil {
		t.Error("a push builds on what is no digest")
	}
	if sent := pushAnew(t, w); len(sent) != 1 || sent[0].State != "pushed" {
		t.Errorf("%+v", sent)
	}
	if sent := push(t, w, sharing.LevelCommits); len(sent) != 0 {
		t.Errorf("then there is more: %+v", sent)
	}
	if id, err := refs.ParseOID(gitIn(t, remote, "rev-parse", name)); err != nil || id.IsZero() {
		t.Error(id, err)
	}
}
