package refs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/internal/fault"
)

// Listed is an object in a listing by git.
type Listed struct {
	OID  OID
	Type ObjectType
	Size int64
}

// ListObjects lists every object in an object directory, MainObjects or SideObjects: loose and packed objects,
// reachable or not, and the objects of alternates. It leaves out damaged objects.
func (r *Repo) ListObjects(ctx context.Context, dir string) ([]Listed, error) {
	if !isDir(dir) { // git would reject the directory
		return nil, nil
	}
	cmd := r.Command(ctx, "cat-file", "--batch-check", "--batch-all-objects", "--unordered")
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+dir, "GIT_NO_LAZY_FETCH=1")
	out, err := runGit(cmd, "cat-file")
	if err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	list := make([]Listed, 0, bytes.Count(out, []byte{'\n'}))
	for line := range strings.Lines(string(out)) {
		if oid, typ, size, err := parseBatchHeader(strings.TrimSuffix(line, "\n")); err == nil {
			list = append(list, Listed{oid, typ, size})
		}
	}
	return list, nil
}

// CopyObject writes the content of an object of any size to a writer, while git reads it. If the writer fails,
// CopyObject does not wait for git and returns the writer's error.
func (r *Repo) CopyObject(ctx context.Context, oid OID, to io.Writer) error {
	cmd := r.Command(ctx, "cat-file", "--batch")
	cmd.Env = append(append(cmd.Env, r.SideReadEnv()...), "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin = strings.NewReader(oid.String() + "\n")
	body := &batchBody{to: to}
	out := &sink{to: body}
	cmd.Stdout = out
	err := runGitTo(cmd, "cat-file")
	switch {
	case out.err != nil:
		return out.err
	case err != nil:
		return fmt.Errorf("read object %s: %w", oid, err)
	case body.missing():
		return fmt.Errorf("read object %s: %w", oid, ErrMissing)
	case body.left != -1: // the line feed that follows the content
		return fmt.Errorf("read object %s: %w: it ends early", oid, ErrCorrupt)
	}
	return nil
}

// batchBody parses the output of a cat-file with one answer.
type batchBody struct {
	to   io.Writer
	head []byte
	left int64
	body bool
}

const longestHead = 200

func (b *batchBody) missing() bool { return !b.body }

func (b *batchBody) Write(p []byte) (int, error) {
	n := len(p)
	if !b.body {
		b.head = append(b.head, p...)
		line, rest, whole := bytes.Cut(b.head, []byte{'\n'})
		if !whole && len(b.head) > longestHead {
			return 0, fmt.Errorf("%w: unexpected answer of cat-file", ErrCorrupt)
		}
		if !whole || bytes.HasSuffix(line, []byte(" missing")) {
			return n, nil
		}
		_, _, size, err := parseBatchHeader(string(line))
		if err != nil {
			return 0, err
		}
		b.body, b.left, p = true, size, rest
	}
	content := p[:min(int64(len(p)), max(b.left, 0))]
	b.left -= int64(len(p))
	if len(content) == 0 {
		return n, nil
	}
	if _, err := b.to.Write(content); err != nil {
		return 0, err
	}
	return n, nil
}

// Reached lists every object that can be reached from the user's refs, reflogs, work trees and indexes. Refs below
// refs/traces do not count. It skips broken refs.
func (r *Repo) Reached(ctx context.Context) (map[OID]struct{}, error) {
	return r.ReachedBy(ctx, "--exclude=refs/traces/*", "--all", "--reflog", "--indexed-objects")
}

// ReachedBy lists every existing object that can be reached from some revisions. Revisions are arguments of rev-list,
// such as --glob=PATTERN.
func (r *Repo) ReachedBy(ctx context.Context, revisions ...string) (map[OID]struct{}, error) {
	read, write := io.Pipe()
	done := make(chan error, 1)
	fault.Go(func() {
		cmd := r.Command(ctx, "rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--ignore-missing")
		cmd.Args = append(cmd.Args, revisions...)
		cmd.Stdout = write
		err := runGitTo(cmd, "rev-list")
		_ = write.CloseWithError(err)
		done <- err
	})
	out := map[OID]struct{}{}
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		if oid, err := ParseOID(lines.Text()); err == nil {
			out[oid] = struct{}{}
		}
	}
	_ = read.Close()
	if err := <-done; err != nil {
		return nil, fmt.Errorf("look for what is needed: %w", err)
	}
	return out, nil
}

// PacksWith returns the packs of an object directory that contain some of the objects, without ".pack".
func (r *Repo) PacksWith(dir string, ids map[OID]bool) ([]string, error) {
	packs, err := listAllPacks(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range packs {
		x, err := p.Index(r.Format)
		if err != nil {
			return nil, err
		}
		for _, oid := range x.IDs() {
			if ids[oid] {
				out = append(out, p.Path)
				break
			}
		}
	}
	return out, nil
}

// FinishRemoving deletes the remaining files of a pack that has no index, because a process that removed the pack was
// killed.
func FinishRemoving(path string) error {
	if exists(path+".idx") || exists(path+".keep") {
		return nil
	}
	return Pack{Path: path}.Remove()
}

// Everywhere returns arguments that make git start at every branch and tag, including remote ones, and at HEAD
// (git-rev-list(1)). The log, notes and stashes are not part of the history.
func Everywhere() []string {
	return []string{"--exclude=refs/traces/*", "--exclude=refs/notes/*", "--exclude=refs/stash", "--all"}
}
