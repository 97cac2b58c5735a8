package events

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// inSmallFileSystem runs this test again in a mount name space of its own, with a small empty file system on a
// directory, and tells whether it is that second run. The directory is then the returned one.
func inSmallFileSystem(t *testing.T, size string) (string, bool) {
	t.Helper()
	if dir := os.Getenv("EVENTS_TEST_MOUNT"); dir != "" {
		return dir, true
	}
	dir := t.TempDir()
	script := `mount -t tmpfs -o size="$1" none "$2" || exit 99; EVENTS_TEST_MOUNT="$2" exec "$3" -test.run "^$4\$" -test.v`
	space := append(testenv.MountSpace(t), "sh", "-c", script, "sh", size, dir, os.Args[0], t.Name())
	cmd := exec.Command(space[0], space[1:]...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("in a file system of %s: %v\n%s", size, err, out)
	}
	return "", false
}

func TestReliabilityB4FullDisk(t *testing.T) {
	dir, inside := inSmallFileSystem(t, "3m")
	if !inside {
		return
	}
	runGit(t, "", "init", "-q", filepath.Join(dir, "r"))
	repo := openRepo(t, filepath.Join(dir, "r"))
	log := OpenLog(repo)
	var acked []ID
	failed := 0
	for i := 0; failed < 50; i++ {
		if i > 5000 {
			t.Fatal("the disk does not become full")
		}
		d := promptDraft(i)
		d.Session = strings.Repeat("s", 1+(i*997)%20_000)
		events, err := log.Append(context.Background(), []Draft{d})
		if err != nil {
			failed++
			if errors.Is(err, ErrSpooled) {
				continue // the spool had room left; the next append takes it from there, if it can
			}
			if !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), strings.Repeat("s", 16)) {
				t.Fatalf("error %v", err)
			}
			continue
		}
		for _, e := range events {
			acked = append(acked, e.ID)
		}
	}
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("after the disk was full: %s %v", r.Summary(), r.Faults)
	}
	holdsExactly(t, log, acked, false)
	fsck(t, repo)
	if len(acked) < 20 {
		t.Errorf("only %d appends went well before", len(acked))
	}
	// A copy can be read although nothing can be stored.
	c, err := log.Copy(context.Background(), refs.EventsRef)
	check(t, err)
	defer c.Close()
	n := 0
	for _, err := range c.Lines() {
		check(t, err)
		n++
	}
	if n < len(acked) {
		t.Errorf("the copy has %d events of %d", n, len(acked))
	}
	// With room again, all goes on.
	check(t, os.RemoveAll(filepath.Join(repo.GitDir, "hooks")))
	check(t, os.RemoveAll(log.cacheDir()))
	if _, err := log.Append(context.Background(), []Draft{promptDraft(1_000_000)}); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if left, err := log.Spooled(); err != nil || len(left) > 0 {
		t.Errorf("left in the spool: %v, %v", left, err)
	}
	t.Logf("%d appends before the disk was full", len(acked))
}

func TestReliabilityB4ReadOnlyRepository(t *testing.T) {
	dir, inside := inSmallFileSystem(t, "5m")
	if !inside {
		return
	}
	runGit(t, "", "init", "-q", filepath.Join(dir, "r"))
	repo := openRepo(t, filepath.Join(dir, "r"))
	log := OpenLog(repo)
	mustAppend(t, log, promptDraft(0), promptDraft(1))
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", dir).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v %s", err, out)
	}
	_, err := log.Append(context.Background(), []Draft{promptDraft(2)})
	if err == nil || errors.Is(err, ErrSpooled) || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("append: %v", err)
	}
	expectCopy(t, log, 3)
	if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 3 || len(r.Notes) > 0 {
		t.Errorf("verify: %s %v", r.Summary(), r.Notes)
	}
	if events := readAll(t, log, Range{}); len(events) != 3 {
		t.Errorf("walk: %d events", len(events))
	}
}
