package testenv

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git names objects by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
)

// loose writes loose objects of a repository without a git process for each.
type loose struct {
	dir, format string
	sum         func() hash.Hash
}

func looseObjects(t failing, dir string) loose {
	common := commonDir(t, dir)
	config, err := os.ReadFile(filepath.Join(common, "config"))
	if err != nil {
		t.Fatalf("read the configuration of %s: %v", dir, err)
	}
	if strings.Contains(strings.ToLower(string(config)), "objectformat = sha256") {
		return loose{filepath.Join(common, "objects"), "sha256", sha256.New}
	}
	return loose{filepath.Join(common, "objects"), "sha1", sha1.New}
}

// `write` stores an object, unless it exists, and returns its id.
func (l loose) write(t failing, kind, content string) string {
	text := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	sum := l.sum()
	_, _ = sum.Write([]byte(text))
	id := hex.EncodeToString(sum.Sum(nil))
	path := filepath.Join(l.dir, id[:2], id[2:])
	if _, err := os.Stat(path); err == nil {
		return id
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	err = errors.Join(err, w.Close(), os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, packed.Bytes(), 0o444))
	if err != nil {
		t.Fatalf("write an object: %v", err)
	}
	return id
}

type treeEntry struct{ mode, name, id string }

// tree stores a tree. The entries must be in git's order.
func (l loose) tree(t failing, entries []treeEntry) string {
	var text strings.Builder
	for _, e := range entries {
		id, err := hex.DecodeString(e.id)
		if err != nil {
			t.Fatalf("write a tree: %v", err)
		}
		text.WriteString(e.mode + " " + e.name + "\x00" + string(id))
	}
	return l.write(t, "tree", text.String())
}
