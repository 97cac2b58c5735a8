package gitblame

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"

	"github.com/zeebo/blake3"
)

// gitProgram identifies the installed version of git: after an update, git may give another answer. The program often
// has several names, and git itself changes the search path. So neither its path nor its inode counts.
func gitProgram() string {
	path, err := exec.LookPath("git")
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// digest identifies the inputs on which an answer depends.
type digest [16]byte

// digester computes a digest of texts and files.
type digester struct {
	hash *blake3.Hasher
}

// newDigest starts a digest.
func newDigest() *digester { return &digester{hash: blake3.New()} }

// Text adds a text.
func (d *digester) Text(s string) {
	_, _ = d.hash.WriteString(s)
	_, _ = d.hash.Write([]byte{0})
}

// File adds the content of a file, or that it cannot be read.
func (d *digester) File(path string) {
	d.Text(path)
	content, err := os.ReadFile(path)
	if err != nil {
		d.Text("none")
		return
	}
	d.Text("file")
	d.Text(string(content))
}

// Sum returns the digest of everything that was added.
func (d *digester) Sum() digest {
	var out digest
	copy(out[:], d.hash.Sum(nil))
	return out
}

func digestOf(text string) digest {
	d := newDigest()
	d.Text(text)
	return d.Sum()
}

// String returns the digest in hexadecimal, for use as a file name.
func (d digest) String() string { return hex.EncodeToString(d[:]) }
