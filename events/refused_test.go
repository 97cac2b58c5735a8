package events

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// published puts a digest with a prompt on the ref of a fetched log. The head may be changed before.
func published(t *testing.T, log *Log, writer string, change func(*PublicationHead)) (FetchedLog, PublishedFile) {
	t.Helper()
	at := time.Unix(1_700_000_000, 0)
	started := Draft{Type: LogStarted, Time: at, Method: []Method{PostCommit},
		Data: []byte(`{"format":1,"object_format":"` + log.repo.Format.String() + `","tool":"git-trace"}`)}
	all, err := Follow([]Draft{started, promptDraft(1)}, 0, "", writer)
	check(t, err)
	file, err := log.WritePublished(all)
	check(t, err)
	head := PublicationHead{Format: Version, Writer: writer, Level: "commits", ObjectFormat: log.repo.Format.String(), Events: 2,
		Last: all[1].ID}
	change(&head)
	tree, err := log.WritePublication(Publication{Files: []PublishedFile{file}, Head: head})
	check(t, err)
	commit, err := refs.ParseOID(strings.TrimSpace(runGit(t, log.repo.WorkTree, "commit-tree", "-m", "traces", tree.String())))
	check(t, err)
	ref := FetchedRef("origin", writer, "digest")
	check(t, log.repo.SetRef(t.Context(), ref, commit))
	f, _ := parseFetched(ref)
	f.Tip = commit
	return f, file
}

// opened gives why the only fetched log is not read, as a command finds it.
func opened(t *testing.T, repo *refs.Repo) string {
	t.Helper()
	log := OpenLog(repo)
	fetched, err := log.Fetched(t.Context())
	check(t, err)
	copies, err := log.Copies(t.Context(), fetched)
	check(t, err)
	if len(copies) != 1 {
		t.Fatalf("%d logs", len(copies))
	}
	if copies[0].Err != nil {
		return copies[0].Err.Error()
	}
	copies[0].Copy.Close()
	return ""
}

// objectFile is where a loose object lies.
func objectFile(repo *refs.Repo, id refs.OID) string {
	return filepath.Join(repo.MainObjects(), id.String()[:2], id.String()[2:])
}

// A log that is not sound is read once: the next command is told by the commit's name, without any of its objects. What
// another version of the program found counts for nothing, nor does it count for another commit.
func TestALogThatIsNotSoundIsReadOnce(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	log := OpenLog(repo)
	f, file := published(t, log, "00000000000000ff", func(h *PublicationHead) { h.Events = 3 })
	why := opened(t, repo)
	if !strings.Contains(why, "its last event is not the one that it names") {
		t.Fatal(why)
	}
	check(t, os.Remove(objectFile(repo, file.Blob)))
	if again := opened(t, repo); again != why {
		t.Errorf("once more: %s", again)
	}
	ends := log.readTaken(fetchedDir)
	if len(ends.logs) != 1 {
		t.Fatalf("%d ends are kept", len(ends.logs))
	}
	ends.by = "another version"
	check(t, os.WriteFile(log.takenPath(fetchedDir, "ends"), ends.encode(), 0o600))
	if again := opened(t, repo); !strings.Contains(again, "missing") {
		t.Errorf("to another version: %s", again)
	}
	check(t, log.ForgetFetched())
	_, _ = published(t, log, f.Writer, func(*PublicationHead) {})
	if sound := opened(t, repo); sound != "" {
		t.Errorf("the sound one: %s", sound)
	}
}

// What could not be read may be there at the next command, under the same name.
func TestWhatIsMissingFromALogIsLookedForAgain(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]func(FetchedLog, PublishedFile) refs.OID{
		"events":     func(_ FetchedLog, file PublishedFile) refs.OID { return file.Blob },
		"the commit": func(f FetchedLog, _ PublishedFile) refs.OID { return f.Tip },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			f, file := published(t, OpenLog(repo), "00000000000000ff", func(*PublicationHead) {})
			gone := objectFile(repo, without(f, file))
			check(t, os.Rename(gone, gone+".away"))
			for range 2 {
				if why := opened(t, repo); !strings.Contains(why, "missing") {
					t.Errorf("without %s: %s", name, why)
				}
			}
			check(t, os.Rename(gone+".away", gone))
			if why := opened(t, repo); why != "" {
				t.Errorf("it is back: %s", why)
			}
		})
	}
}
