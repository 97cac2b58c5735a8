package trails

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
	"github.com/git-trace/git-trace/trails/vector"
)

// A repository is removed while a hook is at work in it: whatever the hook writes next, nothing of it is made again.
func TestNothingIsMadeAgainInARemovedRepository(t *testing.T) {
	t.Parallel()
	content := refs.SHA1.Hash(refs.BlobObject, []byte("x"))
	for name, write := range map[string]func(t *testing.T, e *Engine, snap *snapshot.Engine) error{
		"a boundary that is put aside": func(t *testing.T, e *Engine, _ *snapshot.Engine) error {
			return e.Late(t.Context(), events.Boundary{Kind: "turn_end", Time: time.Now()})
		},
		"the note of a process": func(t *testing.T, e *Engine, _ *snapshot.Engine) error {
			if note := spool.Announce(e.repo, time.Now()); note != nil {
				t.Error("it is there")
			}
			return fs.ErrNotExist
		},
		"a boundary": func(t *testing.T, e *Engine, _ *snapshot.Engine) error {
			return e.Handle(t.Context(), events.Boundary{Kind: "turn_end", Agent: "a", Session: "S", Time: time.Now()})
		},
		"the owners of a content": func(_ *testing.T, e *Engine, _ *snapshot.Engine) error {
			known := ledger.NewKnown(e.repo)
			known.Put("a.txt", content, vector.Uniform(1, vector.Unknown))
			return known.Save()
		},
		"who an owner is": func(_ *testing.T, e *Engine, _ *snapshot.Engine) error {
			owners := ledger.NewOwners(e.repo)
			owners.Put("key", events.AnchorOwner{Kind: events.OwnerAI, Agent: "a"})
			return owners.Save()
		},
		"a prompt": func(_ *testing.T, e *Engine, _ *snapshot.Engine) error {
			return ledger.NewPrompts(e.repo).Put("4f2a", 1, "x")
		},
		"caches that are made again": func(_ *testing.T, e *Engine, _ *snapshot.Engine) error {
			return Rebuild(e.repo, func(func(events.Event, error) bool) {})
		},
		"a snapshot": func(t *testing.T, _ *Engine, snap *snapshot.Engine) error {
			_, err := snap.Full(t.Context())
			if err == nil {
				err = snap.Flush()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			sc.work("a.txt", "one\n")
			sc.commit()
			snap, err := snapshot.Open(t.Context(), sc.step.tree.repo, snapshotState(sc.step.tree.repo))
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			if err := os.RemoveAll(sc.step.tree.repo.GitDir); err != nil {
				t.Fatal(err)
			}
			if err := write(t, New(sc.step.tree.repo, nil, nil), snap); err == nil {
				t.Error("it does not fail")
			}
			if _, err := os.Lstat(sc.step.tree.repo.GitDir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the git directory is there again: %v", err)
			}
		})
	}
}
