package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// wrote appends a patch that wrote lines, and the anchor of a commit that has them.
func wrote(t testing.TB, repo *refs.Repo, n int, lines ...string) {
	t.Helper()
	var prints []events.Fingerprint
	var change events.ChangeHash
	for _, l := range lines {
		prints = append(prints, events.FingerprintOf([]byte(l)))
		change.Added([]byte(l))
	}
	encode := func(data any) json.RawMessage {
		raw, err := events.Encode(data)
		check(t, err)
		return raw
	}
	_, err := events.OpenLog(repo).Append(t.Context(), []events.Draft{
		{Time: testTime, Type: events.PatchRecorded, Method: []events.Method{events.HookToolAfter}, Data: encode(events.PatchData{
			Patch: patchID("d", n), Path: "a", NewStart: 1, NewCount: len(lines), Owner: events.OwnerHuman,
			After: commitID("blob", n), Lines: events.EncodeFingerprints(prints),
		})},
		{Time: testTime, Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}, Data: encode(events.CommitData{
			Commit: commitID("commit", n), Files: []events.AnchorFile{{Path: "a", Blob: commitID("blob", n), Change: change.ID()}},
		})},
	})
	check(t, err)
}

func digestOf(t testing.TB, repo *refs.Repo) (*Digest, *Index) {
	t.Helper()
	ix := open(t, repo)
	d, err := ix.Digest(t.Context())
	check(t, err)
	return d, ix
}

func TestDigestTellsWhichContentsTheLogSpeaksOf(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	wrote(t, repo, 1, "alpha", "", "}", "}")
	wrote(t, repo, 2, "beta", "}")
	for _, from := range []string{"memory", "the file", "the file and what came since"} {
		switch from {
		case "the file":
			for n := range 300 { // more than is left to memory
				wrote(t, repo, 10+n, fmt.Sprintf("filler %d", n), strings.Repeat("x", 40))
			}
			digestOf(t, repo)
		case "the file and what came since":
			wrote(t, repo, 3, "gamma", "}")
		}
		d, ix := digestOf(t, repo)
		if stored := len(d.texts[0].stored) > 0; stored != (from != "memory") {
			t.Errorf("%s: stored %v", from, stored)
		}
		line := func(text string) (out []int64) {
			for _, m := range d.Line(events.FingerprintOf([]byte(text))) {
				out = append(out, m.Seq)
			}
			return out
		}
		if got := line(" be ta\n"); !slices.Equal(got, []int64{4}) {
			t.Errorf("%s: beta in %v", from, got)
		}
		if got, want := len(line("}")), map[bool]int{false: 2, true: 3}[from == "the file and what came since"]; got != want {
			t.Errorf("%s: } in %d patches, want %d", from, got, want)
		}
		if got := append(line("delta"), line(" \t")...); len(got) > 0 {
			t.Errorf("%s: lines that nobody wrote in %v", from, got)
		}
		blob := d.Blob(commitID("blob", 2))
		if len(blob) != 2 || len(d.Blob(commitID("blob", 9))) > 0 {
			t.Fatalf("%s: content in %v", from, blob)
		}
		e, found, err := ix.At(blob[0])
		if err != nil || !found || e.Type != events.PatchRecorded || e.Seq != blob[0].Seq {
			t.Errorf("%s: %v is %v, %v, %v", from, blob[0], e.Type, found, err)
		}
		at, p, found, err := ix.PatchAt(patchID("d", 2))
		if err != nil || !found || at != blob[0] || p.ID != e.ID {
			t.Errorf("%s: patch at %v, %v, %v", from, at, found, err)
		}
		var change events.ChangeHash
		change.Added([]byte("beta"))
		change.Added([]byte(" }"))
		if got := d.Change(change.ID()); len(got) != 1 || got[0].Seq != 5 {
			t.Errorf("%s: change in %v", from, got)
		}
		if heads := d.Heads(0); len(heads) < 2 || heads[1] != (NamedCommit{5, commitID("commit", 2)}) {
			t.Errorf("%s: heads %v", from, heads)
		}
	}
}

func TestSpoiledDigestIsMadeAnew(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	for n := range 300 {
		wrote(t, repo, n, fmt.Sprintf("line %d", n), strings.Repeat("x", 40))
	}
	_, ix := digestOf(t, repo)
	path := ix.digestPath("own")
	sound, err := os.ReadFile(path)
	check(t, err)
	for name, raw := range map[string][]byte{
		"empty": nil, "cut": sound[:len(sound)/2], "turned": append(bytes.Clone(sound[:len(sound)-9]), bytes.Repeat([]byte{1}, 9)...),
		"another build": anotherBuild(t, sound),
	} {
		check(t, os.WriteFile(path, raw, 0o644))
		d, _ := digestOf(t, repo)
		if got := d.Line(events.FingerprintOf([]byte("line 250"))); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, sound) {
			t.Errorf("%s: not written anew: %v", name, err)
		}
	}
}

// anotherBuild is a digest file about another build of its logs, with a right check sum.
func anotherBuild(t *testing.T, raw []byte) []byte {
	t.Helper()
	head, rows, err := decodeDigest(raw)
	check(t, err)
	head.generation = strings.Repeat("0", len(head.generation))
	path := filepath.Join(t.TempDir(), "digest")
	writeDigest(path, head, rows)
	raw, err = os.ReadFile(path)
	check(t, err)
	return raw
}

func FuzzDigest(f *testing.F) {
	w := codec.Writer{}
	(&digestHead{version: digestVersion, heads: []headsOf{{log: 1, heads: []NamedCommit{{Seq: 2}}}}}).fields(&w)
	raw := append(append([]byte{byte(len(w.Out))}, w.Out...), "123456789012345"...)
	f.Add(binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		head, rows, err := decodeDigest(raw)
		if err != nil && len(head.heads)+len(rows) > 0 {
			t.Fatalf("%d logs of %v", len(head.heads), err)
		}
		d := Digest{texts: []digestedText{{of: &text{}, stored: rows}}}
		_ = d.Line(events.FingerprintOf(raw))
	})
}

// What is made of a log holds until the log speaks again of what it was made of.
func TestALogThatSpeaksAgain(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	wrote(t, repo, 1, "alpha")
	d, _ := digestOf(t, repo)
	since := []int64{d.Last(0)}
	keys := map[string]Key{
		"a line": LineKey(events.FingerprintOf([]byte("beta"))), "a content": BlobKey(commitID("blob", 2)), "a path": PathKey("a"),
		"an anchor": AnchorKey(commitID("commit", 2)),
	}
	silent := map[string]Key{
		"another line": LineKey(events.FingerprintOf([]byte("alpha"))), "another content": BlobKey(commitID("blob", 1)),
		"another path": PathKey("b"), "another anchor": AnchorKey(commitID("commit", 1)), "a rewriting": RewrittenKey(commitID("commit", 2)),
		"a call": EndedKey("toolu_1"),
	}
	for name, key := range keys {
		if d.Spoke(key, since) {
			t.Errorf("%s: it spoke before", name)
		}
	}
	for _, from := range []string{"memory", "the file"} {
		wrote(t, repo, 2, "beta")
		if from == "the file" {
			for n := range 300 {
				wrote(t, repo, 10+n, fmt.Sprintf("filler %d", n), strings.Repeat("x", 40))
			}
		}
		d, _ = digestOf(t, repo)
		for name, key := range keys {
			if !d.Spoke(key, since) || d.Spoke(key, []int64{d.Last(0)}) {
				t.Errorf("%s, %s: it did not speak once", name, from)
			}
		}
		for name, key := range silent {
			if d.Spoke(key, since) {
				t.Errorf("%s, %s: it spoke", name, from)
			}
		}
	}
}
