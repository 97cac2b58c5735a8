package events

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// forged is a log that the tests build by hand, batch by batch: each is a file of its seal.
type forged struct {
	t       *testing.T
	repo    *refs.Repo
	batches []forgedBatch
}

type forgedBatch struct{ lines []string }

// sampleLog makes a log of batches of one to four events, as a repository has it that took its ref and nothing else.
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
	return log, withoutFile(t, log)
}

// withoutFile leaves a log its ref alone.
func withoutFile(t *testing.T, log *Log) *forged {
	t.Helper()
	f := &forged{t: t, repo: log.repo}
	j, err := log.openJournal(os.O_RDONLY)
	check(t, err)
	defer j.close()
	check(t, j.batches(0, func(b *batch) error {
		fb := forgedBatch{}
		for _, line := range b.lines {
			fb.lines = append(fb.lines, string(line))
		}
		f.batches = append(f.batches, fb)
		return nil
	}))
	check(t, os.Remove(log.JournalPath()))
	check(t, os.RemoveAll(log.cacheDir()))
	check(t, log.ForgetEnd())
	f.write(refs.EventsRef)
	return f
}

// appendSealed appends to a log that has no file but its ref.
func appendSealed(t testing.TB, log *Log, drafts ...Draft) []Event {
	t.Helper()
	events := mustAppend(t, log, drafts...)
	_, err := log.Seal(context.Background())
	check(t, err)
	check(t, os.Remove(log.JournalPath()))
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

// parts are the log as a forger would store it.
func (f *forged) parts() []batch {
	var out []batch
	for _, fb := range f.batches {
		var p batch
		for _, line := range fb.lines {
			p.lines = append(p.lines, []byte(line))
		}
		out = append(out, p)
	}
	return out
}

// write stores the log as a seal, which says of itself what its last event makes it, and points a ref to it.
func (f *forged) write(ref string) (tip refs.OID) {
	f.t.Helper()
	log := OpenLog(f.repo)
	var p Publication
	n := int64(1)
	for _, fb := range f.batches {
		blob, err := log.writeMain(refs.BlobObject, []byte(strings.Join(fb.lines, "\n")+"\n"))
		check(f.t, err)
		p.Files = append(p.Files, PublishedFile{n, blob})
		n += int64(len(fb.lines))
	}
	first, _ := DecodeLine([]byte(*f.line(1)))
	last, err := DecodeLine([]byte(*f.line(f.events())))
	if err != nil || last.ID == "" {
		last = Event{Seq: n - 1, ID: longestID}
	}
	writer := first.Writer
	if writer == "" {
		writer = longestWriter
	}
	p.Head = PublicationHead{Format: Version, Writer: writer, Level: sealLevel, ObjectFormat: f.repo.Format.String(),
		Events: last.Seq, Last: last.ID, Source: Witness{writer, last.Seq, last.ID}}
	tree, err := log.WritePublication(p)
	check(f.t, err)
	tip, err = log.writeMain(refs.CommitObject, sealCommit(tree, nil, last.Seq))
	check(f.t, err)
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
