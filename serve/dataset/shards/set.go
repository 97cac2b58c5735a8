package shards

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Options decide how tables are written.
type Options struct {
	Dir    string
	Key    string   // letters and digits that mark the writer's files
	Name   string   // the writer's name, for people
	Source string   // identifies the input: equal sources give equal rows
	Size   int64    // size of a file's rows as JSON lines, in bytes; the row that reaches it is the file's last
	By     []string // the partition columns, the outermost first
	Ext    string   // file name extension: "jsonl", or that of Pack's form
	Pack   Packer   // nil for JSON lines
}

// Packer turns a file of JSON lines into another form.
type Packer func(columns []Column, from, to string) error

// Errors of sets.
var (
	ErrBusy = errors.New("another export of this repository into this directory is under way")
	errForm = errors.New("not a manifest of git-trace")
)

const (
	manifests  = "_manifest"
	staging    = "_staging"
	progress   = "progress.jsonl"
	lockName   = "lock"
	lockWait   = 20 * time.Second // the time to wait for another writer that publishes
	dirMode    = 0o755
	fileMode   = 0o644
	shardName  = "%s-%06d.%s"
	linesExt   = "jsonl"
	openFiles  = 48
	lineBuffer = 64 << 10
)

// Set holds the tables of one writer.
type Set struct {
	Options
	lock *refs.FileLock
	done *record
	made int // number of files that this process made
}

// Begin reserves the writer's staging directory. Close releases it.
func Begin(o Options) (*Set, error) {
	s := &Set{Options: o}
	err := os.ErrNotExist
	for tries := 0; tries < 3 && errors.Is(err, os.ErrNotExist); tries++ { // another process may be removing the directory
		if err := makeDirs(s.stage()); err != nil {
			return nil, err
		}
		s.lock, err = refs.Flock(filepath.Join(s.stage(), lockName), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	if s.done, err = resume(filepath.Join(s.stage(), progress), o.Source, s.there); err == nil && !s.done.went {
		err = s.clear()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Written returns the manifest if everything of this source is written already; otherwise nil.
func (s *Set) Written() (*Manifest, error) {
	m, err := readManifest(s.manifest())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.Source != s.Source {
		return nil, nil
	}
	for _, f := range m.Files {
		info, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(f.Path)))
		if err != nil || info.Size() != f.Bytes {
			return nil, nil //nolint:nilerr // a missing file is written again
		}
	}
	return m, nil
}

// Went reports whether this process continues the work of an earlier one.
func (s *Set) Went() bool { return s.done.went }

// Made returns the number of files that this process made.
func (s *Set) Made() int { return s.made }

// Close releases the directory. The next writer continues unfinished work.
func (s *Set) Close() error {
	var err error
	if s.done != nil {
		err = s.done.close()
	}
	if s.lock != nil {
		s.tidy()
		s.lock.Unlock()
		s.lock = nil
	}
	return err
}

// tidy removes the staging directory if only the lock is left in it. Somebody else may have removed it already.
func (s *Set) tidy() {
	entries, err := os.ReadDir(s.stage())
	if err != nil || len(entries) != 1 || entries[0].Name() != lockName {
		return
	}
	_ = os.Remove(filepath.Join(s.stage(), lockName)) // some systems cannot remove an open file
	_ = os.Remove(s.stage())
}

func (s *Set) stage() string    { return filepath.Join(s.Dir, staging, s.Key) }
func (s *Set) manifest() string { return filepath.Join(s.Dir, manifests, s.Key+".json") }

// clear removes the unfinished work of another source, but not the lock.
func (s *Set) clear() error {
	entries, err := os.ReadDir(s.stage())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.stage(), e.Name())))
		}
	}
	return err
}

// `there` reports whether a finished file exists, staged or in its final place.
func (s *Set) there(f File) bool {
	for _, dir := range []string{s.stage(), s.Dir} {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err == nil && info.Size() == f.Bytes {
			return ours(f.Path, s.Key)
		}
	}
	return false
}

// Finish puts the files in place, and returns the manifest.
func (s *Set) Finish() (*Manifest, error) {
	if err := s.done.begin(s.Source, s.stage()); err != nil {
		return nil, err
	}
	m := s.done.manifest(s.Options)
	old, err := readManifest(s.manifest())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, f := range m.Files {
		from, to := filepath.Join(s.stage(), filepath.FromSlash(f.Path)), filepath.Join(s.Dir, filepath.FromSlash(f.Path))
		if err := makeDirs(filepath.Dir(to)); err != nil {
			return nil, err
		}
		err := os.Rename(from, to)
		if errors.Is(err, os.ErrNotExist) {
			_, err = os.Stat(to) // a killed writer had put it in place
		}
		if err != nil {
			return nil, fmt.Errorf("put in place: %w", err)
		}
	}
	if err := s.dropOld(old, m); err != nil {
		return nil, err
	}
	if err := s.publish(old, m); err != nil {
		return nil, err
	}
	if err := s.done.close(); err != nil {
		return nil, err
	}
	return m, os.RemoveAll(s.stage())
}

// dropOld removes the previous run's files that the new run has not replaced, and directories that become empty.
func (s *Set) dropOld(old, m *Manifest) error {
	if old == nil {
		return nil
	}
	have := map[string]bool{}
	for _, f := range m.Files {
		have[f.Path] = true
	}
	for _, f := range old.Files {
		if have[f.Path] || !ours(f.Path, s.Key) {
			continue
		}
		path := filepath.Join(s.Dir, filepath.FromSlash(f.Path))
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for dir := filepath.Dir(path); dir != filepath.Clean(s.Dir); dir = filepath.Dir(dir) {
			if os.Remove(dir) != nil { // other writers have files there
				break
			}
		}
	}
	return nil
}

// ours reports whether a path of a manifest can belong to a writer with this key. A manifest is not trusted: anybody
// may have changed it.
func ours(path, key string) bool {
	return filepath.IsLocal(filepath.FromSlash(path)) &&
		strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], key+"-")
}

func makeDirs(dir string) error { return os.MkdirAll(dir, dirMode) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
