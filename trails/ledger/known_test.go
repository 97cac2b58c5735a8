package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

func blob(text string) refs.OID { return refs.SHA1.Hash(refs.BlobObject, []byte(text)) }

func human(n int) vector.Vector {
	return vector.Uniform(n, vector.Owner{Kind: events.OwnerHuman, Patch: "00000000000000010000000000000000"})
}

func TestKnownContentsComeBackInAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := NewKnownIn(dir)
	for i := range 3 {
		if err := k.Put("a/b.txt", blob(strconv.Itoa(i)), human(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Put("a/b.txt", blob("1"), human(9)); err != nil {
		t.Fatal(err)
	}
	again := NewKnownIn(dir)
	for i, want := range []int{1, 9, 3} {
		v, found := again.Get("a/b.txt", blob(strconv.Itoa(i)))
		if !found || v.Len() != want {
			t.Errorf("content %d has %d lines (%v), want %d", i, v.Len(), found, want)
		}
	}
	if _, found := again.Get("other", blob("1")); found {
		t.Error("another path knows the content")
	}
	if got := again.Blobs("a/b.txt", 2); len(got) != 2 || got[0] != blob("1") || got[1] != blob("2") {
		t.Errorf("last contents are %v", got)
	}
}

func TestAVectorThatIsKnownIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := NewKnownIn(dir)
	sizes := map[int64]bool{}
	for range 500 { // a stash pushed and popped five hundred times
		for i := range 2 {
			if err := k.Put("a", blob(strconv.Itoa(i)), human(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(k.file("a"))
		if err != nil {
			t.Fatal(err)
		}
		sizes[info.Size()] = true
	}
	if len(sizes) != 1 {
		t.Errorf("the file grew: %v", sizes)
	}
}

func TestARecordThatAKilledProcessLeftHurtsNobody(t *testing.T) {
	t.Parallel()
	whole := appendRecord(appendRecord(nil, Record{blob("1"), vector.Encode(human(1))}), Record{blob("2"), vector.Encode(human(2))})
	for cut := range len(whole) {
		dir := t.TempDir()
		k := NewKnownIn(dir)
		if err := os.MkdirAll(filepath.Dir(k.file("a")), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(k.file("a"), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := k.Put("a", blob("3"), human(3)); err != nil {
			t.Fatal(err)
		}
		if v, found := NewKnownIn(dir).Get("a", blob("3")); !found || v.Len() != 3 {
			t.Fatalf("cut at %d: the next record is lost", cut)
		}
	}
}

func TestAPathsFileStaysBounded(t *testing.T) {
	t.Parallel()
	k := NewKnownIn(t.TempDir())
	var b vector.Builder
	for i := range 3000 { // owners that alternate cannot be run-length coded
		b.Add(vector.Owner{Kind: events.OwnerHuman, Patch: events.PatchID(strconv.FormatInt(int64(i%2), 10))}, 1)
	}
	big := b.Vector()
	for i := range 2000 {
		if err := k.Put("a", blob(strconv.Itoa(i)), big); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(k.file("a"))
	if err != nil || info.Size() > 2*maxKnownBytes {
		t.Errorf("the file has %d bytes (%v)", info.Size(), err)
	}
	if _, found := k.Get("a", blob("1999")); !found {
		t.Error("the last content is forgotten")
	}
}

func FuzzKnownRecords(f *testing.F) {
	f.Add(appendRecord(nil, Record{blob("1"), vector.Encode(human(1))}))
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		records, end := decodeRecords(raw)
		var again []byte
		for _, r := range records {
			again = appendRecord(again, r)
		}
		if string(again) != string(raw[:end]) {
			t.Errorf("records do not read back: %x, want %x", again, raw[:end])
		}
	})
}
