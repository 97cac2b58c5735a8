package transcripts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
)

// Read reads sessions, some at a time, and those with several files as one. If several sessions have an edit, as forked
// ones do, it belongs to the earliest session.
func Read(ctx context.Context, list []*Transcript, progress func(done, total int)) []*Transcript {
	work := make(chan *Transcript)
	var done int
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(fault.In(func() {
			for t := range work {
				t.Err = t.read(ctx)
				mutex.Lock()
				done++
				progress(done, len(list))
				mutex.Unlock()
			}
		}))
	}
	for _, t := range list {
		work <- t
	}
	close(work)
	workers.Wait()
	list = joinFiles(ctx, list)
	byTime(list)
	seen := map[string]bool{}
	for _, t := range list {
		t.keys = nil
		t.Session.Edits = slices.DeleteFunc(t.Session.Edits, func(e backfill.Edit) bool {
			key := editKey(t.Agent.Name, &e)
			twice := seen[key]
			seen[key] = true
			return twice
		})
	}
	return list
}

func byTime(list []*Transcript) {
	slices.SortStableFunc(list, func(a, b *Transcript) int {
		return cmp.Or(a.First.Compare(b.First),
			a.Last.Compare(b.Last))
	})
}

// joinFiles makes one of the transcripts of the same session. A file is left out if another has all of its steps.
func joinFiles(ctx context.Context, list []*Transcript) []*Transcript {
	files := map[events.TraceID][]*Transcript{}
	var out []*Transcript
	for _, t := range list {
		if t.Err != nil || t.Session.Trace == "" {
			out = append(out, t)
			continue
		}
		files[t.Session.Trace] = append(files[t.Session.Trace], t)
	}
	for _, trace := range slices.Sorted(maps.Keys(files)) {
		same := files[trace]
		byTime(same)
		for i := 0; i < len(same); i++ {
			if slices.ContainsFunc(same, func(other *Transcript) bool {
				return other != same[i] &&
					holdsAll(other.keys, same[i].keys)
			}) {
				same = slices.Delete(same, i, i+1)
				i--
			}
		}
		t := same[len(same)-1]
		if len(same) > 1 {
			t = &Transcript{Agent: t.Agent, Path: t.Path, ID: t.ID, dir: t.dir}
			for _, other := range same[:len(same)-1] {
				t.Earlier = append(t.Earlier, other.Path)
			}
			t.Err = t.read(ctx)
			for _, other := range same {
				for _, dir := range other.Session.Dirs {
					if !slices.Contains(t.Session.Dirs, dir) {
						t.Session.Dirs = append(t.Session.Dirs, dir)
					}
				}
			}
		}
		out = append(out, t)
	}
	return out
}

func holdsAll(keys, other map[uint64]bool) bool {
	for key := range other {
		if !keys[key] {
			return false
		}
	}
	return true
}

// editKey returns the same for copies of one edit.
func editKey(agent string, e *backfill.Edit) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%d\x00%v\x00%v\x00%v", agent, e.Call, e.Path, e.Time.UnixNano(), e.Replaces,
		e.Hunks, e.Whole)
	return string(sum.Sum(nil))
}
