package search

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// sample is a segment of a few steps.
func sample(tb testing.TB) []byte {
	tb.Helper()
	build := newBuilder()
	for _, said := range []string{"close the server twice", "render sessionFile and session_file", ""} {
		r := &records.Record{Steps: []records.Step{
			{StepIndex: 1, Role: records.RoleUser, Content: &said},
			{StepIndex: 2, Role: records.RoleAgent, ToolCalls: []records.ToolCall{{ToolName: "Edit", Input: []byte(`{"file_path":"/src/server.go"}`)}}},
		}}
		build.add(r)
	}
	var raw bytes.Buffer
	if err := build.write(&raw); err != nil {
		tb.Fatal(err)
	}
	return raw.Bytes()
}

// withHead gives a damaged segment the head that fits its checksum, so that what lies behind the checksum is reached.
func withHead(data []byte) []byte {
	if len(data) < headSize {
		return data
	}
	data = bytes.Clone(data)
	head := data[len(data)-headSize:]
	copy(head, magic)
	sum := checksum(head[:headSize-8])
	for i := range 8 {
		head[headSize-8+i] = byte(sum >> (8 * i))
	}
	return data
}

// damagedOnly tells whether a fault is one after which the index is made anew.
func damagedOnly(err error) bool {
	return err == nil || errors.Is(err, errDamaged) || errors.Is(err, io.EOF)
}

func FuzzSegment(f *testing.F) {
	whole := sample(f)
	f.Add(whole, "server")
	for i := 0; i < len(whole); i += 11 {
		other := bytes.Clone(whole)
		other[i] ^= 0x81
		f.Add(other, "session")
	}
	f.Add(whole[:len(whole)/2], "")
	f.Fuzz(func(t *testing.T, data []byte, wanted string) {
		data = withHead(data)
		s, err := openSegment(bytes.NewReader(data), int64(len(data)))
		if !damagedOnly(err) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		ix := &Index{segments: []*segment{s}}
		if _, _, err := ix.matches(t.Context(), 0, queryWords(wanted+" close"), Query{Count: true}); !damagedOnly(err) {
			t.Fatal(err)
		}
		table, err := s.documents()
		if !damagedOnly(err) {
			t.Fatal(err)
		}
		for i := range min(uint64(len(table)/documentSize), 100) {
			if _, err := s.text(entry(table, uint32(i))); !damagedOnly(err) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzDigests(f *testing.F) {
	cost := 0.25
	whole := encodeDigests([]Digest{
		{Trace: "a", Title: "one", Cost: &cost, Models: []ModelUse{{"m", 1, 2, 3, 4, 5}}, Commits: []string{"c"}, PromptIndex: 2, PromptText: "go", segment: 0, conversation: 3},
		{Trace: "b", segment: -1}, {Trace: "c", segment: 1},
	})
	f.Add(whole)
	f.Add(whole[:len(whole)-9])
	for i := 0; i < len(whole); i += 7 {
		other := bytes.Clone(whole)
		other[i] ^= 0x41
		f.Add(other)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "digests"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		ix := &Index{dir: dir, manifest: manifest{Digests: "digests"}}
		if _, err := ix.digestAt(place{0, 3}); !damagedOnly(err) {
			t.Fatal(err)
		}
		if _, err := ix.readDigests(); !damagedOnly(err) {
			t.Fatal(err)
		}
		if _, err := ix.openDigests(); !damagedOnly(err) {
			t.Fatal(err)
		}
	})
}

func TestDigestsComeBackAsTheyWereStored(t *testing.T) {
	t.Parallel()
	cost := 0.25
	want := []Digest{
		{
			Trace: "a", Blob: refs.SHA1.Hash(refs.BlobObject, []byte("x")), Own: true, Agent: "pi", Session: "s", Title: "one", Name: "n", Start: "b", End: "e", Steps: 1, Prompts: 2,
			Calls: 3, Redactions: 4, Input: 5, Output: 6, CacheRead: 7, CacheWrite: 8, Cost: &cost, Models: []ModelUse{{"m", 1, 2, 3, 4, 5}}, Commits: []string{"c", "d"},
			PromptIndex: 2, PromptText: "go", segment: 1, conversation: 3,
		},
		{Trace: "b", Unreadable: "why", segment: -1},
	}
	if got := hex.EncodeToString(encodeDigests(want)); got != storedDigests {
		t.Errorf("the stored bytes are %s", got)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "digests"), encodeDigests(want), 0o600); err != nil {
		t.Fatal(err)
	}
	ix := &Index{dir: dir, manifest: manifest{Digests: "digests"}}
	if got, err := ix.readDigests(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := ix.digestAt(place{1, 3}); err != nil || !reflect.DeepEqual(got, want[0]) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// storedDigests are the bytes of TestDigestsComeBackAsTheyWereStored, which the next version reads.
const storedDigests = "016114c1b0730e0133447badcfd47fd144e254807b06e102000270690173036f6e650162016500016e02676f000004000000020406080a0c0e1002000000000000d03f02016d020406080a040163016402060162000000000000000003776879000000000000000000000000000000000000000100010000000300000000000000000000005200000075000000000000000100000000000000"
