package sharing_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// recordedAt is when it is said to have happened.
var recordedAt = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

const evil = events.TraceID("22222222-2222-5222-8222-222222222222")

// attacker is somebody who may push to a remote and has no key of anybody.
type attacker struct {
	*recording.World
	remote string
}

func attack(t testing.TB, w *recording.World, remote string) attacker {
	t.Helper()
	a := attacker{recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, "."), remote}
	a.Git("config", "commit.gpgSign", "false")
	return a
}

// claim says of a file of a commit that an agent nobody used wrote it.
func (a attacker) claim(t testing.TB, commit, path string) []events.Draft {
	t.Helper()
	id, err := refs.ParseOID(gitIn(t, a.remote, "rev-parse", commit))
	a.Check(err)
	blob, err := refs.ParseOID(gitIn(t, a.remote, "rev-parse", commit+":"+path))
	a.Check(err)
	lines := strings.Count(gitIn(t, a.remote, "cat-file", "blob", blob.String()), "\n") + 1
	started, err := events.Encode(events.SessionData{Source: "startup", Model: "evil"})
	a.Check(err)
	anchored, err := events.Encode(events.CommitData{
		Commit: id, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Trace: evil, Agent: "evil-agent", Session: "evil"}},
		Files: []events.AnchorFile{{
			Path: path, Blob: blob, Runs: []events.AnchorRun{{Start: 1, Count: lines, Tier: "exact_blob"}},
		}},
		Added: lines, AI: lines, Revision: 1,
	})
	a.Check(err)
	at := recordedAt
	return []events.Draft{
		{
			Time: at, Type: events.SessionStarted, Method: []events.Method{"hook_session_start"}, Trace: evil, Agent: "evil-agent",
			Session: "evil", Data: started,
		},
		{Time: at, Type: events.CommitAnchored, Method: []events.Method{"post_commit"}, Data: anchored},
	}
}

// publish adds events to the digest of a writer on the remote, and changes its head; without events it is told anew by
// somebody else.
func (a attacker) publish(t testing.TB, writer string, drafts []events.Draft, change func(*events.PublicationHead)) {
	t.Helper()
	ref := "refs/traces/writers/" + writer + "/digest"
	log := events.OpenLog(a.Repo)
	if out, err := a.Repo.Git(t.Context(), nil, "fetch", "-q", "origin", "+"+ref+":"+ref); err != nil {
		t.Log(out) // the writer has none
	}
	p := events.Publication{Head: events.PublicationHead{
		Format: events.Version, Writer: writer, Level: "commits", ObjectFormat: a.Repo.Format.String(),
	}}
	tip, err := log.Tip(ref)
	a.Check(err)
	if !tip.IsZero() {
		p, err = log.ReadPublication(tip)
		a.Check(err)
	}
	if p.Head.Events == 0 {
		data, err := events.Encode(events.LogStartedData{Format: 1, Tool: "git-trace 0", ObjectFormat: a.Repo.Format.String()})
		a.Check(err)
		start := events.Draft{Time: drafts[0].Time, Type: events.LogStarted, Method: []events.Method{events.Manual}, Data: data}
		drafts = append([]events.Draft{start}, drafts...)
	}
	if len(drafts) > 0 {
		all, err := events.Follow(drafts, p.Head.Events, p.Head.Last, writer)
		a.Check(err)
		file, err := log.WritePublished(all)
		a.Check(err)
		p.Files = append(p.Files, file)
		p.Head.Events, p.Head.Last = all[len(all)-1].Seq, all[len(all)-1].ID
	}
	if p.Head.Source.Seq == 0 {
		p.Head.Source = events.Witness{Writer: writer, Seq: p.Head.Events, Event: p.Head.Last}
	}
	if change != nil {
		change(&p.Head)
	}
	tree, err := log.WritePublication(p)
	a.Check(err)
	args := []string{"commit-tree", "-m", "traces: forged"}
	if !tip.IsZero() {
		args = append(args, "-p", tip.String())
	}
	a.put(ref, strings.TrimSpace(a.Git(append(args, tree.String())...)))
}

func (a attacker) put(ref, commit string) { a.Git("push", "-q", "-f", "origin", commit+":"+ref) }

// victim publishes, signed or not, a commit in which a person wrote h.txt.
func victim(t testing.TB, level sharing.Level, signed bool) (w *recording.World, remote, writer, allowed string) {
	t.Helper()
	w, remote = published(t)
	allowed = filepath.Join(t.TempDir(), "allowed")
	if signed {
		public, err := os.ReadFile(signs(t, w) + ".pub")
		w.Check(err)
		w.Check(os.WriteFile(allowed, []byte("a@example.com "+string(public)), 0o600))
		w.Git("config", "gpg.ssh.allowedSignersFile", allowed)
	}
	w.Write("h.txt", "typed\nby hand\n")
	w.Commit("by a person")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	settle(t, w, level)
	push(t, w, level)
	return w, remote, testenv.WriterOf(t, w.Repo.WorkTree), allowed
}

func settle(t testing.TB, w *recording.World, level sharing.Level) {
	t.Helper()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	url, err := s.PushURL(t.Context(), w.Repo, "origin")
	w.Check(err)
	w.Check(sharing.Settle(t.Context(), w.Repo, "origin", level, url))
}

// Whatever stands under a clone's id on a remote, and however it came there: a push builds on nothing and signs nothing
// that the clone did not write. Beginning anew puts its own in the place.
func TestAPushSignsNothingOfOthers(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	type situation struct {
		w              *recording.World
		a              attacker
		remote, writer string
	}
	for name, c := range map[string]struct {
		level  sharing.Level
		signed bool
		forge  func(t *testing.T, s situation)
		want   error
	}{
		"claims behind the own events": {sharing.LevelCommits, false, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), nil)
		}, sharing.ErrNotOwn},
		"the same where the clone signs": {sharing.LevelCommits, true, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), nil)
		}, sharing.ErrNotOwn},
		"the same with texts": {sharing.LevelConversations, true, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), nil)
		}, sharing.ErrNotOwn},
		"the same beside a whole log": {sharing.LevelLog, true, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), nil)
		}, sharing.ErrNotOwn},
		"a plain fetch brought it before": {sharing.LevelCommits, false, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), nil)
			s.w.Git("fetch", "-q", "origin", "+refs/traces/writers/*/digest:refs/traces/remotes/origin/*/digest")
		}, sharing.ErrNotOwn},
		"it says that it comes from later events": {sharing.LevelCommits, false, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), func(h *events.PublicationHead) { h.Source.Seq = 999 })
		}, sharing.ErrBehind},
		"it says that it comes from another log": {sharing.LevelCommits, false, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, s.a.claim(t, "main", "h.txt"), func(h *events.PublicationHead) { h.Source.Event = h.Last })
		}, sharing.ErrDiverged},
		"an own event is told twice": {sharing.LevelCommits, false, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, anchors(t, s.w), nil)
		}, sharing.ErrNotOwn},
		"the own events without the own signature": {sharing.LevelCommits, true, func(t *testing.T, s situation) {
			s.a.publish(t, s.writer, nil, nil)
		}, sharing.ErrNotOwn},
		"a whole log that is not the own one": {sharing.LevelLog, false, func(_ *testing.T, s situation) {
			s.a.put("refs/traces/writers/"+s.writer+"/events", "HEAD")
		}, sharing.ErrNotOwn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote, writer, allowed := victim(t, c.level, c.signed)
			c.forge(t, situation{w, attack(t, w, remote), remote, writer})
			w.Edit("two", "two.txt", "of an agent\nand more\n")
			w.Commit("the next")
			w.Anchor()
			w.Git("push", "-q", "origin", "main")
			there := gitIn(t, remote, "for-each-ref", "refs/traces")
			if _, err := plan(t, w, c.level); !errors.Is(err, c.want) {
				t.Fatalf("a push: %v", err)
			}
			w.Git("config", "trace.autoPush", "true")
			err := sharing.Auto(t.Context(), events.OpenLog(w.Repo), "origin", means)
			if states, err := sharing.States(t.Context(), events.OpenLog(w.Repo)); err != nil || states[0].Failed == nil {
				t.Errorf("status does not tell of it: %+v, %v", states, err)
			}
			if now := gitIn(t, remote, "for-each-ref", "refs/traces"); now != there || !errors.Is(err, c.want) {
				t.Errorf("by itself: %v, and the remote has\n%s", err, now)
			}
			if sent := pushAnewAt(t, w, c.level); len(sent) == 0 {
				t.Error("nothing was sent anew")
			}
			if sent := push(t, w, c.level); len(sent) != 0 && c.level == sharing.LevelCommits {
				t.Errorf("then there is more: %+v", sent)
			}
			reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
			if c.signed {
				reader.Git("config", "gpg.ssh.allowedSignersFile", allowed)
				reader.Git("config", "trace.trust", "signed")
			}
			pull(t, reader, sharing.What{Log: c.level == sharing.LevelLog})
			if text := owners(t, reader, "h.txt"); strings.Contains(text, "evil") || !strings.Contains(text, "Kind:human") {
				t.Errorf("a reader is told\n%s", text)
			}
			tells(t, reader, "two.txt")
		})
	}
}

// anchors are what the own log says of commits, as a digest has it.
func anchors(t testing.TB, w *recording.World) (out []events.Draft) {
	t.Helper()
	for _, e := range w.Log() {
		if e.Type == events.CommitAnchored {
			d := e.Draft()
			d.Worktree = ""
			out = append(out, d)
		}
	}
	return out
}

// What this clone published with its own key is its own, though nothing is noted: the remote was renamed, or the note
// is lost.
func TestWhatTheOwnKeySignedIsOwn(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "ssh-keygen")
	for name, signed := range map[string]bool{"signed": true, "not signed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, _, _ := victim(t, sharing.LevelCommits, signed)
			w.Check(os.RemoveAll(filepath.Join(w.Repo.TracesDir(), "made")))
			grow(w, "two", "two.txt")
			if sent := push(t, w, sharing.LevelCommits); len(sent) != 1 {
				t.Errorf("%+v", sent)
			}
		})
	}
}

// A forged digest that seems to come from a backup is shown before it is taken. Once taken, it says nothing of what the
// own hooks saw.
func TestWhatIsTakenBackIsNotBelievedBeforeTheOwnLog(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*events.PublicationHead){
		"of a later event":   func(h *events.PublicationHead) { h.Source.Seq = 999 },
		"of another history": func(h *events.PublicationHead) { h.Source.Event = h.Last },
		"of this one":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote, writer, _ := victim(t, sharing.LevelCommits, false)
			before := owners(t, w, "h.txt")
			a := attack(t, w, remote)
			a.publish(t, writer, a.claim(t, "main", "h.txt"), change)
			l, err := lost(t, w)
			w.Check(err)
			if l.Signed || len(l.Events) != 2 || l.Events[0].Agent != "evil-agent" {
				t.Errorf("it would take %+v", l)
			}
			_, err = l.Take(t.Context(), 0)
			w.Check(err)
			if after := owners(t, w, "h.txt"); after != before {
				t.Errorf("it told\n%s, and tells\n%s", before, after)
			}
			grow(w, "two", "two.txt")
			push(t, w, sharing.LevelCommits)
			if after := owners(t, w, "h.txt"); after != before {
				t.Errorf("it told\n%s, and tells\n%s", before, after)
			}
		})
	}
}

// A ref below refs/traces/aside that a wide fetch brought is not the own log.
func TestALogThatIsFetchedAsideIsAnothers(t *testing.T) {
	t.Parallel()
	w, remote, writer, _ := victim(t, sharing.LevelLog, false)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	fresh.Git("fetch", "-q", "origin", "refs/traces/writers/"+writer+"/events:refs/traces/aside/"+writer+"/events")
	logs, err := events.OpenLog(fresh.Repo).Fetched(t.Context())
	if err != nil || len(logs) != 1 || logs[0].Aside {
		t.Errorf("%+v, %v", logs, err)
	}
}
