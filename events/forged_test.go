package events

import (
	"context"
	"os"
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
	dated   bool // as versions before wrote it
}

type forgedBatch struct {
	lines   []string
	parents []refs.OID // instead of the batch before
	also    []refs.OID // beside the batch before
	tree    refs.OID
	edit    func(content []byte) []byte // the last word on the commit
}

// sampleLog makes a log of batches of one to four events, in commits as earlier versions wrote it.
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
	return log, inCommits(t, log)
}

// inCommits makes a log what earlier versions made: a chain of commits on its ref, and no file.
func inCommits(t *testing.T, log *Log) *forged {
	t.Helper()
	f := &forged{t: t, repo: log.repo}
	j, err := log.openJournal(os.O_RDONLY)
	check(t, err)
	defer j.close()
	check(t, j.oldestFirst(flatEnd{}, func(lines [][]byte, _ flatEnd) error {
		fb := forgedBatch{tree: log.repo.Format.EmptyTree()}
		for _, line := range lines {
			fb.lines = append(fb.lines, string(line))
		}
		f.batches = append(f.batches, fb)
		return nil
	}))
	check(t, os.Remove(log.JournalPath()))
	check(t, os.RemoveAll(log.cacheDir()))
	_, err = log.repo.WriteLoose(log.repo.MainObjects(), refs.TreeObject, nil)
	check(t, err)
	f.write(refs.EventsRef)
	return f
}

// appendCommit appends a batch as earlier versions did.
func appendCommit(t testing.TB, log *Log, drafts ...Draft) []Event {
	t.Helper()
	before, err := log.Tip(refs.EventsRef)
	check(t, err)
	var end tip
	if !before.IsZero() {
		last, err := log.endAt(before)
		check(t, err)
		end = tip{last.Seq, last.Event, last.Writer}
	}
	end.writer, err = log.settleWriter(end.writer)
	check(t, err)
	drafts = mustPrepare(t, drafts...)
	if end.seq == 0 {
		opening, err := log.opening(drafts[0])
		check(t, err)
		drafts = append([]Draft{opening}, drafts...)
	}
	events, err := chain(drafts, end)
	check(t, err)
	b := batch{tree: log.repo.Format.EmptyTree()}
	if !before.IsZero() {
		b.parents = []refs.OID{before}
	}
	for _, e := range events {
		b.lines = append(b.lines, e.raw)
	}
	_, err = log.repo.WriteLoose(log.repo.MainObjects(), refs.TreeObject, nil)
	check(t, err)
	commit, err := log.repo.WriteLoose(log.repo.MainObjects(), refs.CommitObject,
		b.content(events[0].Seq, events[len(events)-1].Seq, undated))
	check(t, err)
	check(t, log.repo.SwapRef(context.Background(), refs.EventsRef, before, commit))
	return events
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

// commits are the log as a forger would store it: every commit consistent with the one before.
func (f *forged) commits() []rawCommit {
	var out []rawCommit
	for _, fb := range f.batches {
		b := batch{tree: fb.tree, parents: fb.parents}
		if b.parents == nil && len(out) > 0 {
			b.parents = []refs.OID{out[len(out)-1].oid}
		}
		b.parents = append(slices.Clone(b.parents), fb.also...)
		for _, line := range fb.lines {
			b.lines = append(b.lines, []byte(line))
		}
		first, _ := DecodeLine(b.lines[0])
		last, _ := DecodeLine(b.lines[len(b.lines)-1])
		content := b.content(first.Seq, last.Seq, undated)
		if f.dated {
			content = b.content(first.Seq, last.Seq, last.Time)
		}
		if fb.edit != nil {
			content = fb.edit(content)
		}
		out = append(out, rawCommit{oid: f.repo.Format.Hash(refs.CommitObject, content), raw: content})
	}
	return out
}

// write stores the log and points a ref to it.
func (f *forged) write(ref string) (tip refs.OID) {
	f.t.Helper()
	for _, c := range f.commits() {
		var err error
		tip, err = f.repo.WriteLoose(f.repo.MainObjects(), refs.CommitObject, c.raw)
		check(f.t, err)
	}
	runGit(f.t, f.repo.WorkTree, "update-ref", ref, tip.String())
	return tip
}

// reseal gives a changed line a fitting id.
func reseal(t testing.TB, line string) string {
	t.Helper()
	d, err := decode([]byte(line), true)
	check(t, err)
	id := hashEvent([]byte(line[:d.idAt]), []byte(line[d.idEnd+1:]))
	return line[:d.idAt] + `"id":"` + string(id) + `",` + line[d.idEnd+1:]
}

func verifyRef(t testing.TB, log *Log, ref string, anchors ...AnchorSource) Report {
	t.Helper()
	report, err := log.Verify(context.Background(), Verification{Ref: ref, Anchors: anchors})
	check(t, err)
	return report
}

func mustOID(t testing.TB, text string) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(strings.TrimSpace(text))
	check(t, err)
	return oid
}
