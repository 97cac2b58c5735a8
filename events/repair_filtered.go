package events

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// git-filter-repo rewrites all refs, the log's among them, and replaces in every message the ids of commits by those of
// the commits that took their places: so it changes what events say. It leaves a table of both, which is all that is
// needed to put the ids back, for every event carries the hash of its bytes: what is put back is right, or it is not
// done. As a batch commit follows from its events, the log has its old commits again afterwards.

// filterMaps are the tables, in the git directories.
func (l *Log) filterMaps() []string {
	maps := []string{filepath.Join(l.repo.CommonDir, "filter-repo", "commit-map")}
	if l.repo.GitDir != l.repo.CommonDir {
		maps = append(maps, filepath.Join(l.repo.GitDir, "filter-repo", "commit-map"))
	}
	return maps
}

// filteredPath says which tables have been looked at.
func (l *Log) filteredPath() string { return filepath.Join(l.repo.TracesDir(), "cache", "filtered") }

// filtered describes the tables that are there, to tell them from those looked at before; empty if none is.
func (l *Log) filtered() string {
	var out strings.Builder
	for _, name := range l.filterMaps() {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&out, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return out.String()
}

// wasFiltered tells whether the history was rewritten since the log was looked at for that.
func (l *Log) wasFiltered() (tables string, yes bool) {
	tables = l.filtered()
	if tables == "" {
		return "", false
	}
	seen, err := os.ReadFile(l.filteredPath())
	return tables, err != nil || string(seen) != tables
}

// unfilter makes the log what it was before its events were changed. The caller holds the append lock. A log that
// cannot be put right is left to verification, and is no reason not to append.
func (l *Log) unfilter(ctx context.Context) error {
	tables, yes := l.wasFiltered()
	if !yes {
		return nil
	}
	tip, err := l.Tip(refs.EventsRef)
	if err != nil {
		return err
	}
	if tip.IsZero() {
		err = l.regrow(ctx)
	} else {
		err = l.putBack(ctx, tip)
	}
	if ctx.Err() != nil || errors.Is(err, refs.ErrTipMoved) || errors.Is(err, refs.ErrLocked) { // the next one may do it
		return fmt.Errorf("put back what git filter-repo changed: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(l.filteredPath()), 0o777); err != nil {
		return err
	}
	return refs.WriteFileAtomic(l.filteredPath(), []byte(tables), 0o666)
}

// putBack rewrites the log with the ids that its events had. Events that are whole, and those that cannot be made
// whole, stay as they are.
func (l *Log) putBack(ctx context.Context, tip refs.OID) error {
	older := map[string][]string{} // by new id; first of those that changed events name
	err := l.oldestFirst(ctx, tip, refs.OID{}, func(c rawCommit) error {
		b, err := parseBatch(c.raw)
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		for _, line := range b.lines {
			if !whole(line) {
				for _, id := range l.idsIn(string(line)) {
					older[id] = nil
				}
			}
		}
		return nil
	})
	if err != nil || len(older) == 0 {
		return err
	}
	l.readFilterMaps(older)
	var parent refs.OID
	err = l.oldestFirst(ctx, tip, refs.OID{}, func(c rawCommit) error {
		b, err := parseBatch(c.raw)
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		for i, line := range b.lines {
			if !whole(line) {
				b.lines[i] = l.wholeAgain(line, older)
			}
		}
		events, err := b.decode()
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		was, err := refs.DecodeCommit(c.raw)
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		parent, err = l.writeCommit(encodeBatch(l.repo.Format, parent, events, was.Committer.When))
		return err
	})
	if err != nil || parent == tip {
		return err
	}
	lock, err := l.lockRef(ctx)
	if err != nil {
		return err
	}
	defer lock.Abort()
	if lock.Current() != tip {
		return refs.ErrTipMoved
	}
	return lock.Commit(ctx, parent)
}

// whole tells whether a line is an event whose bytes hash to its id.
func whole(line []byte) bool {
	e, err := DecodeLine(line)
	return err == nil && e.CheckID() == nil
}

// idsIn lists the object ids in a text, in order.
func (l *Log) idsIn(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return (r < '0' || r > '9') &&
			(r < 'a' || r > 'f')
	}) {
		if len(word) == 2*l.repo.Format.Size() {
			out = append(out, word)
		}
	}
	return out
}

// readFilterMaps finds the old ids of the new ones asked for. A line of a table is the old id, a blank, and the new
// one; a table is read as far as it is one.
func (l *Log) readFilterMaps(older map[string][]string) {
	for _, name := range l.filterMaps() {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			was, is, _ := strings.Cut(lines.Text(), " ")
			if list, asked := older[is]; asked && was != is && len(list) < maxTries {
				older[is] = append(list, was)
			}
		}
		f.Close()
	}
}

// maxTries bounds how many ways to put ids back are tried for one event: where commits were dropped, several have one
// new id.
const maxTries = 1024

// wholeAgain puts the ids back that an event had, or returns it as it is.
func (l *Log) wholeAgain(line []byte, older map[string][]string) []byte {
	text := string(line)
	var changed []string // ids of which an older one is known, in order
	for _, id := range l.idsIn(text) {
		if len(older[id]) > 0 {
			changed = append(changed, id)
		}
	}
	tries := 0
	var try func(done string, rest string, ids []string) []byte
	try = func(done, rest string, ids []string) []byte {
		if tries > maxTries {
			return nil
		}
		if len(ids) == 0 {
			tries++
			if got := []byte(done + rest); whole(got) {
				return got
			}
			return nil
		}
		before, after, _ := strings.Cut(rest, ids[0])
		for _, id := range append(older[ids[0]][:len(older[ids[0]]):len(older[ids[0]])], ids[0]) {
			if got := try(done+before+id, after, ids[1:]); got != nil {
				return got
			}
		}
		return nil
	}
	if got := try("", text, changed); got != nil {
		return got
	}
	return line
}
