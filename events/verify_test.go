package events

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// fixedAnchors are anchors that a test makes up.
type fixedAnchors []Anchor

func (a fixedAnchors) Anchors(context.Context, *Log, Subject) ([]Anchor, error) { return a, nil }

func TestAllFaultsAreListed(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 20)
	bad := good.copied()
	*bad.line(5) = strings.Replace(*bad.line(5), `"v":1`, `"v":2`, 1)
	*bad.line(17) = strings.Replace(*bad.line(17), `"v":1`, `"v": 1`, 1)
	bad.replace(30)
	bad.write("refs/traces/remotes/a/b/events")
	r := verifyRef(t, log, "refs/traces/remotes/a/b/events")
	var got []string
	for _, f := range r.Faults {
		got = append(got, fmt.Sprintf("%d %s", f.Seq, f.Kind))
	}
	if want := []string{"5 hash", "17 shape", "30 number", "31 chain"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if r.Summary() != "broken at 5" || r.Events != good.events()-1 {
		t.Errorf("%s, %d events", r.Summary(), r.Events)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestReliabilityC4TruncationTakesAnAnchorToSee(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 12)
	const ref = "refs/traces/remotes/a/b/events"
	for n := 2; n < len(good.batches); n++ {
		bad := good.copied()
		bad.batches = bad.batches[:n]
		bad.write(ref)
		last := int64(bad.events())
		if r := verifyRef(t, log, ref); r.State != Consistent {
			t.Errorf("without an anchor: %s", r.Summary())
		}
		e, err := DecodeLine([]byte(*good.line(int(last) + 1)))
		check(t, err)
		if r := verifyRef(t, log, ref, fixedAnchors{{Seq: e.Seq, ID: e.ID, Source: "a copy"}}); r.State != Broken || r.BrokenAt != last+1 || r.Faults[0].Kind != FaultAnchor {
			t.Errorf("with an anchor behind the end: %s %+v", r.Summary(), r.Faults)
		}
		e, err = DecodeLine([]byte(*good.line(int(last) - 1)))
		check(t, err)
		r := verifyRef(t, log, ref, fixedAnchors{{Seq: 1, ID: e.ID, Source: "a liar"}, {Seq: e.Seq, ID: e.ID, Source: "a copy"}})
		if r.State != Broken || r.BrokenAt != 1 {
			t.Errorf("with one that disagrees: %s", r.Summary())
		}
		r = verifyRef(t, log, ref, fixedAnchors{{Seq: e.Seq, ID: e.ID, Source: "a copy"}})
		if r.Summary() != fmt.Sprintf("consistent and anchored up to %d", last-1) || r.AnchoredBy != "a copy" {
			t.Errorf("with an anchor: %s", r.Summary())
		}
	}
	own := OpenLog(newRepo(t))
	for i := range 6 {
		mustAppend(t, own, promptDraft(i))
	}
	cutJournal(t, own, 3)
	if r := verifyRef(t, own, ""); r.State != Consistent || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "this clone has written event") {
		t.Errorf("a log that went back: %s %v", r.Summary(), r.Notes)
	}
}

func TestReliabilityC4FetchedCopiesAreAnchors(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 6)
	writer, err := log.Writer()
	check(t, err)
	copied := good.copied()
	copied.batches = copied.batches[:4]
	copied.write("refs/traces/remotes/origin/" + writer + "/events")
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, log.repo.WorkTree, "pack-refs", "--all")
		}
		r := verifyRef(t, log, "", FetchedCopies{})
		if r.State != Anchored || r.AnchoredTo != int64(copied.events()) || r.AnchoredBy != "copy fetched from origin" {
			t.Errorf("packed %v: %s by %q", packed, r.Summary(), r.AnchoredBy)
		}
	}
	// Rebuilt as a whole, the log is consistent in itself, but not with its copy.
	rebuilt := good.copied()
	prev := ""
	for n := 3; n <= rebuilt.events(); n++ {
		e, err := DecodeLine([]byte(*rebuilt.line(n)))
		check(t, err)
		line := strings.Replace(*rebuilt.line(n), `"session":"s1"`, `"session":"s9"`, 1)
		if prev != "" {
			line = strings.Replace(line, string(e.Prev), prev, 1)
		}
		*rebuilt.line(n) = reseal(t, line)
		e, err = DecodeLine([]byte(*rebuilt.line(n)))
		check(t, err)
		prev = string(e.ID)
	}
	rebuilt.write(refs.EventsRef)
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("rebuilt, without an anchor: %s", r.Summary())
	}
	if r := verifyRef(t, log, "", FetchedCopies{}); r.State != Broken || r.Faults[0].Kind != FaultAnchor {
		t.Errorf("rebuilt, with an anchor: %s", r.Summary())
	}
}

func TestFetchedLogMustBeOfTheWriterItsRefNames(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 3)
	writer, err := log.Writer()
	check(t, err)
	for name, state := range map[string]State{writer: Consistent, "00000000000000ff": Broken} {
		ref := "refs/traces/remotes/up/stream/" + name + "/events"
		good.write(ref)
		if r := verifyRef(t, log, ref); r.State != state || state == Broken && (r.BrokenAt != 1 || r.Faults[0].Kind != FaultWriter) {
			t.Errorf("%s: %s %+v", name, r.Summary(), r.Faults)
		}
	}
}

func TestWhatIsAnEmptyLog(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		report Report
		empty  bool
	}{
		"there is nothing":             {Report{State: Consistent}, true},
		"a ref":                        {Report{State: Consistent, Tip: refs.SHA1.EmptyTree()}, false},
		"a file that no ref names yet": {Report{State: Consistent, Events: 1}, false},
		"what cannot be read":          {Report{State: Broken}, false},
	} {
		if got := tt.report.Empty(); got != tt.empty {
			t.Errorf("%s: empty %v", name, got)
		}
	}
}

func TestLogsThatAreNone(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	refFiles(t, log.repo)
	for _, sources := range [][]AnchorSource{nil, {fixedAnchors{}}} {
		if r := verifyRef(t, log, "", sources...); r.State != Consistent || r.Events != 0 || r.Summary() != "consistent" {
			t.Errorf("no log: %+v", r)
		}
	}
	runGit(t, log.repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "a commit")
	runGit(t, log.repo.WorkTree, "tag", "-a", "-m", "x", "v1")
	blob := strings.TrimSpace(runGit(t, log.repo.WorkTree, "hash-object", "-w", "/dev/null"))
	for _, target := range []string{"HEAD", "refs/tags/v1", blob, "HEAD^{tree}"} {
		oid := mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", target))
		check(t, os.MkdirAll(filepath.Join(log.repo.CommonDir, "refs/traces"), 0o777))
		check(t, os.WriteFile(filepath.Join(log.repo.CommonDir, refs.EventsRef), []byte(oid.String()+"\n"), 0o666))
		if r := verifyRef(t, log, ""); r.State != Broken || len(r.Faults) == 0 || r.Faults[0].Seq != 1 {
			t.Errorf("%s: %+v", target, r)
		}
	}
	check(t, os.WriteFile(filepath.Join(log.repo.CommonDir, refs.EventsRef), nil, 0o666))
	if r := verifyRef(t, log, ""); r.State != Broken || r.Faults[0].Kind != FaultRef {
		t.Errorf("an empty ref: %+v", r)
	}
}
