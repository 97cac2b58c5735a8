// Package later keeps what git's hooks had no time for until a process that nobody waits for does it.
//
// Each piece of work is a file below <traces dir of the work tree>/later. One process at a time works on them, oldest
// first, under a lock; a file goes when its work is done, so that a process that is killed leaves it to the next one.
// What is done twice must come to the same: anchors are (trails.Engine.AtCommit). The package is for the hooks' side
// too, so it imports nothing heavy.
package later

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Job is a git hook that ran out of time, or has more to do than anybody should wait for.
type Job struct {
	Hook   string               `json:"hook"` // its name in githooks(5)
	Args   []string             `json:"args,omitempty"`
	Commit refs.OID             `json:"commit,omitzero"` // the one it is about; zero if it is about none
	Pairs  []events.RewritePair `json:"pairs,omitempty"` // what post-rewrite was told
	Time   time.Time            `json:"time"`
}

// Queue is what waits in one work tree.
type Queue struct{ dir string }

// Open returns the queue of a work tree. Nothing is read or made.
func Open(repo *refs.Repo) Queue { return Queue{filepath.Join(repo.WorktreeTracesDir(), "later")} }

// jobSuffix is that of a piece of work. Its name is the time, the number of the process, and how often it was begun.
const jobSuffix = ".job"

// maxTries is how often a piece of work is begun: one that takes its process down with it must not do so for ever.
const maxTries = 3

func (q Queue) lockFile() string { return q.dir + ".lock" }

// Add puts a piece of work into the queue.
func (q Queue) Add(job Job) error {
	raw, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("put off %s: %w", job.Hook, err)
	}
	name := fmt.Sprintf("%020d-%d-0%s", job.Time.UnixNano(), os.Getpid(), jobSuffix)
	if err := refs.WriteFileAtomic(filepath.Join(q.dir, name), raw, 0o600); err != nil {
		return fmt.Errorf("put off %s: %w", job.Hook, err)
	}
	return nil
}

// Any reports whether something waits. Where nothing ever did, it costs one look for a directory.
func (q Queue) Any() bool { return q.Len() > 0 }

// Len is how many pieces of work wait.
func (q Queue) Len() int { return len(q.names()) }

// names lists the pieces of work, oldest first. A queue that cannot be read is empty.
func (q Queue) names() []string {
	entries, _ := os.ReadDir(q.dir)
	var out []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), jobSuffix) {
			out = append(out, entry.Name())
		}
	}
	return out
}

// Busy reports whether a process is at work on the queue now.
func (q Queue) Busy() bool {
	if _, err := os.Stat(q.lockFile()); err != nil {
		return false
	}
	lock, err := refs.Flock(q.lockFile(), 0)
	if err != nil {
		return true
	}
	lock.Unlock()
	return false
}

// lockWait is longer than the lock is held by those that only ask who has it.
const lockWait = 200 * time.Millisecond

// Work lets do carry out what waits, and rest what is to be done besides, until more says that nothing is left; it
// returns at once where another process is at work. What fails goes too, unless the time is up.
func (q Queue) Work(ctx context.Context, do func(Job) error, rest func() error, more func() bool) error {
	var failed error
	for ctx.Err() == nil {
		lock, err := refs.Flock(q.lockFile(), lockWait)
		if err != nil {
			return failed
		}
		failed = errors.Join(failed, q.drain(ctx, do), rest())
		lock.Unlock()
		// Whoever has put off something found the lock taken and relies on it that we look once more.
		if failed != nil || !q.Any() && !more() {
			return failed
		}
	}
	return errors.Join(failed, ctx.Err())
}

func (q Queue) drain(ctx context.Context, do func(Job) error) error {
	var failed error
	for names := q.names(); len(names) > 0 && ctx.Err() == nil; names = q.names() {
		name := filepath.Join(q.dir, names[0])
		again, job, err := q.begin(name)
		if err == nil {
			err = do(job)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", job.Hook, err))
		}
		if ctx.Err() != nil {
			return failed
		}
		if err := os.Remove(again); err != nil {
			return errors.Join(failed, fmt.Errorf("take a piece of work off the queue: %w", err))
		}
	}
	return failed
}

// errTries is of a piece of work that was begun too often.
var errTries = errors.New("given up: it never came to an end")

// begin reads a piece of work and notes in its name that it was begun once more.
func (q Queue) begin(name string) (again string, job Job, err error) {
	raw, err := refs.ReadFile(name)
	if err != nil {
		return name, job, fmt.Errorf("read a piece of work: %w", err)
	}
	if err := json.Unmarshal(raw, &job); err != nil {
		return name, job, fmt.Errorf("read a piece of work: %w", err)
	}
	stem := strings.TrimSuffix(name, jobSuffix)
	cut := strings.LastIndexByte(stem, '-')
	tries, err := strconv.Atoi(stem[cut+1:])
	if err != nil || tries >= maxTries {
		return name, job, errTries
	}
	again = stem[:cut+1] + strconv.Itoa(tries+1) + jobSuffix
	if err := os.Rename(name, again); err != nil {
		return name, job, fmt.Errorf("begin a piece of work: %w", err)
	}
	return again, job, nil
}
