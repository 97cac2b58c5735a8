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

// Options say how tables are written.
type Options struct {
	Dir    string
	Key    string   // names the writer in the names of its files: letters and digits
	Name   string   // of the writer, for people
	Source string   // names the input of the rows: the same source gives the same rows
	Size   int64    // of the rows of a file as JSON lines, in bytes; a file ends with the row that reaches it
	By     []string // the columns of the partitions, the outermost first
	Ext    string   // of the files: "jsonl", or Pack's ending
	Pack   Packer   // nil for plain lines
}

// Packer makes another form of a file of JSON lines.
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
	lockWait   = 20 * time.Second // for a writer that publishes
	dirMode    = 0o755
	fileMode   = 0o644
	shardName  = "%s-%06d.%s"
	linesExt   = "jsonl"
	openFiles  = 48
	lineBuffer = 64 << 10
)

// Set has the tables of one writer.
type Set struct {
	Options
	lock *refs.FileLock
	done *record
	made int // files, by this process
}

// Begin reserves the place of a writer in a directory. Close gives it back.
func Begin(o Options) (*Set, error) {
	s := &Set{Options: o}
	err := os.ErrNotExist
	for tries := 0; tries < 3 && errors.Is(err, os.ErrNotExist); tries++ { // another one may be tidying up
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

// Written returns the manifest of the same source, where everything has been written; nil else.
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

// Went reports whether this process continues another one's work.
func (s *Set) Went() bool { return s.done.went }

// Made returns the number of files that this process wrote.
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

// tidy removes the place where files are made, if nothing is left there but the lock. It may have been removed already.
func (s *Set) tidy() {
	entries, err := os.ReadDir(s.stage())
	if err != nil || len(entries) != 1 || entries[0].Name() != lockName {
		return
	}
	_ = os.Remove(filepath.Join(s.stage(), lockName)) // where it cannot be removed while it is open, it stays
	_ = os.Remove(s.stage())
}

func (s *Set) stage() string    { return filepath.Join(s.Dir, staging, s.Key) }
func (s *Set) manifest() string { return filepath.Join(s.Dir, manifests, s.Key+".json") }

// clear throws away what another source left half done. The lock stays.
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

// there reports whether a finished file exists, staged or in its final place.
func (s *Set) there(f File) bool {
	for _, dir := range []string{s.stage(), s.Dir} {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err == nil && info.Size() == f.Bytes {
			return ours(f.Path, s.Key)
		}
	}
	return false
}

// Finish puts the files in place and gives the manifest.
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
			_, err = os.Stat(to) // a writer that was killed had put it there
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

// dropOld removes the files of the last run without a successor, and directories that they leave empty.
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
			if os.Remove(dir) != nil { // others have files in it
				break
			}
		}
	}
	return nil
}

// ours reports whether a writer with this key can have made a path of a manifest: anybody may have changed a manifest.
func ours(path, key string) bool {
	return filepath.IsLocal(filepath.FromSlash(path)) &&
		strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], key+"-")
}

func makeDirs(dir string) error { return os.MkdirAll(dir, dirMode) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
