package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// errDamaged reports damaged index files, which are then built again.
var errDamaged = errors.New("search index is damaged")

// format is the version of all files in the directory.
const format = 11

// manifest lists the parts of the index. It is replaced as a whole.
type manifest struct {
	Format   int           `json:"format"`
	Tips     []refs.OID    `json:"tips"` // the commits of the refs that were read
	Segments []segmentFile `json:"segments"`
	Digests  string        `json:"digests"` // the name of the file with the digests
}

// segmentFile is a segment and its removed conversations.
type segmentFile struct {
	File string   `json:"file"`
	Size int64    `json:"size"`
	Dead []uint32 `json:"dead,omitempty"` // conversations that were removed or replaced
}

// Index is an index that is open for reading. The caller must close it.
type Index struct {
	dir      string
	segments []*segment
	files    []*os.File
	manifest manifest
	digests  []Digest    // all digests, read when they are needed
	opened   *digestFile // file for reading single digests, opened when needed
	records  *store.Store
	memory   bool // the index is only in memory
	untraced bool // the repository stores no traces, so no index either
}

// Dir returns the directory of a repository's index.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "search") }

// Progress is called with the number of changed records that were read, and their total.
type Progress func(done, total int)

// Open opens the index and brings it up to date with the store. The parameter `progress` may be nil.
func Open(ctx context.Context, repo *refs.Repo, records *store.Store, progress Progress) (*Index, error) {
	ix := &Index{dir: Dir(repo), records: records, untraced: !repo.HasTraces()}
	tips, err := records.Tips(ctx)
	if err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	if ix.load() == nil && slices.Equal(ix.manifest.Tips, tips) {
		if ix.open() == nil {
			return ix, nil
		}
		ix.Close()
	}
	if err := ix.update(ctx, records, progress); err != nil {
		ix.Close()
		return nil, fmt.Errorf("update search index: %w", err)
	}
	return ix, nil
}

// Close closes the files.
func (ix *Index) Close() {
	for _, f := range ix.files {
		_ = f.Close()
	}
	ix.files, ix.segments = nil, nil
}

func (ix *Index) manifestPath() string { return filepath.Join(ix.dir, "manifest.json") }

// load reads the manifest.
func (ix *Index) load() error {
	ix.manifest = manifest{}
	raw, err := os.ReadFile(ix.manifestPath())
	if err != nil {
		return err
	}
	var m manifest
	if json.Unmarshal(raw, &m) != nil || m.Format != format {
		return errDamaged
	}
	ix.manifest = m
	return nil
}

// open opens the segments that the manifest names.
func (ix *Index) open() error {
	for _, f := range ix.manifest.Segments {
		if err := ix.openFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (ix *Index) openFile(f segmentFile) error {
	file, err := os.Open(filepath.Join(ix.dir, filepath.Base(f.File)))
	if err != nil {
		return err
	}
	ix.files = append(ix.files, file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%w: %s has another size", errDamaged, f.File)
	}
	s, err := openSegment(file, f.Size)
	if err != nil {
		return err
	}
	for _, dead := range f.Dead {
		s.dead[dead] = true
	}
	ix.segments = append(ix.segments, s)
	return nil
}

// Digests returns the digest of every conversation that has a record, in the order of the ids.
func (ix *Index) Digests() (list []Digest, err error) {
	err = ix.mended(context.Background(), func() error {
		list, err = ix.allDigests()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return list, nil
}

func (ix *Index) allDigests() ([]Digest, error) {
	if ix.digests == nil && ix.manifest.Digests != "" {
		list, err := ix.readDigests()
		if err != nil {
			return nil, err
		}
		ix.digests = list
	}
	return ix.digests, nil
}

// `mended` calls the function `do`. If `do` finds that index files are damaged, mended builds the index again and calls
// `do` again.
func (ix *Index) mended(ctx context.Context, do func() error) error {
	err := do()
	if !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.EOF) {
		return err
	}
	ix.Close()
	ix.digests, ix.opened = nil, nil
	_ = os.Remove(ix.manifestPath())
	if err := ix.update(ctx, ix.records, nil); err != nil {
		return err
	}
	return do()
}

// lockWait limits the wait for another process that updates the index. A process that does not get the lock indexes in
// memory.
const lockWait = 2 * time.Second

// update reads the changed records and writes a new segment and a new manifest.
func (ix *Index) update(ctx context.Context, records *store.Store, progress Progress) error {
	ix.memory = true
	if !ix.untraced {
		if lock, err := refs.Flock(filepath.Join(ix.dir, "lock"), lockWait); err == nil {
			defer lock.Unlock()
			ix.memory = false
		}
	}
	known := map[events.TraceID]Digest{}
	if ix.load() != nil || ix.open() != nil {
		ix.Close()
		ix.manifest = manifest{Format: format}
	} else if list, err := ix.allDigests(); err == nil {
		for _, d := range list {
			known[d.Trace] = d
		}
	} else {
		ix.Close()
		ix.manifest = manifest{Format: format}
	}
	tips, err := records.Tips(ctx)
	if err != nil {
		return err
	}
	list, err := records.List(ctx)
	if err != nil {
		return err
	}
	u := updater{ix: ix, records: records, known: known, progress: progress}
	if err := u.run(ctx, list); err != nil {
		return err
	}
	ix.manifest.Tips, ix.digests = tips, u.digests
	if ix.memory {
		return nil
	}
	return ix.save()
}

// save writes the digests and then the manifest, and removes files that the manifest does not name.
func (ix *Index) save() error {
	name := "digests-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := refs.WriteFileAtomic(filepath.Join(ix.dir, name), encodeDigests(ix.digests), 0o600); err != nil {
		return err
	}
	ix.manifest.Digests = name
	for i, s := range ix.segments {
		ix.manifest.Segments[i].Dead = nil
		for dead := range s.dead {
			ix.manifest.Segments[i].Dead = append(ix.manifest.Segments[i].Dead, dead)
		}
		slices.Sort(ix.manifest.Segments[i].Dead)
	}
	raw, err := json.Marshal(ix.manifest)
	if err != nil {
		return err
	}
	if err := refs.WriteFileAtomic(ix.manifestPath(), raw, 0o600); err != nil {
		return err
	}
	ix.sweep()
	return nil
}

// sweep removes files that the manifest does not name. A reader that has such a file open can still read it.
func (ix *Index) sweep() {
	named := map[string]bool{"manifest.json": true, "lock": true, ix.manifest.Digests: true}
	for _, f := range ix.manifest.Segments {
		named[f.File] = true
	}
	entries, err := os.ReadDir(ix.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !named[entry.Name()] && !strings.HasPrefix(entry.Name(), ".") {
			_ = os.Remove(filepath.Join(ix.dir, entry.Name()))
		}
	}
}

// Remove deletes the index of a repository.
func Remove(repo *refs.Repo) error {
	if err := os.RemoveAll(Dir(repo)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove search index: %w", err)
	}
	return nil
}
