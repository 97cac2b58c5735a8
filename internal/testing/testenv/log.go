package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ownLog is the ref of a repository's own log. Tests that bring a log to another place, or cut it, do so by the
// functions below, and need not know how it is stored.
const ownLog = "refs/traces/events"

// failing is a test, or a script of one.
type failing interface {
	Fatalf(format string, args ...any)
}

// FetchLog brings the log of another clone into a repository, as `git fetch` of it does, and returns its writer.
func FetchLog(t failing, into, from, remote string) (writer string) {
	writer = WriterOf(t, from)
	FetchLogAs(t, into, from, FetchedLog(remote, writer))
	return writer
}

// FetchLogAs is FetchLog under any name.
func FetchLogAs(t failing, into, from, ref string) {
	inRepo(t, into, "fetch", "-q", "--no-write-fetch-head", from, "+"+ownLog+":"+ref)
}

// FetchedLog is the ref of a writer's log that was fetched from a remote.
func FetchedLog(remote, writer string) string {
	return "refs/traces/remotes/" + remote + "/" + writer + "/events"
}

// WriterOf is the id under which a clone writes its log.
func WriterOf(t failing, dir string) string {
	common := strings.TrimSpace(inRepo(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir"))
	id, err := os.ReadFile(filepath.Join(common, "traces", "writer"))
	if err != nil {
		t.Fatalf("read the writer of %s: %v", dir, err)
	}
	return strings.TrimSpace(string(id))
}

// CutLog takes the last batches from a repository's log.
func CutLog(t failing, dir string, batches int) {
	inRepo(t, dir, "update-ref", ownLog, ownLog+"~"+strconv.Itoa(batches))
}

// LoseLog takes a repository's log away.
func LoseLog(t failing, dir string) {
	inRepo(t, dir, "update-ref", "-d", ownLog)
}

func inRepo(t failing, dir string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
