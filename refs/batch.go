package refs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
)

// batch is a running `git cat-file --batch` process.
type batch struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *headBuffer
	usable bool // both streams are at the start of a request
}

// closeGrace is the time that cat-file has to exit after its input is closed.
const closeGrace = time.Second

// skipLimit is the size up to which unwanted content is read and discarded. For larger content, starting a new process
// is faster.
const skipLimit = 32 << 20

func startBatch(r *Repo) (*batch, error) {
	cmd := r.Command(context.Background(), "cat-file", "--batch")
	cmd.Env = append(cmd.Env, r.SideReadEnv()...)
	// In a partial clone a missing object must be reported as missing: a hook must not start a download.
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	b := &batch{cmd: cmd, stderr: &headBuffer{}, usable: true}
	cmd.Stderr = b.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	b.in, b.out = in, bufio.NewReaderSize(out, 32<<10)
	return b, nil
}

// lineSafe reports whether a revision can be sent as one line. Since 2.38 git has -z for other revisions; older
// versions do not.
func lineSafe(rev string) bool { return !strings.ContainsAny(rev, "\n\r\x00") }

// ask sends one name. It returns the content only if `want` is set.
func (b *batch) ask(name string, want bool, limit int64) (OID, ObjectType, []byte, error) {
	b.usable = false
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return OID{}, "", nil, err
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return OID{}, "", nil, err
	}
	line = strings.TrimSuffix(line, "\n")
	if line == name+" missing" || line == name+" ambiguous" {
		b.usable = true
		return OID{}, "", nil, ErrMissing
	}
	oid, typ, size, err := parseBatchHeader(line)
	if err != nil {
		return OID{}, "", nil, err
	}
	if !want || size > limit {
		return oid, typ, nil, b.skip(size, want)
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, content); err != nil {
		return OID{}, "", nil, err
	}
	b.usable = true
	return oid, typ, content[:size:size], nil
}

func (b *batch) skip(size int64, wanted bool) error {
	if size <= skipLimit {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return err
		}
		b.usable = true
	} else {
		b.kill()
	}
	if wanted {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	return nil
}

func parseBatchHeader(line string) (OID, ObjectType, int64, error) {
	fields := strings.Split(line, " ")
	if len(fields) != 3 {
		return OID{}, "", 0, fmt.Errorf("%w: unexpected answer of cat-file", ErrCorrupt)
	}
	oid, err := ParseOID(fields[0])
	if err != nil {
		return OID{}, "", 0, err
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return OID{}, "", 0, fmt.Errorf("%w: unexpected answer of cat-file", ErrCorrupt)
	}
	return oid, ObjectType(fields[1]), size, nil
}

// explain ends a process that failed, and adds git's own message to the error. Git exits when it finds a damaged
// object.
func (b *batch) explain(err error) error {
	_ = b.close()
	if text := b.stderr.firstLine(); text != "" {
		return &GitError{Verb: "cat-file", Code: b.cmd.ProcessState.ExitCode(), Stderr: text}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("git cat-file: ended early")
	}
	return err
}

// lacksPromised reports whether git exited because an object of a partial clone is missing. If git may not fetch it, or
// the remote is not available, git-cat-file(1) exits instead of reporting the missing object.
func (e *GitError) lacksPromised() bool {
	return strings.Contains(e.Stderr, "lazy fetching disabled") || strings.Contains(e.Stderr, "promisor remote")
}

func (b *batch) kill() {
	if b.cmd.Process != nil {
		_ = b.cmd.Process.Kill()
	}
}

// close closes the input and waits for closeGrace. Then it kills the process.
func (b *batch) close() error {
	_ = b.in.Close()
	timer := time.AfterFunc(closeGrace, fault.In(b.kill))
	defer timer.Stop()
	err := b.cmd.Wait()
	if !b.usable {
		return nil // killed on purpose, or already reported
	}
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// parseRev resolves one revision. It starts a git process with the revision as an argument.
func (r *Repo) parseRev(rev string) (OID, error) {
	if strings.ContainsRune(rev, 0) {
		return OID{}, ErrMissing
	}
	out, err := r.Git(context.Background(), nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	var failed *GitError
	if errors.As(err, &failed) {
		return OID{}, ErrMissing
	}
	if err != nil {
		return OID{}, err
	}
	return ParseOID(strings.TrimSpace(string(out)))
}
