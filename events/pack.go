package events

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// An append leaves a loose object behind. Git packs them when its gc runs, which may be never in a repository in which
// only an agent works, and a log of loose objects is slow to read. Pack is what git's gc would do for the log alone.

// packEvery is how many events make a log due for packing.
const packEvery = 4000

// packMark remembers up to where the log has been packed; it is a cache, and losing it costs one look at the whole log.
func (l *Log) packMark() string { return filepath.Join(l.cacheDir(), "packed") }

// packed reads the mark: the zero id and 0 where there is none.
func (l *Log) packed() (refs.OID, int64) {
	text, err := os.ReadFile(l.packMark())
	if err != nil {
		return refs.OID{}, 0
	}
	var name string
	var seq int64
	if n, err := fmt.Sscanf(string(text), "packed1 %s %d\n", &name, &seq); err != nil || n != 2 {
		return refs.OID{}, 0
	}
	oid, err := refs.ParseOID(name)
	if err != nil {
		return refs.OID{}, 0
	}
	return oid, seq
}

// PackDue tells whether enough was appended since the log was packed. It reads two small files.
func (l *Log) PackDue() bool {
	end, ok := l.cachedTip()
	if !ok {
		return false
	}
	_, seq := l.packed()
	return end.seq-seq >= packEvery
}

// Pack puts the log's loose commits into a pack of the repository's own store, beside those that are there, and removes
// them from where they were. It returns how many that were. It takes no lock of the log's: appends go on. While a gc of
// git's runs it does nothing, and a pack that git's gc makes later takes this one in.
//
// Killed half way it leaves loose objects that are in a pack as well, which is no harm. Two of them at once would pack
// the same twice; keeping them apart is the caller's duty.
func (l *Log) Pack(ctx context.Context) (int, error) {
	end, err := l.Tip(refs.EventsRef)
	if err != nil || end.IsZero() || l.gcRuns() || l.guards() {
		return 0, err
	}
	count, err := l.pack(ctx, end)
	if err != nil {
		return 0, fmt.Errorf("pack log: %w", err)
	}
	return count, nil
}

func (l *Log) pack(ctx context.Context, end refs.OID) (int, error) {
	t, err := l.readTip(end)
	if err != nil {
		return 0, err
	}
	revs := end.String() + "\n"
	if from, _ := l.packed(); !from.IsZero() && l.has(ctx, from) {
		revs += "^" + from.String() + "\n"
	}
	store := l.repo.MainObjects()
	p, err := l.repo.MakePack(ctx, store, strings.NewReader(revs), "--revs", "--unpacked")
	if err != nil {
		return 0, err
	}
	count := 0
	if p.Path != "" {
		x, err := p.Index(l.repo.Format)
		if err != nil {
			return 0, err
		}
		for _, oid := range x.IDs() {
			if gone, err := refs.RemoveLoose(store, oid); err != nil {
				return count, err
			} else if gone {
				count++
			}
		}
	}
	mark := fmt.Sprintf("packed1 %s %d\n", end, t.seq)
	return count, refs.WriteFileAtomic(l.packMark(), []byte(mark), 0o666)
}

// has tells whether the repository still has a commit of the log: after a purge the mark may name one that is gone.
func (l *Log) has(ctx context.Context, oid refs.OID) bool {
	_, err := l.repo.Git(ctx, nil, "cat-file", "-e", oid.String())
	return err == nil
}

// guards tells whether commits wait in the side store for being put back; see guardFromGC.
func (l *Log) guards() bool {
	_, err := os.Lstat(l.guardPath())
	return !errors.Is(err, fs.ErrNotExist)
}
