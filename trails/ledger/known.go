package ledger

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// Known stores the ownership vector of every content that a path had. There is one append-only file for each path,
// below <common git dir>/traces/contents/vectors. Additions are in memory until Save. A record is
//
//	u32 length of the rest without the checksum · u8 id length · blob id · vector · u32 CRC-32
//
// in big-endian order. The last record for a blob counts. If a process was killed while it wrote a record, a reader
// stops before that record, and the next writer replaces it. Package trails can derive the files again from the patches
// in the log (trails.Rebuild).
type Known struct {
	dir string
	mem map[string][]Record
	// sizes holds the length of a path's file at the time when the whole file was read or written.
	sizes map[string]int64
	// recent holds the last used vectors of each path, because contents are followed step by step.
	recent map[string][]knownVector
	// names holds the other names of paths after they were read. The field `left` holds, in the same way, the lines that
	// were removed from paths.
	names map[string][]string
	left  map[string][]left
	// unsaved holds, by path, the additions that are not in a file yet.
	unsaved map[string]*additions
	// source, if it is set, returns the records of a path instead of its file.
	source func(path string) []Record
}

// Record is a content of a path, with the owners of its lines.
type Record struct {
	Blob refs.OID
	Raw  []byte // encoded vector
}

// additions holds the data of a path that is not yet in its files.
type additions struct {
	records     []Record
	revised     bool // existing records were changed
	left, names []byte
}

type knownVector struct {
	blob refs.OID
	vec  vector.Vector
}

// Limits for a path's file: if it is longer than maxKnownBytes, it is rewritten with its last keptRecords records.
const (
	maxKnownBytes = 2 << 20
	keptRecords   = 128
	keptDecoded   = 3 // vectors kept per path: of the old content, the new one, and its source
)

// Dir returns the directory for facts about contents.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "contents") }

// NewKnown returns the store of the repository. It reads a path's file at its first use, and once.
func NewKnown(repo *refs.Repo) *Known {
	return NewKnownIn(filepath.Join(Dir(repo), "vectors"))
}

// NewKnownIn returns the store in a directory.
func NewKnownIn(dir string) *Known {
	return &Known{
		dir: dir, mem: map[string][]Record{}, sizes: map[string]int64{}, recent: map[string][]knownVector{},
		names: map[string][]string{}, left: map[string][]left{}, unsaved: map[string]*additions{},
	}
}

// `Only` returns a store for reading, with the contents that the function `keep` accepts.
func (k *Known) Only(keep func(*Record) bool) *Known {
	out := NewKnownIn(k.dir)
	out.source = func(path string) []Record {
		return slices.DeleteFunc(slices.Clone(k.load(path)), func(r Record) bool { return !keep(&r) })
	}
	return out
}

func (k *Known) file(path string) string {
	sum := blake3.Sum256([]byte(path))
	name := hex.EncodeToString(sum[:12])
	return filepath.Join(k.dir, name[:2], name[2:])
}

// Get returns the vector of a path with the given blob as content.
func (k *Known) Get(path string, blob refs.OID) (vector.Vector, bool) {
	records := k.load(path)
	if vec, ok := k.recall(path, blob); ok {
		return vec, true
	}
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Blob != blob {
			continue
		}
		v, err := vector.Decode(records[i].Raw)
		if err == nil {
			k.remember(path, blob, v)
		}
		return v, err == nil
	}
	return vector.Vector{}, false
}

// recall finds a vector among the last used ones of a path.
func (k *Known) recall(path string, blob refs.OID) (vector.Vector, bool) {
	for _, r := range k.recent[path] {
		if r.blob == blob {
			return r.vec, true
		}
	}
	return vector.Vector{}, false
}

// remember adds a vector to the last used ones, and drops the oldest.
func (k *Known) remember(path string, blob refs.OID, v vector.Vector) {
	list := slices.DeleteFunc(k.recent[path], func(r knownVector) bool { return r.blob == blob })
	list = slices.Insert(list, 0, knownVector{blob, v})
	k.recent[path] = list[:min(len(list), keptDecoded)]
}

// Blobs lists the contents that a path had, last one first, without duplicates, at most `limit`.
func (k *Known) Blobs(path string, limit int) []refs.OID {
	records := k.load(path)
	seen := map[refs.OID]bool{}
	var out []refs.OID
	for i := len(records) - 1; i >= 0 && len(out) < limit; i-- {
		if blob := records[i].Blob; !seen[blob] {
			seen[blob] = true
			out = append(out, blob)
		}
	}
	return out
}

// Put stores a vector. A vector that is already known is not written again.
func (k *Known) Put(path string, blob refs.OID, v vector.Vector) {
	records := k.load(path)
	if vec, ok := k.recall(path, blob); ok && vec.Equal(v) {
		return
	}
	one := Record{blob, vector.Encode(v)}
	for _, r := range slices.Backward(records) {
		if r.Blob == blob {
			if bytes.Equal(r.Raw, one.Raw) {
				return
			}
			break
		}
	}
	k.mem[path] = append(records, one)
	k.remember(path, blob, v)
	add := k.adding(path)
	add.records = append(add.records, one)
}

// Revise replaces the owners of lines in all contents of a path. It calls the function `now` for each content, in
// order, first one first.
func (k *Known) Revise(path string, now func(blob refs.OID, v vector.Vector) vector.Vector) {
	records := slices.Clone(k.load(path))
	changed := false
	for i, r := range records {
		v, err := vector.Decode(r.Raw)
		if err != nil {
			continue
		}
		if revised := now(r.Blob, v); !revised.Equal(v) {
			records[i].Raw, changed = vector.Encode(revised), true
		}
	}
	if changed {
		k.mem[path] = records
		delete(k.recent, path)
		k.adding(path).revised = true
	}
}

// adding returns the additions for a path.
func (k *Known) adding(path string) *additions {
	add := k.unsaved[path]
	if add == nil {
		add = &additions{}
		k.unsaved[path] = add
	}
	return add
}

// Save writes the additions and revisions made since the last call.
func (k *Known) Save() error {
	for _, path := range slices.Sorted(maps.Keys(k.unsaved)) {
		add := k.unsaved[path]
		err := k.saveRecords(path, add)
		if err == nil && len(add.left) > 0 {
			err = k.saveLeft(path, add.left)
		}
		if err == nil && len(add.names) > 0 {
			err = appendFile(k.namesFile(path), add.names)
		}
		if err != nil {
			return fmt.Errorf("store the owners of the lines of %s: %w", strconv.Quote(path), err)
		}
		delete(k.unsaved, path)
	}
	return nil
}

func (k *Known) saveRecords(path string, add *additions) error {
	if !add.revised && len(add.records) == 0 {
		return nil
	}
	records := k.mem[path]
	size := 0
	for _, r := range records {
		size += len(r.Raw) + 64
	}
	name := k.file(path)
	if err := refs.MakeDirs(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if size > maxKnownBytes && len(records) > keptRecords {
		k.mem[path], add.revised = records[len(records)-keptRecords:], true
	}
	if add.revised {
		return k.rewrite(path, name, k.mem[path])
	}
	return k.append(path, name, add.records)
}

// append appends records to a path's file. If the file's length has changed since it was read, append reads it again: a
// process in another work tree may have written to it, or may have been killed while writing.
func (k *Known) append(path, name string, records []Record) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != k.sizes[path] {
		whole, err := refs.ReadFile(name)
		if err != nil {
			return err
		}
		if onDisk, end := decodeRecords(whole); end < len(whole) { // a reader would stop at an incomplete record
			return k.rewrite(path, name, append(onDisk, records...))
		}
	}
	var out []byte
	for _, r := range records {
		out = appendRecord(out, r)
	}
	n, err := f.Write(out)
	if err != nil {
		return err
	}
	k.sizes[path] = info.Size() + int64(n)
	return nil
}

func (k *Known) rewrite(path, name string, records []Record) error {
	var out []byte
	for _, r := range records {
		out = appendRecord(out, r)
	}
	if err := refs.WriteFileAtomic(name, out, 0o600); err != nil {
		return err
	}
	k.sizes[path] = int64(len(out))
	return nil
}

func (k *Known) load(path string) []Record {
	if records, ok := k.mem[path]; ok {
		return records
	}
	var records []Record
	if k.source != nil {
		records = k.source(path)
	} else if raw, err := refs.ReadFile(k.file(path)); err == nil {
		var end int
		if records, end = decodeRecords(raw); end == len(raw) {
			k.sizes[path] = int64(end)
		}
	}
	k.mem[path] = records
	return records
}

func appendRecord(out []byte, r Record) []byte {
	id := r.Blob.Bytes()
	out = binary.BigEndian.AppendUint32(out, uint32(1+len(id)+len(r.Raw))) // limited by the vector codec
	start := len(out)
	out = append(out, byte(len(id)))
	out = append(out, id...)
	out = append(out, r.Raw...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

// decodeRecords decodes all complete records, and returns the offset of their end.
func decodeRecords(raw []byte) (out []Record, end int) {
	for len(raw)-end >= 8 {
		n := int(binary.BigEndian.Uint32(raw[end:]))
		if n < 1 || n > len(raw)-end-8 {
			return out, end
		}
		body, sum := raw[end+4:end+4+n], binary.BigEndian.Uint32(raw[end+4+n:])
		if crc32.ChecksumIEEE(body) != sum || 1+int(body[0]) > n {
			return out, end
		}
		blob, err := refs.OIDFromBytes(body[1 : 1+body[0]])
		if err != nil {
			return out, end
		}
		out = append(out, Record{blob, body[1+body[0]:]})
		end += n + 8
	}
	return out, end
}
