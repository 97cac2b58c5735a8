package snapshot

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/git-trace/git-trace/refs"
)

// streamSize is the size from which a file is hashed and stored in pieces, to save memory.
const streamSize = 4 << 20

var (
	errConverted = errors.New("line endings are converted")
	errResized   = errors.New("the size of the file changed while it was read")
)

// storeStream stores `size` bytes as a blob in the side store. If `textual` is set, it fails with errConverted at the
// first CR, because git must then decide about the blob.
func (e *Engine) storeStream(ctx context.Context, from io.Reader, size int64, textual bool) (refs.OID, error) {
	dir := e.repo.SideObjects()
	if err := refs.MakeDirs(dir, 0o777); err != nil {
		return refs.OID{}, errStore{err}
	}
	tmp, err := os.CreateTemp(dir, "tmp_obj_")
	if err != nil {
		return refs.OID{}, errStore{err}
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	w := &blobWriter{sum: e.repo.Format.New(), textual: textual}
	oid, err := w.write(ctx, tmp, from, size)
	if closeErr := tmp.Close(); err == nil && closeErr != nil {
		err = errStore{closeErr}
	}
	if err != nil {
		return refs.OID{}, err
	}
	if err := publish(tmp.Name(), loosePath(dir, oid)); err != nil {
		return refs.OID{}, errStore{err}
	}
	return oid, nil
}

// blobWriter hashes and deflates a blob at the same time.
type blobWriter struct {
	sum     hash.Hash
	textual bool
}

func (w *blobWriter) write(ctx context.Context, to io.Writer, from io.Reader, size int64) (refs.OID, error) {
	z, err := zlib.NewWriterLevel(to, zlib.BestSpeed)
	if err != nil {
		return refs.OID{}, errStore{err}
	}
	both := io.MultiWriter(w.sum, z)
	if _, err := io.WriteString(both, "blob "+strconv.FormatInt(size, 10)+"\x00"); err != nil {
		return refs.OID{}, errStore{err}
	}
	buf := make([]byte, 256<<10)
	for left := size; ; {
		if err := ctx.Err(); err != nil {
			return refs.OID{}, err
		}
		n, err := from.Read(buf)
		if left -= int64(n); left < 0 || err == io.EOF && left != 0 {
			return refs.OID{}, errResized
		}
		if w.textual && bytes.IndexByte(buf[:n], '\r') >= 0 {
			return refs.OID{}, errConverted
		}
		if _, err := both.Write(buf[:n]); err != nil {
			return refs.OID{}, errStore{err}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return refs.OID{}, err
		}
	}
	if err := z.Close(); err != nil {
		return refs.OID{}, errStore{err}
	}
	return refs.OIDFromBytes(w.sum.Sum(nil))
}

// publish renames a finished object to its final path.
func publish(tmp, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := refs.MakeDirs(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o444); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("store object: %w", err)
	}
	return nil
}

// loosePath returns the path of a loose object in an object directory.
func loosePath(dir string, oid refs.OID) string {
	name := oid.String()
	return filepath.Join(dir, name[:2], name[2:])
}

// keepLimit is the size above which Keep does not store a content.
const keepLimit = 32 << 20

// `keep` stores the content of an entry in the side store. It reads from disk if the file is unchanged, otherwise
// through git.
func (e *Engine) keep(path string, entry Entry) error {
	objects := e.repo.Objects()
	objects.Max = keepLimit
	defer func() { _ = objects.Close() }()
	return e.keepBy(objects, path, entry)
}

func (e *Engine) keepBy(objects *refs.Objects, path string, entry Entry) error {
	side := e.repo.SideObjects()
	if _, err := os.Lstat(loosePath(side, entry.OID)); err == nil {
		return nil
	}
	if tree, err := openWorkTree(e.repo.WorkTree); err == nil {
		kept := e.keepFromDisk(tree, path, entry.OID)
		tree.close()
		if kept {
			return nil
		}
	}
	content, err := objects.Blob(entry.OID)
	var failed *refs.GitError
	if errors.Is(err, refs.ErrTooLarge) || errors.Is(err, refs.ErrMissing) || errors.As(err, &failed) {
		return nil // nothing to keep
	}
	if err != nil {
		return err
	}
	_, err = e.repo.WriteLoose(side, refs.BlobObject, content)
	return err
}

// keepFromDisk stores the content of a file if that content has the given id.
func (e *Engine) keepFromDisk(tree *workTree, path string, oid refs.OID) bool {
	content, ok := fromDisk(tree, path)
	if !ok || e.repo.Format.Hash(refs.BlobObject, content) != oid {
		return false
	}
	_, err := e.repo.WriteLoose(e.repo.SideObjects(), refs.BlobObject, content)
	return err == nil
}

// fromDisk reads a file or symbolic link that may have the wanted content.
func fromDisk(tree *workTree, path string) ([]byte, bool) {
	st, err := tree.lstat(path)
	switch {
	case err == nil && st.isLink():
		target, err := tree.readLink(path)
		return target, err == nil
	case err != nil || !st.isFile() || st.size > keepLimit:
		return nil, false
	}
	f, err := tree.open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	content, err := readAll(f, st.size)
	return content, err == nil
}
