package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// `git gc --prune=now` deletes every object that was unreachable when it looked, even a young one. So it can delete a
// commit although a ref was set to it a moment later; git-gc(1) warns of it under NOTES. The file <common>/gc.pid shows
// that a gc is running. Meanwhile, commits that a ref of the log will name are also kept in the side store, and listed
// in traces/guard. After the gc, the next append, verification or rebuild puts missing ones back.

// gcPidAge is the age beyond which git itself ignores gc.pid.
const gcPidAge = 12 * time.Hour

func (l *Log) guardPath() string { return filepath.Join(l.repo.TracesDir(), "guard") }

// guardFromGC keeps a second copy of an object while a gc runs.
func (l *Log) guardFromGC(typ refs.ObjectType, oid refs.OID, content []byte) error {
	if !l.gcRuns() {
		return nil
	}
	if _, err := l.repo.WriteLoose(l.repo.SideObjects(), typ, content); err != nil {
		return err
	}
	f, err := os.OpenFile(l.guardPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("guard from gc: %w", err)
	}
	_, err = f.WriteString(oid.String() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("guard from gc: %w", err)
	}
	return nil
}

// KeepBesideGC keeps a commit from a running gc, before a ref of the log's family names it.
func (l *Log) KeepBesideGC(commit refs.OID, content []byte) error {
	return l.guardFromGC(refs.CommitObject, commit, content)
}

// gcRuns reports whether a running git gc holds its lock. A dead holder on this machine does not count.
func (l *Log) gcRuns() bool {
	path := filepath.Join(l.repo.CommonDir, "gc.pid")
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) > gcPidAge {
		return false
	}
	text, err := refs.ReadFile(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	fields := strings.Fields(string(text))
	host, err := os.Hostname()
	if len(fields) != 2 || err != nil || fields[1] != host {
		return true
	}
	pid, err := strconv.Atoi(fields[0])
	return err != nil || ProcessLives(pid)
}

// Heal puts back objects of the log that a gc deleted while they were written; it waits for the end of the gc.
func (l *Log) Heal(ctx context.Context) error {
	if !l.guards() {
		return nil
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := l.inTurn(ctx, func() error { return nil }); err != nil {
		return fmt.Errorf("heal log: %w", err)
	}
	return nil
}

// heal does the work under the append lock.
func (l *Log) heal(ctx context.Context) error {
	text, err := refs.ReadFile(l.guardPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("heal log: %w", err)
	}
	// Check before reading: a gc that starts later finds these commits reachable from the ref.
	if l.gcRuns() {
		return nil
	}
	missing, err := l.missingInMain(ctx, text)
	if err != nil {
		return fmt.Errorf("heal log: %w", err)
	}
	for _, oid := range missing {
		typ, content, err := refs.ReadLoose(l.repo.SideObjects(), oid)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the append never set the ref, or verification will report it
		}
		if err != nil {
			return fmt.Errorf("heal log: %w", err)
		}
		if _, err := l.writeMain(typ, content); err != nil {
			return fmt.Errorf("heal log: %w", err)
		}
	}
	if _, err := l.writeMain(refs.TreeObject, nil); err != nil {
		return fmt.Errorf("heal log: %w", err)
	}
	if err := os.Remove(l.guardPath()); err != nil {
		return fmt.Errorf("heal log: %w", err)
	}
	return nil
}

// missingInMain asks git which of the listed commits are missing in the repository's own store. Commits that no ref
// ever named come back too; git's next gc removes them again.
func (l *Log) missingInMain(ctx context.Context, list []byte) ([]refs.OID, error) {
	out, err := l.repo.Git(ctx, bytes.NewReader(list), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	var missing []refs.OID
	for line := range strings.SplitSeq(string(out), "\n") {
		if name, ok := strings.CutSuffix(line, " missing"); ok {
			if oid, err := refs.ParseOID(name); err == nil {
				missing = append(missing, oid)
			}
		}
	}
	return missing, nil
}

// guards reports whether objects wait in the side store to be put back.
func (l *Log) guards() bool {
	_, err := os.Lstat(l.guardPath())
	return !errors.Is(err, fs.ErrNotExist)
}
