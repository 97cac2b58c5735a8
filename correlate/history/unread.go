package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Unread names an unreadable file of a commit, or the whole commit if Path is empty.
type Unread struct {
	Path   string   // raw bytes
	Object refs.OID // the damaged or missing object, if known
	Cause  error
}

// refusal wraps an error of the function that receives the commits.
type refusal struct{ error }

// walker reads a history and skips damaged parts.
type walker struct {
	repo    *refs.Repo
	yield   func(*Commit) error
	names   bool // read the changed files without their lines
	objects *refs.Objects
	// commits with missing contents, and their changed files; nil before the first use
	lacking map[refs.OID][]File
}

// `walk` asks git for all commits at once. If git gives up, walk first finds the commits with missing contents: in a
// partial clone nearly all failures have this cause. Git does not name the other commit at which it gave up. So walk
// reads the next commits one by one up to the damaged one, and then all remaining commits at once.
func (w *walker) walk(ctx context.Context, list []Commit) error {
	w.objects = w.repo.Objects()
	defer func() { _ = w.objects.Close() }()
	for len(list) > 0 {
		whole := slices.IndexFunc(list, func(c Commit) bool { return w.lacking[c.ID] != nil })
		if whole == 0 {
			if err := w.alone(ctx, list[0], refs.ErrMissing); err != nil {
				return err
			}
			list = list[1:]
			continue
		}
		if whole < 0 {
			whole = len(list)
		}
		done, err := w.read(ctx, list[:whole], nil, w.yield)
		list = list[done:]
		var given *refusal
		switch {
		case err == nil:
			continue
		case errors.As(err, &given):
			return given.error
		case w.lacking == nil:
			w.survey(ctx, list)
			continue
		}
		for damaged := false; len(list) > 0 && !damaged && w.lacking[list[0].ID] == nil; list = list[1:] {
			c := list[0]
			_, err := w.read(ctx, list[:1], nil, func(read *Commit) error { c = *read; return nil })
			if damaged = err != nil; damaged {
				err = w.alone(ctx, c, err)
			} else {
				err = w.yield(&c)
			}
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// `alone` yields a commit that cannot be read completely.
func (w *walker) alone(ctx context.Context, c Commit, cause error) error {
	if ctx.Err() == nil {
		w.salvage(ctx, &c, cause)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.yield(&c)
}

// survey finds commits with missing contents. It reads only trees, and ends where git gives up.
func (w *walker) survey(ctx context.Context, list []Commit) {
	w.lacking = map[refs.OID][]File{}
	var in strings.Builder
	for i := range list {
		in.WriteString(list[i].ID.String() + "\n")
	}
	args := append([]string{"diff-tree", "--stdin", "--root", "--no-renames"}, gitdiff.Raw()...)
	_ = gitdiff.Run(ctx, w.repo, strings.NewReader(in.String()), args, func(r *gitdiff.Reader) error {
		return r.Each(func(commit refs.OID) error {
			records, err := r.Records()
			if slices.ContainsFunc(records, func(f gitdiff.Record) bool {
				return !w.isStored(f.Old, f.OldMode) || !w.isStored(f.New, f.NewMode)
			}) {
				w.lacking[commit] = filesOf(records)
			}
			return err
		})
	})
}

// isStored reports whether this clone may have a content, without asking git.
func (w *walker) isStored(id refs.OID, mode uint32) bool {
	return id.IsZero() || mode == refs.ModeGitlink || w.objects.MayBeStored(id)
}

// read reads the changes of a list of commits, optionally of some paths only, and returns the number of yielded
// commits. It yields only complete commits; the last one is yielded after git has ended without an error. Git prints
// nothing for a commit without changes.
func (w *walker) read(ctx context.Context, list []Commit, paths []string, yield func(*Commit) error) (done int,
	err error) {
	how := gitdiff.Patch()
	if w.names {
		how = append(gitdiff.Raw(), "-M")
	}
	args := append([]string{"--literal-pathspecs", "diff-tree", "--stdin", "--root"}, how...)
	if len(paths) > 0 {
		args = append(append(args, "--"), paths...)
	}
	var in strings.Builder
	for i := range list {
		in.WriteString(list[i].ID.String() + "\n")
	}
	err = gitdiff.Run(ctx, w.repo, strings.NewReader(in.String()), args, func(r *gitdiff.Reader) error {
		r.MaxLine = maxLineBytes
		next, err := r.Commit()
		for ; done < len(list); done++ {
			c := list[done]
			if err == nil && next == c.ID {
				if c.Files, err = section(r); err == nil {
					next, err = r.Commit()
				}
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err := yield(&c); err != nil {
				return &refusal{err}
			}
		}
		if err == nil {
			return fmt.Errorf("%w: a commit that was not asked for", errShape)
		}
		return nil
	})
	return done, err
}

// salvage reads the readable files of a damaged commit, and names the unreadable ones.
func (w *walker) salvage(ctx context.Context, c *Commit, cause error) {
	c.Files = nil
	files, known := w.lacking[c.ID]
	if !known {
		var err error
		if files, err = w.changed(ctx, c); err != nil {
			c.Unread = append(c.Unread, Unread{Cause: cause})
			return
		}
	}
	var whole []string
	for i := range files {
		broken, cause := refs.OID{}, error(nil)
		f := &files[i]
		for _, side := range []refs.TreeEntry{{OID: f.Old, Mode: f.OldMode}, {OID: f.New, Mode: f.NewMode}} {
			if side.OID.IsZero() || side.Mode == refs.ModeGitlink {
				continue
			}
			if !w.isStored(side.OID, side.Mode) {
				broken, cause = side.OID, refs.ErrMissing
			} else if _, err := w.objects.Blob(side.OID); err != nil && !errors.Is(err, refs.ErrTooLarge) {
				broken, cause = side.OID, err
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
	_, err := w.read(ctx, []Commit{*c}, whole, func(read *Commit) error { c.Files = read.Files; return nil })
	if err != nil {
		c.Unread = append(c.Unread, Unread{Cause: err})
	}
}

// `changed` lists the files that a commit changed. It reads only trees.
func (w *walker) changed(ctx context.Context, c *Commit) ([]File, error) {
	args := append([]string{"diff-tree", "--root", "--no-renames", "--no-commit-id"}, gitdiff.Raw()...)
	out, err := w.repo.Git(ctx, nil, append(args, c.ID.String())...)
	if err != nil {
		return nil, err
	}
	records, err := gitdiff.Records(out)
	return filesOf(records), err
}
