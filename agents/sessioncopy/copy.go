package sessioncopy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Form says how an agent's lines are converted to lines of another session.
type Form struct {
	// First returns a line to put before all others; nil for none. Its argument is the file's first line.
	First func(line []byte) []byte
	// Drop reports whether a line is left out because it concerns only the running session.
	Drop func(line []byte) bool
	// Members returns the members of a line to change or add, with their values.
	Members func(line []byte) []Member
}

// Member is a member of a line's object, with its new value.
type Member struct {
	Name  string
	Value []byte // JSON
}

// ErrEmpty reports a beginning without any message.
var ErrEmpty = errors.New("nothing was said before that step")

// Write writes the copy to a path. It fails if the path already exists.
func Write(path string, from capability.Beginning, form Form) (err error) {
	in, err := transcript.Open(from.Path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".git-trace-*")
	if err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	defer func() { _ = errors.Join(out.Close(), os.Remove(out.Name())) }()
	to := bufio.NewWriter(out)
	if err := form.write(to, in.From(0), from); err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	if err := errors.Join(to.Flush(), out.Close()); err != nil {
		return fmt.Errorf("copy session: %w", err)
	}
	if err := os.Link(out.Name(), path); err != nil { // a link cannot replace a file, unlike rename(2)
		if _, there := os.Lstat(path); there == nil {
			return fmt.Errorf("copy session: %w", err)
		}
		return os.Rename(out.Name(), path)
	}
	return nil
}

// `write` copies the lines that begin before `from.Until`.
func (f Form) write(to io.Writer, file io.Reader, from capability.Beginning) error {
	in := jsonlines.NewReader(io.LimitReader(file, from.Until), 0, 0)
	places := renames(from.Dirs, from.Dir)
	written, first := 0, true
	put := func(line []byte) error {
		_, err := to.Write(append(line, '\n'))
		return err
	}
	for {
		object, err := in.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			break
		}
		whole := rawjson.Cleaned(object.Raw)
		if first && f.First != nil {
			if line := f.First(whole); line != nil {
				if err := put(line); err != nil {
					return err
				}
			}
		}
		first = false
		if f.Drop != nil && f.Drop(whole) {
			continue
		}
		line, err := rewrite(whole, f.Members, places)
		if err != nil {
			return err
		}
		if err := put(line); err != nil {
			return err
		}
		written++
	}
	if in.Faults().TooLong > 0 {
		return errors.New("a line of the session file is too long")
	}
	if written == 0 {
		return ErrEmpty
	}
	return nil
}
