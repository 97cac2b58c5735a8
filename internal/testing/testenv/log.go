package testenv

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ownLog is the ref of a repository's own log. The functions below change a log for tests. They write the stored form
// that docs/format.md describes.
const ownLog = "refs/traces/events"

// failing is a test, or a script in a test.
type failing interface {
	Fatalf(format string, args ...any)
}

// FetchLog fetches another clone's log with `git fetch`, and returns its writer.
func FetchLog(t failing, into, from, remote string) (writer string) {
	writer = WriterOf(t, from)
	FetchLogAs(t, into, from, FetchedLog(remote, writer))
	return writer
}

// FetchLogAs fetches another clone's log as FetchLog does, but stores it under the given ref.
func FetchLogAs(t failing, into, from, ref string) {
	SealLog(t, from)
	inRepo(t, into, "", "fetch", "-q", "--no-write-fetch-head", from, "+"+ownLog+":"+ref)
}

// TakeLog replaces a clone's log by the log of another clone.
func TakeLog(t failing, into, from string) {
	FetchLogAs(t, into, from, ownLog)
	text, err := os.ReadFile(LogFile(t, from))
	if err == nil {
		err = os.WriteFile(LogFile(t, into), text, 0o666)
	}
	if err != nil {
		t.Fatalf("take the log of %s: %v", from, err)
	}
}

func FetchedLog(remote, writer string) string {
	return "refs/traces/remotes/" + remote + "/" + writer + "/events"
}

// WriterOf returns the writer id of a clone.
func WriterOf(t failing, dir string) string {
	id, err := os.ReadFile(filepath.Join(commonDir(t, dir), "traces", "writer"))
	if err != nil {
		t.Fatalf("read the writer of %s: %v", dir, err)
	}
	return strings.TrimSpace(string(id))
}

// LogFile returns the file of a repository's own log.
func LogFile(t failing, dir string) string {
	return filepath.Join(commonDir(t, dir), "traces", "events.log")
}

// batches returns the events of a repository's own log by batch, one event a line, with the line that ends each batch.
func batches(t failing, dir string) (header string, list [][]string) {
	text, err := os.ReadFile(LogFile(t, dir))
	if err != nil {
		t.Fatalf("read the log of %s: %v", dir, err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	var batch []string
	for _, line := range lines[1:] {
		if batch = append(batch, line); strings.HasPrefix(line, "#") {
			list, batch = append(list, batch), nil
		}
	}
	return lines[0], list
}

// CutLog removes the last n batches of a repository's log.
func CutLog(t failing, dir string, n int) {
	header, list := batches(t, dir)
	text := header + strings.Join(slices.Concat(list[:len(list)-n]...), "")
	if err := os.WriteFile(LogFile(t, dir), []byte(text), 0o666); err != nil {
		t.Fatalf("cut the log of %s: %v", dir, err)
	}
}

// LoseLog removes a repository's log, if it has one.
func LoseLog(t failing, dir string) {
	if err := os.Remove(LogFile(t, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("lose the log of %s: %v", dir, err)
	}
	inRepo(t, dir, "", "update-ref", "-d", ownLog)
	if err := os.Remove(filepath.Join(commonDir(t, dir), "trace-end")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("lose the log of %s: %v", dir, err)
	}
}

// BreakLog changes a repository's last event.
func BreakLog(t failing, dir string) {
	text, err := os.ReadFile(LogFile(t, dir))
	if err == nil {
		at := bytes.LastIndex(text, []byte(`"v":1,`))
		text[at+4] = '2'
		err = os.WriteFile(LogFile(t, dir), text, 0o666)
	}
	if err != nil {
		t.Fatalf("break the log of %s: %v", dir, err)
	}
}

// SealLog adds a seal of the whole log to the ref of a repository's log.
func SealLog(t failing, dir string) {
	_, list := batches(t, dir)
	var text strings.Builder
	for _, line := range slices.Concat(list...) {
		if strings.HasPrefix(line, "{") {
			text.WriteString(line)
		}
	}
	parent := strings.TrimSpace(inRepo(t, dir, "", "for-each-ref", "--format=%(objectname)", ownLog))
	inRepo(t, dir, "", "update-ref", ownLog, StoreSeal(t, dir, WriterOf(t, dir), parent, text.String()))
}

// StoreSeal writes a seal of files of events without checking their content, as a forger would, and returns its id.
func StoreSeal(t failing, dir, writer, parent string, files ...string) string {
	objects := looseObjects(t, dir)
	n, entries, last := 0, []treeEntry(nil), ""
	for _, text := range files {
		entries = append(entries, treeEntry{"100644", fmt.Sprintf("%010d.jsonl", n+1), objects.write(t, "blob", text)})
		n += max(1, strings.Count(text, "\n"))
		last = text
	}
	id := "b3:" + strings.Repeat("0", 64)
	if all := regexp.MustCompile(`"id":"(b3:[0-9a-f]{64})"`).FindAllStringSubmatch(last, -1); len(all) > 0 {
		id = all[len(all)-1][1]
	}
	head := fmt.Sprintf(`{"events":%d,"format":1,"last":%q,"level":"log","object_format":%q,`+
		`"source":{"event":%q,"seq":%d,"writer":%q},"writer":%q}`+"\n", n, id, objects.format, id, n, writer, writer)
	tree := objects.tree(t, []treeEntry{
		{"100644", "digest.json", objects.write(t, "blob", head)}, {"40000", "log", objects.tree(t, entries)},
	})
	if parent != "" {
		parent = "\nparent " + parent
	}
	return objects.write(t, "commit", "tree "+tree+parent+dated+"\ngit-trace: the log up to event "+strconv.Itoa(n)+"\n")
}

const dated = "\nauthor git-trace <git-trace@localhost> 0 +0000\ncommitter git-trace <git-trace@localhost> 0 +0000\n"

// RefAlone removes everything of a repository's log except the ref, as in a mirror.
func RefAlone(t failing, dir string) {
	SealLog(t, dir)
	for _, name := range []string{"events.log", "cache"} {
		if err := os.RemoveAll(filepath.Join(commonDir(t, dir), "traces", name)); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// SealedFiles returns the files of events in the seal on a ref.
func SealedFiles(t failing, dir, ref string) (files []string) {
	for name := range strings.FieldsSeq(inRepo(t, dir, "", "ls-tree", "-r", "--name-only", ref+":log")) {
		files = append(files, inRepo(t, dir, "", "cat-file", "blob", ref+":log/"+name))
	}
	return files
}

// commonDir runs git only if the top of the work tree does not show the directory, because tests call it thousands of
// times.
func commonDir(t failing, dir string) string {
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && info.IsDir() && filepath.IsAbs(dir) {
		return filepath.Join(dir, ".git")
	}
	return strings.TrimSpace(inRepo(t, dir, "", "rev-parse", "--path-format=absolute", "--git-common-dir"))
}

func inRepo(t failing, dir, stdin string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
