package events

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// forged is a log that the tests build by hand, batch by batch.
type forged struct {
	t       *testing.T
	repo    *refs.Repo
	batches []forgedBatch
}

type forgedBatch struct {
	lines   []string
	parents []refs.OID // instead of the batch before
	also    []refs.OID // beside the batch before
	tree    refs.OID
	edit    func(content []byte) []byte // the last word on the commit
}

// sampleLog makes a log of batches of one to four events.
func sampleLog(t *testing.T, salt, batches int) (*Log, *forged) {
	t.Helper()
	log := OpenLog(newRepo(t))
	n := 0
	for i := range batches {
		var drafts []Draft
		for range 1 + i%4 {
			drafts = append(drafts, promptDraft(salt+n))
			n++
		}
		mustAppend(t, log, drafts...)
	}
	f := &forged{t: t, repo: log.repo}
	tip, err := log.Tip(refs.EventsRef)
	check(t, err)
	check(t, log.oldestFirst(context.Background(), tip, refs.OID{}, func(c rawCommit) error {
		b, err := parseBatch(c.raw)
		fb := forgedBatch{tree: b.tree}
		for _, line := range b.lines {
			fb.lines = append(fb.lines, string(line))
		}
		f.batches = append(f.batches, fb)
		return err
	}))
	return log, f
}

// copied is a log to spoil.
func (f *forged) copied() *forged {
	out := *f
	out.batches = slices.Clone(f.batches)
	for i := range out.batches {
		out.batches[i].lines = slices.Clone(f.batches[i].lines)
	}
	return &out
}

// at finds an event by its number: which batch, which line.
func (f *forged) at(seq int) (batch, line int) {
	for i, b := range f.batches {
		if seq <= len(b.lines) {
			return i, seq - 1
		}
		seq -= len(b.lines)
	}
	f.t.Fatalf("no event %d", seq)
	return 0, 0
}

func (f *forged) line(seq int) *string {
	b, l := f.at(seq)
	return &f.batches[b].lines[l]
}

// first is the number of the first event in the batch of an event.
func (f *forged) first(seq int) int {
	_, l := f.at(seq)
	return seq - l
}

func (f *forged) events() int {
	n := 0
	for _, b := range f.batches {
		n += len(b.lines)
	}
	return n
}

// replace puts other lines into the place of an event; a batch that loses all its lines goes.
func (f *forged) replace(seq int, lines ...string) {
	b, l := f.at(seq)
	f.batches[b].lines = slices.Replace(f.batches[b].lines, l, l+1, lines...)
	if len(f.batches[b].lines) == 0 {
		f.batches = slices.Delete(f.batches, b, b+1)
	}
}

// write stores the log as a forger would, every commit consistent with the one before, and points a ref to it.
func (f *forged) write(ref string) refs.OID {
	f.t.Helper()
	var parent refs.OID
	for _, fb := range f.batches {
		b := batch{tree: fb.tree, parents: fb.parents}
		if b.parents == nil && !parent.IsZero() {
			b.parents = []refs.OID{parent}
		}
		b.parents = append(slices.Clone(b.parents), fb.also...)
		for _, line := range fb.lines {
			b.lines = append(b.lines, []byte(line))
		}
		first, _ := DecodeLine(b.lines[0])
		last, _ := DecodeLine(b.lines[len(b.lines)-1])
		content := b.content(first.Seq, last.Seq, last.Time)
		if fb.edit != nil {
			content = fb.edit(content)
		}
		oid, err := f.repo.WriteLoose(f.repo.MainObjects(), refs.CommitObject, content)
		check(f.t, err)
		parent = oid
	}
	runGit(f.t, f.repo.WorkTree, "update-ref", ref, parent.String())
	return parent
}

// reseal gives a changed line a fitting id.
func reseal(t testing.TB, line string) string {
	t.Helper()
	d, err := decode([]byte(line), true)
	check(t, err)
	id := hashEvent([]byte(line[:d.idAt]), []byte(line[d.idEnd+1:]))
	return line[:d.idAt] + `"id":"` + string(id) + `",` + line[d.idEnd+1:]
}

var seqMember = regexp.MustCompile(`"seq":\d+`)

// mutation spoils a log at random and says which event a report must name.
type mutation struct {
	name  string
	spoil func(f *forged, foreign *forged, k int) (named []int)
}

func mutations(stranger, tree refs.OID) []mutation {
	return []mutation{
		{"flip a byte", func(f, _ *forged, k int) []int {
			line := []byte(*f.line(k))
			line[rand.N(len(line))] ^= byte(1 + rand.N(31)) // never makes or takes a line feed unnoticed
			if bytes.IndexByte(line, '\n') >= 0 {
				line = bytes.ReplaceAll(line, []byte("\n"), []byte(" "))
			}
			*f.line(k) = string(line)
			return []int{k}
		}},
		{"swap two events", func(f, _ *forged, k int) []int {
			other := k + 1 + rand.N(f.events()-k)
			a, b := f.line(k), f.line(other)
			*a, *b = *b, *a
			return []int{k}
		}},
		{"swap two commits", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			i = min(i, len(f.batches)-2)
			k = 1
			for _, b := range f.batches[:i] {
				k += len(b.lines)
			}
			f.batches[i], f.batches[i+1] = f.batches[i+1], f.batches[i]
			return []int{k}
		}},
		{"drop an event", func(f, _ *forged, k int) []int { f.replace(k); return []int{k} }},
		{"drop a commit", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			i = min(i, len(f.batches)-2)
			k = 1
			for _, b := range f.batches[:i] {
				k += len(b.lines)
			}
			f.batches = slices.Delete(f.batches, i, i+1)
			return []int{k}
		}},
		{"duplicate an event", func(f, _ *forged, k int) []int {
			line := *f.line(k)
			f.replace(k, line, line)
			return []int{k}
		}},
		{"splice in an event of another log", func(f, foreign *forged, k int) []int {
			other := 1 + rand.N(foreign.events())
			f.replace(k, *foreign.line(other), *f.line(k))
			if other == k {
				return []int{k, k + 1} // two events of one number: which of them is the stranger shows in the chain only
			}
			return []int{k}
		}},
		{"put an event of another log in the place of one", func(f, foreign *forged, k int) []int {
			k = max(k, 2) // the first one names nothing before it, so that the second one gives the stranger away
			f.replace(k, *foreign.line(k))
			return []int{k}
		}},
		{"renumber an event", func(f, _ *forged, k int) []int {
			other := 1 + rand.N(f.events()+20)
			if other == k {
				other++
			}
			line := seqMember.ReplaceAllString(*f.line(k), fmt.Sprintf(`"seq":%d`, other))
			if rand.N(2) == 0 {
				line = reseal(f.t, line)
			}
			*f.line(k) = line
			return []int{k}
		}},
		{"change an event and its id", func(f, _ *forged, k int) []int {
			*f.line(k) = reseal(f.t, strings.Replace(*f.line(k), `"v":1`, `"v":2`, 1))
			return []int{k + 1} // the next one no longer names it
		}},
		{"add a second parent", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			f.batches[i].also = []refs.OID{stranger}
			return []int{f.first(k)}
		}},
		{"put the log on a foreign root", func(f, _ *forged, _ int) []int {
			f.batches[0].parents = []refs.OID{stranger}
			return []int{1}
		}},
		{"replace a tree", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			f.batches[i].tree = tree
			return []int{f.first(k)}
		}},
		{"change a type", func(f, _ *forged, k int) []int {
			*f.line(k) = regexp.MustCompile(`"type":"\w+"`).ReplaceAllString(*f.line(k), `"type":"turn_ended"`)
			return []int{k}
		}},
		{"re-date an event", func(f, _ *forged, k int) []int {
			*f.line(k) = strings.Replace(*f.line(k), `"time":"2026`, `"time":"2025`, 1)
			return []int{k}
		}},
		{"re-date a commit", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			who := []string{"author", "committer"}[rand.N(2)]
			f.batches[i].edit = func(content []byte) []byte {
				return regexp.MustCompile(who+` (.*> )\d`).ReplaceAll(content, []byte(who+" ${1}2"))
			}
			return []int{f.first(k)}
		}},
		{"change a commit's subject", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			f.batches[i].edit = func(content []byte) []byte { return bytes.Replace(content, []byte(" events "), []byte(" Events "), 1) }
			return []int{f.first(k)}
		}},
		{"take a commit's message away", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			f.batches[i].edit = func(content []byte) []byte {
				head, _, _ := bytes.Cut(content, []byte("\n\n"))
				return append(bytes.Clone(head), "\n\nnothing\n"...)
			}
			return []int{f.first(k)}
		}},
		{"add a header to a commit", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			f.batches[i].edit = func(content []byte) []byte {
				return bytes.Replace(content, []byte("\n\n"), []byte("\nencoding latin-1\n\n"), 1)
			}
			return []int{f.first(k)}
		}},
		{"change the writer from one event on", func(f, _ *forged, k int) []int {
			k = max(k, 2) // from the first one on, it is another writer's sound log
			prev := ""
			for n := k; n <= f.events(); n++ {
				e, err := DecodeLine([]byte(*f.line(n)))
				check(f.t, err)
				line := strings.Replace(*f.line(n), e.Writer, "00000000000000ff", 1)
				if prev != "" {
					line = strings.Replace(line, string(e.Prev), prev, 1)
				}
				*f.line(n) = reseal(f.t, line)
				e, err = DecodeLine([]byte(*f.line(n)))
				check(f.t, err)
				prev = string(e.ID)
			}
			return []int{k}
		}},
	}
}

func verifyRef(t testing.TB, log *Log, ref string, anchors ...AnchorSource) Report {
	t.Helper()
	report, err := log.Verify(context.Background(), Verification{Ref: ref, Anchors: anchors})
	check(t, err)
	return report
}

// fixedAnchors are anchors that a test makes up.
type fixedAnchors []Anchor

func (a fixedAnchors) Anchors(context.Context, *Log, Subject) ([]Anchor, error) { return a, nil }

func TestEveryMutationIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	_, foreign := sampleLog(t, 1000, 20)
	rounds := 30
	if os.Getenv("EVENTS_TEST_LONG") != "" {
		rounds = 500
	}
	if testing.Short() {
		rounds = 2
	}
	for _, m := range mutations(refs.OID{}, refs.OID{}) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			log, good := sampleLog(t, 0, 20)
			good.t = t
			blob := strings.TrimSpace(runGit(t, log.repo.WorkTree, "hash-object", "-w", "/dev/null"))
			runGit(t, log.repo.WorkTree, "update-index", "--add", "--cacheinfo", "100644,"+blob+",x")
			tree := mustOID(t, runGit(t, log.repo.WorkTree, "write-tree"))
			stranger := mustOID(t, runGit(t, log.repo.WorkTree, "commit-tree", "-m", "not of the log", tree.String()))
			m := mutations(stranger, tree)[slices.IndexFunc(mutations(stranger, tree), func(o mutation) bool { return o.name == m.name })]
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != good.events() || r.Commits != len(good.batches) || len(r.Notes) > 0 {
				t.Fatalf("the log itself: %+v", r)
			}
			const ref = "refs/traces/remotes/test/mutated/events"
			for round := range rounds {
				bad := good.copied()
				k := 1 + rand.N(bad.events()-1)
				named := m.spoil(bad, foreign, k)
				bad.write(ref)
				r := verifyRef(t, log, ref)
				if r.State != Broken || !slices.Contains(named, int(r.BrokenAt)) || len(r.Faults) == 0 {
					t.Errorf("round %d, event %d, expected %v: %s %+v", round, k, named, r.Summary(), r.Faults)
				}
			}
		})
	}
}

func mustOID(t testing.TB, text string) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(strings.TrimSpace(text))
	check(t, err)
	return oid
}

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
		if f.Commit.IsZero() {
			t.Errorf("fault without its commit: %+v", f)
		}
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

func TestTruncationTakesAnAnchorToSee(t *testing.T) {
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
	runGit(t, log.repo.WorkTree, "update-ref", refs.EventsRef, refs.EventsRef+"~3")
	if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "this clone has written event") {
		t.Errorf("a log that went back: %s %v", r.Summary(), r.Notes)
	}
}

func TestFetchedCopiesAreAnchors(t *testing.T) {
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

func TestLogsThatAreNone(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 0 || r.Summary() != "consistent" {
		t.Errorf("no log: %+v", r)
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
