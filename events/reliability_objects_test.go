package events

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
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

// filesOf lists the files of a seal, oldest first, each with the numbers of its events.
func filesOf(t *testing.T, log *Log, f *forged) (oids []refs.OID, first, last []int) {
	t.Helper()
	tip, err := log.Tip(refs.EventsRef)
	check(t, err)
	p, err := log.ReadPublication(tip)
	check(t, err)
	n := 0
	for i, file := range p.Files {
		oids = append(oids, file.Blob)
		first = append(first, n+1)
		n += len(f.batches[i].lines)
		last = append(last, n)
	}
	return oids, first, last
}

func TestReliabilityC3ObjectsChangedInPlaceAreFound(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	oids, first, last := filesOf(t, log, f)
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
			t.Errorf("file %d, byte %d, events %d to %d: %s %+v", i, where, first[i], last[i], r.Summary(), r.Faults)
		}
		writeOver(t, path, good)
	}
	// What does not even inflate, is empty, is missing, or is something else.
	tree, err := log.EmptyTree()
	check(t, err)
	other, err := os.ReadFile(looseFileOf(log.repo, tree))
	check(t, err)
	faults := map[string][]byte{"garbage": []byte("garbage"), "empty": {}, "missing": nil, "a tree": other}
	for n := range 2 * len(faults) {
		name := slices.Sorted(maps.Keys(faults))[n/2]
		text, i := faults[name], []int{4, len(oids) - 1}[n%2]
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
	log := OpenLog(newRepo(t))
	repo := log.repo
	for i := range 12 {
		mustAppend(t, log, promptDraft(i))
		mustSeal(t, log)
	}
	seals := strings.Fields(runGit(t, repo.WorkTree, "rev-list", "--reverse", refs.EventsRef))
	for _, seal := range seals[4:] {
		runGit(t, repo.WorkTree, "replace", seal, seals[2])
	}
	check(t, os.MkdirAll(filepath.Join(repo.CommonDir, "info"), 0o777))
	check(t, os.WriteFile(filepath.Join(repo.CommonDir, "info/grafts"), []byte(seals[3]+" "+seals[1]+"\n"), 0o666))
	check(t, os.WriteFile(filepath.Join(repo.CommonDir, "shallow"), []byte(seals[2]+"\n"), 0o666))
	want := []string{
		"info/grafts: commits of the log that are named and ignored: 1",
		fmt.Sprintf("refs/replace: commits of the log that are named and ignored: %d", len(seals)-4),
		"shallow: commits of the log that are named and ignored: 1",
	}
	for _, file := range []bool{true, false} {
		if !file {
			check(t, os.Remove(log.JournalPath()))
		}
		r := verifyRef(t, log, "")
		if r.State != Consistent || r.Events != 13 || !slices.Equal(r.Notes, want) {
			t.Errorf("file %v: %s, %d events, %v, %v", file, r.Summary(), r.Events, r.Notes, r.Faults)
		}
		if n := len(readAll(t, log, Range{})); n != 13 {
			t.Errorf("file %v: a walk meets %d events", file, n)
		}
	}
}

// A seal of the chain that ends with another event than the log has was not made of this log.
func TestEverySealOfTheChainIsHeldAgainstTheLog(t *testing.T) {
	t.Parallel()
	log, other := OpenLog(newRepo(t)), OpenLog(newRepo(t))
	for i := range 4 {
		mustAppend(t, log, promptDraft(i))
		mustSeal(t, log)
		mustAppend(t, other, promptDraft(100+i))
		mustSeal(t, other)
	}
	dir := log.repo.WorkTree
	runGit(t, dir, "fetch", "-q", other.repo.WorkTree, refs.EventsRef)
	foreign := mustOID(t, runGit(t, dir, "rev-parse", "FETCH_HEAD"))
	tip := mustOID(t, runGit(t, dir, "rev-parse", refs.EventsRef))
	p, err := log.ReadPublication(tip)
	check(t, err)
	commit, err := log.writeMain(refs.CommitObject, sealCommit(p.others[0], []refs.OID{foreign}, p.Head.Events))
	check(t, err)
	runGit(t, dir, "update-ref", refs.EventsRef, commit.String())
	for _, file := range []bool{true, false} {
		if !file {
			check(t, os.Remove(log.JournalPath()))
		}
		if r := verifyRef(t, log, ""); r.State != Broken || r.Faults[0].Kind != FaultAnchor {
			t.Errorf("file %v: %s %v", file, r.Summary(), r.Faults)
		}
	}
}
