package events

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// rawCommit is a commit's content as git gave it, not hashed yet; or a part of a log that is none.
type rawCommit struct {
	oid  refs.OID
	raw  []byte
	part *filePart
}

// filePart are events in a row of a log that is not made of commits: a batch of the own log's file, or a file of a
// seal.
type filePart struct {
	lines  [][]byte
	first  bool   // of the log
	wrong  string // what its end line is not
	seq    int64  // of the last event, as what ends the part says; 0 if nothing does
	id     ID
	length int // of the lines, as it says
}

// How many commits, of how many bytes, are read here before git is asked: the usual few new batches cost no process,
// nor do the short logs of many writers. A loose file beyond looseFile and a packed object beyond nearObject are left
// to git, which tells the size before it sends the content; a smaller file cannot inflate to more than a thousand times
// that.
const (
	nearWalk   = 512
	nearBytes  = 16 << 20
	nearObject = 1 << 20
	looseFile  = 64 << 10
)

// errStopped ends a stream that its consumer has had enough of.
var errStopped = errors.New("stopped")

// errForked reports that a commit does not descend from where the stream was to begin.
var errForked = errors.New("log does not go back to the given commit")

// newestFirst gives each commit from tip back to, but without, stop to yield; a zero stop means the root. Parents are
// taken from the commits' own bytes and compared with the order in which git lists them.
func (l *Log) newestFirst(ctx context.Context, tip, stop refs.OID, yield func(rawCommit) error) error {
	next, err := l.follow(tip, stop, yield)
	if err != nil || next == stop {
		return err
	}
	err = l.listed(ctx, next, stop, listing{env: l.repo.SideReadEnv()}, func(c rawCommit) error {
		if c.oid != next {
			return fmt.Errorf("git lists %s where %s belongs", c.oid, next)
		}
		b, err := parseBatch(c.raw)
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		next = b.parent()
		return yield(c)
	})
	if err == nil && next != stop {
		return errForked
	}
	return err
}

// oldestFirst is newestFirst the other way round.
func (l *Log) oldestFirst(ctx context.Context, tip, stop refs.OID, yield func(rawCommit) error) error {
	var recent []rawCommit
	next, err := l.follow(tip, stop, func(c rawCommit) error {
		recent = append(recent, c)
		return nil
	})
	if err != nil {
		return err
	}
	if next != stop {
		if err := l.endsInBatch(next); err != nil {
			return err
		}
		last := stop
		oldest := listing{options: []string{"--reverse"}, env: l.repo.SideReadEnv()}
		err := l.listed(ctx, next, stop, oldest, func(c rawCommit) error {
			b, err := parseBatch(c.raw)
			if err != nil {
				return fmt.Errorf("commit %s: %w", c.oid, err)
			}
			if b.parent() != last {
				return errForked
			}
			last = c.oid
			return yield(c)
		})
		if err == nil && last != next {
			err = errForked
		}
		if err != nil {
			return err
		}
	}
	for i := len(recent) - 1; i >= 0; i-- {
		if err := yield(recent[i]); err != nil {
			return err
		}
	}
	return nil
}

// endsInBatch looks at the last commit alone. Git has to go through all commits before it can name the oldest one.
// Somebody may fetch a chain of a million commits that are no log, and must not wait for that.
func (l *Log) endsInBatch(commit refs.OID) error {
	raw, err := l.readCommit(commit)
	if err == nil {
		_, err = parseBatch(raw)
	}
	if err != nil {
		return fmt.Errorf("commit %s: %w", commit, err)
	}
	return nil
}

// follow goes back without git as far as commits are small and lie loose or in a pack. It returns the first commit that
// was not given to yield.
func (l *Log) follow(tip, stop refs.OID, yield func(rawCommit) error) (refs.OID, error) {
	next := tip
	packed := l.repo.Objects()
	packed.Max = nearObject
	defer packed.Close()
	for n, size := 0, 0; n < nearWalk && size < nearBytes && next != stop && !next.IsZero(); n++ {
		typ, raw, err := l.readSmallLoose(next)
		if err != nil {
			typ, raw, err = packed.ReadPacked(next)
		}
		if err != nil {
			return next, nil // in an alternate, large, or damaged: git knows
		}
		size += len(raw)
		if typ != refs.CommitObject {
			return next, fmt.Errorf("object %s is a %s: %w", next, typ, ErrNotBatch)
		}
		b, err := parseBatch(raw)
		if err != nil {
			return next, fmt.Errorf("commit %s: %w", next, err)
		}
		if err := yield(rawCommit{oid: next, raw: raw}); err != nil {
			return next, err
		}
		next = b.parent()
	}
	if next.IsZero() && !stop.IsZero() {
		return next, errForked
	}
	return next, nil
}

// readSmallLoose reads an object of the repository's own store if its file is a small one.
func (l *Log) readSmallLoose(oid refs.OID) (refs.ObjectType, []byte, error) {
	name := oid.String()
	info, err := os.Stat(filepath.Join(l.repo.MainObjects(), name[:2], name[2:]))
	if err != nil {
		return "", nil, err
	}
	if info.Size() > looseFile {
		return "", nil, ErrTooLong
	}
	return refs.ReadLoose(l.repo.MainObjects(), oid)
}

// listing is how git lists commits: options for rev-list, and environment, as where else it may look for objects.
type listing struct {
	options []string
	env     []string
}

// listed runs `git rev-list | git cat-file --batch` over the first parents of tip and gives each commit to yield.
func (l *Log) listed(ctx context.Context, tip, stop refs.OID, how listing, yield func(rawCommit) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Neither grafts nor a shallow boundary may hide what a commit says of itself; git reads both from files.
	args := append([]string{"--shallow-file", "", "rev-list", "--first-parent"}, how.options...)
	args = append(args, tip.String())
	if !stop.IsZero() {
		args = append(args, "^"+stop.String())
	}
	list := l.repo.Command(ctx, args...)
	list.Env = append(append(list.Env, how.env...), "GIT_GRAFT_FILE="+filepath.Join(l.repo.TracesDir(), "no-grafts"))
	// Left alone, git keeps all of a pack mapped that it has read from: 360 MB for a million events.
	read := l.repo.Command(ctx, "-c", "core.packedGitWindowSize=1m", "-c", "core.packedGitLimit=64m", "cat-file",
		"--batch", "--buffer")
	read.Env = append(read.Env, how.env...)
	out, wait, err := pipeline(list, read)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	err = eachObject(out, yield)
	if err != nil {
		cancel()
		_ = wait()
		return err
	}
	if err := wait(); err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	return nil
}

// pipeline starts two processes, the first one's output being the second one's input. wait reports the first failure.
func pipeline(first, second *exec.Cmd) (io.Reader, func() error, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _, _ = r.Close(), w.Close() }() // the children hold their own ends
	var firstSays, secondSays strings.Builder
	first.Stdout, first.Stderr = w, limited(&firstSays)
	second.Stdin, second.Stderr = r, limited(&secondSays)
	out, err := second.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := first.Start(); err != nil {
		return nil, nil, err
	}
	if err := second.Start(); err != nil {
		_ = first.Process.Kill()
		_ = first.Wait()
		return nil, nil, err
	}
	wait := func() error {
		secondErr := second.Wait() // its end also ends the first
		return errors.Join(explain(first.Wait(), &firstSays), explain(secondErr, &secondSays))
	}
	return out, wait, nil
}

// limitedWriter keeps the beginning of what is written to it.
type limitedWriter struct{ text *strings.Builder }

func limited(text *strings.Builder) io.Writer { return limitedWriter{text} }

func (w limitedWriter) Write(p []byte) (int, error) {
	const most = 2048
	if room := most - w.text.Len(); room > 0 {
		w.text.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func explain(err error, says *strings.Builder) error {
	if err == nil {
		return nil
	}
	for line := range strings.SplitSeq(says.String(), "\n") {
		if fatal, ok := strings.CutPrefix(line, "fatal: "); ok {
			return errors.New(fatal)
		}
	}
	return err
}

// eachObject reads the output of cat-file --batch.
func eachObject(r io.Reader, yield func(rawCommit) error) error {
	in := bufio.NewReaderSize(r, 256<<10)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read log: git cat-file: %w", err)
		}
		c, size, err := parseAnswer(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		content := make([]byte, size+1)
		if _, err := io.ReadFull(in, content); err != nil {
			return fmt.Errorf("read log: git cat-file: %w", err)
		}
		c.raw = content[:size:size]
		if err := yield(c); err != nil {
			return err
		}
	}
}

func parseAnswer(line string) (rawCommit, int64, error) {
	name, rest, _ := strings.Cut(line, " ")
	typ, digits, _ := strings.Cut(rest, " ")
	oid, err := refs.ParseOID(name)
	if err != nil {
		return rawCommit{}, 0, fmt.Errorf("read log: git cat-file: %w", err)
	}
	if typ == "missing" {
		return rawCommit{}, 0, fmt.Errorf("read log: commit %s: %w", oid, refs.ErrMissing)
	}
	if refs.ObjectType(typ) != refs.CommitObject {
		return rawCommit{}, 0, fmt.Errorf("object %s is a %.10s: %w", oid, typ, ErrNotBatch)
	}
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 || size > maxBatch {
		return rawCommit{}, 0, fmt.Errorf("commit %s: %.20s bytes: %w", oid, digits, ErrTooLong)
	}
	return rawCommit{oid: oid}, size, nil
}
