package gitblame

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// sample is what is kept of a file with lines of two commits, a renamed path and a change not committed.
func sample(format refs.ObjectFormat) *kept {
	id := func(text string) refs.OID { return format.Hash(refs.BlobObject, []byte(text)) }
	author := Person{Name: "Zoë", Mail: "<zoe@example.com>", Time: 1_700_000_000, TZ: "-0330"}
	root := &Commit{ID: id("root"), Author: author, Committer: author, Summary: "first", Boundary: true}
	later := &Commit{ID: id("later"), Author: author, Committer: Person{Name: "C", Time: -1, TZ: "(unknown)"}}
	old := &source{commit: root, path: "old\xff.go"}
	changed := &source{commit: later, path: "f.go", previous: Origin{root.ID, "old\xff.go"}}
	nobody := &source{commit: &Commit{ID: format.Zero()}, path: "f.go", previous: Origin{later.ID, "f.go"}}
	return &kept{
		path: "f.go", context: digestOf("context"), attributes: digestOf("attributes"), filtered: true,
		answers: []*answer{
			{commits: []refs.OID{later.ID, id("another")}, content: id("content"), runs: []run{{old, 1, 3}, {changed, 4, 1}}},
			{commits: []refs.OID{later.ID}, content: id("more"), pending: true, runs: []run{{old, 2, 2}, {nobody, 3, 70_000}}},
		},
	}
}

func TestWhatIsKeptIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, format := range []refs.ObjectFormat{refs.SHA1, refs.SHA256} {
		want := sample(format)
		raw := encodeKept(want, format)
		got, err := decodeKept(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, written %+v", got, want)
		}
		for cut := range raw {
			if _, err := decodeKept(raw[:cut]); err == nil {
				t.Fatalf("the first %d bytes of %d are read", cut, len(raw))
			}
		}
		for at := range raw {
			damaged := bytes.Clone(raw)
			damaged[at] ^= 0x10
			if _, err := decodeKept(damaged); err == nil {
				t.Fatalf("a change of byte %d goes unnoticed", at)
			}
		}
	}
}

// A file with a right check sum can still say anything.
func FuzzKept(f *testing.F) {
	for _, format := range []refs.ObjectFormat{refs.SHA1, refs.SHA256} {
		raw := encodeKept(sample(format), format)
		f.Add(raw[len(cacheMagic) : len(raw)-4])
	}
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, body []byte) {
		k, err := decodeKept(sealed(body))
		if err != nil {
			return
		}
		for _, a := range k.answers {
			if a.lines() < 0 || len(a.commits) == 0 {
				t.Fatalf("%+v", a)
			}
		}
		format := refs.SHA1
		if len(k.answers) > 0 {
			format = k.answers[0].content.Format()
		}
		again, err := decodeKept(encodeKept(k, format))
		if err != nil || len(again.answers) != len(k.answers) {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}
