package refs

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func FuzzDecodeTree(f *testing.F) {
	id := SHA1.EmptyTree()
	f.Add(EncodeTree([]TreeEntry{{"a", ModeFile, id}, {"b", ModeDir, id}}), false)
	f.Add([]byte("040000 x\x00"+strings.Repeat("i", 20)), false)
	f.Add([]byte("100644 x\x00"+strings.Repeat("i", 32)), true)
	f.Fuzz(func(t *testing.T, raw []byte, long bool) {
		format := SHA1
		if long {
			format = SHA256
		}
		entries, err := DecodeTree(format, raw)
		if err != nil {
			return
		}
		again, err := DecodeTree(format, EncodeTree(entries))
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%v: %v", entries, err)
		}
	})
}

func FuzzDecodeCommit(f *testing.F) {
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor A <a> 1 +0100\ncommitter A <a> 1 -0100\n\nm"))
	f.Add([]byte("tree " + strings.Repeat("a", 64) + "\nparent " + strings.Repeat("b", 64) + "\nauthor >< 1\ncommitter <\ngpgsig x\n y\n\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := DecodeCommit(raw)
		if err != nil {
			return
		}
		again, err := DecodeCommit(EncodeCommit(c))
		if err != nil || again.Tree != c.Tree || again.Message != c.Message || !slices.Equal(again.Parents, c.Parents) ||
			again.Author.When.Unix() != c.Author.When.Unix() {
			t.Fatalf("%+v became %+v: %v", c, again, err)
		}
	})
}

func FuzzDecodeLoose(f *testing.F) {
	var stored, deflated bytes.Buffer
	_ = writeLooseTo(&stored, BlobObject, []byte("hello"))
	_ = writeLooseTo(&deflated, TreeObject, make([]byte, storedLimit+1))
	f.Add(stored.Bytes())
	f.Add(deflated.Bytes())
	f.Add(storedStream([]byte("blob 99999999999\x00"), nil, 17))
	f.Fuzz(func(t *testing.T, raw []byte) {
		typ, content, err := decodeLoose(raw, 1<<20)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeLooseTo(&out, typ, content); err != nil {
			t.Fatal(err)
		}
		if _, again, err := decodeLoose(out.Bytes(), 0); err != nil || !bytes.Equal(again, content) {
			t.Fatal(err)
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	for _, text := range configSamples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseConfig(text)
		if err != nil && entries != nil {
			t.Fatal("entries beside an error")
		}
	})
}

func FuzzFindPacked(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add("# pack-refs with: peeled fully-peeled sorted \n"+id+" refs/heads/a\n^"+id+"\n"+id+" refs/heads/b\n", "refs/heads/b")
	f.Add(id+" refs/heads/a", "refs/heads/a")
	f.Add(" refs/x", "refs/x")
	f.Fuzz(func(t *testing.T, text, name string) {
		oid, err := findPacked(text, name, SHA1)
		if err == nil && !strings.Contains(text, oid.String()+" "+name) {
			t.Fatalf("found %s, which is not there", oid)
		}
	})
}

func FuzzCheckRefName(f *testing.F) {
	for _, name := range []string{"HEAD", "refs/heads/main", "refs/../x", "refs//x", "refs/x.lock", "refs/a\\b", "config", "refs/x@{1}"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkRefName(name) == nil && (strings.Contains(name, "..") || strings.ContainsAny(name, "\\\x00") || strings.HasPrefix(name, "/")) {
			t.Fatalf("%q accepted", name)
		}
	})
}

func FuzzParseSettings(f *testing.F) {
	f.Add("system\x00file:/etc/gitconfig\x00core.autocrlf\ntrue\x00command\x00command line:\x00core.bare\x00")
	f.Add("x")
	f.Fuzz(func(t *testing.T, out string) {
		for _, s := range parseSettings(out) {
			if s.NoValue && s.Value != "true" || strings.Contains(s.Key, "\n") {
				t.Errorf("%q: %+v", out, s)
			}
		}
	})
}
