package checkpoint

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// rebuild makes the log anew, as somebody does who can write every ref: another story, sound in itself.
func (w *world) rebuild(writer string, n int) {
	w.t.Helper()
	other := newWorld(w.t)
	if writer != "" {
		w.git("update-ref", "-d", refs.EventsRef)
		if err := refs.WriteFileAtomic(filepath.Join(other.repo.TracesDir(), "writer"), []byte(writer+"\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
		other.git("update-ref", "-d", refs.EventsRef)
	}
	for i := range n {
		_, err := other.log.Append(context.Background(), []events.Draft{{
			Type: events.TurnEnded, Method: []events.Method{events.Manual}, Data: json.RawMessage(`{"interval":` + string(rune('1'+i)) + `}`),
		}})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.git("fetch", "-q", "--no-write-fetch-head", other.dir(), "+"+refs.EventsRef+":"+refs.EventsRef)
}

func TestATruncatedLogIsHeldAgainstItsCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useSSH("ada")
	w.append(4)
	w.sign("")
	for _, back := range []string{"~2", "~3", "~5"} {
		tip := w.tip().String()
		w.git("update-ref", refs.EventsRef, tip+back)
		if r := w.verify(); r.State != events.Broken || r.Faults[0].Kind != events.FaultAnchor || !strings.Contains(r.Faults[0].Detail, "checkpoint signed by ada") {
			t.Errorf("cut by %s: %s %+v", back, r.Summary(), r.Faults)
		}
		w.git("update-ref", refs.EventsRef, tip)
	}
	w.git("update-ref", "-d", refs.EventsRef)
	if r := w.verify(); r.State != events.Broken {
		t.Errorf("deleted: %s", r.Summary())
	}
}

func TestARebuiltLogIsHeldAgainstItsCheckpoint(t *testing.T) {
	t.Parallel()
	writer := ""
	for name, rebuild := range map[string]func(w *world){
		"by another writer":              func(w *world) { w.rebuild("", 6) },
		"under the same writer's name":   func(w *world) { w.rebuild(writer, 6) },
		"shorter than it was":            func(w *world) { w.rebuild(writer, 1) },
		"with the cache's help":          func(w *world) { w.rebuild(writer, 6); w.append(2) },
		"and the clone's name forgotten": func(w *world) { w.rebuild("00000000000000ff", 6); w.append(1) },
	} {
		w := newWorld(t)
		w.useSSH("ada")
		w.sign("")
		own, err := w.log.Writer()
		if err != nil {
			t.Fatal(err)
		}
		writer = own
		rebuild(w)
		if r, err := w.log.Verify(context.Background(), events.Verification{}); err != nil || r.State != events.Consistent {
			t.Errorf("%s, without a checkpoint: %s, %v", name, r.Summary(), err)
		}
		if r := w.verify(); r.State != events.Broken || r.Faults[0].Kind != events.FaultAnchor {
			t.Errorf("%s: %s %+v", name, r.Summary(), r.Faults)
		}
	}
}

// Whoever rebuilds the log can delete the checkpoints with it; a copy from elsewhere still tells.
func TestAFetchedCheckpointTellsWhatTheDeletedOneWould(t *testing.T) {
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
