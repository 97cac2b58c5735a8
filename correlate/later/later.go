// Package later keeps work that git's hooks do not do at once. Jobs for which the hooks had no time wait for a
// background process. Commits that a rebase made without a person wait until the rebase ends.
//
// Each job is a file below <traces dir of the work tree>/later. One process at a time runs the jobs, oldest first,
// under a lock. It removes the file after the job, so if it is killed, the next process runs the job again. A job that
// runs twice must give the same result, as anchors do (trails.Engine.AtCommit). Hooks link this package, so it imports
// nothing heavy.
package later

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Job is the unfinished work of a git hook that ran out of time, or that would take too long while the user waits.
type Job struct {
	Why    Reason               `json:"why"`
	Hook   string               `json:"hook"` // name of the hook in githooks(5)
	Args   []string             `json:"args,omitempty"`
	Commit refs.OID             `json:"commit,omitzero"` // the commit to anchor; zero for other jobs
	From   refs.OID             `json:"from,omitzero"`   // the original of a commit that a rebase made; otherwise zero
	Pairs  []events.RewritePair `json:"pairs,omitempty"` // the input of post-rewrite
	Time   time.Time            `json:"time"`
}

// Reason says why a hook left its work to a later process.
type Reason string

// Reasons of jobs.
const (
	TooMuch Reason = "the work was too much for a hook"
	Locked  Reason = "another process held the timeline"
	Behind  Reason = "earlier hooks had to be taken in first"
	Rebased Reason = "a rebase was running"
)

// Queue holds the waiting jobs of one work tree.
type Queue struct{ dir string }

// Open returns the queue of a work tree. It does not read or create anything.
func Open(repo *refs.Repo) Queue { return Queue{filepath.Join(repo.WorktreeTracesDir(), "later")} }

// The name of a job's file contains the time, the process id, pickMark if a rebase made the commit, the number of
// tries, and a suffix that says whether the job can run now.
const (
	jobSuffix  = ".job"
	waitSuffix = ".wait"
	pickMark   = ".pick"
)

// maxTries limits the number of tries of a job: a job may crash its process each time.
const maxTries = 3

func (q Queue) lockFile() string { return q.dir + ".lock" }

// Add puts a job into the queue. A commit that a rebase made waits there until Release.
func (q Queue) Add(job Job) error {
	raw, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("put off %s: %w", job.Hook, err)
	}
	mark, suffix := "", jobSuffix
	if !job.From.IsZero() {
		mark, suffix = pickMark, waitSuffix
	}
	name := fmt.Sprintf("%020d-%d%s-0%s", job.Time.UnixNano(), os.Getpid(), mark, suffix)
	if err := refs.WriteFileAtomic(filepath.Join(q.dir, name), raw, 0o600); err != nil {
		return fmt.Errorf("put off %s: %w", job.Hook, err)
	}
	return nil
}

// Pick is a queued commit that a rebase made.
type Pick struct {
	Commit, From refs.OID
	file         string
}

// Picks lists the queued commits that rebases made, oldest first. It skips files that cannot be read.
func (q Queue) Picks() []Pick {
	var out []Pick
	for _, file := range q.files(func(name string) bool { return strings.Contains(name, pickMark) }) {
		if job, err := q.read(file); err == nil && !job.From.IsZero() {
			out = append(out, Pick{job.Commit, job.From, filepath.Join(q.dir, file)})
		}
	}
	return out
}

// Reasons lists the reasons of the jobs that can run now, each once.
func (q Queue) Reasons() []Reason {
	var out []Reason
	for _, file := range q.names() {
		if job, err := q.read(file); err == nil && !slices.Contains(out, job.Why) {
			out = append(out, job.Why)
		}
	}
	return out
}

func (q Queue) read(file string) (job Job, err error) {
	raw, err := refs.ReadFile(filepath.Join(q.dir, file))
	if err == nil {
		err = json.Unmarshal(raw, &job)
	}
	if err != nil {
		return job, fmt.Errorf("read a job: %w", err)
	}
	return job, nil
}

// Done removes commits from the queue.
func (q Queue) Done(picks []Pick) error {
	var failed error
	for _, p := range picks {
		if err := os.Remove(p.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("take a commit off the queue: %w", err))
		}
	}
	return failed
}

// Release makes waiting commits into jobs: the rebase has ended, and its hook has no time for them.
func (q Queue) Release(picks []Pick) error {
	var failed error
	for _, p := range picks {
		stem, waits := strings.CutSuffix(p.file, waitSuffix)
		if !waits {
			continue
		}
		if err := os.Rename(p.file, stem+jobSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("release a commit: %w", err))
		}
	}
	return failed
}

// `Any` reports whether a job can run now. If there never was a job, it costs one system call.
func (q Queue) Any() bool { return q.Len() > 0 }

// Len returns the number of jobs that can run now.
func (q Queue) Len() int { return len(q.names()) }

// `names` lists the files of the jobs that can run now, oldest first.
func (q Queue) names() []string {
	return q.files(func(name string) bool { return strings.HasSuffix(name, jobSuffix) })
}

// files lists the wanted files of the queue, oldest first. If the queue cannot be read, the list is empty.
func (q Queue) files(wanted func(name string) bool) (out []string) {
	entries, _ := os.ReadDir(q.dir)
	for _, entry := range entries {
		if wanted(entry.Name()) {
			out = append(out, entry.Name())
		}
	}
	return out
}

// Busy reports whether a process is working on the queue now.
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

// lockWait is the time to wait for the lock. It is longer than Busy holds the lock.
const lockWait = 200 * time.Millisecond

// Work calls the function `do` for each job and then the function `rest` for other work, until no job is left and the
// function `more` returns false. It returns at once if another process works on the queue. A failed job is removed too,
// unless the context has ended.
func (q Queue) Work(ctx context.Context, do func(Job) error, rest func() error, more func() bool) error {
	var failed error
	for ctx.Err() == nil {
		lock, err := refs.Flock(q.lockFile(), lockWait)
		if err != nil {
			return failed
		}
		failed = errors.Join(failed, q.drain(ctx, do), rest())
		lock.Unlock()
		// Another hook may have added a job while the lock was taken, so check again.
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
			return errors.Join(failed, fmt.Errorf("take a job off the queue: %w", err))
		}
	}
	return failed
}

// errTries is returned for a job with too many tries.
var errTries = errors.New("given up: it never finished")

// begin reads a job and increments the number of tries in its name.
func (q Queue) begin(name string) (again string, job Job, err error) {
	if job, err = q.read(filepath.Base(name)); err != nil {
		return name, job, err
	}
	stem := strings.TrimSuffix(name, jobSuffix)
	cut := strings.LastIndexByte(stem, '-')
	tries, err := strconv.Atoi(stem[cut+1:])
	if err != nil || tries >= maxTries {
		return name, job, errTries
	}
	again = stem[:cut+1] + strconv.Itoa(tries+1) + jobSuffix
	if err := os.Rename(name, again); err != nil {
		return name, job, fmt.Errorf("begin a job: %w", err)
	}
	return again, job, nil
}
