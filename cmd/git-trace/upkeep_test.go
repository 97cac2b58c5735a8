//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// slowGit stands before git on the search path and holds up packing until a file says go.
const slowGit = `#!/bin/sh
for arg; do
	if [ "$arg" = pack-objects ]; then
		ls -l /proc/$PPID/fd >"$SLOW/fds"
		ps -o sid=,pid= -p $PPID >"$SLOW/session"
		echo started >"$SLOW/started"
		while [ ! -e "$SLOW/go" ]; do sleep 0.01; done
	fi
done
exec "$REAL_GIT" "$@"
`

// A hook that starts packing ends at once, and so do all streams that it was given: whoever reads them to their end
// does not wait for the packing.
func TestPackingIsDetachedFromTheHookThatStartsIt(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	repo, err := refs.DiscoverHook(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		if _, err := repo.WriteLoose(repo.SideObjects(), refs.BlobObject, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	slow := testenv.TempDir(t)
	testenv.Program(t, filepath.Join(slow, "git"), slowGit)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	payload := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"go"}`, r.dir)
	cmd := exec.Command("git-trace", "hook", "claude-code", "UserPromptSubmit")
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(payload)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = write, write, []*os.File{write}
	cmd.Env = []string{
		"HOME=" + r.home, "PATH=" + slow + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", runner.LimitEnv + "=" + patience, "SLOW=" + slow,
		"REAL_GIT=" + real, runner.LooseLimitVar + "=200",
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	// Packing waits for the file that is written below, so this would never end if it held the pipe.
	said, err := io.ReadAll(read)
	if err != nil || len(said) > 0 {
		t.Errorf("the hook said %q: %v", said, err)
	}
	await(t, filepath.Join(slow, "started"))
	fds, err := os.ReadFile(filepath.Join(slow, "fds"))
	if err != nil || strings.Count(string(fds), "/dev/null") < 3 {
		t.Errorf("the process that packs has open: %s", fds)
	}
	session, err := os.ReadFile(filepath.Join(slow, "session"))
	if ids := strings.Fields(string(session)); err != nil || len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("it is in session %s", session)
	}
	if err := os.WriteFile(filepath.Join(slow, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		loose, err := refs.ListLoose(repo.SideObjects())
		if err != nil {
			t.Fatal(err)
		}
		if len(loose) < 100 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d loose objects are left", len(loose))
		}
	}
	lock, err := refs.Flock(repo.MaintenanceLock(), time.Minute) // until it has ended
	if err != nil {
		t.Fatal(err)
	}
	lock.Unlock()
	if _, err := os.Stat(filepath.Join(repo.TracesDir(), "cache", "upkeep")); err != nil { // when it was tried
		t.Error("the next hook would start it again")
	}
	r.run("git-trace", "doctor")
}

func await(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come", filepath.Base(path))
		}
	}
}

func TestTwoGCsDoNotWorkAtOnce(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	r := newRecorded(t)
	repo, err := refs.DiscoverHook(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := refs.Flock(repo.MaintenanceLock(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	cmd := exec.Command("git-trace", "gc")
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "HOME="+r.home, "XDG_STATE_HOME=")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exit.Unchecked || !strings.Contains(string(out), "another gc is running") {
		t.Errorf("%v: %s", err, out)
	}
	r.run("git-trace", "gc", "--auto")
	time.AfterFunc(time.Second, lock.Unlock) // as one that a hook began ends by itself
	r.run("git-trace", "gc")
}
