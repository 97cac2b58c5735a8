package sharing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// ErrUnreached reports a remote that did not answer, or did not answer like a git remote.
var ErrUnreached = errors.New("the remote was not reached")

// ErrLocked reports a ref with the lock of another git process, running or killed.
var ErrLocked = errors.New("a ref is locked")

// `unreached` returns the reason of a failed fetch. It recognises a lock by its file name in git's message, in any
// language.
func unreached(err error) error {
	if strings.Contains(err.Error(), ".lock'") {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("%w: %w", ErrUnreached, err)
}

// ErrOtherObjects reports a remote with another object format, so that none of its commits can be here.
var ErrOtherObjects = errors.New("it is a repository of another object format")

// silence is the time that a remote may take for the first answer.
const silence = 60 * time.Second

// maxRefs is the number of a remote's refs of traces beyond which a pull needs a selection.
const maxRefs = 5000

// patient returns the arguments of a git command that talks with a remote. It gives up a hanging HTTP connection after
// a minute.
func patient(args ...string) []string {
	return append([]string{"-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"}, args...)
}

// fetching returns the arguments of a git command that fetches only the named refs of traces. The caller appends more
// options, "--", the remote and the refspecs. Git writes one pack, so that its size can be watched. A partial clone
// gets all objects.
func fetching(args ...string) []string {
	return patient(append([]string{"-c", "fetch.unpackLimit=1", "fetch", "--quiet", "--no-tags", "--no-filter",
		"--no-write-fetch-head", "--refmap=", "--no-recurse-submodules"}, args...)...)
}

// `there` lists refs of a remote by their names.
func there(ctx context.Context, repo *refs.Repo, remote string, patterns ...string) (map[string]refs.OID, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	out, err := talk(ctx, repo, append(patient("ls-remote", "--", remote), patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	found := map[string]refs.OID{}
	for line := range strings.Lines(out) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		oid, err := refs.ParseOID(id)
		if err == nil && oid.Format() != repo.Format {
			return nil, fmt.Errorf("%w: its ids are %s, the ids here are %s", ErrOtherObjects, oid.Format(), repo.Format)
		}
		if err == nil {
			found[name] = oid
		}
	}
	return found, nil
}

// Pushing is set in the environment of hooks that run during a push of traces, so that they do not start another push.
const Pushing = "GITTRACE_PUSHING"

// talk runs a git command that contacts a remote. The remote's text in an error is foreign.
func talk(ctx context.Context, repo *refs.Repo, args ...string) (string, error) {
	return ask(ctx, repo, "", args...)
}

// ask does the same as talk, with text on standard input.
func ask(ctx context.Context, repo *refs.Repo, input string, args ...string) (string, error) {
	cmd := repo.Command(ctx, args...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	cmd.Env = append(cmd.Env, Pushing+"=1")
	cmd.Cancel = func() error { // git ends its helpers; a killed helper would wait for a remote that hangs
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	var stdout bytes.Buffer
	stderr := &start{}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.String(), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", errSilent{}
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return stdout.String(), &RemoteError{Err: err, Lines: said(string(stderr.kept))}
}

// errSilent reports a remote that did not answer in time.
type errSilent struct{}

func (errSilent) Error() string {
	return fmt.Sprintf("it said nothing for %d seconds", int(silence.Seconds()))
}

func (errSilent) Unwrap() error { return context.DeadlineExceeded }

// arriving works like ask, for a fetch: it stops git if more bytes arrive than allowed.
func arriving(ctx context.Context, repo *refs.Repo, most int64, input string, args ...string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(fault.In(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if size := halfPacks(repo); size > most {
					cancel(fmt.Errorf("%w: more than %d bytes", ErrTooMuch, most))
				}
			}
		}
	}))
	_, err := ask(ctx, repo, input, args...)
	close(done)
	watch.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, ErrTooMuch) {
		return cause
	}
	return err
}

// ErrTooMuch reports a remote that sends more than trace.maxFetched.
var ErrTooMuch = errors.New("the remote sends too much")

// halfPacks returns the size of the packs that git is writing.
func halfPacks(repo *refs.Repo) int64 {
	var size int64
	entries, _ := os.ReadDir(filepath.Join(repo.MainObjects(), "pack"))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "tmp_pack_") {
			continue
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// RemoteError is the failure of a git command because of the remote or the connection.
type RemoteError struct {
	Err   error
	Lines []string // the message of git and the remote: at most mostSaid lines, without credentials
	// States lists the refs that a push did not move, with the remote's reasons.
	States []string
}

// Error returns the line of the message that says most: git's reason, otherwise the remote's, otherwise the first one.
func (e *RemoteError) Error() string {
	if len(e.Lines) == 0 {
		return e.Err.Error()
	}
	for _, line := range e.Lines {
		if text, found := strings.CutPrefix(line, "fatal: "); found {
			return text
		}
	}
	for _, line := range e.Lines {
		if text, found := strings.CutPrefix(line, "remote: "); found {
			return strings.TrimPrefix(text, "error: ")
		}
	}
	if len(e.States) > 0 {
		return e.States[0]
	}
	return strings.TrimPrefix(e.Lines[0], "error: ")
}

func (e *RemoteError) Unwrap() error { return e.Err }

// mostSaid limits the number of shown lines of a remote's message.
const mostSaid = 20

var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/@\s]*@`)
})

func said(text string) []string {
	var out []string
	for line := range strings.Lines(credentials().ReplaceAllString(text, "$1")) {
		if line = strings.TrimRight(line, "\r\n "); line != "" && len(out) < mostSaid {
			out = append(out, line)
		}
	}
	return out
}

// start keeps the beginning of the bytes written to it.
type start struct{ kept []byte }

func (t *start) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[:min(len(p), max(0, 64<<10-len(t.kept)))]...)
	return len(p), nil
}
