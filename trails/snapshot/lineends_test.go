package snapshot

import "testing"

// With automatic line endings the content in the index decides whether a file keeps its CRs: the user's index, whatever
// the snapshots before had.
func TestLineEndingsAreJudgedByTheUsersIndex(t *testing.T) {
	t.Parallel()
	for _, scoped := range []bool{false, true} {
		b := newSandbox(t)
		b.git("config", "core.autocrlf", "false")
		b.write("stored with CRs", "one\r\n")
		b.commit("one")
		b.git("config", "core.autocrlf", "true")
		w := b.watch("git", true)
		w.check("first", b.wantTree())
		b.write("stored with CRs", "one\n")
		w.check("without", b.wantTree())
		b.write("stored with CRs", "one\ntwo\r\n")
		if scoped {
			w.checkScoped("with", "stored with CRs", b.wantTree())
			continue
		}
		w.check("with", b.wantTree())
	}
}
