package view

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestWhatARefLeadsToIsKeptUntilARefMoves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(message string) refs.OID {
		git("commit", "-q", "--allow-empty", "-m", message)
		id, err := refs.ParseOID(git("rev-parse", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	git("init", "-q")
	kept := commit("kept")
	dropped := commit("dropped")
	git("reset", "-q", "--hard", kept.String())
	gone, err := refs.ParseOID(strings.Repeat("1", len(kept.String())))
	if err != nil {
		t.Fatal(err)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.MakeTracesDir(); err != nil {
		t.Fatal(err)
	}
	look := func(when string, want map[refs.OID]bool, asksGit bool) {
		t.Helper()
		r, err := openReach(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		if known := len(r.known) > 0; known == asksGit {
			t.Errorf("%s: %d answers were kept", when, len(r.known))
		}
		got, err := r.ask(t.Context(), []refs.OID{kept, dropped, gone, kept})
		if err != nil {
			t.Fatal(err)
		}
		r.repo = nil // nobody is asked a second time
		if again, err := r.ask(t.Context(), []refs.OID{gone, kept}); err != nil || again[kept] != got[kept] || again[gone] {
			t.Errorf("%s: asked again: %v, %v", when, again, err)
		}
		for id, reached := range want {
			if got[id] != reached {
				t.Errorf("%s: %s is %v", when, id, got[id])
			}
		}
	}
	look("at first", map[refs.OID]bool{kept: true, dropped: false, gone: false}, true)
	look("again", map[refs.OID]bool{kept: true, dropped: false, gone: false}, false)
	git("tag", "back", dropped.String())
	look("with a tag", map[refs.OID]bool{kept: true, dropped: true, gone: false}, true)
	git("tag", "-d", "back")
	git("update-ref", "refs/traces/events", dropped.String())
	look("with a ref of the log alone", map[refs.OID]bool{kept: true, dropped: false, gone: false}, true)
	if err := os.WriteFile(reachPath(repo), []byte("damaged\n- "+kept.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("beside a damaged file", map[refs.OID]bool{kept: true, dropped: false, gone: false}, true)
}
