package events

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestARevisionTakesThePlaceOfItsOwnWritersAnchors(t *testing.T) {
	t.Parallel()
	commit, other := refs.SHA1.Hash(refs.BlobObject, []byte("a")), refs.SHA1.Hash(refs.BlobObject, []byte("b"))
	anchor := func(name, writer string, of refs.OID, revision int, method Method) Event {
		raw, err := Encode(CommitData{Commit: of, Revision: revision})
		if err != nil {
			t.Fatal(err)
		}
		return Event{ID: ID(name), Writer: writer, Type: CommitAnchored, Method: []Method{method}, Data: raw}
	}
	rewritten := Event{ID: "rewritten", Writer: "me", Type: CommitRewritten, Data: []byte(`{"kind":"amend","pairs":[]}`)}
	for name, tt := range map[string]struct {
		list []Event
		want string
	}{
		"nothing is revised": {[]Event{anchor("a", "me", commit, 0, PostCommit), anchor("b", "me", commit, 0, PostCommit)}, "a b"},
		"the last revision counts, with all its parts": {[]Event{
			anchor("a", "me", commit, 0, PostCommit), anchor("b", "me", commit, 1, HookPrompt), anchor("c", "me", commit, 2, HookPrompt),
			anchor("d", "me", commit, 2, HookPrompt), rewritten,
		}, "c d rewritten"},
		"another commit's anchors stay": {[]Event{anchor("a", "me", other, 0, PostCommit), anchor("b", "me", commit, 1, HookPrompt)}, "a b"},
		"another writer's stay":         {[]Event{anchor("a", "me", commit, 0, PostCommit), anchor("b", "them", commit, 7, HookPrompt)}, "a b"},
		"what was claimed later stays":  {[]Event{anchor("a", "me", commit, 1, HookPrompt), anchor("b", "me", commit, 0, Backfill)}, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range InForce(tt.list) {
				got = append(got, string(e.ID))
			}
			if fmt.Sprint(got) != fmt.Sprint(strings.Fields(tt.want)) {
				t.Errorf("%v, want %s", got, tt.want)
			}
		})
	}
}
