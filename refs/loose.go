package refs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ErrCorrupt is returned for a stored object or ref with invalid content.
var ErrCorrupt = errors.New("corrupt")

// ErrTooLarge is returned for an object that is larger than the reader's limit.
var ErrTooLarge = errors.New("object too large")

// WriteLoose stores an object in an object directory, MainObjects or SideObjects, and returns its id. At every moment
// the object is complete or missing: WriteLoose writes a temporary file, with a name that git's prune knows, and
// renames it. If no ref reaches the object, `git gc --prune=now` may delete it again. Otherwise git keeps it for two
// weeks.
func (r *Repo) WriteLoose(dir string, typ ObjectType, content []byte) (OID, error) {
	oid := r.Format.Hash(typ, content)
	path := loosePath(dir, oid)
	if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
		freshen(path, info)
		return oid, nil
	}
	var err error
	for range writeTries {
		// `git gc --prune=now` also removes temporary files that are in use, and empty directories.
		if err = r.writeNewLoose(path, typ, content); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return OID{}, fmt.Errorf("write object %s: %w", oid, err)
	}
	return oid, nil
}

const writeTries = 20

// freshen updates a time stamp that is a day old or older: git's gc keeps unreachable objects with a recent time stamp.
func freshen(path string, info os.FileInfo) {
	now := time.Now()
	if now.Sub(info.ModTime()) > 24*time.Hour {
		_ = os.Chtimes(path, now, now)
	}
}

func (r *Repo) writeNewLoose(path string, typ ObjectType, content []byte) error {
	tmp, err := createTemp(filepath.Dir(path), "tmp_obj_", 0o444)
	if err != nil {
		return err
	}
	err = writeLooseTo(tmp, typ, content)
	if err == nil && r.Fsync {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		if exists(path) { // on Windows a read-only file cannot be replaced, and the object exists already
			return nil
		}
		return err
	}
	if r.Fsync {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// storedLimit is the size up to which an object is stored without compression. Such an object fills one disk block in
// any case, and compressing takes longer than the whole write. Git compresses it later, when it packs.
const storedLimit = 4000

func writeLooseTo(w io.Writer, typ ObjectType, content []byte) error {
	header := append(append(make([]byte, 0, 32), typ...), ' ')
	header = append(strconv.AppendInt(header, int64(len(content)), 10), 0)
	if size := len(header) + len(content); size <= storedLimit {
		_, err := w.Write(storedStream(header, content, size))
		return err
	}
	out := bufio.NewWriterSize(w, 16<<10) // the compressor writes only a few hundred bytes at a time
	z := deflater(out)
	defer deflaters.Put(z)
	if _, err := z.Write(header); err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// storedStream returns a zlib stream (RFC 1950) with one stored block (RFC 1951, 3.2.4).
func storedStream(header, content []byte, size int) []byte {
	out := make([]byte, 0, size+11)
	out = append(out, 0x78, 0x01, 0x01)
	out = binary.LittleEndian.AppendUint16(out, uint16(size))
	out = binary.LittleEndian.AppendUint16(out, ^uint16(size))
	out = append(append(out, header...), content...)
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(out[7:]))
}

// ReadLoose reads an object from an object directory. If the object has no loose file there, the error is
// os.ErrNotExist.
func ReadLoose(dir string, oid OID) (ObjectType, []byte, error) {
	return readLoose(dir, oid, 0)
}

// readLoose does the same as ReadLoose, with a limit. If `limit` is positive and the content is larger, it fails before
// it reads the content.
func readLoose(dir string, oid OID, limit int64) (ObjectType, []byte, error) {
	raw, err := ReadFile(loosePath(dir, oid))
	if err != nil {
		return "", nil, err
	}
	typ, content, err := decodeLoose(raw, limit)
	if err != nil {
		return "", nil, fmt.Errorf("read object %s: %w", oid, err)
	}
	return typ, content, nil
}

func decodeLoose(raw []byte, limit int64) (ObjectType, []byte, error) {
	z, err := inflater(bytes.NewReader(raw))
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	defer inflaters.Put(z)
	head := make([]byte, 512)
	n, err := io.ReadFull(z, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	head = head[:n]
	nul := bytes.IndexByte(head, 0)
	if nul < 0 {
		return "", nil, fmt.Errorf("%w: object header does not end", ErrCorrupt)
	}
	typ, size, err := parseHeader(head[:nul])
	if err != nil {
		return "", nil, err
	}
	if limit > 0 && size > limit {
		return "", nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	// A deflate stream expands at most about 1032 times, so a header with a larger size is wrong.
	if size < int64(n-nul-1) || size > 1100*int64(len(raw)) {
		return "", nil, fmt.Errorf("%w: object size differs from its header", ErrCorrupt)
	}
	content := make([]byte, size)
	have := copy(content, head[nul+1:])
	if _, err := io.ReadFull(z, content[have:]); err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	// Reading past the end makes the reader compare the check sum.
	if k, err := z.Read(make([]byte, 1)); k != 0 || err != io.EOF {
		return "", nil, fmt.Errorf("%w: object size differs from its header", ErrCorrupt)
	}
	return typ, content, nil
}

func parseHeader(head []byte) (ObjectType, int64, error) {
	word, digits, ok := bytes.Cut(head, []byte(" "))
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if !ok || err != nil || size < 0 {
		return "", 0, fmt.Errorf("%w: bad object header", ErrCorrupt)
	}
	switch typ := ObjectType(word); typ {
	case BlobObject, TreeObject, CommitObject, TagObject:
		return typ, size, nil
	}
	return "", 0, fmt.Errorf("%w: unknown object type", ErrCorrupt)
}

func loosePath(dir string, oid OID) string {
	name := oid.String()
	if name == "" {
		name = "00missing"
	}
	return filepath.Join(dir, name[:2], name[2:])
}
