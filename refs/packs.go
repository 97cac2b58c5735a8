package refs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Loose is an object in its own file in an object directory.
type Loose struct {
	OID  OID
	Time time.Time // when it was written, or its time stamp was updated
	Size int64     // size on disk in bytes
}

// LooseEstimate returns the approximate number of loose objects in an object directory. Like `git gc --auto` (gc.auto
// in git-config(1)) it counts one of the 256 subdirectories, because ids are evenly distributed.
func LooseEstimate(dir string) int {
	f, err := os.Open(filepath.Join(dir, "17"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	names, _ := f.Readdirnames(-1)
	n := 0
	for _, name := range names {
		if len(name) == SHA1.Size()*2-2 || len(name) == SHA256.Size()*2-2 {
			n++
		}
	}
	return n * 256
}

// ListLoose lists the loose objects of an object directory.
func ListLoose(dir string) ([]Loose, error) {
	var list []Loose
	for i := range 256 {
		two := fmt.Sprintf("%02x", i)
		entries, err := os.ReadDir(filepath.Join(dir, two))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list objects: %w", err)
		}
		for _, e := range entries {
			oid, err := ParseOID(two + e.Name())
			if err != nil {
				continue
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // missing, or not a file of git
			}
			list = append(list, Loose{oid, info.ModTime(), info.Size()})
		}
	}
	return list, nil
}

// StatLoose returns the data of one loose object, or false if there is none.
func StatLoose(dir string, oid OID) (Loose, bool) {
	info, err := os.Lstat(loosePath(dir, oid))
	if err != nil || !info.Mode().IsRegular() {
		return Loose{}, false
	}
	return Loose{oid, info.ModTime(), info.Size()}, true
}

// RemoveLoose deletes a loose object, and reports whether it existed.
func RemoveLoose(dir string, oid OID) (bool, error) {
	err := os.Remove(loosePath(dir, oid))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove object: %w", err)
	}
	return true, nil
}

// Pack is a pack with its index.
type Pack struct {
	Path string    // without ".pack"
	Time time.Time // when it was written
	Size int64     // size of the .pack file in bytes
}

// ListPacks lists the packs of an object directory that have an index. It leaves out packs that git must not touch
// (".keep").
func ListPacks(dir string) ([]Pack, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "pack"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var list []Pack
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(name, "pack-") {
			continue
		}
		p := Pack{Path: filepath.Join(dir, "pack", name)}
		info, err := os.Stat(p.Path + ".pack")
		if err != nil || exists(p.Path+".keep") {
			continue
		}
		p.Time, p.Size = info.ModTime(), info.Size()
		list = append(list, p)
	}
	return list, nil
}

// Index reads the pack's index.
func (p Pack) Index(format ObjectFormat) (*PackIndex, error) {
	raw, err := os.ReadFile(p.Path + ".idx")
	if err == nil {
		var x *PackIndex
		if x, err = ParsePackIndex(raw, format); err == nil {
			return x, nil
		}
	}
	return nil, fmt.Errorf("read index of %s: %w", filepath.Base(p.Path), err)
}

// packFiles lists the extensions of a pack's files in the order of removal: git ignores a pack without its index.
var packFiles = [...]string{".idx", ".rev", ".bitmap", ".mtimes", ".pack"}

// Remove deletes a pack.
func (p Pack) Remove() error {
	for _, ext := range packFiles {
		if err := os.Remove(p.Path + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove pack: %w", err)
		}
	}
	return nil
}

// MakePack writes a pack into an object directory with git-pack-objects(1), for the given arguments and input. It
// returns the pack, or the zero Pack if there was nothing to pack. When the pack has its name, it is complete and on
// the disk. For a side store it also packs objects that the repository has.
func (r *Repo) MakePack(ctx context.Context, dir string, in io.Reader, args ...string) (Pack, error) {
	base := filepath.Join(dir, "pack")
	if err := MakeDirs(base, 0o777); err != nil {
		return Pack{}, fmt.Errorf("make pack: %w", err)
	}
	// One thread, because packing is not urgent and other programs need the processors.
	args = append([]string{"-c", "pack.threads=1", "-c", "pack.windowMemory=64m", "pack-objects", "-q", "--non-empty"},
		args...)
	cmd := r.Command(ctx, append(args, filepath.Join(base, "pack"))...)
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+dir)
	cmd.Stdin = in
	out, err := runGit(cmd, "pack-objects")
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return Pack{}, fmt.Errorf("make pack: %w", err)
	}
	name := strings.TrimSpace(string(out))
	if name == "" {
		return Pack{}, nil
	}
	p := Pack{Path: filepath.Join(base, "pack-"+name)}
	info, err := os.Stat(p.Path + ".pack")
	if err != nil {
		return Pack{}, fmt.Errorf("make pack: %w", err)
	}
	p.Time, p.Size = info.ModTime(), info.Size()
	return p, nil
}

// temporaryAge is the age at which a temporary file counts as abandoned.
const temporaryAge = 24 * time.Hour

// halfObjects lists the name patterns of incomplete files in an object directory.
var halfObjects = []string{"tmp_obj_*", "??/tmp_obj_*", "pack/tmp_*", "pack/.tmp-*"}

// HalfWritten lists the incomplete files in an object directory. A process is writing them, or was killed while it was
// writing.
func HalfWritten(dir string) []string {
	var out []string
	for _, pattern := range halfObjects {
		names, _ := filepath.Glob(filepath.Join(QuoteGlob(dir), pattern))
		out = append(out, names...)
	}
	return out
}

// OwnHalfWritten reports whether a file name is a temporary name of WriteLoose. If such a file is deleted, WriteLoose
// starts again. Git's temporary names are shorter.
func OwnHalfWritten(name string) bool {
	const longestOfGit = len("tmp_obj_XXXXXX")
	base := filepath.Base(name)
	return strings.HasPrefix(base, "tmp_obj_") && len(base) > longestOfGit
}

// SweepTemporary removes the incomplete files of killed processes from an object directory, and returns their number.
// If `dry` is set, it only counts them.
func SweepTemporary(dir string, now time.Time, dry bool) int {
	return sweep(dir, halfObjects, now, dry)
}

// SweepHalfWritten does the same as SweepTemporary, for a directory in which WriteFileAtomic writes.
func SweepHalfWritten(dir string, now time.Time, dry bool) int {
	return sweep(dir, []string{"tmp_*"}, now, dry)
}

func sweep(dir string, patterns []string, now time.Time, dry bool) int {
	n := 0
	for _, pattern := range patterns {
		names, _ := filepath.Glob(filepath.Join(QuoteGlob(dir), pattern))
		for _, name := range names {
			info, err := os.Lstat(name)
			if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < temporaryAge {
				continue
			}
			if dry || os.Remove(name) == nil {
				n++
			}
		}
	}
	return n
}
