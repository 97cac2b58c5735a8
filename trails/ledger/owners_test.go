package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/events"
)

func TestOwnersAreFoundByTheirPatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := NewOwnersIn(dir)
	key, call := NewOwnerKey([]string{"ai", "S1", "c1"}), events.AnchorOwner{Kind: events.OwnerAI, Session: "S1", ToolCall: "c1"}
	id := PatchOf([]byte("a"), key)
	if got := o.Describe(id); got.Kind != events.OwnerUnknown {
		t.Errorf("a patch of nobody is %+v", got)
	}
	put := func() {
		t.Helper()
		o.Put(key, call)
		save(t, o)
	}
	put()
	put()
	if got := o.Describe(id); got.Session != "S1" || got.ToolCall != "c1" || got.Patch != id || got.Kind != events.OwnerAI {
		t.Errorf("owner is %+v", got)
	}
	name := filepath.Join(dir, string(key[:2]))
	raw, err := os.ReadFile(name)
	if err != nil || len(raw) == 0 {
		t.Fatal(err)
	}
	// Half a line of a killed process, then the next owner.
	if err := os.WriteFile(name, raw[:len(raw)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	put()
	if got := o.Describe(id); got.Session != "S1" {
		t.Errorf("after half a line the owner is %+v", got)
	}
	if got := o.Describe(PatchOf([]byte("b"), Person)); got.Kind != events.OwnerHuman {
		t.Errorf("a person's patch is %+v", got)
	}
	if got := o.Describe(WithOwner(id, Person)); got.Kind != events.OwnerHuman {
		t.Errorf("a patch that turned out a person's is %+v", got)
	}
	if got := o.Describe("no patch"); got.Kind != events.OwnerUnknown {
		t.Errorf("text that is no id is %+v", got)
	}
}

func TestOwnersAreToldApartByEachText(t *testing.T) {
	t.Parallel()
	seen := map[OwnerKey]bool{Person: true}
	for _, parts := range [][]string{{"ai"}, {"ai", "S1"}, {"ai", "S1", "c1"}, {"aiS1", "c1"}, {"ai", "S1c1"}} {
		key := NewOwnerKey(parts)
		if back, ok := OwnerKeyOf(PatchOf(nil, key)); seen[key] || !ok || back != key {
			t.Errorf("%q has the key %q, read back %q", parts, key, back)
		}
		seen[key] = true
	}
}
