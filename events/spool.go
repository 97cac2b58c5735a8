package events

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The spool holds batches that could not be appended: one file each, drafts as canonical lines, named so that names
// sort by time. A file appears by rename and is removed after the ref names its batch. A process killed between the two
// leaves a file whose batch the log already holds; the next one recognises it by the drafts themselves.

const (
	spoolExt    = ".jsonl"
	spoolBad    = ".bad"  // suffix of an unreadable file: it is kept, and not read again
	spoolChunk  = 1 << 20 // bytes of files in one batch; a larger file gets its own batch
	spoolMemory = 16      // number of last batches in which a spooled batch is searched
)

// SpoolDir is the directory of this work tree's waiting batches.
func (l *Log) SpoolDir() string { return filepath.Join(l.repo.WorktreeTracesDir(), "spool") }

func (l *Log) spool(drafts []Draft) error { return l.spoolAt(drafts, time.Now()) }

// spoolAt does the same as spool, for a batch with another time.
func (l *Log) spoolAt(drafts []Draft, at time.Time) error {
	var text []byte
	for _, d := range drafts {
		line, err := draftLine(d)
		if err != nil {
			return fmt.Errorf("spool: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	name := fmt.Sprintf("%020d-%d-%08x%s", at.UnixNano(), os.Getpid(), rand.Uint32(), spoolExt)
	if err := refs.WriteFileAtomic(filepath.Join(l.SpoolDir(), name), text, 0o600); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

func draftLine(d Draft) ([]byte, error) { return encodeValue(d) }

// Spooled lists the files that wait in the spools of all work trees, oldest first.
func (l *Log) Spooled() ([]string, error) {
	dirs := []string{filepath.Join(l.repo.TracesDir(), "spool")}
	linked, err := os.ReadDir(filepath.Join(l.repo.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, w := range linked {
		dirs = append(dirs, filepath.Join(l.repo.CommonDir, "worktrees", w.Name(), "traces", "spool"))
	}
	var files []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), spoolExt) {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(filepath.Base(a), filepath.Base(b)) })
	return files, nil
}

// drain appends the spooled batches, oldest first, several of them in one batch. The caller holds the append lock.
func (l *Log) drain(ctx context.Context) (int, error) {
	files, err := l.Spooled()
	if err != nil || len(files) == 0 {
		return 0, err
	}
	logged, err := l.recentDrafts(ctx)
	if err != nil {
		return 0, err
	}
	var drafts []Draft
	var pending []string
	done, size := 0, 0
	flush := func() error {
		if len(drafts) > 0 {
			if _, err := l.write(ctx, drafts); err != nil {
				return err
			}
		}
		for _, file := range pending {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
		done += len(pending)
		drafts, pending, size = nil, nil, 0
		return nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // another user's, in a shared repository: that user's append takes it
		}
		batch, err := parseSpool(text)
		if err != nil {
			if err := os.Rename(file, file+spoolBad); err != nil {
				return done, err
			}
			continue
		}
		if size += len(text); size > spoolChunk {
			if err := flush(); err != nil {
				return done, err
			}
			size = len(text)
		}
		pending = append(pending, file)
		if !holdsAll(logged, text) {
			drafts = append(drafts, batch...)
		}
	}
	return done, flush()
}

// parseSpool reads a spool file.
func parseSpool(text []byte) ([]Draft, error) {
	body, ok := bytes.CutSuffix(text, []byte("\n"))
	if !ok {
		return nil, errors.New("spool file is cut off")
	}
	var drafts []Draft
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		d, err := decode(line, false)
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, d.event.Draft())
	}
	return prepare(drafts, time.Now())
}

// recentDrafts returns the events at the end of the log, in the form of the spool.
func (l *Log) recentDrafts(ctx context.Context) (map[string]bool, error) {
	logged := map[string]bool{}
	j, err := l.openToAppend(ctx)
	defer j.close()
	if err != nil || j == nil {
		return logged, err
	}
	n := 0
	err = j.newestFirst(func(lines [][]byte) error {
		if n++; n > spoolMemory {
			return errStopped
		}
		for _, line := range lines {
			e, err := DecodeLine(line)
			if err != nil {
				continue // a drain did not write it
			}
			if line, err := draftLine(e.Draft()); err == nil {
				logged[string(line)] = true
			}
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		err = nil
	}
	return logged, err
}

// holdsAll reports whether every draft of a spool file is in the log. A batch is appended as a whole or not at all.
func holdsAll(logged map[string]bool, text []byte) bool {
	for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if !logged[string(line)] {
			return false
		}
	}
	return true
}
