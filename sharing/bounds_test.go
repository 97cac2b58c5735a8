package sharing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

const stranger = "00000000000000aa"

// letters are events of nothing but one letter, a megabyte each.
func letters(n int) []events.Draft {
	text := strings.Repeat("A", 65000)
	data := `{"index":1,"chars":5,"kind":"user"`
	for i := range 15 {
		data += fmt.Sprintf(`,"x%d":%q`, 10+i, text)
	}
	out := make([]events.Draft, n)
	for i := range out {
		out[i] = events.Draft{
			Time: recordedAt, Type: events.PromptSubmitted, Method: []events.Method{"hook_prompt"}, Trace: evil, Agent: "a",
			Session: "s", Data: json.RawMessage(data + "}"),
		}
	}
	return out
}

// cached is how many bytes are kept of what others logged.
func cached(w *recording.World) (size int64) {
	_ = filepath.Walk(filepath.Join(w.Repo.TracesDir(), "cache"), func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// A log that is packed to a thousandth of what it says is not unpacked, whichever ref it is on and whoever fetched it.
func TestALogThatSwellsIsLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ref   string
		plain bool
	}{
		"a digest": {"digest", false}, "a whole log": {"events", false}, "by a plain fetch": {"digest", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote, _, _ := victim(t, sharing.LevelCommits, false)
			a := attack(t, w, remote)
			a.publish(t, stranger, letters(20), nil)
			if c.ref != "digest" {
				a.put("refs/traces/writers/"+stranger+"/"+c.ref, gitIn(t, remote, "rev-parse", "refs/traces/writers/"+stranger+"/digest"))
				a.Git("push", "-q", "origin", ":refs/traces/writers/"+stranger+"/digest")
			}
			reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
			if c.plain {
				reader.Git("fetch", "-q", "origin", "+refs/traces/writers/*:refs/traces/remotes/origin/*")
			} else if got := pull(t, reader, sharing.What{Log: true}); got.LeftOut() != 1 {
				t.Errorf("%+v", got)
			}
			tells(t, reader, "one.txt")
			if text := notes(t, reader); !strings.Contains(text, "these are not events") || strings.Count(text, "\n") > 0 {
				t.Errorf("it is said: %s", text)
			}
			if n := cached(reader); n > 2<<20 {
				t.Errorf("%d bytes are kept", n)
			}
		})
	}
}

// archived makes archives of a log under the ids of many writers, so many commits of so many each.
func (a attacker) archived(t testing.TB, archives, commits, writers int) {
	t.Helper()
	a.publish(t, stranger, a.claim(t, "main", "h.txt"), nil)
	d := gitIn(t, a.remote, "rev-parse", "refs/traces/writers/"+stranger+"/digest")
	id, err := refs.ParseOID(d)
	a.Check(err)
	tree, err := events.OpenLog(a.Repo).EmptyTree()
	a.Check(err)
	var tip refs.OID
	who := refs.Signature{Name: "x", Email: "x", When: recordedAt}
	for c := range commits {
		message, parents := "traces: archive\n\n", []refs.OID(nil)
		if !tip.IsZero() {
			message, parents = message+"archive\n", []refs.OID{tip}
		}
		for i := range writers {
			message += fmt.Sprintf("%016x\n", 4096+c*writers+i)
			parents = append(parents, id)
		}
		raw := refs.EncodeCommit(refs.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message})
		tip, err = a.Repo.WriteLoose(a.Repo.MainObjects(), refs.CommitObject, raw)
		a.Check(err)
	}
	for n := range archives {
		a.put(fmt.Sprintf("refs/traces/writers/%016x/archive/digest", 0x2000000+n), tip.String())
	}
}

// What archives unpack to counts, not what arrives, and the logs that are left out are told in one line.
func TestArchivesUnpackToSoManyRefs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ archives, commits, writers, refs int }{
		"one of very many":           {1, 100, 200, 0},
		"several of the same":        {4, 2, 50, 100},
		"several that are too much":  {60, 2, 50, 100},
		"few whose logs are not own": {1, 1, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, remote, _, _ := victim(t, sharing.LevelCommits, false)
			attack(t, w, remote).archived(t, c.archives, c.commits, c.writers)
			reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
			pull(t, reader, sharing.What{})
			unpacked := reader.Git("for-each-ref", "--format=x", "refs/traces/remotes/@archive")
			if n := strings.Count(unpacked, "x"); n != c.refs {
				t.Errorf("%d refs came out of the archives", n)
			}
			if text := notes(t, reader); strings.Count(text, "\n") > 0 || c.refs > 0 && !strings.Contains(text, "logs of others") {
				t.Errorf("it is said: %s", text)
			}
			tells(t, reader, "one.txt")
		})
	}
}

// However many commits a stranger says that one took the place of, an answer takes little.
func TestManyRewrittenCommitsTakeLittle(t *testing.T) {
	// Not parallel: it counts what this process allocates.
	const many = 1500
	for name, claimed := range map[string]bool{"as hooks saw them": false, "as a backfill claims": true} {
		t.Run(name, func(t *testing.T) {
			w, remote, _, _ := victim(t, sharing.LevelCommits, false)
			a := attack(t, w, remote)
			all := a.claim(t, "main", "h.txt")
			anchor := all[1]
			all = all[:1]
			head := gitIn(t, remote, "rev-parse", "main")
			var pairs []events.RewritePair
			var heirs []refs.OID
			for _, to := range []string{"main", "main~1"} {
				id, err := refs.ParseOID(gitIn(t, remote, "rev-parse", to))
				a.Check(err)
				heirs = append(heirs, id)
			}
			for i := range many {
				old := fmt.Sprintf("abc%037x", i)
				d := anchor
				d.Data = json.RawMessage(strings.ReplaceAll(string(anchor.Data), head, old))
				if claimed {
					d.Method = []events.Method{events.Backfill}
				}
				all = append(all, d)
				from, err := refs.ParseOID(old)
				a.Check(err)
				for _, id := range heirs {
					pairs = append(pairs, events.RewritePair{Old: from, New: id})
				}
			}
			for len(pairs) > 0 {
				n := min(len(pairs), 1000)
				data, err := events.Encode(events.RewriteData{Kind: "rebase", Pairs: pairs[:n]})
				a.Check(err)
				pairs = pairs[n:]
				all = append(all, events.Draft{
					Time: recordedAt, Type: events.CommitRewritten, Method: []events.Method{"post_rewrite"}, Data: data,
				})
			}
			a.publish(t, stranger, all, nil)
			pull(t, w, sharing.What{})
			w.Git("commit", "-q", "--allow-empty", "-m", "nothing")
			owners(t, w, "base.txt") // what is found first is kept
			w.Forget()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			owners(t, w, "base.txt")
			tells(t, w, "one.txt")
			runtime.ReadMemStats(&after)
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 400 {
				t.Errorf("it took %d MB", took)
			}
		})
	}
}

// A lock that a killed pull left is not a remote that was not reached.
func TestALockedRefIsNotAnUnreachedRemote(t *testing.T) {
	t.Parallel()
	w, remote, _, _ := victim(t, sharing.LevelCommits, false)
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	writer, err := events.OpenLog(w.Repo).Writer()
	w.Check(err)
	dir := filepath.Join(reader.Repo.CommonDir, "refs", "traces", "remotes", "origin", writer)
	w.Check(os.MkdirAll(dir, 0o755))
	w.Check(os.WriteFile(filepath.Join(dir, "digest.lock"), nil, 0o600))
	s, err := sharing.ReadSettings(t.Context(), reader.Repo)
	w.Check(err)
	origin, err := s.Source("origin")
	w.Check(err)
	_, err = sharing.Pull(t.Context(), events.OpenLog(reader.Repo), origin, sharing.What{})
	if !errors.Is(err, sharing.ErrLocked) || errors.Is(err, sharing.ErrUnreached) {
		t.Errorf("it says: %v", err)
	}
}
