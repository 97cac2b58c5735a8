package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// ErrMissing is returned for an object or revision that the repository does not have.
var ErrMissing = errors.New("object missing")

// ErrOtherType is returned for an object whose type is not the one that the caller needs.
var ErrOtherType = errors.New("unexpected type of object")

// ReadError is the error for an object that could not be read. An object that can be read and has wrong content gives
// another error.
type ReadError struct {
	OID OID
	Err error
}

func (e *ReadError) Error() string { return fmt.Sprintf("read object %s: %v", e.OID, e.Err) }

func (e *ReadError) Unwrap() error { return e.Err }

// DefaultMaxObject is the size of the largest object, in bytes, that a reader loads by default.
const DefaultMaxObject = 512 << 20

// Objects reads objects. It reads loose and packed objects directly, first from the side store and then from the
// repository. For everything else (alternates, objects that a repack has just moved, revisions) it starts one
// `git cat-file --batch` on demand. It is not safe for concurrent use. Callers must close it.
type Objects struct {
	// Max is the largest size of an object in bytes. For a larger one the error is ErrTooLarge. 0 means DefaultMaxObject.
	Max int64

	repo  *Repo
	batch *batch
	packs *packSet
	main  *packSet // see MayBeStored
	seen  treeCache

	borrows bool // git's own store has alternates; valid if main is set
}

// Objects returns a reader. It does nothing until the first read.
func (r *Repo) Objects() *Objects { return &Objects{repo: r} }

func (o *Objects) limit() int64 {
	if o.Max > 0 {
		return o.Max
	}
	return DefaultMaxObject
}

// Read returns an object's type and content, or ErrMissing.
func (o *Objects) Read(oid OID) (ObjectType, []byte, error) {
	if oid.IsZero() {
		return "", nil, fmt.Errorf("read object: %w", ErrMissing)
	}
	typ, content, err := o.stored(oid)
	if errors.Is(err, errNotHere) {
		_, typ, content, err = o.ask(oid.String(), true)
		var died *GitError
		if errors.As(err, &died) && (died.lacksPromised() || !o.MayBeStored(oid)) {
			err = ErrMissing
		}
	}
	if err != nil {
		return "", nil, &ReadError{oid, err}
	}
	return typ, content, nil
}

// `stored` reads a loose or packed object. If it returns errNotHere, git must be asked.
func (o *Objects) stored(oid OID) (ObjectType, []byte, error) {
	for _, dir := range [...]string{o.repo.SideObjects(), o.repo.MainObjects()} {
		typ, content, err := readLoose(dir, oid, o.limit())
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrCorrupt) {
			return typ, content, err
		}
		// Another copy may be valid, so git decides.
	}
	return o.packed(oid)
}

// `packed` reads an object from the packs that existed at its first call. If it returns errNotHere, git must be asked.
func (o *Objects) packed(oid OID) (ObjectType, []byte, error) {
	o.openPacks()
	return o.packs.read(oid, o.limit())
}

func (o *Objects) openPacks() {
	if o.packs == nil {
		o.packs = &packSet{format: o.repo.Format, dirs: []string{o.repo.SideObjects(), o.repo.MainObjects()}}
	}
}

// MayBeStored reports whether git's own object store may have an object. It does not check the side store, because
// commits have only objects of git's store. If only git could answer (alternates, very many packs), it returns true. It
// reads no object and starts no process.
func (o *Objects) MayBeStored(oid OID) bool {
	dir := o.repo.MainObjects()
	if o.main == nil {
		o.main = &packSet{format: o.repo.Format, dirs: []string{dir}}
		o.borrows = exists(filepath.Join(dir, "info", "alternates"))
	}
	if o.borrows || exists(loosePath(dir, oid)) {
		return true
	}
	return o.main.mayHave(oid)
}

// knowsAll reports whether all results of MayBeStored so far were certain.
func (o *Objects) knowsAll() bool {
	return !o.borrows && (o.main == nil || !o.main.some)
}

// Blob does the same as Read, for a blob.
func (o *Objects) Blob(oid OID) ([]byte, error) {
	return o.typed(oid, BlobObject)
}

// Tree reads and decodes a tree.
func (o *Objects) Tree(oid OID) ([]TreeEntry, error) {
	if oid == o.repo.Format.EmptyTree() {
		return nil, nil
	}
	raw, err := o.typed(oid, TreeObject)
	if err != nil {
		return nil, err
	}
	entries, err := DecodeTree(o.repo.Format, raw)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", oid, err)
	}
	return entries, nil
}

// Commit reads and decodes a commit.
func (o *Objects) Commit(oid OID) (Commit, error) {
	raw, err := o.typed(oid, CommitObject)
	if err != nil {
		return Commit{}, err
	}
	c, err := DecodeCommit(raw)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit %s: %w", oid, err)
	}
	return c, nil
}

func (o *Objects) typed(oid OID, want ObjectType) ([]byte, error) {
	typ, content, err := o.Read(oid)
	if err != nil {
		return nil, err
	}
	if typ != want {
		return nil, fmt.Errorf("read object %s: %w: is a %s, not a %s", oid, ErrOtherType, typ, want)
	}
	return content, nil
}

// Resolve returns the object that a revision names ("HEAD:path", "abc123^{tree}"); see gitrevisions(7). It calls git,
// except for paths of a commit or tree that is given by its full id. For ambiguous and unknown names the error is
// ErrMissing.
func (o *Objects) Resolve(rev string) (OID, ObjectType, error) {
	oid, typ, _, err := o.ask(rev, false)
	if err != nil {
		return OID{}, "", fmt.Errorf("resolve revision: %w", err)
	}
	return oid, typ, nil
}

// ReadRev does the same as Resolve and Read, in one request.
func (o *Objects) ReadRev(rev string) (OID, ObjectType, []byte, error) {
	oid, typ, content, err := o.ask(rev, true)
	if err != nil {
		return OID{}, "", nil, fmt.Errorf("read revision: %w", err)
	}
	return oid, typ, content, nil
}

func (o *Objects) ask(rev string, want bool) (OID, ObjectType, []byte, error) {
	if at, known, err := o.inside(rev, want); known {
		return at.oid, at.typ, at.content, err
	}
	name := rev
	if !lineSafe(rev) {
		oid, err := o.repo.parseRev(rev)
		if err != nil {
			return OID{}, "", nil, err
		}
		name = oid.String()
	}
	if o.batch == nil {
		b, err := startBatch(o.repo)
		if err != nil {
			return OID{}, "", nil, err
		}
		o.batch = b
	}
	oid, typ, content, err := o.batch.ask(name, want, o.limit())
	if !o.batch.usable {
		b := o.batch
		o.batch = nil
		if err == nil || errors.Is(err, ErrTooLarge) {
			return oid, typ, content, errors.Join(err, b.close())
		}
		err = b.explain(err)
	}
	return oid, typ, content, err
}

// Close ends the git process, if one was started. It does not wait for a process that hangs.
func (o *Objects) Close() error {
	if o.main != nil {
		o.main.close()
		o.main = nil
	}
	if o.packs != nil {
		o.packs.close()
		o.packs = nil
	}
	if o.batch == nil {
		return nil
	}
	b := o.batch
	o.batch = nil
	return b.close()
}
