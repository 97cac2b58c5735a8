package events

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// rewriteLoose changes a loose object in place, under its old name.
func rewriteLoose(t *testing.T, repo *refs.Repo, oid refs.OID, change func([]byte) []byte) {
	t.Helper()
	typ, content, err := refs.ReadLoose(repo.MainObjects(), oid)
	check(t, err)
	content = change(content)
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	fmt.Fprintf(z, "%s %d\x00", typ, len(content))
	_, _ = z.Write(content)
	check(t, z.Close())
	writeOver(t, looseFileOf(repo, oid), out.Bytes())
}

func writeOver(t *testing.T, path string, text []byte) {
	t.Helper()
	check(t, os.Chmod(path, 0o644))
	check(t, os.WriteFile(path, text, 0o644))
}

// commitsOf lists the commits of a log, oldest first, each with the numbers of its events.
func commitsOf(t *testing.T, repo *refs.Repo, f *forged) (oids []refs.OID, first, last []int) {
	t.Helper()
	n := 0
	for i, line := range strings.Fields(runGit(t, repo.WorkTree, "rev-list", "--reverse", refs.EventsRef)) {
		oids = append(oids, mustOID(t, line))
		first = append(first, n+1)
		n += len(f.batches[i].lines)
		last = append(last, n)
	}
	return oids, first, last
}

func TestReliabilityC3ObjectsChangedInPlaceAreFound(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	oids, first, last := commitsOf(t, log.repo, f)
	for range testenv.Pick(5, 60, 2000) {
		i := rand.N(len(oids))
		path := looseFileOf(log.repo, oids[i])
		good, err := os.ReadFile(path)
		check(t, err)
		where := 0
		rewriteLoose(t, log.repo, oids[i], func(content []byte) []byte {
			where = rand.N(len(content))
			content[where] ^= byte(1 << rand.N(8))
			return content
		})
		if r := verifyRef(t, log, ""); r.State != Broken || int(r.BrokenAt) < first[i] || int(r.BrokenAt) > last[i] {
			t.Errorf("commit %d, byte %d, events %d to %d: %s %+v", i, where, first[i], last[i], r.Summary(), r.Faults)
		}
		writeOver(t, path, good)
	}
	// What does not even inflate, is empty, is missing, or is something else.
	blob := mustOID(t, runGit(t, log.repo.WorkTree, "hash-object", "-w", log.writerPath()))
	other, err := os.ReadFile(looseFileOf(log.repo, blob))
	check(t, err)
	for name, text := range map[string][]byte{"garbage": []byte("garbage"), "empty": {}, "missing": nil, "a blob": other} {
		i := 4
		path := looseFileOf(log.repo, oids[i])
		good, err := os.ReadFile(path)
		check(t, err)
		if text == nil {
			check(t, os.Remove(path))
		} else {
			writeOver(t, path, text)
		}
		r := verifyRef(t, log, "")
		if r.State != Broken || int(r.BrokenAt) != last[i] || r.Faults[0].Kind != FaultObject || len(r.Faults) != 1 || r.Events != f.events()-last[i] {
			t.Errorf("%s: %s, %d events, %+v", name, r.Summary(), r.Events, r.Faults)
		}
		check(t, os.WriteFile(path, good, 0o644))
	}
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("after all repairs: %s", r.Summary())
	}
}

func TestCommitsInACircleEnd(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	oids, _, _ := commitsOf(t, log.repo, f)
	rewriteLoose(t, log.repo, oids[3], func(content []byte) []byte {
		return bytes.Replace(content, []byte("parent "+oids[2].String()), []byte("parent "+oids[9].String()), 1)
	})
	if r := verifyRef(t, log, ""); r.State != Broken || len(r.Faults) == 0 {
		t.Errorf("%s", r.Summary())
	}
}

func TestReliabilityC3PacksChangedInPlaceAreFound(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	repo := log.repo
	runGit(t, repo.WorkTree, "-c", "pack.compression=0", "gc", "-q")
	packs, err := filepath.Glob(filepath.Join(repo.MainObjects(), "pack", "*.pack"))
	check(t, err)
	if len(packs) != 1 {
		t.Fatal(packs)
	}
	good, err := os.ReadFile(packs[0])
	check(t, err)
	for seq := 2; seq <= f.events(); seq += 7 {
		// Stored without compression, the text of an event can be changed without git noticing.
		old := fmt.Sprintf(`"index":%d,`, seq-1)
		at := bytes.Index(good, []byte(old))
		if at < 0 {
			continue // stored as a delta
		}
		bad := bytes.Clone(good)
		bad[at+len(`"inde`)] = 'y'
		writeOver(t, packs[0], bad)
		if r := verifyRef(t, log, ""); r.State != Broken {
			t.Errorf("event %d changed in the pack: %s", seq, r.Summary())
		}
	}
	writeOver(t, packs[0], good)
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("after the repair: %s", r.Summary())
	}
}

func TestReliabilityC5ReplaceRefsGraftsAndShallowBoundariesAreIgnoredAndNoted(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	repo := log.repo
	oids, first, last := commitsOf(t, repo, f)
	replaced := 0
	for i := 4; i < len(oids); i++ {
		runGit(t, repo.WorkTree, "replace", oids[i].String(), oids[2].String())
		replaced += last[i] - first[i] + 1
	}
	if replaced < 20 {
		t.Fatalf("%d events are replaced", replaced)
	}
	check(t, os.MkdirAll(filepath.Join(repo.CommonDir, "info"), 0o777))
	check(t, os.WriteFile(filepath.Join(repo.CommonDir, "info/grafts"), []byte(oids[3].String()+" "+oids[1].String()+"\n"), 0o666))
	check(t, os.WriteFile(filepath.Join(repo.CommonDir, "shallow"), []byte(oids[2].String()+"\n"), 0o666))
	for _, packed := range []bool{false, true} {
		if packed {
			cmd := exec.Command("git", "repack", "-q", "-d")
			cmd.Dir, cmd.Env = repo.WorkTree, append(os.Environ(), "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/nowhere")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatal(string(out))
			}
		}
		r := verifyRef(t, log, "")
		want := []string{
			"info/grafts: commits of the log that are named and ignored: 1",
			"refs/replace: commits of the log that are named and ignored: 8",
			"shallow: commits of the log that are named and ignored: 1",
		}
		if r.State != Consistent || r.Events != f.events() || !slices.Equal(r.Notes, want) {
			t.Errorf("packed %v: %s, %d events, %v, %v", packed, r.Summary(), r.Events, r.Notes, r.Faults)
		}
		if n := len(readAll(t, log, Range{})); n != f.events() {
			t.Errorf("packed %v: a walk meets %d events", packed, n)
		}
	}
}
