package ledger

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"os"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// A path that lost lines has a third file. Each line of that file names a content, with fingerprints of the lines and
// phrases that were removed from it; "*" means that some fingerprints are not listed. With it, a look-up finds, without
// reading a content, whether a new line may be an old one that returns, perhaps in another form.

const (
	maxLeft      = 8192      // fingerprints of one change
	maxLeftBytes = 128 << 10 // bytes of a path's file; if it is larger, the older half is dropped
	manyLeft     = "*"
)

func (k *Known) leftFile(path string) string { return k.file(path) + ".left" }

// linePrint is the fingerprint of a line without its white space, or of a phrase.
type linePrint [4]byte

// left describes a content from which lines were removed.
type left struct {
	blob  refs.OID
	lines map[linePrint]bool // nil means any line
}

// printsOf returns the fingerprints of consecutive lines, and of every three consecutive words. A formatter keeps these
// words and writes other lines. In a line with fewer words, all words together make a phrase.
func printsOf(lines [][]byte) map[linePrint]bool {
	out := make(map[linePrint]bool, len(lines))
	var words [][]byte
	phrase := func(n int) {
		h := fnv.New32a()
		for _, word := range words[len(words)-n:] {
			h.Write(word)
			h.Write([]byte{0})
		}
		out[linePrint(h.Sum(nil))] = true
	}
	for _, line := range lines {
		f := events.FingerprintOf(line)
		out[linePrint(f[:])] = true
		n := 0
		for word := range bytes.FieldsFuncSeq(line, linediff.Separates) {
			words = append(words, word)
			if n++; len(words) >= phraseWords {
				phrase(phraseWords)
			}
		}
		if 0 < n && n < phraseWords {
			phrase(n)
		}
	}
	return out
}

// phraseWords is the number of words in a phrase.
const phraseWords = 3

// PutLeft stores that lines were removed from a content of a path.
func (k *Known) PutLeft(path string, blob refs.OID, lines [][]byte) {
	one := left{blob, printsOf(lines)}
	if len(one.lines) > 1 {
		delete(one.lines, linePrint{}) // blank lines are evidence only if nothing else was removed
	}
	if blob.IsZero() || len(one.lines) == 0 {
		return
	}
	if len(one.lines) > maxLeft {
		one.lines = nil
	}
	list, text := k.leftOf(path), one.text()
	if last := len(list) - 1; last >= 0 && list[last].blob == blob && bytes.Equal(text, list[last].text()) {
		return
	}
	k.left[path] = append(list, one)
	add := k.adding(path)
	add.left = append(add.left, text...)
}

func (k *Known) saveLeft(path string, text []byte) error {
	name := k.leftFile(path)
	err := appendFile(name, text)
	if info, found := os.Stat(name); err == nil && found == nil && info.Size() > maxLeftBytes {
		var out []byte
		list := k.left[path]
		k.left[path] = list[len(list)/2:]
		for _, one := range k.left[path] {
			out = append(out, one.text()...)
		}
		err = refs.WriteFileAtomic(name, out, 0o600)
	}
	return err
}

// `Left` lists the contents of a path from which at least one of the lines may have been removed, last one first,
// without duplicates, at most `limit`. It calls the function `lines` only if something was removed from the path.
func (k *Known) Left(path string, lines func() [][]byte, limit int) []refs.OID {
	list := k.leftOf(path)
	if len(list) == 0 {
		return nil
	}
	asked := printsOf(lines())
	var out []refs.OID
	for _, one := range slices.Backward(list) {
		if len(out) == limit {
			break
		}
		has := one.lines == nil
		for p := range asked {
			has = has || one.lines[p]
		}
		if has && !slices.Contains(out, one.blob) {
			out = append(out, one.blob)
		}
	}
	return out
}

// PutApart is PutLeft for lines that git removed when it moved HEAD to another commit.
func (k *Known) PutApart(path string, blob refs.OID, lines [][]byte) {
	k.PutLeft(takenFrom(path), blob, lines)
}

// `Apart` is Left for lines that git removed when it moved HEAD to another commit.
func (k *Known) Apart(path string, lines func() [][]byte, limit int) []refs.OID {
	return k.Left(takenFrom(path), lines, limit)
}

// takenFrom returns the key for the lines that git removed from a path. The key is not a valid path.
func takenFrom(path string) string { return path + "\x00" }

func (k *Known) leftOf(path string) []left {
	list, done := k.left[path]
	if done {
		return list
	}
	raw, _ := os.ReadFile(k.leftFile(path))
	for line := range bytes.Lines(raw) {
		if one, ok := parseLeft(line); ok {
			list = append(list, one)
		}
	}
	k.left[path] = list
	return list
}

func (l left) text() []byte {
	out := append([]byte(l.blob.String()), ' ')
	if l.lines == nil {
		return append(out, manyLeft+"\n"...)
	}
	var prints []linePrint
	for p := range l.lines {
		prints = append(prints, p)
	}
	slices.SortFunc(prints, func(a, b linePrint) int { return bytes.Compare(a[:], b[:]) })
	for _, p := range prints {
		out = hex.AppendEncode(out, p[:])
	}
	return append(out, '\n')
}

// parseLeft parses a line of the file. `ok` is false for an incomplete line, which a killed process left.
func parseLeft(line []byte) (l left, ok bool) {
	id, prints, _ := bytes.Cut(line, []byte(" "))
	prints, ended := bytes.CutSuffix(prints, []byte("\n"))
	blob, err := refs.ParseOID(string(id))
	if err != nil || !ended {
		return l, false
	}
	l.blob = blob
	if string(prints) == manyLeft {
		return l, true
	}
	raw, err := hex.DecodeString(string(prints))
	if err != nil || len(raw)%len(linePrint{}) != 0 {
		return l, false
	}
	l.lines = map[linePrint]bool{}
	for p := range slices.Chunk(raw, len(linePrint{})) {
		l.lines[linePrint(p)] = true
	}
	return l, true
}
