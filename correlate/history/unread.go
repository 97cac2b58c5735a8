package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Unread is what could not be read of a commit: a file, or all of it where Path is empty.
type Unread struct {
	Path   string   // raw bytes
	Object refs.OID // the object that is damaged or missing, where that is known
	Cause  error
}

// refusal is an error of the one who takes the commits.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

// walker reads a history past what is damaged.
type walker struct {
	repo  *refs.Repo
	yield func(*Commit) error
}

// walk asks git for all commits at once. Where git gives up, it does not say at which of them: those that follow the last
// one it told are asked for alone until the damaged one is found, and then the rest at once again.
func (w *walker) walk(ctx context.Context, list []Commit) error {
	for len(list) > 0 {
		done, err := w.read(ctx, list, nil, w.yield)
		if list = list[done:]; err == nil {
			return nil
		}
		damaged := false
		for len(list) > 0 && !damaged {
			var given *refusal
			switch {
			case errors.As(err, &given):
				return given.error
			case ctx.Err() != nil:
				return ctx.Err()
			}
			c := list[0]
			_, err = w.read(ctx, list[:1], nil, func(read *Commit) error { c = *read; return nil })
			if damaged = err != nil && ctx.Err() == nil; damaged {
				w.salvage(ctx, &c, err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := w.yield(&c); err != nil {
				return err
			}
			list = list[1:]
		}
	}
	return nil
}

// read reads the changes of a list, of some paths only if any are named, and tells how many commits were given.
func (w *walker) read(ctx context.Context, list []Commit, paths []string, yield func(*Commit) error) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := diffArgs
	if len(paths) > 0 {
		args = append([]string{"--literal-pathspecs"}, append(args[:len(args):len(args)], append([]string{"--"}, paths...)...)...)
	}
	cmd := w.repo.Command(ctx, args...)
	var in strings.Builder
	for i := range list {
		in.WriteString(list[i].ID.String() + "\n")
	}
	cmd.Stdin = strings.NewReader(in.String())
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	waited := false
	wait := func() error { // how git ended, after all that it said
		waited = true
		_, _ = io.Copy(io.Discard, out)
		err := cmd.Wait()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("git diff-tree: %w: %s", err, first)
	}
	p := &parser{in: bufio.NewReaderSize(out, 256<<10)}
	done, err := p.walk(list, yield, wait)
	if !waited {
		cancel()
		_ = cmd.Wait()
	}
	return done, err
}

// salvage reads those files of a damaged commit that can be read, and names what cannot.
func (w *walker) salvage(ctx context.Context, c *Commit, cause error) {
	c.Files = nil
	files, err := w.changed(ctx, c)
	if err != nil {
		c.Unread = append(c.Unread, Unread{Cause: cause})
		return
	}
	objects := w.repo.Objects()
	defer func() { _ = objects.Close() }()
	var whole []string
	for i := range files {
		broken, cause := refs.OID{}, error(nil)
		for _, id := range []refs.OID{files[i].Old, files[i].New} {
			if id.IsZero() || files[i].Mode == refs.ModeGitlink {
				continue
			}
			if _, err := objects.Blob(id); err != nil && !errors.Is(err, refs.ErrTooLarge) {
				broken, cause = id, err
			}
		}
		if cause != nil {
			c.Unread = append(c.Unread, Unread{Path: files[i].Path, Object: broken, Cause: cause})
			continue
		}
		whole = append(whole, files[i].Path)
	}
	if len(whole) == 0 {
		return
	}
	_, err = w.read(ctx, []Commit{*c}, whole, func(read *Commit) error { c.Files = read.Files; return nil })
	if err != nil {
		c.Unread = append(c.Unread, Unread{Cause: err})
	}
}

// changed lists the files that a commit changed, by its trees alone.
func (w *walker) changed(ctx context.Context, c *Commit) ([]File, error) {
	out, err := w.repo.Git(ctx, nil, "diff-tree", "--root", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-commit-id", c.ID.String())
	if err != nil {
		return nil, err
	}
	p := &parser{in: bufio.NewReader(bytes.NewReader(out))}
	var files []File
	for {
		if _, err := p.in.Peek(1); errors.Is(err, io.EOF) {
			return files, nil
		}
		f, err := p.record()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
}
