package events

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// spoiledSeal writes a seal like that of a commit with one of its objects changed, and all that name it with it.
func spoiledSeal(t *testing.T, log *Log, of Publication, change int) refs.OID {
	t.Helper()
	store := func(typ refs.ObjectType, content []byte) refs.OID {
		oid, err := log.repo.WriteLoose(log.repo.MainObjects(), typ, content)
		check(t, err)
		return oid
	}
	objects := log.repo.Objects()
	defer objects.Close()
	read := func(oid refs.OID) []byte {
		_, raw, err := objects.Read(oid)
		check(t, err)
		return raw
	}
	flip := func(raw []byte) []byte {
		raw = bytes.Clone(raw)
		switch rand.N(4) {
		case 0:
			return raw[:rand.N(len(raw))]
		case 1:
			at := rand.N(len(raw))
			return append(raw[:at:at], append([]byte("\x00\n{\"x\":"), raw[at:]...)...)
		default:
			raw[rand.N(len(raw))] ^= byte(1 + rand.N(255))
			return raw
		}
	}
	replace := func(raw []byte, was, is refs.OID) []byte {
		return bytes.Replace(raw, was.AppendTo(nil), is.AppendTo(nil), 1)
	}
	root, head, dir := read(of.others[0]), of.others[1], of.others[2]
	logs, blob := read(dir), of.Files[rand.N(len(of.Files))].Blob
	switch change {
	case 0:
		logs = replace(logs, blob, store(refs.BlobObject, flip(read(blob))))
	case 1:
		logs = flip(logs)
	case 2:
		root = replace(root, head, store(refs.BlobObject, flip(read(head))))
	case 3:
		root = flip(root)
	}
	root = replace(root, dir, store(refs.TreeObject, logs))
	commit := bytes.Replace(read(of.Commit), []byte(of.others[0].String()), []byte(store(refs.TreeObject, root).String()), 1)
	if change == 4 {
		commit = flip(commit)
	}
	return store(refs.CommitObject, commit)
}

// A fetched seal of which any object was changed is not believed, or tells the same; nothing panics.
func TestReliabilityG1SpoiledSealsAreNotBelieved(t *testing.T) {
	t.Parallel()
	theirs, log := OpenLog(newRepo(t)), OpenLog(newRepo(t))
	refFiles(t, log.repo)
	mustAppend(t, log, promptDraft(0))
	for i := range 3 {
		mustAppend(t, theirs, promptDraft(10+2*i), promptDraft(11+2*i))
		mustSeal(t, theirs)
	}
	ref := testenv.FetchedLog("origin", testenv.WriterOf(t, theirs.repo.WorkTree))
	runGit(t, log.repo.WorkTree, "fetch", "-q", theirs.repo.WorkTree, refs.EventsRef+":"+ref)
	good := mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", ref))
	p, err := log.ReadPublication(good)
	check(t, err)
	want := numbersIn(t, openCopyOf(t, log, ref))
	refused, on := 0, good
	for i := range testenv.Pick(20, 100, 5000) {
		spoiled := spoiledSeal(t, log, p, i%5)
		check(t, log.repo.SwapRef(context.Background(), ref, on, spoiled)) // git itself refuses some of them
		on = spoiled
		if i%3 == 0 {
			check(t, log.ForgetFetched())
		}
		c, err := log.Copy(context.Background(), ref)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "log is broken at ") {
				t.Errorf("change %d: %v", i%5, err)
			}
			continue
		}
		if got := numbersIn(t, c); len(got) != len(want) {
			t.Errorf("change %d: believed as %v", i%5, got)
		}
		c.Close()
		_ = verifyRef(t, log, ref)
		for _, order := range []Order{OldestFirst, NewestFirst} {
			for _, err := range log.Walk(context.Background(), Range{Ref: ref, Order: order}) {
				_ = err
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
