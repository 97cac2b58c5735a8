// Package later keeps jobs for which git's hooks had no time, until a background process does them.
//
// Each job is a file below <traces dir of the work tree>/later. One process at a time works on them, oldest first,
// under a lock. It removes the file after the job, so a killed process leaves it to the next one. A job that runs twice
// must give the same result, as anchors do (trails.Engine.AtCommit). Hooks link this package, so it imports nothing
// heavy.
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

// Queue holds the waiting jobs of one work tree.
type Queue struct{ dir string }

// Open returns the queue of a work tree. Nothing is read or made.
func Open(repo *refs.Repo) Queue { return Queue{filepath.Join(repo.WorktreeTracesDir(), "later")} }

// jobSuffix ends the name of a job's file. The name has the time, the process id, and the number of tries.
const jobSuffix = ".job"

// maxTries bounds the tries of a job: a job that kills its process must not do so for ever.
const maxTries = 3

func (q Queue) lockFile() string { return q.dir + ".lock" }

// Add puts a job into the queue.
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

// Any reports whether something waits. If there never was a job, it costs one system call.
func (q Queue) Any() bool { return q.Len() > 0 }

// Len returns the number of waiting jobs.
func (q Queue) Len() int { return len(q.names()) }

// names lists the jobs, oldest first. A queue that cannot be read is empty.
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

// lockWait is longer than a process holds the lock that only asks for its owner.
const lockWait = 200 * time.Millisecond

// Work calls do for each waiting job, and rest for other work, until more returns false. It returns at once if another
// process works on the queue. A failed job is removed too, unless the time is up.
func (q Queue) Work(ctx context.Context, do func(Job) error, rest func() error, more func() bool) error {
	var failed error
	for ctx.Err() == nil {
		lock, err := refs.Flock(q.lockFile(), lockWait)
		if err != nil {
			return failed
		}
		failed = errors.Join(failed, q.drain(ctx, do), rest())
		lock.Unlock()
		// A hook that found the lock taken relies on this second look.
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

// errTries reports a job with too many tries.
var errTries = errors.New("given up: it never came to an end")

// begin reads a job and counts the try in its name.
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
