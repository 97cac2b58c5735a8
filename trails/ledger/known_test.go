package ledger

import (
	"os"
	"path/filepath"
	"slices"
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

// save writes what was added.
func save(t *testing.T, store interface{ Save() error }) {
	t.Helper()
	if err := store.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestKnownContentsComeBackInAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := NewKnownIn(dir)
	for i := range 3 {
		k.Put("a/b.txt", blob(strconv.Itoa(i)), human(i+1))
	}
	k.Put("a/b.txt", blob("1"), human(9))
	if _, found := NewKnownIn(dir).Get("a/b.txt", blob("1")); found {
		t.Error("a file has what was not saved")
	}
	save(t, k)
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
			k.Put("a", blob(strconv.Itoa(i)), human(i+1))
		}
		save(t, k)
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
		k.Put("a", blob("3"), human(3))
		save(t, k)
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
		k.Put("a", blob(strconv.Itoa(i)), big)
		save(t, k)
	}
	info, err := os.Stat(k.file("a"))
	if err != nil || info.Size() > 2*maxKnownBytes {
		t.Errorf("the file has %d bytes (%v)", info.Size(), err)
	}
	if _, found := k.Get("a", blob("1999")); !found {
		t.Error("the last content is forgotten")
	}
	for i := range 2 * keptRecords {
		k.Put("small", blob(strconv.Itoa(i)), human(1))
	}
	save(t, k)
	if got := len(NewKnownIn(k.dir).Blobs("small", 9*keptRecords)); got != 2*keptRecords {
		t.Errorf("of %d contents that need little room %d are kept", 2*keptRecords, got)
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

// What turns out about owners is put into every content of the path, in the file too, and into no other path.
func TestOwnersAreRevisedInAllContentsOfAPath(t *testing.T) {
	t.Parallel()
	person := vector.Owner{Kind: events.OwnerHuman, Patch: "00000000000000010000000000000000"}
	agent := vector.Owner{Kind: events.OwnerAI, Patch: "00000000000000021111111111111111"}
	toAgent := func(o vector.Owner) vector.Owner {
		if o == person {
			return agent
		}
		return o
	}
	for name, tt := range map[string]struct {
		owner  func(vector.Owner) vector.Owner
		reader bool         // nothing is saved
		here   vector.Owner // who has the lines in this process
		file   vector.Owner // and in the next
	}{
		"another owner":               {toAgent, false, agent, agent},
		"the same owner":              {func(o vector.Owner) vector.Owner { return o }, false, person, person},
		"another owner, for a reader": {toAgent, true, agent, person},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			k := NewKnownIn(dir)
			for _, path := range []string{"a", "other"} {
				for i := range 3 {
					k.Put(path, blob(strconv.Itoa(i)), human(i+1))
				}
			}
			save(t, k)
			k.Revise("a", mapped(tt.owner))
			if !tt.reader {
				save(t, k)
			}
			for process, read := range map[string]struct {
				*Known
				want vector.Owner
			}{"this process": {k, tt.here}, "the next": {NewKnownIn(dir), tt.file}} {
				for i := range 3 {
					v, found := read.Get("a", blob(strconv.Itoa(i)))
					if want := vector.Uniform(i+1, read.want); !found || !v.Equal(want) {
						t.Errorf("%s has content %d as %v, want %v", process, i, v, want)
					}
					if v, _ := read.Get("other", blob(strconv.Itoa(i))); !v.Equal(human(i + 1)) {
						t.Errorf("%s has another path's content %d as %v", process, i, v)
					}
				}
				if got := read.Blobs("a", 9); !slices.Equal(got, []refs.OID{blob("2"), blob("1"), blob("0")}) {
					t.Errorf("%s has the contents in the order %v", process, got)
				}
			}
		})
	}
}

// A store that lets some contents through shows these, takes new ones, and leaves the file as it is.
func TestOnlySomeContentsOfAStore(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{CommonDir: t.TempDir()}
	k := NewKnown(repo)
	for i := range 4 {
		k.Put("a", blob(strconv.Itoa(i)), human(i+1))
	}
	save(t, k)
	some := k.Only(func(r *Record) bool { return r.Blob != blob("1") && r.Blob != blob("3") })
	if got := some.Blobs("a", 9); !slices.Equal(got, []refs.OID{blob("2"), blob("0")}) {
		t.Errorf("it shows %v", got)
	}
	if _, found := some.Get("a", blob("3")); found {
		t.Error("it shows a content that was held back")
	}
	some.Put("a", blob("new"), human(7))
	if v, found := some.Get("a", blob("new")); !found || v.Len() != 7 {
		t.Errorf("a new content is %v, %v", v, found)
	}
	again := NewKnown(repo)
	if _, found := again.Get("a", blob("new")); found || len(again.Blobs("a", 9)) != 4 {
		t.Errorf("the file has %v", again.Blobs("a", 9))
	}
}

// Another work tree's process wrote meanwhile: its record stays, also where it is one that was left unfinished.
func TestTwoProcessesKeepEachOthersContents(t *testing.T) {
	t.Parallel()
	for _, cut := range []int{0, 3} { // bytes that the end of the other's record lacks
		dir := t.TempDir()
		k, other := NewKnownIn(dir), NewKnownIn(dir)
		put := func(k *Known, name string) {
			t.Helper()
			k.Put("a", blob(name), human(len(name)))
			save(t, k)
		}
		put(k, "1")
		put(other, "22")
		put(other, "333")
		info, err := os.Stat(other.file("a"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(other.file("a"), info.Size()-int64(cut)); err != nil {
			t.Fatal(err)
		}
		put(k, "4444")
		want := []refs.OID{blob("4444"), blob("333"), blob("22"), blob("1")}
		if cut > 0 {
			want = slices.Delete(want, 1, 2)
		}
		if got := NewKnownIn(dir).Blobs("a", 9); !slices.Equal(got, want) {
			t.Errorf("cut by %d: the contents are %v, want %v", cut, got, want)
		}
	}
}

// A vector that cannot be stored is told, and is known to this process all the same.
func TestAStoreThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k := NewKnownIn(file)
	k.Put("a", blob("1"), human(1))
	if err := k.Save(); err == nil {
		t.Error("nothing is said")
	}
	if _, found := k.Get("a", blob("1")); !found {
		t.Error("this process has forgotten it")
	}
	if err := k.Save(); err == nil {
		t.Error("the second time nothing is said")
	}
	owners := NewOwners(&refs.Repo{CommonDir: file})
	owners.Put("0123456789abcdef", events.AnchorOwner{})
	if err := owners.Save(); err == nil {
		t.Error("an owner that cannot be written is lost in silence")
	}
}

func mapped(owner func(vector.Owner) vector.Owner) func(refs.OID, vector.Vector) vector.Vector {
	return func(_ refs.OID, v vector.Vector) vector.Vector { return v.Map(owner) }
}
