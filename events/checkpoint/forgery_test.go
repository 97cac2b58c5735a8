package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// rebuild makes the log anew, as somebody does who can write every ref: another story, sound in itself.
func (w *world) rebuild(writer string, n int) {
	w.t.Helper()
	other := newWorld(w.t)
	if writer != "" {
		testenv.LoseLog(w.t, w.dir())
		if err := refs.WriteFileAtomic(filepath.Join(other.repo.TracesDir(), "writer"), []byte(writer+"\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
		testenv.LoseLog(w.t, other.dir())
	}
	for i := range n {
		_, err := other.log.Append(context.Background(), []events.Draft{{
			Type: events.TurnEnded, Method: []events.Method{events.Manual}, Data: json.RawMessage(`{"interval":` + string(rune('1'+i)) + `}`),
		}})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	testenv.TakeLog(w.t, w.dir(), other.dir())
}

// without verifies and holds that nothing anchors the log.
func (w *world) without(what string) {
	w.t.Helper()
	r, err := w.log.Verify(context.Background(), events.Verification{})
	if err != nil || r.State != events.Consistent {
		w.t.Errorf("%s, without a checkpoint: %s, %v", what, r.Summary(), err)
	}
}

// disagrees verifies and holds that the checkpoint gives the log away.
func (w *world) disagrees(what string) {
	w.t.Helper()
	if r := w.verify(); r.State != events.Broken || r.Faults[0].Kind != events.FaultAnchor || !strings.Contains(r.Faults[0].Detail, "checkpoint signed by ada") {
		w.t.Errorf("%s: %s %+v", what, r.Summary(), r.Faults)
	}
}

func TestReliabilityC4ATruncatedLogIsHeldAgainstItsCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	w.append(30)
	c := w.sign("")
	w.append(5)
	whole, err := os.ReadFile(w.log.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	cut := func(batches int) {
		if err := os.WriteFile(w.log.JournalPath(), whole, 0o666); err != nil {
			t.Fatal(err)
		}
		testenv.CutLog(t, w.dir(), batches)
	}
	for range testenv.Pick(2, 10, 100) {
		back := 7 + rand.N(26) // 5 batches, that of the checkpoint's event, and at least one of those that were signed
		cut(back)
		w.without(fmt.Sprintf("cut by %d", back))
		w.disagrees(fmt.Sprintf("cut by %d", back))
	}
	// What came after the checkpoint can be cut off unseen: the answer says how far it goes.
	cut(3)
	if r := w.verify(); r.State != events.Anchored || r.AnchoredTo != c.Seq {
		t.Errorf("cut behind the checkpoint: %s", r.Summary())
	}
	testenv.LoseLog(t, w.dir())
	w.disagrees("deleted")
}

func TestReliabilityC4ARebuiltLogIsHeldAgainstItsCheckpoint(t *testing.T) {
	t.Parallel()
	for range testenv.Pick(1, 1, 20) {
		for name, rebuild := range map[string]func(w *world, writer string){
			"by another writer":              func(w *world, _ string) { w.rebuild("", 6) },
			"under the same writer's name":   func(w *world, writer string) { w.rebuild(writer, 6) },
			"shorter than it was":            func(w *world, writer string) { w.rebuild(writer, 1) },
			"and gone on with":               func(w *world, writer string) { w.rebuild(writer, 6); w.append(2) },
			"and the clone's name forgotten": func(w *world, _ string) { w.rebuild("00000000000000ff", 6); w.append(1) },
		} {
			w := newWorld(t)
			w.useSSH("ada")
			writer := w.sign("").Writer
			rebuild(w, writer)
			w.without(name)
			w.disagrees(name)
		}
	}
}

// Whoever rebuilds the log can delete the checkpoints with it; a copy from elsewhere still tells.
func TestReliabilityC4AFetchedCheckpointTellsWhatTheDeletedOneWould(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	w.sign("")
	writer, err := w.log.Writer()
	if err != nil {
		t.Fatal(err)
	}
	kept := "refs/traces/remotes/origin/" + writer + "/checkpoints"
	w.git("update-ref", kept, refs.CheckpointsRef)
	w.git("update-ref", "-d", refs.CheckpointsRef)
	r := w.expect("the log is whole", "consistent and anchored up to 4", "which refs/traces/checkpoints does not hold")
	if !strings.HasSuffix(r.AnchoredBy, " fetched from origin") {
		t.Errorf("anchored by %q", r.AnchoredBy)
	}
	w.rebuild(writer, 6)
	if r := w.verify(); r.State != events.Broken || !strings.Contains(r.Faults[0].Detail, "fetched from origin holds another event") {
		t.Errorf("rebuilt: %s %+v", r.Summary(), r.Faults)
	}
	// Without any copy, nothing can tell; then nothing is claimed either.
	w.git("update-ref", "-d", kept)
	w.expect("nothing is left to hold it against", "consistent", "")
}

// What a remote says of others' logs, or under a name that is not its writer's, is no anchor.
func TestAFetchedCheckpointOfAnotherWriterIsNone(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), newWorld(t)
	ada := w.useSSH("ada")
	other.git("config", "gpg.format", "ssh")
	c := other.signAs(ada)
	writer, err := w.log.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for ref, note := range map[string]string{
		"refs/traces/remotes/origin/" + c.Writer + "/checkpoints": "",
		"refs/traces/remotes/origin/" + writer + "/checkpoints":   "it speaks of writer " + c.Writer,
	} {
		w.git("fetch", "-q", "--no-write-fetch-head", other.dir(), refs.CheckpointsRef+":"+ref)
		w.expect(ref, "consistent", note)
		w.git("update-ref", "-d", ref)
	}
}

func (w *world) signAs(key string) Checkpoint {
	w.t.Helper()
	return w.sign(key + ".pub")
}
