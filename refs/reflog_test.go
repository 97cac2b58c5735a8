package refs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReflogsAgreeWithGit walks a repository through what git notes in reflogs, and what it takes out of them.
func TestReflogsAgreeWithGit(t *testing.T) {
	t.Parallel()
	for _, storage := range []string{refFiles, refTables} {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			top := repo.WorkTree
			linkedDir := filepath.Join(t.TempDir(), "linked")
			git(t, top, "worktree", "add", "-q", linkedDir)
			linked := discover(t, linkedDir)
			check := func(after string) {
				t.Helper()
				for _, r := range []*Repo{repo, linked} {
					for _, name := range []string{"HEAD", "refs/heads/main", "refs/heads/linked", "refs/stash", "refs/heads/none"} {
						got, _ := r.LogSince(name, 0)
						if want := gitReflog(t, r.WorkTree, name); !slices.Equal(got, want) {
							t.Errorf("after %s, %s in %s:\n%v, git has\n%v", after, name, filepath.Base(r.WorkTree), got, want)
						}
						if last := r.LastLog(name, 2); !slices.Equal(last, got[max(0, len(got)-2):]) {
							t.Errorf("after %s, the last of %s: %v", after, name, last)
						}
						if (r.LogPosition(name) > 0) != (len(got) > 0) {
							t.Errorf("after %s, %s: at %d with %d entries", after, name, r.LogPosition(name), len(got))
						}
					}
				}
			}
			stash := func(text string) {
				write(t, filepath.Join(top, "file.txt"), text)
				git(t, top, "stash", "-q")
			}
			check("nothing")
			git(t, top, "commit", "-q", "--allow-empty", "-m", "second: with a colon")
			before := repo.LogPosition("HEAD")
			git(t, top, "commit", "-q", "--allow-empty", "--amend", "-m", "other")
			git(t, top, "checkout", "-q", "-b", "topic")
			if since, whole := repo.LogSince("HEAD", before); !whole || len(since) != 2 || since[0].Message != "commit (amend): other" {
				t.Errorf("since %d: %v, whole %v", before, since, whole)
			}
			git(t, linkedDir, "commit", "-q", "--allow-empty", "-m", "in the linked work tree")
			check("commits")
			stash("a\n")
			stash("b\n")
			stash("c\n")
			check("stashes")
			git(t, top, "stash", "drop", "-q", "stash@{1}")
			check("dropping one")
			git(t, top, "pack-refs", "--all")
			check("packing")
			for _, name := range []string{"x", "y", "z"} {
				git(t, top, "commit", "-q", "--allow-empty", "-m", name)
			}
			git(t, top, "branch", "-q", "-D", "main")
			check("deleting a branch")
			git(t, top, "stash", "clear")
			git(t, top, "reflog", "expire", "--expire=now", "--all")
			check("expiry")
		})
	}
}

// gitReflog is what git says of a reflog, the oldest entry first.
func gitReflog(t *testing.T, dir, name string) []LogEntry {
	t.Helper()
	out, err := tryGit(dir, "log", "-g", "--format=%H %gs", name, "--")
	if err != nil || out == "" {
		return nil
	}
	var entries []LogEntry
	for line := range strings.Lines(out) {
		id, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, err := ParseOID(id)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, LogEntry{New: oid, Message: message})
	}
	slices.Reverse(entries)
	return entries
}

func TestALongReflogIsReadFromItsEnd(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	var log strings.Builder
	id := strings.Repeat("a", 40)
	for range 5000 {
		log.WriteString(id + " " + id + " A U Thor <author@example.com> 1700000000 +0000\tcommit: " + strings.Repeat("x", 50) + "\n")
	}
	log.WriteString(id + " " + strings.Repeat("b", 40) + " A U Thor <author@example.com> 1700000000 +0000\tcommit: last\n")
	if err := os.WriteFile(repo.logPath("HEAD"), []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 3, 100} {
		last := repo.LastLog("HEAD", most)
		if len(last) != most || last[most-1].Message != "commit: last" {
			t.Errorf("asked for %d: %d entries", most, len(last))
		}
	}
}

func TestWhetherThereAreRefsBelowAPrefix(t *testing.T) {
	t.Parallel()
	for _, storage := range []string{refFiles, refTables} {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			has := func(want bool, when string) {
				t.Helper()
				if got := repo.MayHaveRefs("refs/traces/remotes/"); got != want {
					t.Errorf("%s: %v", when, got)
				}
			}
			git(t, repo.WorkTree, "update-ref", "refs/traces/remote", "HEAD")
			git(t, repo.WorkTree, "update-ref", "refs/traces/s", "HEAD")
			has(false, "with neighbours")
			git(t, repo.WorkTree, "update-ref", "refs/traces/remotes/origin/w/events", "HEAD")
			has(true, "with one")
			git(t, repo.WorkTree, "pack-refs", "--all")
			has(true, "packed")
			git(t, repo.WorkTree, "update-ref", "-d", "refs/traces/remotes/origin/w/events")
			has(false, "deleted")
			if storage == refTables {
				git(t, repo.WorkTree, "update-ref", "refs/traces/other", "HEAD")
				has(false, "deleted by a newer table")
			}
		})
	}
}

func TestARefThatIsWrittenAgainIsNoticed(t *testing.T) {
	t.Parallel()
	for _, storage := range []string{refFiles, refTables} {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			if n := repo.RefWritten("ORIG_HEAD"); n != 0 || repo.HasRef("ORIG_HEAD") {
				t.Errorf("before there is one: %d", n)
			}
			seen := map[int64]bool{0: true}
			for range 3 {
				git(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "work")
				git(t, repo.WorkTree, "reset", "-q", "--hard", "HEAD")
				n := repo.RefWritten("ORIG_HEAD")
				if seen[n] || !repo.HasRef("ORIG_HEAD") {
					t.Errorf("written again: %d of %v", n, seen)
				}
				seen[n] = true
			}
		})
	}
}
