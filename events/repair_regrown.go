package events

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// git-filter-repo deletes a ref of which it keeps no commit, and those of the log are empty commits: `--prune-empty
// always` takes all of them. What is left is the copy that readers made. It holds every byte of the batches, and a
// batch commit follows from its events, so that the same commits are made again, up to where the copy goes.

// regrow makes the log again from its copy, in the place of one that is gone. Whether it is the same the ids tell: the
// copy names the commit of each batch.
func (l *Log) regrow(ctx context.Context) error {
	f, err := os.Open(l.copyPath(refs.EventsRef))
	if err != nil {
		return nil // nobody has read the log
	}
	defer f.Close()
	if _, _, err := readEnds(f, copyHeader(l.repo.Format, refs.EventsRef)); err != nil {
		return nil // it is of another form, or damaged
	}
	tip, err := l.copiedBatches(ctx, bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), MaxEvent+1))
	if err != nil || tip.IsZero() {
		return err
	}
	lock, err := l.lockRef(ctx)
	if err != nil {
		return err
	}
	defer lock.Abort()
	if !lock.Current().IsZero() {
		return refs.ErrTipMoved
	}
	return lock.Commit(ctx, tip)
}

// copiedBatches writes the commits of the batches in a copy, behind its header line, as far as they are what their end
// lines say, and gives the last one.
func (l *Log) copiedBatches(ctx context.Context, in *bufio.Reader) (tip refs.OID, err error) {
	if _, err := in.ReadSlice('\n'); err != nil {
		return tip, nil //nolint:nilerr // nothing is in it
	}
	var batch []Event
	for ctx.Err() == nil {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return tip, nil //nolint:nilerr // its end, or what a killed process left there
		}
		line = line[:len(line)-1]
		if len(line) > 0 && line[0] == '{' {
			e, err := DecodeLine(append([]byte(nil), line...))
			if err != nil {
				return tip, nil //nolint:nilerr // what was read so far is sound
			}
			batch = append(batch, e)
			continue
		}
		end, _, ok := parseEnd(string(line))
		if !ok || len(batch) == 0 {
			return tip, nil
		}
		var content []byte
		for _, date := range []time.Time{undated, batch[len(batch)-1].Time} {
			content = encodeBatch(l.repo.Format, tip, batch, date)
			if l.repo.Format.Hash(refs.CommitObject, content) == end.commit {
				break
			}
			content = nil
		}
		if content == nil {
			return tip, nil
		}
		if tip, err = l.writeCommit(content); err != nil {
			return tip, fmt.Errorf("write batch: %w", err)
		}
		batch = nil
	}
	return refs.OID{}, ctx.Err()
}
