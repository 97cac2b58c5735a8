package purge

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// inSideStore stores a content as a snapshot does.
func inSideStore(t *testing.T, repo *refs.Repo, text string) refs.OID {
	t.Helper()
	oid, err := repo.WriteLoose(repo.SideObjects(), refs.BlobObject, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

func inStore(repo *refs.Repo, oid refs.OID) bool {
	objects := repo.Objects()
	defer objects.Close()
	_, err := objects.Blob(oid)
	return err == nil
}

// Attack F8: a snapshot that was begun before the purge, and ends after it has looked, stores the text. A purge waits
// for whoever is at work, whatever tells of them.
func TestAPurgeWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	lock := func(name ...string) func(t *testing.T, repo *refs.Repo) func() {
		return func(t *testing.T, repo *refs.Repo) func() {
			held, err := refs.Flock(filepath.Join(append([]string{repo.TracesDir()}, name...)...), 0)
			if err != nil {
				t.Fatal(err)
			}
			return held.Unlock
		}
	}
	file := func(name string) func(t *testing.T, repo *refs.Repo) func() {
		return func(t *testing.T, repo *refs.Repo) func() {
			path := filepath.Join(repo.WorktreeTracesDir(), name)
			if err := refs.WriteFileAtomic(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			return func() { _ = os.Remove(path) }
		}
	}
	now := strconv.FormatInt(time.Now().UnixNano(), 10)
	for name, begin := range map[string]func(t *testing.T, repo *refs.Repo) func(){
		"a process does what a hook put off":   lock("later.lock"),
		"a hook takes its step":                lock("lock"),
		"snapshots are packed":                 lock("maintenance.lock"),
		"a hook has put its boundary aside":    file("spool/" + strings.Repeat("0", 20-len(now)) + now + "-1.boundary"),
		"a hook of git's has put a commit off": file("later/" + now + "-1-0.job"),
		"a hook has left its note":             file("spool/" + strings.Repeat("0", 20-len(now)) + now + "-" + strconv.Itoa(os.Getppid()) + ".begun"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			end := begin(t, repo)
			stored := make(chan refs.OID, 1)
			go func() {
				time.Sleep(300 * time.Millisecond)
				stored <- inSideStore(t, repo, "before\n"+word+"\nafter\n")
				end()
			}()
			p, err := Do(t.Context(), repo, texts(t, repo))
			if err != nil {
				t.Fatal(err)
			}
			if oid := <-stored; inStore(repo, oid) || p.Blobs != 1 || len(p.Left) > 0 {
				t.Errorf("%d contents purged, the content is there: %v, left: %v", p.Blobs, inStore(repo, oid), p.Left)
			}
		})
	}
}

// What does not end is told, and the purge is not whole.
func TestAPurgeTellsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	held, err := refs.Flock(filepath.Join(repo.TracesDir(), "later.lock"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	p := newPurge(t.Context(), repo, texts(t, repo), false)
	p.patience = 200 * time.Millisecond
	if err := p.run(); err != nil || len(p.Left) != 1 || p.Left[0].What != "a snapshot of the work tree" {
		t.Errorf("%v, left: %v", err, p.Left)
	}
}

// What snapshots store after a purge is held against its rules: once, however often it is asked.
func TestRulesOutliveThePurge(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	kept := inSideStore(t, repo, "nothing of it\n")
	p, err := Do(t.Context(), repo, texts(t, repo))
	if err == nil {
		err = p.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{word, "a line\n" + word + " beside others\n", `{"said":"` + word + `"}`} {
		late := inSideStore(t, repo, text)
		for range 2 {
			if err := Again(t.Context(), repo); err != nil {
				t.Fatal(err)
			}
		}
		if inStore(repo, late) || !inStore(repo, kept) {
			t.Errorf("%q is there: %v; what does not hold it: %v", text, inStore(repo, late), inStore(repo, kept))
		}
	}
	other := newRepo(t)
	if err := Again(t.Context(), other); err != nil {
		t.Errorf("without rules: %v", err)
	}
}
