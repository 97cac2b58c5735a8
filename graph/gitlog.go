package graph

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Query selects the commits to show.
type Query struct {
	Dir     string   // directory to which paths are relative; empty for the top of the work tree
	Options []string // options of git-log(1) that select commits: --since=…, --first-parent, -n…
	Revs    []string // revisions and ranges; HEAD if empty
	Paths   []string
	// Dashed says that the user wrote "--", so revisions are before it and paths after it, and git need not guess.
	Dashed bool
}

// mark begins the text of a line. Git draws edges with printable characters only, so the first mark is the end of the
// edges. Each field with foreign text has its own line, because such a field cannot contain a line feed.
const mark = '\x1e'

// format is one line with git's ids and times, then one line for each text that people wrote.
const format = "tformat:%x1e%H %h %at %ct %P%n%x1e%aN%n%x1e%aE%n%x1e%D%n%x1e%s"

const formatLines = 5

// logArgs returns arguments that make the output of git-log(1) independent of the user's configuration.
func logArgs(q Query) []string {
	args := []string{
		"-c", "log.follow=false", "-c", "log.showSignature=false", "log", "--graph", "--no-color", "--no-patch", "--no-notes",
		"--decorate=short", "--encoding=UTF-8", "--format=" + format,
	}
	return append(args, q.chosen()...)
}

// Command returns a git command that runs in the directory to which paths are relative.
func (q Query) Command(ctx context.Context, repo *refs.Repo, args ...string) *exec.Cmd {
	cmd := repo.Command(ctx, args...)
	if q.Dir != "" {
		cmd.Dir = q.Dir
	}
	return cmd
}

// `chosen` returns the arguments that select commits and paths.
func (q Query) chosen() []string {
	args := slices.Concat(q.Options, q.Revs)
	if q.Dashed {
		args = append(args, "--")
	}
	return append(args, q.Paths...)
}

// Check lets git check the revisions and options of a query. It does not walk the history, as drawing edges would.
func Check(ctx context.Context, repo *refs.Repo, q Query) error {
	q.Options = append(slices.Clone(q.Options), "--max-count=0")
	return runLog(ctx, q.Command(ctx, repo, append([]string{"log", "--no-patch"}, q.chosen()...)...),
		func(out io.Reader) error { _, err := io.Copy(io.Discard, out); return err })
}

// gitLog runs git and calls the function `yield` with each commit. The commits have no contributors.
func gitLog(ctx context.Context, repo *refs.Repo, q Query, yield func(*Commit) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return runLog(ctx, q.Command(ctx, repo, logArgs(q)...), func(out io.Reader) error {
		err := readLog(out, yield)
		if err != nil {
			cancel()
		}
		return err
	})
}

// runLog runs git and passes its output to `read`. An error includes git's message.
func runLog(ctx context.Context, cmd *exec.Cmd, read func(out io.Reader) error) error {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	readErr := read(out)
	err = cmd.Wait()
	switch {
	case readErr != nil:
		return readErr
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git log: %w", ctx.Err())
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("git log: %w", err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
	return &refs.GitError{Verb: "log", Code: exit.ExitCode(), Stderr: strings.TrimPrefix(line, "fatal: ")}
}

var errLogShape = errors.New("unexpected output of git log")

// readLog parses the output of git log in the format that logArgs requests.
func readLog(in io.Reader, yield func(*Commit) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var last *Commit
	var block []string // text lines of the current commit
	var drawn []string // edges left of these lines
	give := func() error {
		if last == nil {
			return nil
		}
		c := last
		last = nil
		return yield(c)
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read git log: %w", err)
		}
		if line == "" {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		left, text, isText := strings.Cut(line, string(mark))
		switch {
		case !isText && len(block) > 0:
			return fmt.Errorf("%w: a commit is cut short", errLogShape)
		case !isText && last != nil:
			last.edges.after = append(last.edges.after, left)
			continue
		case !isText:
			continue
		}
		block, drawn = append(block, text), append(drawn, left)
		if len(block) < formatLines {
			continue
		}
		if err := give(); err != nil {
			return err
		}
		if last, err = parseCommit(block); err != nil {
			return err
		}
		last.edges = newEdges(drawn[0], drawn[1:])
		block, drawn = nil, nil
	}
	if len(block) > 0 {
		return fmt.Errorf("%w: the last commit is cut short", errLogShape)
	}
	return give()
}

func parseCommit(texts []string) (*Commit, error) {
	fields := strings.Fields(texts[0])
	if len(fields) < 4 {
		return nil, fmt.Errorf("%w: %d fields", errLogShape, len(fields))
	}
	c := &Commit{Short: fields[1], Author: texts[1], Mail: texts[2], Subject: texts[4]}
	var err error
	if c.ID, err = refs.ParseOID(fields[0]); err != nil {
		return nil, fmt.Errorf("%w: %w", errLogShape, err)
	}
	for i, at := range []*time.Time{&c.Time, &c.Committed} {
		seconds, err := strconv.ParseInt(fields[2+i], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: time: %w", errLogShape, err)
		}
		const latest = 253402300799 // the end of the year 9999, the last one that RFC 3339 can represent
		*at = time.Unix(min(max(seconds, 0), latest), 0).UTC()
	}
	for _, field := range fields[4:] {
		parent, err := refs.ParseOID(field)
		if err != nil {
			return nil, fmt.Errorf("%w: parent: %w", errLogShape, err)
		}
		c.Parents = append(c.Parents, parent)
	}
	for name := range strings.SplitSeq(texts[3], ", ") {
		if name != "" {
			c.Refs = append(c.Refs, name)
		}
	}
	return c, nil
}
